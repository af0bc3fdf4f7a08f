package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// largest is the most bytes of a file in the repository, above its largest example.
const largest = 2 << 20

// plainPath matches the names of files that every system and shell can read.
var plainPath = regexp.MustCompile(`^[\w@+.][\w@+.\[\]-]*(/[\w@+.\[\]-]+)*$`)

// TestTrackedFiles finds files that were committed by mistake: programs, profiles and outputs with
// odd names.
func TestTrackedFiles(t *testing.T) {
	for _, file := range trackedFiles(t) {
		if !plainPath.MatchString(file) {
			t.Errorf("%q is not a plain name", file)
		}
		about, err := os.Stat(filepath.Join(root, filepath.FromSlash(file)))
		if os.IsNotExist(err) {
			continue // removed, and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		if about.Size() > largest {
			t.Errorf("%s has %d bytes, and at most %d are allowed", file, about.Size(), largest)
		}
	}
}
