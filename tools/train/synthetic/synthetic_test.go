package synthetic

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/annotation"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/geojson"
	coreslide "github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/must"
)

func silent(int, int) {}

// TestSlide checks that a file of a slide has its pixels and resolution, and that annotations and
// features have the truth of the patches.
func TestSlide(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	s := simulate("s", random, true, 2, drawTissue(random))
	var file bytes.Buffer
	must.Do(t, s.writeTIFF(&file))
	opened := must.Get(coreslide.Open("s.tif", bytes.NewReader(file.Bytes()), int64(file.Len())))(t)
	if l := opened.Levels[0]; l.Width != width || l.Height != height || opened.MicronsX != microns {
		t.Errorf("%+v, %v µm", l, opened.MicronsX)
	}
	region := image.Rect(200, 900, 900, 1500) // across tiles
	got, want := must.Get(opened.Region(0, region))(t), s.picture(region)
	off := 0.
	for y := range region.Dy() {
		for x := range region.Dx() {
			r, g, b, _ := got.At(got.Bounds().Min.X+x, got.Bounds().Min.Y+y).RGBA()
			at := want.PixOffset(region.Min.X+x, region.Min.Y+y)
			for i, v := range []uint32{r, g, b} {
				off += math.Abs(float64(v>>8) - float64(want.Pix[at+i]))
			}
		}
	}
	if off /= float64(3 * region.Dx() * region.Dy()); !(off < 4) { // JPEG rounds
		t.Errorf("pixels differ by %.1f of 255 in the mean", off)
	}
	regions, _, err := annotation.Read("s.xml", asap(s.lesions))
	must.Do(t, err)
	bag := &core.Bag{Name: "s", Shape: []int{1}, Values: make([]float32, len(s.corners))}
	for _, at := range s.corners {
		bag.Boxes = append(bag.Boxes, image.Rectangle{at, at.Add(image.Pt(side, side))})
	}
	in := make([]bool, len(s.corners))
	for _, cut := range []bool{false, true} {
		for _, r := range regions {
			if (r.Class == "_2") == cut {
				for i, inside := range must.Get(geojson.Inside(bag, r))(t) {
					in[i] = in[i] && !(cut && inside) || inside && !cut
				}
			}
		}
	}
	var sums, counts [2]float64
	for i, tumour := range s.tumour {
		must.Equal(t, in[i], tumour, i, s.corners[i])
		n := map[bool]int{true: 1}[tumour]
		sums[n], counts[n] = sums[n]+float64(s.features[2*i]), counts[n]+1
	}
	for n, mean := range []float64{-.5, 1.5} {
		got := sums[n] / counts[n]
		must.Equal(t, counts[n] != 0, true, n, got, counts[n])
		must.Equal(t, math.Abs(got-mean) < 4/math.Sqrt(counts[n]), true, n, got, counts[n])
	}
}

// TestWrite checks that equal options give equal bytes, and that every file of features has the
// patches of its slide. The guide "What you hold" runs all layouts.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	written := func(name string) map[string]string {
		folder := filepath.Join(dir, name)
		must.Do(t, Write(t.Context(), folder, Options{Layout: "stamp", Slides: LeastSlides,
			Features: 4, Seed: 5}, silent))
		files := map[string]string{}
		read := func(p string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				files[p] = string(must.Get(os.ReadFile(filepath.Join(folder, p)))(t))
			}
			return err
		}
		must.Do(t, fs.WalkDir(os.DirFS(folder), ".", read))
		return files
	}
	files, again := written("first"), written("again")
	read := 0
	for name, data := range files {
		must.Equal(t, again[name], data, name)
		if !strings.HasPrefix(name, "features/") {
			continue
		}
		read++
		set := must.Get(bagio.Read(name, []byte(data), bagio.Options{SlideMPP: microns}))(t)
		bag := must.Get(set.Bag(0))(t)
		if bag.Stride() != 4 || bag.Boxes == nil || bag.Boxes[0].Dx() != side {
			t.Errorf("%s: %d features at %v", name, bag.Stride(), bag.Boxes)
		}
	}
	must.Equal(t, read, LeastSlides)
	var splits struct {
		Splits []struct {
			Train []string `json:"train_patients"`
			Test  []string `json:"test_patients"`
		}
	}
	must.Do(t, json.Unmarshal([]byte(files["crossval/splits.json"]), &splits))
	tested := map[string]bool{}
	for _, s := range splits.Splits {
		must.Equal(t, len(s.Train)+len(s.Test), LeastSlides)
		kinds := map[bool]bool{}
		for _, p := range s.Test {
			tested[p] = true
			kinds[strings.Contains(files["clini_table.csv"], p+",tumor")] = true
			must.Equal(t, slices.Contains(s.Train, p), false, p)
		}
		must.Equal(t, len(kinds), 2)
	}
	must.Equal(t, len(tested), LeastSlides)
}

// TestWrongOptions refuses what is out of range, and a folder that exists.
func TestWrongOptions(t *testing.T) {
	right := Options{Layout: "clam", Slides: 8, Features: 1}
	for setting, change := range map[string]func(*Options){
		"slides":   func(o *Options) { o.Slides = 7 },
		"features": func(o *Options) { o.Features = 5000 },
		"layout":   func(o *Options) { o.Layout = "histoqc" },
	} {
		o := right
		change(&o)
		var wrong *core.SettingError
		err := Write(t.Context(), filepath.Join(t.TempDir(), "c"), o, silent)
		must.As(t, err, &wrong)
		must.Equal(t, wrong.Setting, setting)
	}
	must.Fail(t, Write(t.Context(), t.TempDir(), right, silent), "exists")
	ended, end := context.WithCancel(t.Context())
	end()
	folder := filepath.Join(t.TempDir(), "c")
	must.Is(t, Write(ended, folder, right, silent), context.Canceled)
	if left := must.Get(os.ReadDir(filepath.Dir(folder)))(t); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}
