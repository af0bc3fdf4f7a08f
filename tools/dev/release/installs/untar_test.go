package installs

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestUntar checks that an archive with anything that a release must not have is refused.
func TestUntar(t *testing.T) {
	for _, c := range []struct {
		name   string
		header tar.Header
		ok     bool
	}{
		{"file", tar.Header{Name: "a/b", Mode: 0o755, Typeflag: tar.TypeReg}, true},
		{"folder", tar.Header{Name: "a/", Mode: 0o755, Typeflag: tar.TypeDir}, true},
		{"other user", tar.Header{Name: "a", Mode: 0o644, Uid: 1000, Typeflag: tar.TypeReg}, false},
		{"setuid", tar.Header{Name: "a", Mode: 0o4755, Typeflag: tar.TypeReg}, false},
		{"link", tar.Header{Name: "a", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink}, false},
		{"way out", tar.Header{Name: "../a", Mode: 0o644, Typeflag: tar.TypeReg}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var archive bytes.Buffer
			w := tar.NewWriter(&archive)
			must.Do(t, w.WriteHeader(&c.header))
			must.Do(t, w.Close())
			dir := t.TempDir()
			err := untar(&archive, dir)
			if (err == nil) != c.ok {
				t.Fatalf("error %v", err)
			}
			if c.ok {
				written := filepath.Join(dir, filepath.Clean(c.header.Name))
				if _, err := os.Stat(written); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
