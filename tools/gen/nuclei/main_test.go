package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

const example = "../../../examples/slide"

// TestExample measures the bundled slide again.
func TestExample(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the last bit of a sum can differ on another processor")
	}
	dir := t.TempDir()
	if err := write(example, dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"truth.geojson", "density.json"} {
		want, err := os.ReadFile(filepath.Join(example, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is no longer what its recipe makes", name)
		}
	}
}
