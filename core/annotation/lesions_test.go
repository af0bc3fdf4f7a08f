package annotation

import (
	"image"
	"testing"

	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/internal/must"
)

// rectangle returns a region of pixels of level 0.
func rectangle(x0, y0, x1, y1 float64) geojson.Region {
	return geojson.Region{Rings: []geojson.Ring{{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1},
		{X: x0, Y: y1}}}}
}

// TestLesions counts lesions that are drawn by hand, on pixels of a quarter of a micrometre. The
// command's test compares lesions of random polygons with an independent program.
func TestLesions(t *testing.T) {
	ring := rectangle(2048, 2048, 6144, 6144)
	ring.Holes = rectangle(3000, 3000, 5000, 5000).Rings
	size := image.Pt(10000, 9000)
	for name, c := range map[string]struct {
		regions []geojson.Region
		count   int
		at      map[image.Point]int
	}{
		"none": {nil, 0, map[image.Point]int{{5, 5}: Outside, {-1, 5}: Outside,
			{10100, 9100}: Outside}},
		"two": {[]geojson.Region{rectangle(0, 0, 2000, 2000), rectangle(4000, 0, 6000, 2000)}, 2,
			map[image.Point]int{{1000, 1000}: 0, {5000, 1000}: 1, {3000, 1000}: Outside}},
		// 250 pixels are 62 µm.
		"joined": {[]geojson.Region{rectangle(0, 0, 2000, 2000), rectangle(2250, 0, 4000, 2000)},
			1, map[image.Point]int{{1000, 1000}: 0, {3000, 1000}: 0, {2100, 500}: 0}},
		// 640 pixels are 160 µm, with the margin 235 µm.
		"cells": {[]geojson.Region{rectangle(0, 4000, 640, 4640), rectangle(4000, 0, 6000, 2000)},
			1, map[image.Point]int{{300, 4300}: Isolated, {5000, 1000}: 0}},
		"a hole is filled": {[]geojson.Region{ring}, 1, map[image.Point]int{{4000, 4000}: 0,
			{2500, 2500}: 0, {1000, 4000}: Outside}},
	} {
		t.Run(name, func(t *testing.T) {
			l := must.Get(FindLesions("a.xml", c.regions, size, .25))(t)
			must.Equal(t, l.Count, c.count)
			for p, want := range c.at {
				must.Equal(t, l.At(p.X, p.Y), want, p)
			}
		})
	}
	must.Fail(t, must.Err(FindLesions("a.xml", nil, image.Pt(1<<30, 1<<30), .25)))
}
