//go:build gpu && !js

package gpu

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

var triedWithPasses = []bool{false, true}

// sharedPath returns a path below the shared folder, and skips the test when it is absent.
func sharedPath(t testing.TB, parts ...string) string {
	t.Helper()
	root := os.Getenv("BAGSCOPE_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	file := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(file); err != nil {
		t.Skipf("%s is not at hand", file)
	}
	return file
}

// openShared opens a file below the shared folder.
func openShared(t testing.TB, parts ...string) io.ReadCloser {
	t.Helper()
	file, err := os.Open(sharedPath(t, parts...))
	if err != nil {
		t.Fatal(err)
	}
	return file
}
