package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestFilesAreFresh compares what the generator writes with what is committed.
func TestFilesAreFresh(t *testing.T) {
	for name, want := range files() {
		got, err := os.ReadFile(filepath.Join("../../../..", filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s is stale; run make generate", name)
		}
	}
}
