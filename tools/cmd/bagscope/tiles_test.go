package main

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
	"github.com/bagscope/bagscope/tools/cmd/internal/tiling"
)

// smallSlide is a slide of 200 x 150 pixels of .5 microns.
const smallSlide = "../../../core/slide/testdata/none_big_endian.tif"

// rawPixels is the metadata of models whose card says that they take pixels as they are.
var rawPixels = map[string]string{"bagscope": `{"preprocess": {"scale": 1}}`}

// meanEncoder writes an encoder of patches of 16 pixels: the mean of each colour.
func meanEncoder(t *testing.T) string {
	m := ot.MeanEncoder(16)
	m.Metadata = rawPixels
	return writeTemp(t, "means.onnx", m.Bytes())
}

// readBack reads the only bag of a file.
func readBack(t *testing.T, path string) (places [][2]int, values []float32, side int) {
	t.Helper()
	data := must.Get(os.ReadFile(path))(t)
	set := must.Get(bagio.Read(path, data, bagio.Options{}))(t)
	bag := must.Get(set.Bag(0))(t)
	for _, b := range bag.Boxes {
		places = append(places, [2]int{b.Min.X, b.Min.Y})
	}
	return places, bag.Values, bag.Slide.PatchSize
}

// TestTiles writes features of the patches of a slide, and the picture of its tissue.
func TestTiles(t *testing.T) {
	out, mask := filepath.Join(t.TempDir(), "bag.h5"), filepath.Join(t.TempDir(), "mask.png")
	text := succeed(t, "tiles", smallSlide, "--mpp", "1", "--encoder", meanEncoder(t), "--overlap",
		"4", "--whole-slide", "--out", out, "--mask", mask, "--json")
	var got tiling.Tiled
	clitest.RequireKeys(t, clitest.Decode(t, text, &got),
		"slide patches patch_size mpp overlap patch_size_level0 level tissue features out")
	places, values, side := readBack(t, out)
	// Patches of 32 pixels of level 0, 24 from one to the next.
	if got.Level0 != 32 || side != 32 || got.Features != 3 || len(places) != got.Patches ||
		!slices.Equal(places[:2], [][2]int{{0, 0}, {24, 0}}) || len(values) != 3*got.Patches {
		t.Errorf("%+v, %d places", got, len(places))
	}
	f := must.Get(os.Open(mask))(t)
	defer f.Close()
	if m, err := png.Decode(f); err != nil || m.Bounds().Empty() {
		t.Error(err)
	}
	again := filepath.Join(t.TempDir(), "bag.h5")
	shown := succeed(t, "tiles", smallSlide, "--mpp", "1", "--patch-size", "16", "--overlap", "4",
		"--whole-slide", "--out", again)
	must.Contain(t, shown, "patches of 16 pixels of 1.0000 µm, 32 pixels of the full resolution",
		"their places\n")
}

// TestTilesNotesPixels says before patches are encoded, and with the result, that no card states
// the preprocessing.
func TestTilesNotesPixels(t *testing.T) {
	const note = "raw pixels 0 to 255 and the model card states no preprocessing"
	data := ot.MeanEncoder(16).Bytes()
	args := []string{"tiles", smallSlide, "--mpp", "1", "--encoder",
		writeTemp(t, "means.onnx", data), "--json", "--out", filepath.Join(t.TempDir(), "bag.h5")}
	var stdout, stderr strings.Builder
	must.Equal(t, program.Run(t.Context(), args, &stdout, &stderr), 0)
	must.Contain(t, stderr.String(), note)
	var got tiling.Tiled
	clitest.Decode(t, stdout.String(), &got)
	must.Contain(t, strings.Join(got.Notes, " "), note)
	e := must.Get(onnxbackend.OpenEncoder(data, onnxbackend.Options{}))(t)
	mpp := 1.
	s := must.Get(cli.OpenSlideFile(t.Context(), smallSlide, ask.Lay{Microns: &mpp}, e, nil))(t)
	defer s.Close()
	var steps []string
	must.Get(tiling.Job{Slide: s, Encoder: e, Out: filepath.Join(t.TempDir(), "bag.h5"),
		Noted:    func([]string) { steps = append(steps, "noted") },
		Progress: func(int, int, int) { steps = append(steps, "encoded") },
	}.Run(t.Context()))(t)
	if len(steps) < 2 || steps[0] != "noted" || slices.Contains(steps[1:], "noted") {
		t.Errorf("steps %q", steps)
	}
}

