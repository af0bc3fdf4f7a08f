package main

import (
	"archive/zip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// fourModel takes the four features of the files of core/bagio/testdata/tools.
const fourModel = "../../../www/tests/data/attention4.onnx"

// toolFolder unpacks the files that tools write and returns their folder.
func toolFolder(t *testing.T) string {
	t.Helper()
	archive := must.Get(zip.OpenReader("../../../core/bagio/testdata/tools/files.zip"))(t)
	defer archive.Close()
	folder := t.TempDir()
	for _, f := range archive.File {
		path := filepath.Join(folder, f.Name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		r := must.Get(f.Open())(t)
		must.Do(t, os.WriteFile(path, must.Get(io.ReadAll(r))(t), 0o644))
	}
	return folder
}

// TestExplainUnits reads places in micrometres, of another level, and from a file beside the
// features.
func TestExplainUnits(t *testing.T) {
	folder := toolFolder(t)
	for _, c := range []struct {
		name, file string
		flags      []string
		unit       string
		last       [4]int
	}{
		{"micrometres", "stamp-2.5.0.h5", nil, "um", [4]int{1280, 1024, 1536, 1280}},
		{"micrometres and their pixels", "stamp-2.5.0.h5", []string{"--slide-mpp", ".5"}, "",
			[4]int{2560, 2048, 3072, 2560}},
		{"another level and size", "histobistro.h5", []string{"--coords-unit", "4",
			"--patch-size", "1024"}, "", [4]int{6144, 4096, 7168, 5120}},
		{"a file beside", "slideflow-3.0.2/slide.pt", []string{"--slide-mpp", ".5"}, "",
			[4]int{1812, 1208, 2416, 1812}},
		{"an array beside", "tiatoolbox-1.6.0/0.features.0.npy", nil, "",
			[4]int{672, 448, 896, 672}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got struct {
				Boxes [][4]int
				Slide struct{ Unit string }
			}
			args := []string{"explain", "--model", fourModel, "--bag",
				filepath.Join(folder, c.file), "--method", "single", "--json"}
			clitest.Decode(t, succeed(t, append(args, c.flags...)...), &got)
			must.Equal(t, len(got.Boxes), 12)
			must.Equal(t, got.Boxes[11], c.last)
			must.Equal(t, got.Slide.Unit, c.unit)
		})
	}
}

// TestCardStatesSlide takes the micrometres of a pixel from the card, which a flag overrides.
func TestCardStatesSlide(t *testing.T) {
	card := writeTemp(t, "card.json", []byte(`{"slide_mpp": 0.5}`))
	args := []string{"explain", "--model", fourModel, "--card", card, "--bag",
		filepath.Join(toolFolder(t), "stamp-2.5.0.h5"), "--method", "single", "--json"}
	for _, c := range []struct {
		flags []string
		mpp   float64
	}{{nil, .5}, {[]string{"--slide-mpp", ".25"}, .25}} {
		var got struct{ Slide struct{ MPP float64 } }
		clitest.Decode(t, succeed(t, append(args, c.flags...)...), &got)
		must.Equal(t, got.Slide.MPP, c.mpp, c.flags)
	}
}

// TestSlideStated lays and explains patches of a slide by the microns that a flag states.
func TestSlideStated(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.h5")
	var laid struct {
		Side  int `json:"patch_size_level0"`
		Slide struct{ MPP float64 }
	}
	clitest.Decode(t, succeed(t, "tiles", smallSlide, "--mpp", "1", "--patch-size", "16",
		"--slide-mpp", ".25", "--out", out, "--json"), &laid)
	must.Equal(t, laid.Side, 64, laid)
	must.Equal(t, laid.Slide.MPP, .25, laid)
	must.Contain(t, refused(t, "tiles", smallSlide, "--mpp", "1", "--patch-size", "16",
		"--slide-mpp", "-1", "--out", out), "--slide-mpp: it is -1")
}

// TestGeoJSONNeedsPixels follows the advice of the error for places in micrometres.
func TestGeoJSONNeedsPixels(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.geojson")
	args := []string{"explain", "--model", fourModel, "--bag",
		filepath.Join(toolFolder(t), "stamp-2.5.0.h5"), "--method", "single", "--geojson", out}
	must.Contain(t, refused(t, args...), "micrometres", "slide-mpp")
	succeed(t, append(args, "--slide-mpp", "0.25")...)
	var places struct {
		Features []struct {
			Geometry struct{ Coordinates [][][2]int }
		}
	}
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile(out))(t), &places))
	must.Equal(t, slices.Contains(places.Features[1].Geometry.Coordinates[0], [2]int{3072, 2048}),
		true)
}

// TestWrongUnit names the flag and what it takes.
func TestWrongUnit(t *testing.T) {
	bag := filepath.Join(toolFolder(t), "histobistro.h5")
	for want, flags := range map[string][]string{
		"use px, um": {"--coords-unit", "miles"}, "must not be negative": {"--slide-mpp", "-1"},
	} {
		args := append([]string{"explain", "--model", fourModel, "--bag", bag}, flags...)
		must.Contain(t, refused(t, args...), want)
	}
}
