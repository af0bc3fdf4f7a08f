package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// TestLook writes each kind of file in both palettes and with a stated scale: both change the
// pictures and the maps, and the palette the places for QuPath.
func TestLook(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, flags ...string) (png, ome, geojson string) {
		files := []string{filepath.Join(dir, name+".png"), filepath.Join(dir, name+".ome.tif"),
			filepath.Join(dir, name+".geojson")}
		succeed(t, append([]string{"explain", "--model",
			testfile.Path(t, "../examples/tissue/on-features.onnx"), "--bag",
			testfile.Path(t, "../examples/tissue/features.h5"), "--png", files[0], "--map",
			files[1], "--geojson", files[2]}, flags...)...)
		read := func(i int) string { return string(must.Get(os.ReadFile(files[i]))(t)) }
		return read(0), read(1), read(2)
	}
	png, ome, geojson := write("plain")
	samePNG, sameOME, sameGeoJSON := write("same", "--colours", "blue-orange", "--scale", "0")
	if png != samePNG || ome != sameOME || geojson != sameGeoJSON {
		t.Error("the defaults, stated, change a file")
	}
	greenPNG, greenOME, greenGeoJSON := write("green", "--colours", "green-red")
	if png == greenPNG || ome == greenOME || geojson == greenGeoJSON {
		t.Error("a palette changes not all files")
	}
	statedPNG, statedOME, statedGeoJSON := write("stated", "--scale", "2.5")
	if png == statedPNG || ome == statedOME || geojson != statedGeoJSON {
		t.Error("a scale does not change the pictures and the maps alone")
	}
	// The map says what its strongest colours are.
	s := must.Get(slide.Open("map.ome.tif", strings.NewReader(statedOME),
		int64(len(statedOME))))(t)
	must.Equal(t, len(s.Levels) != 0, true, "the description of the map lacks its scale")
	must.Contain(t, statedOME, "refutes −2.500 to supports +2.500")
	must.Contain(t, statedOME, "the strongest colour as stated")
	for _, flags := range [][]string{{"--scale", "-1"}, {"--scale", "Inf"}, {"--scale", "NaN"}} {
		args := append([]string{"explain", "--model", exampleModel, "--bag", exampleBags}, flags...)
		if code, _, errors := bagscope(t, args...); code != cli.ExitUsage ||
			!strings.Contains(errors, "--scale must be a number above 0") {
			t.Errorf("%v: exit code %d, %q", flags, code, errors)
		}
	}
	page := func(flags ...string) string {
		return succeed(t, slices.Concat([]string{"embed", "--model", exampleModel, "--bag",
			exampleBags}, flags)...)
	}
	must.Equal(t, page() != page("--scale", "3"), true,
		"the scale does not change the picture of a page")
}

// TestLettersOfPictures: pictures have Greek and Cyrillic letters, a note names those that they
// lack, and a file that is no font is refused before anything is computed.
func TestLettersOfPictures(t *testing.T) {
	folder := t.TempDir()
	card, picture := filepath.Join(folder, "card.json"), filepath.Join(folder, "x.png")
	explain := func(classes string, more ...string) (code int, out, problem string) {
		must.Do(t, os.WriteFile(card, []byte(`{"classes": [`+classes+`]}`), 0o600))
		return bagscope(t, append([]string{"explain", "--model", exampleModel, "--bag", exampleBags,
			"--method", "single", "--card", card, "--png", picture}, more...)...)
	}
	const lack = "the fonts of pictures have no"
	_, out, _ := explain(`"ελιά", "Жук", "ä", "8"`)
	must.Equal(t, strings.Contains(out, lack), false, out)
	_, out, _ = explain(`"水の", "水Ж", "طحالب", "8"`)
	must.Contain(t, out, lack+` "水のطحالب"`, "--font FILE")
	code, _, problem := explain(`"a", "b", "c", "d"`, "--font", card)
	must.Equal(t, code != 0, true)
	must.Contain(t, problem, "--font "+card, "no font")
}

// TestScaleOfCohort draws with the scale of a cohort: the largest of the classes of the model and
// method. The legend says so.
func TestScaleOfCohort(t *testing.T) {
	cohort := t.TempDir()
	table := func(text string) {
		must.Do(t, os.MkdirAll(filepath.Join(cohort, "tables"), 0o755))
		file := filepath.Join(cohort, "tables", "by_class.csv")
		must.Do(t, os.WriteFile(file, []byte(text), 0o600))
	}
	explain := func(scale string) (code int, description, problem string) {
		out := filepath.Join(t.TempDir(), "map.ome.tif")
		code, _, problem = bagscope(t, "explain", "--method", "single", "--model",
			testfile.Path(t, "../examples/tissue/on-features.onnx"), "--bag",
			testfile.Path(t, "../examples/tissue/features.h5"), "--map", out, "--scale", scale)
		data, _ := os.ReadFile(out)
		return code, string(data), problem
	}
	if code, _, problem := explain(cohort); code != cli.ExitUsage ||
		!strings.Contains(problem, "or the folder of results of bagscope cohort") {
		t.Errorf("no table: exit code %d, %s", code, problem)
	}
	const head = "model,method,class,explanations,score,scale\n"
	table(head + "/data/on-features.onnx,single,a,2,0.1,1.25\n" +
		"C:\\on-features.onnx,milli,a,2,0.1,9\n/data/on-features.onnx,single,b,2,0.1,2.5\n" +
		"/data/on-features.onnx,random,b,2,0.1,\nother.onnx,single,a,2,0.1,7\n")
	code, description, problem := explain(cohort)
	if code != cli.ExitDone ||
		!strings.Contains(description, "refutes −2.500 to supports +2.500") ||
		!strings.Contains(description, "the strongest colour as in the cohort") {
		t.Errorf("exit code %d, %s", code, problem)
	}
	_, stated, _ := explain("2.5")
	must.Equal(t, strings.Replace(description, "as in the cohort", "as stated", 1) != description,
		true, "the scale of the cohort is not that of its number")
	must.Equal(t, len(stated) != 0, true, "the scale of the cohort is not that of its number")
	for name, c := range map[string][2]string{
		"another model": {head + "other.onnx,single,a,2,0.1,7\n",
			"has no scale of on-features.onnx"},
		"another method": {head + "on-features.onnx,milli,a,2,0.1,7\n", "by the method single"},
		"older results":  {"model,method,class\n", "no columns model, method and scale"},
		"no CSV":         {"a,b\n\"", "cannot be read as CSV"},
	} {
		table(c[0])
		if code, _, problem := explain(cohort); code != cli.ExitUsage ||
			!strings.Contains(problem, c[1]) {
			t.Errorf("%s: exit code %d, %s", name, code, problem)
		}
	}
}
