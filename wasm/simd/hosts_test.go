package simd

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/cpu"

	"github.com/bagscope/bagscope/internal/must"
)

// arguments of the program. A page has no folder in which fuzz tests could look for their corpus.
var arguments = []string{"-test.short", "-test.v", "-test.skip=^(Fuzz|Example)"}

// observe looks into the folders that go, node and the browser read for these tests, so that the go
// command does not answer out of its cache when a file there has changed.
func observe(t *testing.T) {
	for _, folder := range []string{".", "testdata", "../../onnxbackend/kernel",
		"../../onnxbackend/kernel/approx"} {
		must.Get(os.ReadDir(folder))(t)
	}
}

// patience is how long a host may take.
const patience = 3 * time.Minute

// TestKernels runs the tests of onnxbackend/kernel as a Go program in Node and in Chromium: with
// the modules, when they hold the fast loops to those in Go, and with modules that no host accepts,
// when the same program must do with Go alone.
func TestKernels(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program and starts a browser")
	}
	observe(t)
	program := build(t, "../../onnxbackend/kernel")
	for _, host := range []struct {
		name  string
		run   func(t *testing.T, program, modules string, args []string) string
		level string
	}{
		{"Node", inNode, "level: (plain|fused)\n"},
		{"Chromium", inChromium, fusedHere()},
	} {
		t.Run(host.name, func(t *testing.T) {
			out := host.run(t, program, "good", arguments)
			demand(t, out, `(?m)^PASS$`, host.level, `--- PASS: TestGemm\w*/simd`,
				`--- PASS: TestElementwiseLengths/simd`, `--- PASS: TestMaskedSum\w*/simd`,
				`--- PASS: Test\w*Lanes/simd`, `--- PASS: TestSubtract\w*/simd`,
				`--- PASS: TestOverlaps/simd`)
			out = host.run(t, program, "spoiled", arguments)
			demand(t, out, `(?m)^PASS$`, "level: portable\n", `--- PASS: TestGemm\w*/portable`)
			must.Equal(t, strings.Contains(out, "/simd"), false, out)
		})
	}
}

// TestExam turns each addition of the module into a subtraction and looks that the exam notices.
func TestExam(t *testing.T) {
	observe(t)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node on this machine")
	}
	out, err := exec.Command(node, "testdata/exam.mjs", "plain").CombinedOutput()
	must.Do(t, err, out)
	demand(t, string(out), `^right: true, mistakes: [1-9]\d+, missed: \n`)
}

// demand fails unless out matches every pattern.
func demand(t *testing.T, out string, patterns ...string) {
	t.Helper()
	for _, p := range patterns {
		must.Equal(t, regexp.MustCompile(p).MatchString(out+"\n"), true, p, out)
	}
}

// support returns the script of Go's distribution that Go programs need in a JavaScript host.
func support(t *testing.T) string {
	root := must.Get(exec.Command("go", "env", "GOROOT").Output())(t)
	return filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js")
}

// build makes a program of a package's tests and returns its file.
func build(t *testing.T, folder string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "tests.wasm")
	build := exec.Command("go", "test", "-c", "-tags", "bagscope_simd", "-o", program, folder)
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

func inNode(t *testing.T, program, modules string, args []string) string {
	t.Helper()
	return inNodeAt(t, ".", program, modules, args)
}

// inNodeAt runs the program in a folder. relaxed has a Node run relaxed SIMD that knows it and
// leaves it out, as version 20; later ones do without the flag, or do not know it.
func relaxed() []string {
	const flag = "--experimental-wasm-relaxed-simd"
	if exec.Command("node", flag, "--eval", "").Run() != nil {
		return nil
	}
	return []string{flag}
}

// fusedHere is the level of a host with relaxed SIMD.
func fusedHere() string {
	if cpu.X86.HasFMA || runtime.GOARCH == "arm64" {
		return "level: fused\n"
	}
	return "level: (plain|fused)\n"
}

func inNodeAt(
	t *testing.T, folder, program, modules string, args []string, flags ...string,
) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node on this machine")
	}
	script := must.Get(filepath.Abs("testdata/node.mjs"))(t)
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	command := exec.CommandContext(ctx, node,
		slices.Concat(flags, []string{script, support(t), program, modules}, args)...)
	command.Dir = folder
	out, err := command.CombinedOutput()
	must.Do(t, err, out)
	return string(out)
}

func inChromium(t *testing.T, program, modules string, args []string) string {
	browser, err := exec.Command("../../tools/dev/need", "chromium").Output()
	if err != nil {
		t.Skip("there is no Chromium on this machine")
	}
	script := support(t)
	done := make(chan string, 1)
	routes := http.NewServeMux()
	routes.Handle("/", http.FileServer(http.Dir(".")))
	routes.HandleFunc("/wasm_exec.js", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, script)
	})
	routes.HandleFunc("/program.wasm", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, program)
	})
	routes.HandleFunc("POST /done", func(w http.ResponseWriter, r *http.Request) {
		out, _ := io.ReadAll(r.Body)
		done <- string(out)
	})
	server := httptest.NewServer(routes)
	defer server.Close()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	page := server.URL + "/testdata/page.html?" + url.Values{"arg": args,
		"modules": {modules}}.Encode()
	chromium := exec.CommandContext(ctx, strings.TrimSpace(string(browser)), "--headless",
		"--no-sandbox", "--disable-gpu",
		"--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync",
		"--user-data-dir="+t.TempDir(), page)
	chromium.WaitDelay = 5 * time.Second
	must.Do(t, chromium.Start())
	defer chromium.Wait()
	defer stop()
	select {
	case out := <-done:
		return out
	case <-ctx.Done():
		t.Fatal("the browser did not answer")
		return ""
	}
}
