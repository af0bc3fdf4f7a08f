package testfile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestRead finds a committed file from a folder deep inside the repository.
func TestRead(t *testing.T) {
	t.Chdir(filepath.Join("..", "..", "onnxbackend", "internal"))
	must.Contain(t, string(Read(t, "golden/mnist_mi_attn.json")), "logits")
}

// recorder is a test that notes how it ended.
type recorder struct {
	testing.TB
	end string
}

func (r *recorder) Skipf(format string, args ...any)  { r.stop("skipped: "+format, args) }
func (r *recorder) Fatalf(format string, args ...any) { r.stop("failed: "+format, args) }

func (r *recorder) stop(format string, args []any) {
	r.end = fmt.Sprintf(format, args...)
	panic(r)
}

// TestMissing: a missing committed file fails a test; one that is fetched or restricted skips it.
func TestMissing(t *testing.T) {
	t.Setenv("BAGSCOPE_SHARED", t.TempDir())
	for _, c := range []struct {
		kind string
		read func(t testing.TB)
		want string
	}{
		{"committed", func(t testing.TB) { Read(t, "no/such.onnx") },
			"failed: a committed test file is missing"},
		{"fetched", func(t testing.TB) { Fetched(t, "nosuch.whl") }, "run make testdata"},
		{"restricted", func(t testing.TB) { ReadRestricted(t, "no/such.csv") },
			"set BAGSCOPE_SHARED"},
	} {
		t.Run(c.kind, func(t *testing.T) {
			r := &recorder{TB: t}
			func() {
				defer func() { _ = recover() }()
				c.read(r)
			}()
			must.Contain(t, r.end, c.want)
			must.Equal(t, c.kind != "committed", strings.HasPrefix(r.end, "skipped: "))
		})
	}
}

// TestRestricted finds a file below the folder that BAGSCOPE_SHARED names.
func TestRestricted(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("BAGSCOPE_SHARED", folder)
	must.Do(t, os.WriteFile(filepath.Join(folder, "table.csv"), []byte("a,b"), 0o644))
	must.Equal(t, string(ReadRestricted(t, "table.csv")), "a,b", "the file holds")
}
