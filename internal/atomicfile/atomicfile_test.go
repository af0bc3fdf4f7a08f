package atomicfile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

func TestWriteReplacesFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "report.json")
	for _, content := range []string{"a longer first version", "second"} {
		must.Do(t, Write(name, []byte(content)))
		if got, err := os.ReadFile(name); err != nil || string(got) != content {
			t.Errorf("the file contains %q, %v; want %q", got, err, content)
		}
	}
}

func TestWriteRemovesTemporaryFileAfterFailure(t *testing.T) {
	dir := t.TempDir()
	// A folder of the same name that is not empty cannot be replaced.
	name := filepath.Join(dir, "report.json")
	must.Do(t, os.MkdirAll(filepath.Join(name, "sub"), 0o755))
	if Write(name, []byte("{}")) == nil {
		t.Error("Write replaced a folder")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("the folder contains %v, %v; want only report.json", left, err)
	}
	if Write(filepath.Join(dir, "missing", "a.json"), nil) == nil {
		t.Error("Write succeeded in a folder that does not exist")
	}
}
