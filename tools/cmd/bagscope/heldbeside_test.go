package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// besideFiles are the files that rows of the guide name, of a slide of 150 x 110 pixels.
var besideFiles = map[string]string{
	"pen.geojson":     leftHalf,
	"roi.geojson":     leftHalf,
	"annotations.xml": asapHalf,
	"config.json": `{"architecture": "vit_small_patch16_224", "num_features": 384, "pretrained_cfg":
		{"input_size": [3, 16, 16], "interpolation": "bicubic", "crop_pct": 1.0,
		"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225], "num_classes": 0}}`,
}

const (
	leftHalf = `{"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates":
		[[[0, 0], [75, 0], [75, 110], [0, 110], [0, 0]]]}}`
	asapHalf = `<ASAP_Annotations><Annotations><Annotation Name="a" Type="Polygon"
		PartOfGroup="Tumor"><Coordinates><Coordinate Order="0" X="0" Y="0"/><Coordinate Order="1"
		X="75" Y="0"/><Coordinate Order="2" X="75" Y="110"/><Coordinate Order="3" X="0" Y="110"/>
		</Coordinates></Annotation></Annotations></ASAP_Annotations>`
)

// TestHeldBeside runs what each row of the guide says of files beside a slide.
func TestHeldBeside(t *testing.T) {
	guide := string(must.Get(os.ReadFile("../../../www/docs/held.md"))(t))
	model, encoder := writeTemp(t, "model.onnx", slideHead(3)), meanEncoder(t)
	dir := t.TempDir()
	coords := filepath.Join(dir, "coords.h5")
	noted(t, "tiles", smallSlide, "--patch-size", "16", "--mpp", "0.5", "--whole-slide", "--out",
		coords)
	for name, content := range besideFiles {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	mask := image.NewGray(image.Rect(0, 0, 75, 55))
	for i := range mask.Pix {
		mask.SetGray(i%25, i%55, color.Gray{255})
	}
	var out bytes.Buffer
	must.Do(t, png.Encode(&out, mask))
	must.Do(t, os.WriteFile(filepath.Join(dir, "mask.png"), out.Bytes(), 0o600))
	slide := must.Get(filepath.Abs(smallSlide))(t)
	t.Chdir(dir)
	rows := heldRows(t, guide, "Files beside a slide")
	must.Equal(t, len(rows), 7)
	for _, row := range rows {
		t.Run(row.have, func(t *testing.T) {
			must.Contain(t, noted(t, append([]string{"explain", "--model", model, "--encoder",
				encoder, "--bag", slide, "--mpp", "0.5", "--method", "one_removed"},
				arguments(row.typed)...)...), "one_removed")
		})
	}
}
