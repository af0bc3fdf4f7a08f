package geojson_test

import (
	"fmt"
	"image"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/geojson"
)

// Read returns the annotations that QuPath exported. Inside says which patches of a bag lie in one.
func ExampleRead() {
	file := []byte(`{"type": "FeatureCollection", "features": [{"type": "Feature",
		"geometry": {"type": "Polygon",
			"coordinates": [[[0, 0], [25, 0], [25, 25], [0, 25], [0, 0]]]},
		"properties": {"classification": {"name": "Tumor"}}}]}`)
	regions, skipped, err := geojson.Read("slide.geojson", file)
	if err != nil {
		fmt.Println(err)
		return
	}
	bag := &core.Bag{Shape: []int{1}, Values: make([]float32, 3), Boxes: []image.Rectangle{
		image.Rect(0, 0, 10, 10), image.Rect(10, 10, 20, 20), image.Rect(20, 20, 40, 40)}}
	inside, err := geojson.Inside(bag, regions[0])
	fmt.Println(regions[0].Class, skipped, inside, err)
	// Output:
	// Tumor 0 [true true false] <nil>
}
