package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

const (
	exampleModel = clitest.ExampleModel
	exampleBags  = clitest.ExampleBags
)

// bagscope runs a command as bagscope does: those of this program in this process, the others by
// the binary.
func bagscope(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	for _, c := range newRoot(io.Discard, io.Discard).Commands() {
		if c.Name() == args[0] {
			return clitest.Run(t, program, args...)
		}
	}
	var out, text bytes.Buffer
	c := exec.Command(everyday(t), args...)
	c.Stdout, c.Stderr = &out, &text
	var ended *exec.ExitError
	if err := c.Run(); errors.As(err, &ended) {
		code = ended.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return code, out.String(), text.String()
}

// succeed runs a command, which must not fail and must not write to stderr.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	return clitest.Succeed(t, bagscope, args...)
}

// folder holds the binary of bagscope while tests run.
var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "bagscope"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

var build = sync.OnceValues(func() (string, error) {
	name := filepath.Join(folder, "bagscope")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", name,
		"../bagscope").CombinedOutput(); err != nil {
		return "", fmt.Errorf("bagscope cannot be built: %w\n%s", err, out)
	}
	return name, nil
})

// everyday returns the binary of bagscope.
func everyday(t *testing.T) string {
	t.Helper()
	return must.Get(build())(t)
}

// serving runs bagscope serve until the test ends and returns its address.
func serving(t *testing.T, args ...string) (url string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), everyday(t),
		append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	log := must.Get(c.StderrPipe())(t)
	must.Do(t, c.Start())
	t.Cleanup(func() { _ = c.Wait() }) // the context of the test has ended and killed it
	lines := bufio.NewScanner(log)
	var first struct{ Msg, Address string }
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &first) != nil || first.Msg != "listening" {
		t.Fatalf("the log begins with %q", lines.Text())
	}
	go io.Copy(io.Discard, log)
	return strings.TrimSuffix(first.Address, "/")
}

// TestThroughBagscope: bagscope runs the commands of this program, found beside it.
func TestThroughBagscope(t *testing.T) {
	name := "bagscope-train"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	dir := filepath.Dir(everyday(t))
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, name),
		".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	help := must.Get(exec.Command(everyday(t), "--help").Output())(t)
	for _, c := range newRoot(io.Discard, io.Discard).Commands() {
		must.Contain(t, string(help), "\n  "+c.Name()+" ", c.Short)
		out := must.Get(exec.Command(everyday(t), c.Name(), "--help").Output())(t)
		must.Contain(t, string(out), c.Short)
	}
	var ended *exec.ExitError
	out, err := exec.Command(everyday(t), "train", "--dataset", "nothing", "--out",
		dir).CombinedOutput()
	must.Equal(t, errors.As(err, &ended), true, err, out)
	must.Equal(t, ended.ExitCode() != cli.ExitDone, true, err, out)
	must.Equal(t, strings.HasPrefix(string(out), "bagscope-train: "), true, err, out)
}
