package slide_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"os"

	"github.com/bagscope/bagscope/core/slide"
)

// A slide is opened by its bytes, which are read where they are needed. Tissue finds what to cut
// into patches.
func Example() {
	file, err := os.ReadFile("testdata/pyramid.ome.tif")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := slide.Open("pyramid.ome.tif", bytes.NewReader(file), int64(len(file)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Format, len(s.Levels), "levels")
	part, err := s.Region(0, image.Rect(10, 10, 42, 26))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("region", part.Rect.Size())
	overview, scale, err := s.Overview(context.Background(), 64)
	if err != nil {
		fmt.Println(err)
		return
	}
	mask := slide.Tissue(overview, scale, slide.TissueOptions{})
	grid, err := s.Grid(mask, slide.GridOptions{PatchSize: 32, MinTissue: .5})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(grid.Boxes), "patches of", grid.Side, "pixels")
	// Output:
	// OME-TIFF 3 levels
	// region (32,16)
	// 5 patches of 32 pixels
}
