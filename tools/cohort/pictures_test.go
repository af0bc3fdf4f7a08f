package cohort

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/heatmap"
	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/slidefiles"
)

// drawnSlide is a slide of the repository.
const drawnSlide = "../../core/slide/testdata/none_big_endian.tif"

// drawn returns options whose manifest has a slide, the same slide in another folder, the features
// of its patches under its name, and features without places. The folder of both slides is second.
func drawn(t *testing.T) (o Options, slides string) {
	t.Helper()
	folder := t.TempDir()
	data := must.Get(os.ReadFile(drawnSlide))(t)
	var lines []any
	for name, content := range map[string][]byte{"a/slide.tif": data, "b/slide.tif": data,
		"slide.csv": []byte("x,y,f1,f2,f3\n0,0,1,2,900\n32,32,3,-400,1\n64,0,3,2,5\n"),
		"bare.csv":  []byte("f1,f2,f3\n1,2,3\n3,2,2000\n")} {
		path := filepath.Join(folder, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Do(t, os.WriteFile(path, content, 0o600))
	}
	model := slideFolder(t, 1)
	for _, name := range []string{"a/slide.tif", "b/slide.tif", "slide.csv", "bare.csv"} {
		lines = append(lines, Line{Model: model, Bag: filepath.Join(folder, name), Label: "x"})
	}
	o = Options{Manifest: manifest(t, lines...), Out: filepath.Join(t.TempDir(), "out"),
		Request: json.RawMessage(`{"methods":["one_removed"]}`), Metrics: []string{}}
	return o, filepath.Join(folder, "a")
}

// rowsIn returns the rows of a table.
func rowsIn(t *testing.T, name string) [][]string {
	t.Helper()
	data := must.Get(os.ReadFile(name))(t)
	return must.Get(csv.NewReader(bytes.NewReader(data)).ReadAll())(t)
}

// explained explains a line of the manifest without the cohort.
func explained(t *testing.T, o Options, number int) *ask.Explained {
	t.Helper()
	o.Drawing = Drawing{}
	c := must.Get(o.config())(t)
	line := map[int]Line{number: {}}
	must.Do(t, c.readLines(t.Context(), line))
	l := line[number]
	task := must.Get(c.prepare(t.Context(), &l))(t)
	in := must.Get(ask.NewInput(t.Context(), task.model.engine, must.Get(task.bags.set())(t),
		l.Index))(t)
	return must.Get(must.Get(task.request.Plan())(t).Explain(t.Context(), in, nil))(t)
}

// TestMaps draws the maps that explanations give on the scale of tables/by_class.csv. A run that
// finds all results draws the same, and a bag without places has a reason instead.
func TestMaps(t *testing.T) {
	o, _ := drawn(t)
	o.Maps = filepath.Join(t.TempDir(), "maps")
	if s := run(t, o); s.Maps != 3 || s.WithoutMap != 1 {
		t.Fatalf("%+v", s)
	}
	largest := 0.
	for _, row := range rowsOf(t, outputs(t, o.Out)["tables/by_class.csv"]) {
		largest = max(largest, parse(t, row["scale"]))
	}
	rows := rowsIn(t, filepath.Join(o.Maps, "maps.csv"))
	names := []string{"slide", "slide-line2", "slide-line3", ""}
	for i, row := range rows[1:] {
		if row[0] != names[i]+".ome.tif" && row[0] != "" || parse(t, row[7]) != largest ||
			row[8] != "cohort" {
			t.Errorf("the scale is %v, row %q", largest, row)
		}
	}
	must.Contain(t, rows[4][9], "no places")
	again, stated := o, o
	again.Maps, again.Workers = filepath.Join(t.TempDir(), "again"), 1
	stated.Maps, stated.MapForm = filepath.Join(t.TempDir(), "stated"), ".zip"
	stated.Scale, stated.Colours = largest/2, draw.Palettes[1]
	for _, o := range []Options{again, stated} {
		run(t, o)
		must.Equal(t, progress.reused.Load(), 4)
	}
	for i, name := range names[:3] {
		x := explained(t, o, i+1)
		look := draw.Options{ClassNames: x.Classes, Strongest: largest,
			StrongestFrom: "as in the cohort"}
		m := must.Get(heatmap.New(x.Bag, x.Report, heatmap.Options{Options: look}))(t)
		var want bytes.Buffer
		must.Do(t, m.WriteOME(t.Context(), &want))
		for _, folder := range []string{o.Maps, again.Maps} {
			got := must.Get(os.ReadFile(filepath.Join(folder, name+".ome.tif")))(t)
			must.Equal(t, bytes.Equal(got, want.Bytes()), true, folder, name)
		}
		look.Strongest, look.StrongestFrom, look.Colours = largest/2, "", draw.Palettes[1]
		m = must.Get(heatmap.New(x.Bag, x.Report, heatmap.Options{Options: look}))(t)
		want.Reset()
		must.Do(t, m.WriteZIP(t.Context(), 0, name, &want))
		got := must.Get(os.ReadFile(filepath.Join(stated.Maps, name+".zip")))(t)
		must.Equal(t, bytes.Equal(got, want.Bytes()), true, name)
	}
}

// TestTilesOut compares the patches with those of all scores in the results, and their pixels with
// the slides.
func TestTilesOut(t *testing.T) {
	const n = 3
	o, slides := drawn(t)
	o.Tiles, o.Number, o.Slides = filepath.Join(t.TempDir(), "tiles"), n, slides
	o.Manifest = manifest(t, firstLines(t, o.Manifest, 3)...)
	o.PerFile = 2
	run(t, o)
	type scored struct {
		bag      string
		instance int
		score    float64
	}
	var all [3][]scored
	for i, bag := range []string{"slide", "slide-line2", "slide-line3"} {
		x := explained(t, o, i+1)
		for _, e := range x.Report.Explanations {
			for at, score := range e.Scores {
				all[e.Class] = append(all[e.Class], scored{bag, at, score})
			}
		}
	}
	s, file, err := slidefiles.Open(t.Context(), drawnSlide, "")
	must.Do(t, err)
	defer file.Close()
	rows := rowsIn(t, filepath.Join(o.Tiles, "tiles.csv"))[1:]
	must.Equal(t, len(rows), 3*2*n)
	for class, list := range all {
		slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
		for i, row := range rows[class*2*n:][:2*n] {
			want := list[min(i, n-1)]
			if i >= n {
				want = list[len(list)-1-(i-n)]
			}
			if score := parse(t, row[6]); row[1] != strconv.Itoa(class) || score != want.score {
				t.Errorf("row %q, want %+v", row, want)
			}
			var at [4]int
			for j, cell := range row[9:13] {
				at[j] = must.Get(strconv.Atoi(cell))(t)
			}
			f := must.Get(os.Open(filepath.Join(o.Tiles, row[0])))(t)
			got := must.Get(png.Decode(f))(t)
			f.Close()
			box := image.Rect(at[0], at[1], at[0]+at[2], at[1]+at[3])
			pixels := must.Get(s.Region(0, box))(t)
			for y := range got.Bounds().Dy() {
				for x := range got.Bounds().Dx() {
					a := color.RGBAModel.Convert(got.At(x, y))
					b := pixels.At(pixels.Bounds().Min.X+x, pixels.Bounds().Min.Y+y)
					must.Equal(t, a, color.RGBAModel.Convert(b), row[0], x, y)
				}
			}
		}
	}
}

// firstLines returns the first n lines of a manifest.
func firstLines(t *testing.T, name string, n int) []any {
	var out []any
	data := must.Get(os.ReadFile(name))(t)
	for line := range strings.Lines(string(data)) {
		if len(out) < n {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// TestTilesOfPictures writes instances that are pictures themselves.
func TestTilesOfPictures(t *testing.T) {
	o := Options{Manifest: manifest(t, Line{Model: repo(t, digits), Bag: repo(t, digitBags),
		Index: 2}), Request: json.RawMessage(quickly), Out: filepath.Join(t.TempDir(), "out")}
	o.Tiles, o.Number = filepath.Join(t.TempDir(), "tiles"), 1
	run(t, o)
	x := explained(t, o, 1)
	row := rowsIn(t, filepath.Join(o.Tiles, "tiles.csv"))[1]
	f := must.Get(os.Open(filepath.Join(o.Tiles, row[0])))(t)
	defer f.Close()
	got := must.Get(png.Decode(f))(t)
	want := draw.PictureOf(x.Bag, must.Get(strconv.Atoi(row[5]))(t))
	for at := range 28 * 28 {
		must.Equal(t, color.RGBAModel.Convert(got.At(at%28, at/28)),
			color.RGBAModel.Convert(want.At(at%28, at/28)), at)
	}
}

// TestDrawingRefuses names options that cannot hold before the run.
func TestDrawingRefuses(t *testing.T) {
	folder := t.TempDir()
	for words, d := range map[string]Drawing{
		"exists; remove it":             {Maps: folder},
		"is in a bucket":                {Tiles: "s3://b/tiles"},
		"is none of .ome.tif":           {Maps: "x", MapForm: ".png"},
		"--scale must be a number":      {Maps: "x", Scale: -1},
		"--scale needs --maps":          {Scale: 1},
		"--map-form needs --maps":       {MapForm: ".zip"},
		"--tiles-number needs":          {Number: 3},
		"must be from 1 to 200":         {Tiles: "x", Number: 201},
		"--tiles-slides needs":          {Slides: folder},
		"--tiles-slides cannot be read": {Tiles: "x", Slides: filepath.Join(folder, "none")},
		"--colours must be one of":      {Maps: "x", Colours: "red"},
	} {
		must.Fail(t, d.check(false), words)
	}
	must.Fail(t, (&Drawing{Tiles: "x"}).check(true), "name the folder of the slides")
	must.Do(t, (&Drawing{Maps: "x", Scale: 2, Tiles: "y", Slides: folder}).check(true))
}

// TestNoMaps says why no bag of a cohort has a map, and leaves no folder.
func TestNoMaps(t *testing.T) {
	o := Options{Manifest: manifest(t, mixed(t, 2)...), Request: json.RawMessage(quickly),
		Out: filepath.Join(t.TempDir(), "out")}
	o.Maps = filepath.Join(t.TempDir(), "maps")
	must.Fail(t, must.Err(Run(t.Context(), o)), "no bag has a map", "no places")
	must.Equal(t, len(must.Get(os.ReadDir(filepath.Dir(o.Maps)))(t)), 0)
}

// TestFollowedSlides names the folder of the slides, as errors advise: of features in a manifest,
// of a job folder, and of places in micrometres.
func TestFollowedSlides(t *testing.T) {
	book := advice.Of(t)
	o, slides := drawn(t)
	list := firstLines(t, o.Manifest, 4)
	for words, c := range map[string]struct{ line, request string }{
		"name the folder of the": {line: list[2].(string)},
		"state slide_mpp in":     {list[2].(string), `"coords_unit":"um"`},
	} {
		t.Run(words, func(t *testing.T) {
			o := o
			o.Out, o.Manifest = filepath.Join(t.TempDir(), "out"), manifest(t, c.line)
			o.Tiles = filepath.Join(t.TempDir(), "tiles")
			if c.request != "" {
				o.Slides = slides
				o.Request = json.RawMessage(`{"methods":["one_removed"],` + c.request + `}`)
			}
			book.Read(t, must.Err(Run(t.Context(), o)).Error(), words)
			if o.Slides = slides; c.request != "" {
				o.Request = json.RawMessage(`{"methods":["one_removed"],"slide_mpp":1,` +
					c.request + `}`)
			}
			run(t, o)
			must.Equal(t, len(rowsIn(t, filepath.Join(o.Tiles, "tiles.csv"))), 1+3*3)
		})
	}
	c := must.Get(o.config())(t)
	box, line := image.Rect(0, 0, 16, 16), &Line{Bag: "gs://b/slide.h5"}
	p := patch{Patch: draw.Patch{Box: &box}}
	_, err := c.pixels(t.Context(), Drawing{}, line, 0, p)
	book.Read(t, err.Error(), "slides by --tiles-slides")
	m := must.Get(c.pixels(t.Context(), Drawing{Slides: slides}, line, 0, p))(t)
	must.Equal(t, m.Bounds().Size(), box.Size())
	o.Tiles, o.Manifest = filepath.Join(t.TempDir(), "tiles"), ""
	o.Folder = Folder{Clam: jobFolder(t, map[string]string{"pt_files/a.pt": "f32.pt"}),
		Model: repo(t, featureModel)}
	_, err = Run(t.Context(), o)
	book.Read(t, err.Error(), "by --tiles-slides")
	o.Slides = slides
	must.Do(t, o.Drawing.check(true))
}
