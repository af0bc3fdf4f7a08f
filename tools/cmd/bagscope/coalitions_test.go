package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

func TestReadCoalitions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "z.txt")
	for _, c := range []struct{ text, says string }{
		{"101\n011\n", ""},
		{"101\r\n\n 011", ""},
		{"\ufeff101\r\n011\r\n", ""},
		{"101\n01\n", "line 2: the line has 2 characters, but the bag has 3"},
		{"101\n0x1\n", "line 2, column 2"},
		{"10é\n", "4 characters"},
	} {
		must.Do(t, os.WriteFile(file, []byte(c.text), 0o644))
		z, err := readCoalitions(t.Context(), file, 3)
		switch {
		case c.says == "" && err != nil:
			t.Errorf("%q: %v", c.text, err)
		case c.says == "":
			if z.Len() != 2 || z.String(0) != "101" || z.String(1) != "011" {
				t.Errorf("%q: %d coalitions", c.text, z.Len())
			}
		case err == nil || !strings.Contains(err.Error(), c.says):
			t.Errorf("%q: %v, want %q", c.text, err, c.says)
		}
	}
}
