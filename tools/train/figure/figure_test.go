package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	"gonum.org/v1/plot/vg"
)

// written draws a figure in a format, twice, and demands equal bytes.
func written(t *testing.T, f *Figure, format string) []byte {
	t.Helper()
	var a, b bytes.Buffer
	must.Do(t, errors.Join(f.Write(&a, format), f.Write(&b, format)))
	must.EqualSlices(t, a.Bytes(), b.Bytes(), "equal figures give other bytes")
	return a.Bytes()
}

// words returns what is written in an SVG file, which must be well-formed.
func words(t *testing.T, f *Figure) string {
	t.Helper()
	var text []string
	d := xml.NewDecoder(bytes.NewReader(written(t, f, "svg")))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return strings.Join(text, "|")
		}
		must.Do(t, err)
		if chars, ok := token.(xml.CharData); ok {
			text = append(text, strings.TrimSpace(string(chars)))
		}
	}
}

// drawn decodes the PNG file of a figure.
func drawn(t *testing.T, f *Figure) image.Image {
	t.Helper()
	return must.Get(png.Decode(bytes.NewReader(written(t, f, "png"))))(t)
}

// pixels counts those of a colour, but for smoothing.
func pixels(picture image.Image, want color.RGBA) int {
	n := 0
	for y := picture.Bounds().Min.Y; y < picture.Bounds().Max.Y; y++ {
		for x := picture.Bounds().Min.X; x < picture.Bounds().Max.X; x++ {
			r, g, b, _ := picture.At(x, y).RGBA()
			differs := func(a uint32, b uint8) bool {
				return math.Abs(float64(a>>8)-float64(b)) > 3
			}
			if !differs(r, want.R) && !differs(g, want.G) && !differs(b, want.B) {
				n++
			}
		}
	}
	return n
}

func holds(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		must.Contain(t, text, w)
	}
}

func TestCurve(t *testing.T) {
	f := must.Get(Curve(30, []methods.MILLICurve{{Alpha: .05, Beta: .01}, {Alpha: .95,
		Beta: -1}}))(t)
	holds(t, words(t, f), "rank, 0 the most important", "πR(r)", "30 instances",
		"α = 0.05, β = 0.01", "α = 0.95, β = -1", "0.2", "25")
	for n := range 2 {
		if got := pixels(drawn(t, f), hues[n]); got < 200 {
			t.Errorf("line %d has %d pixels", n, got)
		}
	}
}

func TestSize(t *testing.T) {
	f := must.Get(Size(264, 1, []float64{.008, .5}))(t)
	holds(t, words(t, f), "β", "E|z| / k", "264", "α = 0.008", "-1")
}

func TestLines(t *testing.T) {
	f := must.Get(Lines(Axes{Title: "title", X: "n", Y: "NDCG@n", Log: true, Marked: true},
		[]Line{{Name: "first", X: []float64{10, 100, 1000}, Y: []float64{.5, math.NaN(), .9},
			Error: []float64{.1, .1, math.NaN()}}, {Name: "none", X: []float64{10},
			Y: []float64{math.Inf(1)}}}))(t)
	text := words(t, f)
	holds(t, text, "title", "NDCG@n", "first", "100")
	must.Equal(t, strings.Contains(text, "none"), false, "a line without points is in the legend")
}

// Level lines go across in grey with their names at the end, those of close ones apart; a lone
// point is larger than one on a line.
func TestLevels(t *testing.T) {
	chart := func(lines ...Line) *Figure {
		return must.Get(Lines(Axes{Title: "title", X: "n", Y: "NDCG@n", Log: true, Marked: true},
			lines))(t)
	}
	level := func(name string, y float64) Line {
		return Line{Name: name, X: []float64{1, 1000}, Y: []float64{y, y}, Level: true}
	}
	first, alone := Line{Name: "first", X: []float64{1, 1000}, Y: []float64{.2, .9}},
		Line{Name: "alone", X: []float64{70}, Y: []float64{.8}}
	f := chart(first, alone, level("upper", .501), level("lower", .5))
	holds(t, words(t, f), "first", "alone", "upper", "lower")
	picture := drawn(t, f)
	if n := pixels(picture, levelGrey); n < 1000 {
		t.Errorf("level lines have %d pixels", n)
	}
	if n := pixels(picture, hues[1]); n < 2*250 { // a line in the plot and one in the legend
		t.Errorf("a lone point has %d pixels", n)
	}
	svg := string(written(t, f, "svg"))
	height := func(name string) (y float64) {
		t.Helper()
		at := strings.Index(svg, ">"+name+"<")
		must.Get(fmt.Sscanf(svg[strings.LastIndex(svg[:at], ` y="`):], ` y="%g"`, &y))(t)
		return math.Abs(y)
	}
	if gap := math.Abs(height("upper") - height("lower")); gap < 8 {
		t.Errorf("names of 8 points stand %v points apart", gap)
	}
	// an axis without any range
	drawn(t, chart(Line{Name: "at 1", X: []float64{1}, Y: []float64{.5}}))
}

func TestRoundTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi      float64
		first, last string
	}{{0, 1, "0", "1"}, {.05, .95, "0.2", "0.8"}, {0, 29, "0", "25"}, {-1, 1, "-1", "1"}, {.9231,
		.9234, "0.9231", "0.9234"}} {
		ticks := roundTicks{}.Ticks(c.lo, c.hi)
		if len(ticks) < 3 || len(ticks) > 9 || ticks[0].Label != c.first ||
			ticks[len(ticks)-1].Label != c.last {
			t.Errorf("%v to %v: %v", c.lo, c.hi, ticks)
		}
	}
}

// Cells lie where their settings say, are dark where the value is low, and the best is framed.
func TestHeat(t *testing.T) {
	g := &Grid{
		Title: "grid", X: "α", Y: "β", XS: []float64{.1, .2, .3}, YS: []float64{-1, 1}, Decimal: 2,
		Values: []float64{0, .5, math.NaN(), 1, .25, .75}, BestX: 0, BestY: 1,
	}
	f := must.Get(Heat(g))(t)
	holds(t, words(t, f), "grid", "α", "β", "0.3", "-1", "0.00", "0.75", "1.00")
	picture := drawn(t, f)
	if n := pixels(picture, hues[1]); n < 100 {
		t.Errorf("the frame has %d pixels", n)
	}
	low, high := blues[0].(color.RGBA), blues[3].(color.RGBA)
	if a, b := pixels(picture, low), pixels(picture, high); a < 1000 || b < 1000 {
		t.Errorf("the lowest cell has %d pixels, the highest %d", a, b)
	}
	for _, values := range [][]float64{{2}, {math.NaN()}} { // no range
		g := &Grid{XS: []float64{1}, YS: []float64{1}, Values: values}
		f = must.Get(Heat(g))(t)
		drawn(t, f)
	}
}

// Panels keep their shape and order, each under its title.
func TestPanels(t *testing.T) {
	fill := func(w, h int, c color.RGBA) image.Image {
		m := image.NewRGBA(image.Rect(0, 0, w, h))
		for i := range w * h {
			m.SetRGBA(i%w, i/w, c)
		}
		return m
	}
	red, blue := color.RGBA{200, 0, 0, 255}, color.RGBA{0, 0, 200, 255}
	f := Panels([]Panel{{"first", fill(40, 20, red)}, {"second", fill(20, 20, blue)},
		{"third", fill(10, 5, red)}}, 2)
	holds(t, words(t, f), "first", "second", "third")
	picture := drawn(t, f)
	a, b := pixels(picture, red), pixels(picture, blue)
	if ratio := float64(a) / float64(b); !(math.Abs(ratio-1) <= .02) { // twice half of a square
		t.Errorf("%d red and %d blue pixels", a, b)
	}
	width := (panelWidth - panelGap) / 2
	if want := width + width/2 + 2*(panelTitle+panelGap); !(math.Abs(
		float64(f.Height-want)) <= float64(vg.Points(.01))) {
		t.Errorf("the figure is %v tall, want %v", f.Height, want)
	}
	must.Fail(t, Panels(nil, 2).Write(io.Discard, "png"))
}

func TestFormat(t *testing.T) {
	for name, want := range map[string]string{"a.svg": "svg", "b/c.PNG": "png", "a.pdf": "",
		"png": ""} {
		if got, err := Format(name); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	must.Fail(t, (&Figure{Width: 1, Height: 1}).Write(io.Discard, "gif"))
}
