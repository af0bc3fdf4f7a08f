package geojson

import (
	"bytes"
	"encoding/json"
	"image"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// scanned is a bag of two patches of a glass whose scanned part begins at pixel 3000, 5000.
func scanned() (*core.Bag, *core.Report) {
	bag := &core.Bag{Name: "glass", Shape: []int{1}, Values: []float32{1, 2},
		Boxes: []image.Rectangle{image.Rect(3000, 5000, 3100, 5100),
			image.Rect(3200, 5300, 3300, 5400)},
		Slide: &core.Slide{Width: 9000, Height: 9000, BoundsX: 3000, BoundsY: 5000,
			BoundsWidth: 400, BoundsHeight: 500}}
	return bag, &core.Report{Prediction: []float64{1}, Explanations: []core.Explanation{
		{Method: "single", Scores: []float64{1, 2}, Evident: []bool{true, true}}}}
}

// exported returns the places of a file, and its origin.
func exported(t *testing.T, bag *core.Bag, report *core.Report) (string, [][2]float64, []byte) {
	t.Helper()
	var out bytes.Buffer
	must.Do(t, Write(&out, bag, report, Options{}))
	var file struct {
		Origin struct {
			Name string
			X, Y float64
		}
		Features []struct {
			Geometry struct{ Coordinates [][][2]float64 }
		}
	}
	must.Do(t, json.Unmarshal(out.Bytes(), &file))
	var corners [][2]float64
	for i, f := range file.Features {
		at := f.Geometry.Coordinates[0][0]
		corners = append(corners, at)
		// What the origin says leads back to level 0.
		must.Equal(t, [2]float64{at[0] + file.Origin.X, at[1] + file.Origin.Y},
			[2]float64{float64(bag.Boxes[i].Min.X), float64(bag.Boxes[i].Min.Y)})
	}
	return file.Origin.Name, corners, out.Bytes()
}

// TestQuPathOrigin: QuPath shows the bounds of a slide, and its pixel x, y is pixel x + bounds-x,
// y + bounds-y of OpenSlide (OpenslideImageServer of QuPath 0.7). Patches of a file lie there, and
// what is drawn around one of them in QuPath selects it, whether QuPath has drawn or read it.
func TestQuPathOrigin(t *testing.T) {
	bag, report := scanned()
	name, corners, file := exported(t, bag, report)
	must.Equal(t, name, core.Bounds)
	must.EqualSlices(t, corners, [][2]float64{{0, 0}, {200, 300}})

	drawn := `{"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[[190, 290],
		[310, 290], [310, 410], [190, 410], [190, 290]]]}, "properties": {"objectType": "annotation"}}`
	second := []bool{false, true}
	inside := func(t *testing.T, data string, want ...bool) {
		t.Helper()
		regions, _, err := Read("a.geojson", []byte(data))
		must.Do(t, err)
		must.EqualSlices(t, must.Get(Inside(bag, regions[0]))(t), want)
	}
	inside(t, drawn, second...)
	annotations := strings.ReplaceAll(string(file), `"tile"`, `"annotation"`)
	inside(t, annotations, true, false)

	must.Do(t, bag.Slide.StateOrigin(core.Canvas))
	name, corners, file = exported(t, bag, report)
	must.Equal(t, name, core.Canvas)
	must.EqualSlices(t, corners, [][2]float64{{3000, 5000}, {3200, 5300}})
	inside(t, drawn, false, false)
	inside(t, annotations, true, false) // the file says what it counts from
	inside(t, strings.ReplaceAll(string(file), `"tile"`, `"annotation"`), true, false)

	bag.Slide = &core.Slide{} // CLAM states no bounds
	name, _, _ = exported(t, bag, report)
	must.Equal(t, name, core.Canvas)
	must.Do(t, bag.Slide.StateOrigin("3000,5000"))
	name, corners, _ = exported(t, bag, report)
	must.Equal(t, name, core.Bounds)
	must.EqualSlices(t, corners, [][2]float64{{0, 0}, {200, 300}})
	inside(t, drawn, second...)
	_, _, err := Read("a.geojson", []byte(`{"type": "FeatureCollection", "origin": "here",
		"features": [`+drawn+`]}`))
	must.Fail(t, err, "its origin is not two numbers")
}
