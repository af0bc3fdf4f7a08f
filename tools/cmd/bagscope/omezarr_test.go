package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/must"
)

// omeZarr writes the levels of the small slide as an OME-Zarr picture and returns its folder. Each
// level is one chunk that is not packed.
func omeZarr(t *testing.T) string {
	data := must.Get(os.ReadFile(smallSlide))(t)
	s := must.Get(slide.Open("slide.tif", bytes.NewReader(data), int64(len(data))))(t)
	folder := filepath.Join(t.TempDir(), "case.zarr")
	write := func(name string, data []byte) {
		at := filepath.Join(folder, name)
		must.Do(t, os.MkdirAll(filepath.Dir(at), 0o755))
		must.Do(t, os.WriteFile(at, data, 0o644))
	}
	document := func(name string, v any) { write(name, must.Get(json.Marshal(v))(t)) }
	var datasets []any
	for i, l := range s.Levels {
		m := must.Get(s.Region(i, image.Rect(0, 0, l.Width, l.Height)))(t)
		planes := make([]byte, 3*l.Width*l.Height)
		for p := range l.Width * l.Height {
			for c := range 3 {
				planes[c*l.Width*l.Height+p] = m.Pix[4*p+c]
			}
		}
		at, shape := fmt.Sprint(i), []int{3, l.Height, l.Width}
		write(at+"/0.0.0", planes)
		document(at+"/.zarray", map[string]any{"zarr_format": 2, "shape": shape, "chunks": shape,
			"dtype": "|u1", "compressor": nil, "filters": nil, "fill_value": 0, "order": "C"})
		um := s.MicronsX * l.Downsample
		datasets = append(datasets, map[string]any{"path": at, "coordinateTransformations": []any{
			map[string]any{"type": "scale", "scale": []float64{1, um, um}}}})
	}
	axis := func(name string) map[string]string {
		return map[string]string{"name": name, "type": "space", "unit": "micrometer"}
	}
	document(".zgroup", map[string]int{"zarr_format": 2})
	document(".zattrs", map[string]any{"multiscales": []any{map[string]any{"version": "0.4",
		"axes":     []any{map[string]string{"name": "c", "type": "channel"}, axis("y"), axis("x")},
		"datasets": datasets}}})
	return folder
}

// TestOMEZarrSlide encodes and predicts an OME-Zarr picture by its folder as the same slide in
// TIFF.
func TestOMEZarrSlide(t *testing.T) {
	folder := omeZarr(t)
	encoder, out := meanEncoder(t), filepath.Join(t.TempDir(), "bag.h5")
	features := func(path string) []float32 {
		succeed(t, "tiles", path, "--mpp", "1", "--encoder", encoder, "--whole-slide", "--out", out)
		_, values, _ := readBack(t, out)
		return values
	}
	if got, want := features(folder), features(smallSlide); len(want) == 0 ||
		!slices.Equal(got, want) {
		t.Errorf("%d features differ from those of the TIFF file", len(got))
	}
	predicted := func(path string) [3]float64 {
		return scores(t, succeed(t, "predict", "--json", "--model", writeTemp(t, "head.onnx",
			slideHead(3)), "--encoder", encoder, "--mpp", "1", "--bag", path))
	}
	if got, want := predicted(folder), predicted(smallSlide); got != want {
		t.Errorf("it predicts %v, and %v of the TIFF file", got, want)
	}
}
