package heatmap_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	coredraw "github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/heatmap"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/must"
)

// explained returns n patches of 64 pixels on a slide of 10,000 x 4,501 pixels, some of which
// overlap, and scores of two classes.
func explained(n int) (*core.Bag, *core.Report) {
	r := rand.New(rand.NewPCG(1, 2))
	bag := &core.Bag{Name: "slide", Shape: []int{1}, Values: make([]float32, n),
		Slide: &core.Slide{Width: 10000, Height: 4501, MPP: .25, PatchSize: 64}}
	report := &core.Report{Prediction: []float64{.1, .9}, Output: core.OutputProbability,
		Units: []core.Unit{core.UnitProbability, core.UnitProbability}}
	for class := range 2 {
		e := core.Explanation{Method: "one_removed", Class: class, Unit: core.UnitProbability}
		for i := range n {
			e.Scores = append(e.Scores, r.NormFloat64())
			e.Evident = append(e.Evident, i%3 > 0)
		}
		report.Explanations = append(report.Explanations, e)
	}
	for range n {
		at := image.Pt(64*r.IntN(140)+r.IntN(2)*7, 64*r.IntN(70))
		bag.Boxes = append(bag.Boxes, image.Rectangle{at, at.Add(image.Pt(64, 64))})
	}
	return bag, report
}

// names are the names of the classes of explained.
var names = coredraw.Options{ClassNames: []string{"normal", "tumour <&> \x01 µ"}}

// drawnPlainly returns the full resolution of a map, patch by patch: first those without evidence,
// then by the size of their scores, so that the strongest is on top.
func drawnPlainly(
	m *heatmap.Map, bag *core.Bag, report *core.Report, class int,
) *image.NRGBA {
	e := &report.Explanations[m.Classes[class].Class]
	order := make([]int, bag.Len())
	for i := range order {
		order[i] = i
	}
	size := func(i int) float64 {
		if !e.Evident[i] {
			return 0
		}
		return math.Abs(e.Scores[i])
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(size(i), size(j)) })
	out := image.NewNRGBA(image.Rect(0, 0, m.Width, m.Height))
	for i := range out.Pix {
		if i%4 < 3 {
			out.Pix[i] = 255
		}
	}
	for _, i := range order {
		b, s := bag.Boxes[i], float64(m.Scale)
		r := image.Rect(int(math.Round(float64(b.Min.X)/s)), int(math.Round(float64(b.Min.Y)/s)),
			int(math.Round(float64(b.Max.X)/s)), int(math.Round(float64(b.Max.Y)/s)))
		plain := func(r image.Rectangle, c color.RGBA) {
			draw.Draw(out, r, image.NewUniform(c), image.Point{}, draw.Src)
		}
		shades := m.Classes[class]
		plain(r, shades.Colours[i])
		if !e.Evident[i] {
			continue
		}
		// A plus or a minus of nine by one pixels in the middle of a patch of sixteen: five ninths
		// of it, of odd length.
		middle := r.Min.Add(image.Pt(7, 7))
		if shades.Signs[i] != 0 {
			plain(image.Rect(-4, 0, 5, 1).Add(middle), shades.Marks[i])
		}
		if e.Scores[i] > 0 && shades.Signs[i] != 0 {
			plain(image.Rect(0, -4, 1, 5).Add(middle), shades.Marks[i])
		}
	}
	return out
}

// halved returns a picture at half of its size, from the definition: means of two by two pixels
// that are weighted by their opacity.
func halved(m *image.NRGBA) *image.NRGBA {
	size := m.Rect.Size()
	out := image.NewNRGBA(image.Rect(0, 0, (size.X+1)/2, (size.Y+1)/2))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			var weighted [3]float64
			opacity, n := 0.0, 0.0
			for _, at := range []image.Point{{2 * x, 2 * y}, {2*x + 1, 2 * y}, {2 * x, 2*y + 1},
				{2*x + 1, 2*y + 1}} {
				if !at.In(m.Rect) {
					continue
				}
				c := m.NRGBAAt(at.X, at.Y)
				for i, v := range []uint8{c.R, c.G, c.B} {
					weighted[i] += float64(v) * float64(c.A)
				}
				opacity += float64(c.A)
				n++
			}
			c := color.NRGBA{255, 255, 255, 0}
			if opacity > 0 {
				byteOf := func(v float64) uint8 { return uint8(math.Floor(v + .5)) }
				c = color.NRGBA{byteOf(weighted[0] / opacity), byteOf(weighted[1] / opacity),
					byteOf(weighted[2] / opacity), byteOf(opacity / n)}
			}
			out.SetNRGBA(x, y, c)
		}
	}
	return out
}

