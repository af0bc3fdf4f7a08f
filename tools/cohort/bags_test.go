package cohort

import (
	"archive/zip"
	"image"
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
)

// TestPlacesBesideFeatures reads features of slideflow with their places in other files, and
// checks that the hash of the bag covers those files.
func TestPlacesBesideFeatures(t *testing.T) {
	const files = "../../core/bagio/testdata/tools/files.zip"
	archive := must.Get(zip.OpenReader(files))(t)
	defer archive.Close()
	folder := t.TempDir()
	must.Do(t, os.CopyFS(folder, archive))
	features := filepath.Join(folder, "slideflow-3.0.2", "slide.pt")
	o := bagio.Options{SlideMPP: .5, Limits: bagio.LimitsIn(nil)}
	together := must.Get(readLocal(t.Context(), features, Layout{}, o))(t)
	bag := must.Get(must.Get(together.set())(t).Bag(0))(t)
	must.Equal(t, bag.Boxes != nil, true, bag.Boxes)
	must.Equal(t, bag.Boxes[1], image.Rect(604, 0, 1208, 604), bag.Boxes)
	must.Do(t, os.Remove(filepath.Join(folder, "slideflow-3.0.2", "slide.index.npz")))
	alone := must.Get(readLocal(t.Context(), features, Layout{}, o))(t)
	must.Equal(t, must.Get(must.Get(alone.set())(t).Bag(0))(t).Boxes == nil, true)
	must.Equal(t, alone.hash != together.hash, true, "the hash does not cover the places")
}
