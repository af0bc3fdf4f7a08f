package main

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// dicomSlide writes the small slide as files of DICOM with identifying attributes: its levels and
// a label. It returns their folder.
func dicomSlide(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "case")
	must.Do(t, os.Mkdir(folder, 0o755))
	data := must.Get(os.Open(smallSlide))(t)
	defer data.Close()
	s := must.Get(slide.Open("slide.tif", data, must.Get(data.Stat())(t).Size()))(t)
	write := func(name, kind string, level int) {
		l := s.Levels[level]
		mm := .0005 * l.Downsample
		f := dicomtest.SlideFile{Kind: kind, Tile: image.Pt(64, 48), Series: "1.2.3",
			Picture: must.Get(s.Region(level, image.Rect(0, 0, l.Width, l.Height)))(t),
			Spacing: fmt.Sprintf(`%v\%v`, mm, mm), More: dicomtest.Identified}
		must.Do(t, os.WriteFile(filepath.Join(folder, name), f.File(), 0o644))
	}
	write("a.dcm", "LABEL", 0)
	for i := range s.Levels {
		write(fmt.Sprintf("b%d.dcm", i), "VOLUME", i)
	}
	return folder
}

// TestDICOMSlide encodes and explains a slide of DICOM by its folder and by a file of it, as the
// same slide in TIFF, and finds no identifying value in any output.
func TestDICOMSlide(t *testing.T) {
	folder := dicomSlide(t)
	encoder, out := meanEncoder(t), filepath.Join(t.TempDir(), "bag.h5")
	outputs := map[string]string{}
	features := func(path string) []float32 {
		outputs["tiles "+path] = succeed(t, "tiles", path, "--mpp", "1", "--encoder", encoder,
			"--whole-slide", "--out", out)
		outputs["features "+path] = string(must.Get(os.ReadFile(out))(t))
		_, values, _ := readBack(t, out)
		return values
	}
	want := features(smallSlide)
	for _, path := range []string{folder, filepath.Join(folder, "a.dcm"),
		filepath.Join(folder, "b0.dcm")} {
		must.EqualSlices(t, features(path), want, path)
	}
	head := writeTemp(t, "head.onnx", slideHead(3))
	explained := func(path string) []float64 {
		text := succeed(t, "explain", "--json", "--method", "single", "--model", head,
			"--encoder", encoder, "--mpp", "1", "--bag", path)
		outputs["explain "+path] = text
		var got struct {
			Bag          struct{ Name string }
			Explanations []struct{ Scores []float64 }
		}
		clitest.Decode(t, text, &got)
		if path == folder && got.Bag.Name != "case" {
			t.Errorf("the bag is called %q", got.Bag.Name)
		}
		return got.Explanations[0].Scores
	}
	if got, want := explained(folder), explained(smallSlide); len(want) == 0 ||
		!slices.Equal(got, want) {
		t.Errorf("%d scores differ from those of the TIFF file", len(got))
	}
	for name, text := range outputs {
		must.Equal(t, text != "", true, name)
		must.Equal(t, strings.Contains(text, dicomtest.Marker), false, name)
	}
	code, _, said := bagscope(t, "tiles", t.TempDir(), "--mpp", "1", "--patch-size", "16", "--out",
		out)
	if code == 0 || !strings.Contains(said, "no OME-Zarr picture and holds no whole slide") {
		t.Errorf("exit code %d, %s", code, said)
	}
}