// TestTilesInterrupted ends with the way to continue.
func TestTilesInterrupted(t *testing.T) {
	out := filepath.Join(t.TempDir(), "bag.h5")
	args := []string{"tiles", smallSlide, "--mpp", "0", "--encoder", meanEncoder(t), "--out", out}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr strings.Builder
	must.Equal(t, program.Run(ctx, args, &stdout, &stderr), cli.ExitFailed)
	must.Contain(t, stderr.String(), "interrupted before it finished")
	must.Fail(t, must.Err(os.Stat(out)))
	succeed(t, args...)
	if _, values, _ := readBack(t, out); len(values) == 0 {
		t.Error("the file is empty")
	}
}

// TestTilesErrors checks the words of what cannot be.
func TestTilesErrors(t *testing.T) {
	encoder := meanEncoder(t)
	out := filepath.Join(t.TempDir(), "bag.h5")
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"tiles --out " + out, "tiles takes one slide", cli.ExitUsage},
		{"tiles " + smallSlide, "--out is missing", cli.ExitUsage},
		{"tiles " + smallSlide + " --patch-size 16 --out " + out, "state the microns",
			cli.ExitUsage},
		{"tiles " + smallSlide + " --mpp 1 --out " + out, "the side of a patch", cli.ExitUsage},
		{"tiles " + smallSlide + " --mpp 1 --patch-size 16 --overlap 16 --out " + out, "overlap",
			cli.ExitUsage},
		{"tiles " + smallSlide + " --mpp 1 --patch-size 8 --encoder " + encoder + " --out " + out,
			"instances of shape", cli.ExitFailed},
		{"tiles " + exampleModel + " --mpp 1 --patch-size 8 --out " + out, "TIFF", cli.ExitFailed},
		{"tiles " + smallSlide + " --mpp 1 --encoder " + exampleModel + " --out " + out,
			"encoder", cli.ExitFailed},
	} {
		code, _, errors := bagscope(t, strings.Fields(c.args)...)
		must.Equal(t, code, c.code, c.args)
		must.Contain(t, errors, c.want)
	}
}

// TestTilesOnDrawnTissue lays patches on the tissue of a file, without what another one excludes.
func TestTilesOnDrawnTissue(t *testing.T) {
	area := func(name, corner string) string {
		return writeTemp(t, name, []byte(`<Annotations><Annotation Name="A"><Regions>`+
			`<Region Type="Rectangle"><Vertices><V X="0" Y="0"/>`+corner+
			`</Vertices></Region></Regions></Annotation></Annotations>`))
	}
	tissue, pen := area("tissue.xml", `<V X="96" Y="64"/>`), area("pen.xml", `<V X="32" Y="64"/>`)
	out := filepath.Join(t.TempDir(), "bag.h5")
	args := []string{"tiles", smallSlide, "--mpp", "1", "--encoder", meanEncoder(t), "--tissue",
		tissue, "--exclude", pen}
	code, shown, _ := bagscope(t, append(args, "--out", out)...)
	must.Equal(t, code, 0, shown)
	places, _, _ := readBack(t, out)
	must.EqualSlices(t, places, [][2]int{{32, 0}, {64, 0}, {32, 32}, {64, 32}})
	for _, want := range []string{"the file tissue.xml, without pen.xml",
		"because 14 lie outside of the tissue of tissue.xml and 2 lie in pen.xml"} {
		must.Contain(t, shown, want)
	}
	text := refused(t, append(args, "--whole-slide", "--out", out)...)
	must.Contain(t, text, "--tissue: tissue.xml states the tissue")
}