// TestDZIEqualsPlainDrawing assembles every level from its tiles and compares it with a picture
// that is drawn whole and halved whole.
func TestDZIEqualsPlainDrawing(t *testing.T) {
	bag, report := explained(3000)
	m := must.Get(heatmap.New(bag, report, heatmap.Options{Options: names}))(t)
	if m.Scale != 4 || m.Width != 2500 || m.Height != 1126 || m.Microns != 1 ||
		m.Classes[0].Class != 1 {
		t.Fatalf("scale %d, %d x %d, %v µm, first class %d", m.Scale, m.Width, m.Height, m.Microns,
			m.Classes[0].Class)
	}
	levels := map[int]*image.NRGBA{}
	var last string
	must.Do(t, m.WriteDZI(t.Context(), 0, "x", func(path string, data []byte) error {
		if last = path; path == "x.dzi" {
			if !strings.Contains(string(data), `<Size Width="2500" Height="1126"/>`) {
				t.Errorf("%s", data)
			}
			return nil
		}
		var level, column, row int
		must.Do(t, must.Err(fmt.Sscanf(path, "x_files/%d/%d_%d.png", &level, &column, &row)), path)
		tile := must.Get(png.Decode(bytes.NewReader(data)))(t)
		if levels[level] == nil {
			levels[level] = image.NewNRGBA(image.Rect(0, 0, m.Width>>(12-level)+1,
				m.Height>>(12-level)+1))
		}
		at := tile.Bounds().Add(image.Pt(column, row).Mul(256))
		draw.Draw(levels[level], at, tile, image.Point{}, draw.Src)
		return nil
	}))
	must.Equal(t, last, "x.dzi")
	must.Equal(t, len(levels), 13)
	want := drawnPlainly(m, bag, report, 0)
	for level := 12; level >= 0; level-- {
		samePixels(t, fmt.Sprintf("level %d", level), levels[level], want)
		want = halved(want)
	}
}

// samePixels compares pictures in the area of the second one.
func samePixels(t *testing.T, what string, got, want *image.NRGBA) {
	t.Helper()
	wrong := 0
	for y := range want.Rect.Dy() {
		for x := range want.Rect.Dx() {
			if g, w := got.NRGBAAt(x, y), want.NRGBAAt(x, y); g != w {
				if wrong++; wrong == 1 {
					t.Errorf("%s: pixel %d, %d is %v, want %v", what, x, y, g, w)
				}
			}
		}
	}
	must.Equal(t, wrong <= 1, true, what, wrong)
}

// TestOMEIsReadAsSlide opens the file as a slide: sizes, resolution, levels and pixels over white.
func TestOMEIsReadAsSlide(t *testing.T) {
	bag, report := explained(3000)
	m := must.Get(heatmap.New(bag, report, heatmap.Options{Options: names}))(t)
	var file bytes.Buffer
	must.Do(t, m.WriteOME(t.Context(), &file))
	for _, text := range []string{`Name="tumour &lt;&amp;&gt; \x01 µ (One Removed)"`,
		`Name="normal (One Removed)"`, `PhysicalSizeX="1"`, "refutes −", "grey: 1000 of 3000"} {
		must.Equal(t, bytes.Contains(file.Bytes(), []byte(text)), true, text)
	}
	s := must.Get(slide.Open("map.ome.tif", bytes.NewReader(file.Bytes()), int64(file.Len())))(t)
	if s.Format != "OME-TIFF" || len(s.Levels) != 5 || s.MicronsX != 1 {
		t.Errorf("%s, %d levels, %v µm", s.Format, len(s.Levels), s.MicronsX)
	}
	want := drawnPlainly(m, bag, report, 0)
	for at, l := range s.Levels {
		got := must.Get(s.Region(at, image.Rect(0, 0, l.Width, l.Height)))(t)
		must.Equal(t, got.Rect, want.Rect, at)
		for i := 0; i < len(got.Pix); i += 4 {
			for c := range 3 { // the reader composites on white
				v, a := float64(want.Pix[i+c]), float64(want.Pix[i+3])/255
				if !(math.Abs(v*a+255*(1-a)-float64(got.Pix[i+c])) <= 1) {
					t.Fatalf("level %d: pixel %d is %v, want %v", at, i/4, got.Pix[i:i+3],
						want.Pix[i:i+4])
				}
			}
		}
		want = halved(want)
	}
}

// TestMapOfOneTile has no smaller level, and a removed patch leaves nothing.
func TestMapOfOneTile(t *testing.T) {
	bag, report := explained(2)
	bag.Boxes = []image.Rectangle{image.Rect(0, 0, 16, 16), image.Rect(16, 0, 32, 16)}
	bag.Slide = nil
	m := must.Get(heatmap.New(bag, report, heatmap.Options{
		Options: coredraw.Options{Removed: []int{1}}}))(t)
	if m.Width != 32 || m.Height != 16 || m.Microns != 0 || m.Classes[0].Colours[1].A != 0 {
		t.Errorf("%+v", m)
	}
	var file bytes.Buffer
	must.Do(t, m.WriteOME(t.Context(), &file))
	s := must.Get(slide.Open("map.ome.tif", bytes.NewReader(file.Bytes()), int64(file.Len())))(t)
	got, err := s.Region(0, image.Rect(0, 0, 32, 16))
	if err != nil || len(s.Levels) != 1 || got.RGBAAt(20, 5) != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("%d levels, %v, %v", len(s.Levels), got.RGBAAt(20, 5), err)
	}
}

