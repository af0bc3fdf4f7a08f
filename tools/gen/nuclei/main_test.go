package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

const example = "../../../examples/slide"

// TestExample measures the bundled slide again.
func TestExample(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the last bit of a sum can differ on another processor")
	}
	dir := t.TempDir()
	must.Do(t, write(example, dir))
	for _, name := range []string{"truth.geojson", "density.json"} {
		want := must.Get(os.ReadFile(filepath.Join(example, name)))(t)
		got := must.Get(os.ReadFile(filepath.Join(dir, name)))(t)
		must.EqualSlices(t, got, want, name)
	}
}
