package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// Control characters in names from files do not reach the terminal, nor do line ends inside a name.
func TestNamesHaveNoControlCharacters(t *testing.T) {
	const red = "\x1b[31m"
	card := writeTemp(t, "card.json", []byte(
		`{"classes":["\u001b[31mred\u001b[2J","\u009b31m","a\nb","\r"]}`))
	bags := filepath.Join(t.TempDir(), red+"bags.npz")
	data, err := os.ReadFile(exampleBags)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bags, data, 0o600); err != nil {
		t.Skip("this system has no such file names")
	}
	for _, args := range [][]string{
		{"predict", "--bag", bags}, {"predict", "--json", "--bag", bags},
		{"explain", "--method", "milli", "--samples", "50", "--bag", bags},
		{"inspect"},
		{"predict", "--bag", bags, "--index", "99"},
		{"predict", "--bag", bags + ".missing"},
	} {
		var out, failure bytes.Buffer
		program.Run(t.Context(), append(args, "--model", exampleModel, "--card", card), &out,
			&failure)
		text := out.String() + failure.String()
		if text == "" || strings.ContainsAny(text, "\x1b\u009b\a\r") ||
			strings.Contains(text, "a\nb") {
			t.Errorf("%q prints %q", args, text)
		}
	}
}

// A pipe without a writer does not keep a stopped program from ending.
func TestStopWhileReadingPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := exec.CommandContext(t.Context(), "mkfifo", pipe).Run(); err != nil {
		t.Skip("this system has no named pipes")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	ended := make(chan int)
	var out, failure bytes.Buffer
	go func() {
		ended <- program.Run(ctx, []string{"predict", "--model", exampleModel, "--bag", pipe}, &out,
			&failure)
	}()
	select {
	case code := <-ended:
		if code != cli.ExitFailed || !strings.Contains(failure.String(), "interrupted") {
			t.Errorf("code %d, %q", code, failure.String())
		}
	case <-time.After(patience):
		t.Fatal("the program still waits for the pipe")
	}
}
