package geojson_test

import (
	"bytes"
	"encoding/json"
	"image"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/internal/must"
)

// TestPalettes checks that classifications have the colours that pictures have.
func TestPalettes(t *testing.T) {
	bag := &core.Bag{Shape: []int{1}, Values: make([]float32, 3), Boxes: []image.Rectangle{
		image.Rect(0, 0, 9, 9), image.Rect(9, 0, 18, 9), image.Rect(18, 0, 27, 9)}}
	report := &core.Report{Prediction: []float64{.9}, Explanations: []core.Explanation{{
		Method: "m", Scores: []float64{2, -2, .1}, Evident: []bool{true, true, false}}}}
	for _, name := range append([]string{""}, draw.Palettes...) {
		var file bytes.Buffer
		must.Do(t, geojson.Write(&file, bag, report, geojson.Options{Colours: name}))
		theme := draw.Theme(name, false)
		for n, part := range strings.Split(strings.TrimSpace(file.String()), "\n")[1:4] {
			of := theme[[]string{"support", "refute", "noise"}[n]]
			want := must.Get(json.Marshal([]int{int(of.R), int(of.G), int(of.B)}))(t)
			must.Contain(t, part, `"color":`+string(want))
		}
	}
	err := geojson.Write(new(bytes.Buffer), bag, report, geojson.Options{Colours: "mauve"})
	must.As(t, err, new(*core.SettingError))
}
