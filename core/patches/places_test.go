package patches_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/patches"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/must"
)

// TestPlaces lays patches at places of a file: their size says how many microns a pixel covers, or
// the other way round.
func TestPlaces(t *testing.T) {
	lay := func(at bagio.Places, boxes ...image.Rectangle) (*patches.Patches, error) {
		at.Boxes = boxes
		return patches.Open(t.Context(), "slide", opened(t, "none_big_endian.tif"), patches.Options{
			GridOptions: slide.GridOptions{PatchSize: 16, Microns: 2}, Places: &at,
			PlacesFile: "places.csv"}) // its pixels cover 0.5 µm
	}
	boxes := []image.Rectangle{image.Rect(40, 8, 72, 40), image.Rect(0, 8, 32, 40)}
	p := must.Get(lay(bagio.Places{Slide: core.Slide{Overlap: 8}}, boxes...))(t)
	must.EqualSlices(t, p.Grid.Boxes, boxes)
	must.Equal(t, p.Grid.Step, 24)
	must.Equal(t, p.Overlap(), 4)
	must.Equal(t, p.Microns(), 1)
	must.Contain(t, p.Method(), "the places of places.csv")
	must.Equal(t, must.Get(lay(bagio.Places{}, boxes[0]))(t).Overlap(), 0)
	p = must.Get(lay(bagio.Places{Guessed: true}, image.Rect(40, 8, 41, 9)))(t)
	must.EqualSlices(t, p.Grid.Boxes, []image.Rectangle{image.Rect(40, 8, 104, 72)})
	must.Equal(t, p.Microns(), 2)
	must.Fail(t, must.Err(lay(bagio.Places{}, image.Rect(900, 8, 932, 40))), "beside the slide")
	must.As(t, must.Err(lay(bagio.Places{})), new(*slide.OptionError))
}

// TestTiles lays patches at the tiles that a slide consists of, and notes what the encoder expects
// otherwise.
func TestTiles(t *testing.T) {
	var tile bytes.Buffer
	must.Do(t, png.Encode(&tile, image.NewGray(image.Rect(0, 0, 8, 8))))
	files := fstest.MapFS{}
	for i := range 3 {
		files[fmt.Sprintf("s_x%d_y0_class%d.png", 8*i, i%2)] = &fstest.MapFile{Data: tile.Bytes()}
	}
	const sizes = "slide: its tiles of 8 pixels are drawn at the 16 pixels that the encoder takes."
	for _, c := range []struct {
		size            int
		microns, stated float64
		whole           bool
		note            string // the last note on tiles, or ""
	}{
		{8, 0, 0, false, ""}, {16, 0, 0, false, sizes}, {8, .5, .5, false, ""},
		{8, .5, 0, false, "do not state theirs"}, {8, 1, .5, false, "whole-slide lays a grid of 1"},
		{8, .46, .5, false, ""}, {8, .54, .5, false, ""}, {8, 1, 1.2, false, "cover 1.2 µm"},
		{8, 1, .8, false, "cover 0.8 µm"}, {4, 0, 0, true, ""},
	} {
		s := must.Get(slide.OpenWith("s_x0_y0_class0.png", bytes.NewReader(nil), 0,
			slide.Options{Beside: files}))(t)
		p := must.Get(patches.Open(t.Context(), "slide", s, patches.Options{WholeSlide: c.whole,
			SlideMicrons: c.stated, GridOptions: slide.GridOptions{PatchSize: c.size,
				Microns: c.microns}}))(t)
		notes := p.Notes()
		known := len(s.PageNotes())
		must.Equal(t, len(notes) > known, c.note != "", c, notes)
		if c.note != "" {
			must.Contain(t, notes[len(notes)-1], c.note)
		}
		if c.whole {
			must.Equal(t, p.Len(), 12)
			must.Equal(t, len(p.Labels()), 0)
			continue
		}
		must.EqualSlices(t, p.Grid.Boxes, s.Tiles().Boxes)
		must.EqualSlices(t, p.Labels(), []int{0, 0, 1})
		must.Contain(t, p.Method(), "the names of its tiles")
	}
}

// TestBands reads the numbers of the bands of patches; one that is missing becomes what the
// encoder's card states.
func TestBands(t *testing.T) {
	data := must.Get(os.ReadFile("../slide/testdata/bands/real.tif"))(t)
	open := func(missing ...float32) *patches.Patches {
		bands := &core.Bands{Use: []int{1, 3}}
		s := must.Get(slide.OpenWith("real.tif", bytes.NewReader(data), int64(len(data)),
			slide.Options{Bands: bands}))(t)
		return must.Get(patches.Open(t.Context(), "slide", s, patches.Options{WholeSlide: true,
			Bands: bands, Missing: missing, GridOptions: slide.GridOptions{PatchSize: 8}}))(t)
	}
	for _, missing := range [][]float32{nil, {7, 9}} {
		p := open(missing...)
		bag := must.Get(p.Bag(t.Context(), 0, p.Len()))(t)
		gaps := 0
		for i := range p.Len() {
			want := must.Get(p.Grid.Values(i))(t)
			for j, v := range want {
				if v != v {
					gaps++
					want[j] = append(slices.Clone(missing), 0, 0)[j/64]
				}
			}
			must.EqualSlices(t, bag.Instance(i), want, i)
		}
		must.Equal(t, gaps > 1 && gaps < len(bag.Values)/2, true, "missing numbers")
	}
}
