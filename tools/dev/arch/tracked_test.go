package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// largest is the most bytes of a file in the repository, above its largest example.
const largest = 2 << 20

// plainPath matches the names of files that every system and shell can read.
var plainPath = regexp.MustCompile(`^[\w@+.][\w@+.\[\]-]*(/[\w@+.\[\]-]+)*$`)

// TestTrackedFiles finds files that were committed by mistake: programs, profiles and outputs with
// odd names.
func TestTrackedFiles(t *testing.T) {
	for _, file := range trackedFiles(t) {
		must.Equal(t, plainPath.MatchString(file), true, file)
		about, err := os.Stat(filepath.Join(root, filepath.FromSlash(file)))
		if os.IsNotExist(err) {
			continue // removed, and not yet committed
		}
		must.Do(t, err)
		must.Equal(t, about.Size() <= largest, true, file, about.Size(), largest)
	}
}
