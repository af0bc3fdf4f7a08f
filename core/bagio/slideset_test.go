package bagio_test

import (
	"bytes"
	"image"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
)

// TestSlideOption reads slides of any size by the caller's function, and other files as always.
func TestSlideOption(t *testing.T) {
	data := must.Get(os.ReadFile("../slide/testdata/grey.tif"))(t)
	bag := &core.Bag{Name: "a", Shape: []int{2}, Values: []float32{1, 2, 3, 4},
		Boxes: []image.Rectangle{image.Rect(0, 0, 8, 8), image.Rect(8, 0, 16, 8)},
		Slide: &core.Slide{Width: 16, Height: 8, PatchSize: 8}}
	overview := image.NewRGBA(image.Rect(0, 0, 4, 2))
	o := bagio.Options{Name: "chosen", Adjacency: "grid4", Limits: bagio.Limits{Bytes: 10},
		Slide: func(name string, r io.ReaderAt, size int64) (*bagio.Set, error) {
			got := make([]byte, size)
			if _, err := r.ReadAt(got, 0); err != nil || !bytes.Equal(got, data) ||
				name != "grey.tif" {
				t.Errorf("%s of %d bytes, %v", name, size, err)
			}
			return bagio.SetOf(bag, overview, "a note"), nil
		}}
	set := must.Get(bagio.ReadFrom("grey.tif", bytes.NewReader(data), int64(len(data)), o))(t)
	got := must.Get(set.Bag(0))(t)
	if got.Name != "chosen" || !slices.Equal(got.Values, bag.Values) || got.Relations == nil ||
		!slices.Equal(got.Boxes, bag.Boxes) || *got.Slide != *bag.Slide ||
		set.Picture(0) != overview || !slices.Equal(set.Notes(), []string{"a note"}) {
		t.Errorf("%+v", got)
	}
	o.Limits.Bytes = 0
	must.Do(t, must.Err(bagio.Read("grey.tif", data, o)))
	table, err := bagio.Read("a.csv", []byte("bag,f1,f2\na,1,2\n"), bagio.Options{Slide: o.Slide})
	must.Do(t, err)
	must.Equal(t, table.Len(), 1)
}