// TestSmallPatchesHaveAPixel maps patches that are smaller than a pixel of the map.
func TestSmallPatchesHaveAPixel(t *testing.T) {
	bag, report := explained(2)
	bag.Boxes = []image.Rectangle{image.Rect(9, 9, 10, 10), image.Rect(9990, 4500, 9991, 4501)}
	m, err := heatmap.New(bag, report, heatmap.Options{Scale: 64})
	must.Do(t, err)
	opaque := 0
	err = m.WriteDZI(t.Context(), 0, "x", func(path string, data []byte) error {
		if !strings.HasPrefix(path, "x_files/8/") {
			return nil
		}
		tile, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			return err
		}
		for y := range tile.Bounds().Dy() {
			for x := range tile.Bounds().Dx() {
				if _, _, _, a := tile.At(x, y).RGBA(); a > 0 {
					opaque++
				}
			}
		}
		return nil
	})
	must.Do(t, err)
	must.Equal(t, opaque, 2)
}

// TestNewRefuses has bags and settings that give no map.
func TestNewRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(b *core.Bag)
		scale  int
		target any
	}{
		"no places": {func(b *core.Bag) { b.Boxes = nil }, 0, new(*core.BagError)},
		"outside": {func(b *core.Bag) { b.Slide.Width = math.MaxInt }, 0,
			new(*core.BagError)},
		"empty boxes":   {func(b *core.Bag) { clear(b.Boxes) }, 0, new(*core.BagError)},
		"no power of 2": {func(*core.Bag) {}, 3, new(*core.SettingError)},
		"negative":      {func(*core.Bag) {}, -2, new(*core.SettingError)},
		"too fine": {func(b *core.Bag) { b.Slide.Width = 1 << 20 }, 1,
			new(*core.SettingError)},
		"overlaps": {func(b *core.Bag) {
			for i := range b.Boxes {
				b.Boxes[i] = image.Rect(0, 0, 10000, 4501)
			}
		}, 1, new(*coredraw.LimitError)},
	} {
		t.Run(name, func(t *testing.T) {
			bag, report := explained(1 << 15)
			c.change(bag)
			_, err := heatmap.New(bag, report, heatmap.Options{Scale: c.scale})
			if !errors.As(err, c.target) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestZIPHasFilesOfDZI compares an archive with the files that it holds.
func TestZIPHasFilesOfDZI(t *testing.T) {
	bag, report := explained(10)
	m := must.Get(heatmap.New(bag, report, heatmap.Options{}))(t)
	want := map[string][]byte{}
	must.Do(t, m.WriteDZI(t.Context(), 0, "x", func(path string, data []byte) error {
		want[path] = bytes.Clone(data)
		return nil
	}))
	var file bytes.Buffer
	must.Do(t, m.WriteZIP(t.Context(), 0, "x", &file))
	z := must.Get(zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len())))(t)
	for _, part := range z.File {
		r := must.Get(part.Open())(t)
		must.EqualSlices(t, must.Get(io.ReadAll(r))(t), want[part.Name], part.Name,
			len(want[part.Name]))
		delete(want, part.Name)
	}
	must.Equal(t, len(want) <= 0, true, len(want))
}

// TestSlideOfOneKnownSide takes the area of the patches if a side of the slide is not known.
func TestSlideOfOneKnownSide(t *testing.T) {
	bag, report := explained(2)
	bag.Boxes = []image.Rectangle{image.Rect(0, 0, 16, 16), image.Rect(16, 0, 32, 16)}
	for _, s := range []core.Slide{{Width: 500}, {Height: 500}} {
		bag.Slide = &s
		m := must.Get(heatmap.New(bag, report, heatmap.Options{}))(t)
		must.Equal(t, m.Width, 32, s)
		must.Equal(t, m.Height, 16, s)
	}
}

// TestWritingEnds ends both forms by their context and by an error of the receiver.
func TestWritingEnds(t *testing.T) {
	bag, report := explained(10)
	m := must.Get(heatmap.New(bag, report, heatmap.Options{}))(t)
	cause := errors.New("stopped")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(cause)
	must.Is(t, m.WriteOME(ctx, new(bytes.Buffer)), cause)
	full := errors.New("the disk is full")
	put := func(string, []byte) error { return full }
	must.Is(t, m.WriteDZI(t.Context(), 0, "x", put), full)
	must.Equal(t, m.WriteZIP(ctx, 0, "x", new(bytes.Buffer)), cause)
	// WriteZIP returns the error of w once, and nothing else.
	must.Equal(t, m.WriteZIP(t.Context(), 0, "x", failing{full}), full)
}

// A failing writer returns its error.
type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }
