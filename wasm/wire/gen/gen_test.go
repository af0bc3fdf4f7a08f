package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestFresh fails if what the files are made from has changed and nobody ran the generator.
func TestFresh(t *testing.T) {
	const root = "../../.."
	for name, text := range files(root) {
		want := must.Get(text())(t)
		got := must.Get(os.ReadFile(filepath.Join(root, name)))(t)
		must.Equal(t, string(got), want, name)
	}
}

func TestUnion(t *testing.T) {
	var b strings.Builder
	union(&b, "T", "Says.", []string{"a", "b"})
	must.Equal(t, b.String(), "\n/** Says. */\nexport type T = \"a\" | \"b\";\n")
	b.Reset()
	long := strings.Repeat("x", 60)
	union(&b, "T", "Says.", []string{long, long})
	must.Equal(t, b.String(), ("\n/** Says. */\nexport type T =\n  | \"" + long + "\"\n  | \"" +
		long + "\";\n"))
}
