// Command nuclei measures the nuclei of the slide in examples/slide:
//
//	go run ./tools/gen/nuclei examples/slide
//
// It reads CMU-1-Small-Region.svs in a folder, and writes two files into it. truth.geojson has the
// patches with many nuclei as annotations: those of 54 pixels side by side, which models take at 1
// micron a pixel. density.json has the part that nuclei cover, in percent, of squares of 27 pixels.
package main

import (
	"encoding/json"
	"fmt"
	"image"
	"os"
	"path/filepath"

	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/tools/gen/nuclei/density"
)

const (
	patch = 54 // pixels of a patch
	cell  = 27 // pixels of a square of density.json
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: nuclei FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "nuclei:", err)
		os.Exit(1)
	}
}

// write reads the slide of one folder, and writes the files into another one.
func write(from, to string) error {
	const name = "CMU-1-Small-Region.svs"
	file, err := os.Open(filepath.Join(from, name))
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	s, err := slide.Open(name, file, info.Size())
	if err != nil {
		return err
	}
	base := image.Rect(0, 0, s.Levels[0].Width, s.Levels[0].Height)
	pixels, err := s.Region(0, base)
	if err != nil {
		return err
	}
	nuclei := density.Measure(pixels)
	if err := os.WriteFile(filepath.Join(to, "truth.geojson"), annotations(nuclei, base.Max),
		0o644); err != nil {
		return err
	}
	data, err := json.Marshal(cells(nuclei, base.Max))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, "density.json"), append(data, '\n'), 0o644)
}

// squares calls f for squares side by side, row by row. Those at the sides reach over them.
func squares(size image.Point, side int, f func(image.Rectangle)) {
	for y := 0; y < size.Y; y += side {
		for x := 0; x < size.X; x += side {
			f(image.Rect(x, y, x+side, y+side))
		}
	}
}

// annotations returns the patches with many nuclei as one annotation.
func annotations(nuclei *density.Map, size image.Point) []byte {
	text := []byte(`{"type":"Feature","properties":{"objectType":"annotation","classification":` +
		`{"name":"many nuclei"}},"geometry":{"type":"MultiPolygon","coordinates":[`)
	first := true
	squares(size, patch, func(r image.Rectangle) {
		if nuclei.Share(r) < density.Rich {
			return
		}
		if !first {
			text = append(text, ',')
		}
		first = false
		text = fmt.Appendf(text, "\n[[[%d,%d],[%d,%d],[%d,%d],[%d,%d],[%d,%d]]]", r.Min.X, r.Min.Y,
			r.Max.X, r.Min.Y, r.Max.X, r.Max.Y, r.Min.X, r.Max.Y, r.Min.X, r.Min.Y)
	})
	return append(text, "]}}\n"...)
}

// grid is the content of density.json.
type grid struct {
	Cell    int   `json:"cell"`    // pixels of level 0
	Columns int   `json:"columns"` // squares across
	Percent []int `json:"percent"` // of each square, row by row
}

// cells measures squares.
func cells(nuclei *density.Map, size image.Point) grid {
	g := grid{Cell: cell, Columns: (size.X + cell - 1) / cell}
	squares(size, cell, func(r image.Rectangle) {
		g.Percent = append(g.Percent, int(100*nuclei.Share(r)+.5))
	})
	return g
}
