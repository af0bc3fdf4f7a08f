package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// Control characters in names from files do not reach the terminal, nor do characters that change
// the direction of the text, nor line ends inside a name.
func TestNamesHaveNoControlCharacters(t *testing.T) {
	const red = "\x1b[31m"
	card := writeTemp(t, "card.json", []byte(
		`{"classes":["\u001b[31mred\u001b[2J\u202e","\u009b31m","a\nb\u2066","\r"]}`))
	bags := filepath.Join(t.TempDir(), red+"a\nb\u202ebags.npz")
	data := must.Get(os.ReadFile(exampleBags))(t)
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
		must.Equal(t, text != "", true, args, text)
		must.Equal(t, strings.ContainsAny(text, "\x1b\u009b\a\r\u202e\u2066"), false, args, text)
		must.Equal(t, strings.Contains(text, "a\nb"), false, args, text)
	}
}

// Names that a spreadsheet would run as formulas are text in CSV files; numbers stay numbers.
func TestNamesRunNoFormulas(t *testing.T) {
	card := writeTemp(t, "card.json",
		[]byte(`{"classes":["=cmd|' /C calc'!A0","\u001b[31m@SUM(A1)\u202e","-2+3","+1;=x"]}`))
	want := []string{`'=cmd|' /C calc'!A0`, `\x1b[31m@SUM(A1)\u202e`, "'-2+3", "'+1;'=x"}
	for _, c := range []struct {
		command     string
		name, score int // columns
	}{{"predict", 1, 2}, {"explain", 2, 4}} {
		command := c.command
		file := filepath.Join(t.TempDir(), command+".csv")
		succeed(t, command, "--model", exampleModel, "--bag", exampleBags, "--card", card,
			"--csv", file)
		text := must.Get(os.Open(file))(t)
		defer text.Close()
		rows := must.Get(csv.NewReader(text).ReadAll())(t)
		negative := false
		for _, row := range rows[1:] {
			class, err := strconv.Atoi(row[c.name-1])
			if err != nil || row[c.name] != want[class] {
				t.Errorf("%s writes class %d as %q, want %q",
					command, class, row[c.name], want[class])
			}
			score, err := strconv.ParseFloat(row[c.score], 64)
			negative = negative || score < 0
			must.Do(t, err, command)
		}
		if command == "explain" && !negative {
			t.Error("no score is negative")
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
		must.Equal(t, code, cli.ExitFailed)
		must.Contain(t, failure.String(), "interrupted")
	case <-time.After(patience):
		t.Fatal("the program still waits for the pipe")
	}
}
