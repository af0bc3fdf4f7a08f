package source

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

func TestRead(t *testing.T) {
	folder := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(folder, "a.go"), []byte(`package a

// A T is alone.
type T struct {
	A, B int // in
	// pixels
	C int
	D int
}

// Types.
type (
	// U is one of two.
	U struct{ V int }
	W int
)
`), 0o600))
	must.Do(t, os.WriteFile(filepath.Join(folder, "a_test.go"), []byte("no Go"), 0o600))
	got := must.Get(Read(folder))(t).Comments
	for name, want := range map[string]string{"T": "A T is alone.\n", "T.A": "in\n", "T.B": "in\n",
		"T.C": "pixels\n", "T.D": "", "U": "U is one of two.\n", "U.V": "", "W": ""} {
		if comment, ok := got[name]; !ok || comment != want {
			t.Errorf("%s: %q, want %q", name, comment, want)
		}
	}
	must.Do(t, os.WriteFile(filepath.Join(folder, "b.go"), []byte("no Go"), 0o600))
	must.Fail(t, must.Err(Read(folder)))
}

func TestSentence(t *testing.T) {
	for comment, want := range map[string]string{"": "", "in\npixels\n": "In pixels.",
		"élan.\n": "Élan."} {
		must.Equal(t, Sentence(comment), want, comment)
	}
}
