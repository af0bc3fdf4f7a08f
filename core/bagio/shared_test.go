package bagio

import (
	"os"
	"path/filepath"
	"testing"
)

// shared returns the path of a file of the shared material, and skips the test where it is absent.
func shared(t *testing.T, elem ...string) string {
	t.Helper()
	root := os.Getenv("BAGSCOPE_SHARED")
	if root == "" {
		dir, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for ; !exists(filepath.Join(dir, "go.mod")); dir = filepath.Dir(dir) {
			if dir == filepath.Dir(dir) {
				t.Fatal("the tests run outside the repository")
			}
		}
		root = filepath.Join(dir, "..", "shared")
	}
	path := filepath.Join(append([]string{root}, elem...)...)
	if !exists(path) {
		t.Skipf("needs %s, which is not part of the repository", path)
	}
	return path
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// readShared reads a file of the shared material.
func readShared(t *testing.T, elem ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(shared(t, elem...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
