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
		must.Equal(t, string(must.Get(os.ReadFile(name))(t)), content)
	}
}

func TestWriteRemovesTemporaryFileAfterFailure(t *testing.T) {
	dir := t.TempDir()
	// A folder of the same name that is not empty cannot be replaced.
	name := filepath.Join(dir, "report.json")
	must.Do(t, os.MkdirAll(filepath.Join(name, "sub"), 0o755))
	must.Fail(t, Write(name, []byte("{}")))
	must.Equal(t, len(must.Get(os.ReadDir(dir))(t)), 1)
	must.Fail(t, Write(filepath.Join(dir, "missing", "a.json"), nil))
}