// TestTilesAtPlaces cuts patches at the places of a file. Those of a map that was made before give
// its features again, place by place; those of a table, in any order and off any grid, give the
// mean colours of exactly these pixels.
func TestTilesAtPlaces(t *testing.T) {
	dir, encoder := t.TempDir(), meanEncoder(t)
	made, again := filepath.Join(dir, "made.h5"), filepath.Join(dir, "again.h5")
	succeed(t, "tiles", smallSlide, "--mpp", "1", "--overlap", "4", "--encoder", encoder, "--out",
		made)
	succeed(t, "tiles", smallSlide, "--places", made, "--encoder", encoder, "--out", again)
	places, values, side := readBack(t, made)
	if p, v, s := readBack(t, again); !slices.Equal(p, places) || !slices.Equal(v, values) ||
		s != side {
		t.Errorf("%d places, %d values, side %d; want %d, %d, %d", len(p), len(v), s,
			len(places), len(values), side)
	}
	table := writeTemp(t, "places.csv", []byte("x,y,width,height\n71,3,16,16\n2,90,16,16\n"+
		"130,101,16,16\n70,3,16,16\n"))
	foreign := filepath.Join(dir, "foreign.h5")
	code, _, note := bagscope(t, "tiles", smallSlide, "--places", table, "--encoder", encoder,
		"--out", foreign)
	must.Equal(t, code, 0)
	must.Contain(t, note, "read as pixels of level 0\n")
	places, values, _ = readBack(t, foreign)
	must.EqualSlices(t, places, [][2]int{{71, 3}, {2, 90}, {130, 101}, {70, 3}})
	data := must.Get(os.ReadFile(smallSlide))(t)
	s := must.Get(slide.Open("s", bytes.NewReader(data), int64(len(data))))(t)
	for i, at := range places {
		m := must.Get(s.Region(0, image.Rect(at[0], at[1], at[0]+16, at[1]+16)))(t)
		for c := range 3 {
			sum := 0
			for j := c; j < len(m.Pix); j += 4 {
				sum += int(m.Pix[j])
			}
			off := float64(values[3*i+c]) - float64(sum)/256
			if !(math.Abs(off) <= 1e-3) {
				t.Errorf("patch %d, channel %d is off by %v", i, c, off)
			}
		}
	}
	for _, c := range []struct{ table, flag, want string }{
		{"x,y,width,height\n900,3,16,16\n", "", "patch 0 lies at 900, 3, beside the slide"},
		{"x,y,width,height\n9,3,16,16\n40,3,18,18\n", "", "squares of one size"},
		{"x,y\n9,3\n40,3\n", "", "--mpp: \"places.csv\" does not state how large a patch is"},
		{"x,y\n9,3\n40,3\n", "--whole-slide", "omit what lays a grid on tissue"},
	} {
		args := []string{"tiles", smallSlide, "--encoder", encoder, "--out", again, "--places",
			writeTemp(t, "places.csv", []byte(c.table))}
		if c.flag != "" {
			args = append(args, c.flag)
		}
		must.Contain(t, refused(t, args...), c.want)
	}
}

// TestExplainAtPlaces explains a slide at the places of a file as the features at these places.
func TestExplainAtPlaces(t *testing.T) {
	made, encoder := filepath.Join(t.TempDir(), "made.h5"), meanEncoder(t)
	succeed(t, "tiles", smallSlide, "--mpp", "1", "--encoder", encoder, "--out", made)
	head := writeTemp(t, "head.onnx", ot.MeanHead(3).Bytes())
	want := succeed(t, "explain", "--model", head, "--bag", made, "--json")
	code, got, text := bagscope(t, "explain", "--model", head, "--bag", smallSlide, "--encoder",
		encoder, "--places", made, "--json")
	must.Equal(t, code, 0, text)
	var a, b struct {
		Boxes        [][4]int
		Explanations []struct{ Scores []float64 }
	}
	clitest.Decode(t, want, &a)
	clitest.Decode(t, got, &b)
	if len(a.Explanations) == 0 || len(a.Boxes) == 0 || !reflect.DeepEqual(a, b) {
		t.Errorf("%+v, want %+v", b, a)
	}
}
