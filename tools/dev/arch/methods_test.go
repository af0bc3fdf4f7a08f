package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestMethodsSections checks that comments cite sections of core/METHODS.md that exist.
func TestMethodsSections(t *testing.T) {
	text, cited := read(t, "core/METHODS.md"), 0
	citation := regexp.MustCompile(`METHODS section (\d+)`)
	must.Do(t, filepath.WalkDir(filepath.Join(root, "core"),
		func(p string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(p) != ".go" {
				return err
			}
			source, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			for _, m := range citation.FindAllStringSubmatch(string(source), -1) {
				if cited++; !strings.Contains(text, "\n## "+m[1]+" ") {
					t.Errorf("%s cites section %s, which core/METHODS.md does not have", p, m[1])
				}
			}
			return nil
		}))
	must.Equal(t, cited >= 10, true, cited)
}
