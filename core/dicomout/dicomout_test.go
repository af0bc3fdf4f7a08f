package dicomout

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

var update = flag.Bool("update", false, "write the golden files again")

// noon is the time of the files of tests.
var noon = time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)

// UIDs of SOP classes of the pictures of tests.
const (
	ctClass    = "1.2.840.10008.5.1.4.1.1.2"
	slideClass = "1.2.840.10008.5.1.4.1.1.77.1.6"
	xrayClass  = "1.2.840.10008.5.1.4.1.1.1"
)

// origin returns the UIDs of pictures of a class.
func origin(class string, images, frames, width, height int) *core.Origin {
	o := &core.Origin{Study: "2.25.1", Series: "2.25.2", Reference: "2.25.3"}
	for i := range images {
		o.Images = append(o.Images, core.OriginImage{Class: class, UID: fmt.Sprintf("2.25.10%d", i),
			Width: width, Height: height, Frames: frames})
	}
	return o
}

// volume returns a bag of five axial slices of 6 x 4 pixels, 2.5 mm apart.
func volume() *core.Bag {
	b := &core.Bag{Name: "ct", Shape: []int{1}, Values: make([]float32, 5),
		Origin: origin(ctClass, 5, 1, 6, 4)}
	for i := range 5 {
		b.Slices = append(b.Slices, core.Slice{Image: i, Placed: true, Thickness: 2.5,
			Spacing: core.Spacing{Rows: 0.75, Columns: 0.5},
			Place: core.Place{Position: [3]float64{-1, -2, 2.5 * float64(i)},
				Rows: [3]float64{1, 0, 0}, Across: [3]float64{0, 1, 0}}})
	}
	return b
}

// glass returns a bag of patches of 64 pixels on a slide of 3000 x 700 pixels.
func glass() *core.Bag {
	b := &core.Bag{Name: "slide", Shape: []int{1}, Values: make([]float32, 5),
		Origin: origin(slideClass, 1, 12, 256, 256)}
	b.Origin.Matrix = &core.OriginMatrix{Width: 3000, Height: 700,
		Spacing: core.Spacing{Rows: 0.0005, Columns: 0.0005}, Offset: [3]float64{20, 40, 0},
		Rows: [3]float64{0, -1, 0}, Across: [3]float64{-1, 0, 0}}
	for _, at := range []image.Point{{}, {X: 64}, {X: 128, Y: 64}, {X: 2304}, {X: 2936, Y: 636}} {
		b.Boxes = append(b.Boxes, image.Rectangle{Min: at, Max: at.Add(image.Pt(64, 64))})
	}
	return b
}

// radiograph returns a bag of five patches of one picture of 6 x 4 pixels.
func radiograph() *core.Bag {
	b := &core.Bag{Name: "x-ray", Shape: []int{1}, Values: make([]float32, 5),
		Origin: origin(xrayClass, 1, 1, 6, 4)}
	for i := range 5 {
		b.Boxes = append(b.Boxes, image.Rect(i%3*2, i/3*2, i%3*2+2, i/3*2+2))
	}
	return b
}

// scores returns a report of a class whose scores support, refute, do not stand out, refute most
// and support.
func scores() *core.Report {
	return &core.Report{Prediction: []float64{0.2, 0.8}, Explanations: []core.Explanation{{
		Method: "Shapley", Class: 1, Scores: []float64{0.3, -0.15, 0.05, -0.5, 0.1},
		StdErr: []float64{0.01, 0.02, 0.03, 0.04, 0.05}, Unit: core.UnitProbability,
		Evident:  []bool{true, true, false, true, true},
		Settings: []core.Setting{{Name: "samples", Value: 100}}}}}
}

// named are the options of the golden files.
var named = Options{Classes: []string{"benign", "tumour β"}, Class: 1, Time: noon, Software: "1.2"}

// bags are the bags of the golden files.
var bags = map[string]func() *core.Bag{"volume": volume, "glass": glass, "radiograph": radiograph}

// TestGolden writes the files that highdicom has read, see testdata/read.py.
func TestGolden(t *testing.T) {
	for name, bag := range bags {
		for kind, write := range map[string]func(*bytes.Buffer) error{
			"seg": func(b *bytes.Buffer) error { return Segmentation(b, bag(), scores(), named) },
			"sr":  func(b *bytes.Buffer) error { return Report(b, bag(), scores(), named) },
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				var b bytes.Buffer
				must.Do(t, write(&b))
				file := filepath.Join("testdata", name+"."+kind+".dcm")
				if *update {
					must.Do(t, os.WriteFile(file, b.Bytes(), 0o644))
				}
				must.EqualSlices(t, b.Bytes(), must.Get(os.ReadFile(file))(t))
			})
		}
	}
}
