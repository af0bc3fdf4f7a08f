package main

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// glass is a slide of Leica whose scanned part begins at the pixel corner.
var (
	glass  = slideAt + "leica.scn"
	corner = image.Pt(20, 40)
)

// glassExport is what files of the glass say of its patches.
type glassExport struct {
	json, table, shapes []image.Point // upper left corners of patches
	origin              [3]string     // what they count from
}

// exportGlass explains a bag of the glass and reads what is written.
func exportGlass(t *testing.T, args ...string) (out glassExport) {
	t.Helper()
	dir := t.TempDir()
	table, shapes := filepath.Join(dir, "t.csv.gz"), filepath.Join(dir, "t.geojson.gz")
	var got struct {
		Boxes [][4]int
		Slide struct{ Origin string }
	}
	code, text, said := bagscope(t, append([]string{"explain", "--method", "single", "--json",
		"--csv", table, "--geojson", shapes}, args...)...)
	must.Equal(t, code, 0, said)
	clitest.Decode(t, text, &got)
	for _, b := range got.Boxes {
		out.json = append(out.json, image.Pt(b[0], b[1]))
	}
	rows := must.Get(csv.NewReader(bytes.NewReader(unpacked(t, table))).ReadAll())(t)
	for _, row := range rows[1:][:len(got.Boxes)] {
		var at image.Point
		must.Get(fmt.Sscan(row[12]+" "+row[13], &at.X, &at.Y))(t)
		out.table = append(out.table, at)
	}
	var file struct {
		Origin   struct{ Name string }
		Features []struct {
			Geometry struct{ Coordinates [][][2]int }
		}
	}
	must.Do(t, json.Unmarshal(unpacked(t, shapes), &file))
	for _, f := range file.Features {
		at := f.Geometry.Coordinates[0][0]
		out.shapes = append(out.shapes, image.Pt(at[0], at[1]))
	}
	out.origin = [3]string{got.Slide.Origin, rows[1][16], file.Origin.Name}
	return out
}

// unpacked returns the content of a file that is compressed.
func unpacked(t *testing.T, path string) []byte {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	return must.Get(io.ReadAll(must.Get(gzip.NewReader(f))(t)))(t)
}

// TestOriginOfExports explains a slide whose bounds are not all of it: GeoJSON counts from its
// bounds and other files from the canvas, unless --origin states one for all. A region that QuPath
// has drawn, and a file of features, mean the same patches.
func TestOriginOfExports(t *testing.T) {
	model := writeTemp(t, "m.onnx", ot.MeanHead(3).Bytes())
	encode := []string{"--model", model, "--encoder", meanEncoder(t), "--mpp", "0.5",
		"--whole-slide"}
	slide := append(slices.Clone(encode), "--bag", glass)
	features := filepath.Join(t.TempDir(), "leica.h5")
	succeed(t, "tiles", glass, "--encoder", meanEncoder(t), "--mpp", "0.5", "--whole-slide",
		"--out", features)
	of := []string{"--model", model, "--bag", features}
	canvas := exportGlass(t, append(slide, "--origin", "canvas")...)
	must.Equal(t, canvas.origin, [3]string{"canvas", "canvas", "canvas"})
	for _, bag := range [][]string{slide, of} {
		usual := exportGlass(t, bag...)
		must.Equal(t, usual.origin, [3]string{"canvas", "canvas", "bounds"})
		bounds := exportGlass(t, append(slices.Clone(bag), "--origin", "bounds")...)
		must.Equal(t, bounds.origin, [3]string{"bounds", "bounds", "bounds"})
		for i, at := range canvas.json {
			must.Equal(t, canvas.table[i], at)
			must.Equal(t, canvas.shapes[i], at)
			must.Equal(t, usual.json[i], at)
			must.Equal(t, usual.table[i], at)
			must.Equal(t, usual.shapes[i], at.Sub(corner))
			must.Equal(t, bounds.json[i], at.Sub(corner))
			must.Equal(t, bounds.table[i], at.Sub(corner))
			must.Equal(t, bounds.shapes[i], at.Sub(corner))
		}
		other := exportGlass(t, append(slices.Clone(bag), "--origin", "1,2")...)
		must.Equal(t, other.shapes[0], canvas.json[0].Sub(image.Pt(1, 2)))
	}

	// A square around the middle of the last patch, as QuPath and OpenSlide draw it.
	last := canvas.json[len(canvas.json)-1]
	square := func(at image.Point) string {
		return writeTemp(t, "r.geojson", fmt.Appendf(nil, `{"type": "Feature", "geometry": {"type":
			"Polygon", "coordinates": [[[%d, %d], [%d, %d], [%d, %d]]]}, "properties": {}}`, at.X,
			at.Y, at.X+30, at.Y, at.X, at.Y+30))
	}
	for _, c := range []struct {
		at   image.Point
		more []string
	}{{last.Sub(corner), nil}, {last.Sub(corner), []string{"--origin", "bounds"}},
		{last, []string{"--origin", "canvas"}}} {
		for _, bag := range [][]string{slide, of} {
			got := exportGlass(t, slices.Concat(bag, c.more, []string{"--region", square(c.at)})...)
			must.Equal(t, len(got.json), 1, c.at, c.more)
		}
		got := exportGlass(t, slices.Concat(slide[:6], c.more, []string{"--bag", glass, "--tissue",
			square(c.at), "--min-tissue", "0.01"})...)
		must.Equal(t, len(got.json), 1, c.at, c.more)
	}

	// Places count from the canvas, unless --origin states bounds.
	whole := exportGlass(t, append(slide[:6:6], "--bag", glass, "--places", features)...)
	must.EqualSlices(t, whole.json, canvas.json)
	moved := writeTemp(t, "p.csv", fmt.Appendf(nil, "x,y,width,height\n%d,%d,16,16\n",
		last.X-corner.X, last.Y-corner.Y))
	got := exportGlass(t, append(slide[:6:6], "--bag", glass, "--places", moved, "--origin",
		"bounds")...)
	must.EqualSlices(t, got.json, []image.Point{last.Sub(corner)})
	must.Equal(t, got.origin[0], "bounds")
	must.Contain(t, refused(t, append([]string{"explain"}, append(slide, "--origin",
		"left")...)...), "use canvas, bounds")
	must.Contain(t, refused(t, "explain", "--model", featureModel, "--bag", plainBag, "--origin",
		"canvas"), "no places on a slide")
	must.Contain(t, refused(t, "explain", "--model", featureModel, "--bag", placedBag, "--origin",
		"bounds"), "state the pixel")
}
