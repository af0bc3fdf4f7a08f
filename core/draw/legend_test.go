package draw

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// texts returns the texts of a legend's entries.
func (g *legend) texts() string {
	var parts []string
	for _, e := range g.entries {
		parts = append(parts, e.text)
	}
	return strings.Join(parts, "\n")
}

func TestLegendInNumbers(t *testing.T) {
	two := func(neutral float64) *core.Report {
		return judged(&core.Report{Explanations: []core.Explanation{
			{Method: "milli", Class: 0, Scores: []float64{2, -.1, .1, 0}},
			{Method: "milli", Class: 1, Scores: []float64{.5, .4, -.1, 0}},
		}}, neutral, .3)
	}
	three := judged(&core.Report{Explanations: []core.Explanation{
		{Method: "milli", Class: 0, Scores: []float64{2, 1, .1}},
		{Method: "milli", Class: 1, Scores: []float64{1, 1, 1}},
		{Method: "milli", Class: 2, Scores: []float64{2, .1, .1}},
	}}, 0, .3)
	names := []string{"benign", "malignant"}
	for _, c := range []struct {
		name    string
		report  *core.Report
		o       Options
		low, up string
		text    string
	}{
		{"two classes", two(0), Options{ClassNames: names}, "−2.000", "+2.000",
			"log-odds, one scale for 2 classes\n3 (benign), 2 (malignant) of 4 do " +
				"not stand out from 0"},
		{"a class of two keeps their scale", two(0), Options{ClassNames: names, Classes: []int{1}},
			"−2.000", "+2.000",
			"log-odds, one scale for 2 classes\n2 of 4 do not stand out from 0"},
		{"each class by itself", two(0), Options{ClassNames: names, PerClass: true}, "−100 %",
			"+100 %",
			"each class on its own scale\n" +
				"100 % in log-odds is 2.000 (benign), 0.500 (malignant)\n" +
				"3 (benign), 2 (malignant) of 4 do not stand out from 0"},
		{"one class by itself", two(0), Options{Classes: []int{1}, PerClass: true}, "−0.500",
			"+0.500",
			"log-odds, scaled for this class alone\n2 of 4 do not stand out from 0"},
		{"a stated scale", two(0), Options{ClassNames: names, Strongest: .45}, "−0.450", "+0.450",
			"log-odds, the strongest colour as stated\n3 (benign), 2 (malignant) of 4 do not " +
				"stand out from 0\n1 beyond the strongest colour have it"},
		{"a stated scale of few colours", two(0), Options{ClassNames: names, Strongest: 30},
			"−30.00", "+30.00", "log-odds, the strongest colour as stated\n3 (benign), 2 " +
				"(malignant) of 4 do not stand out from 0\n0 (benign), 2 (malignant) below 5 % " +
				"of the strongest colour have none"},
		{"a neutral point", two(.25), Options{ClassNames: names}, "−1.750", "+1.750",
			"log-odds, one scale for 2 classes\nmeasured from the neutral point 0.250 (benign), " +
				"0.500 (malignant)\n" +
				"2 of 4 do not stand out from the neutral point, in each class"},
		{"counts whose mean is the first one", three, Options{}, "−2.000", "+2.000",
			"log-odds, one scale for 3 classes\n1 (class 0), 0 (class 1), 2 (class 2) of 3 do " +
				"not stand out from 0"},
		{"removed", two(0), Options{Classes: []int{0}, Removed: []int{0, 3}}, "", "",
			"log-odds; the largest difference is 0.100\n2 of 2 do not stand out from 0\n2 " +
				"removed"},
		{"no evidence", judged(scored(.1, -.2), 0, 1), Options{}, "", "",
			"log-odds; the largest difference is 0.200\n2 of 2 do not stand out from 0"},
		{"unknown errors and why", noted(scored(.1, -.2), unknown, "they are chosen"), Options{},
			"", "", "score; the largest difference is 0.200\nno errors are known: nothing is " +
				"claimed to stand out\nthey are chosen"},
		{"no evidence in one class", noted(judged(&core.Report{Explanations: []core.Explanation{
			{Method: "milli", Class: 0, Scores: []float64{2, 1}},
			{Method: "milli", Class: 1, Scores: []float64{.1, .1}},
		}}, 0, .3), nil, "each suffices"), Options{ClassNames: names}, "−2.000", "+2.000",
			"log-odds, one scale for 2 classes\n0 (benign), 2 (malignant) of 2 do not stand out " +
				"from 0\nmalignant: each suffices"},
		{"unjudged", scored(3, -4, 0), Options{}, "−4.000", "+4.000",
			"score\n1 of 3 do not stand out from 0"},
		{"the brightest", judged(scored(.1, .9, -.5, .4), 0, .2), Options{Top: 2}, "", "",
			"supports\nrefutes\nbright: the 2 highest scores, +0.900 to +0.400 log-odds\n1 of 4 " +
				"do not stand out from 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ls := must.Get(newLayers(c.report, len(c.report.Explanations[0].Scores), c.o))(t)
			g := newHeader(c.report, "", ls, c.o).legend
			must.Equal(t, g.low, c.low, c.name)
			must.Equal(t, g.high, c.up, c.name)
			must.Equal(t, g.texts(), c.text, c.name)
		})
	}
}

// unknown are standard errors that are not known.
var unknown = []float64{math.Inf(1), math.Inf(1)}

// noted returns a report with a note in each explanation. With errors, none of them is evidence.
func noted(report *core.Report, errors []float64, note string) *core.Report {
	for n := range report.Explanations {
		e := &report.Explanations[n]
		e.Notes = []string{note}
		if errors != nil {
			e.StdErr, e.Evident = errors, make([]bool, len(e.Scores))
		}
	}
	return report
}

// TestLegendOfShades checks the legend of colours that a program draws itself: what the ends of the
// ramp mean, and the rest of the legend of a map.
func TestLegendOfShades(t *testing.T) {
	report := judged(&core.Report{Prediction: []float64{.5, .5},
		Explanations: []core.Explanation{
			{Method: "milli", Class: 1, Scores: []float64{2, -.1, .1, 0}}}}, 0, .3)
	bag := &core.Bag{Name: "bag", Shape: []int{1}, Values: make([]float32, 4)}
	shades := must.Get(ShadesOf(bag, report, Options{}))(t)
	want := []string{"refutes −2.000 to supports +2.000", "log-odds",
		"grey: 3 of 4 do not stand out from 0"}
	must.EqualSlices(t, shades[0].Legend, want)
	onDark := must.Get(ShadesOf(bag, report, Options{Dark: true}))(t)
	for name, c := range map[string]struct{ got, want color.RGBA }{
		"light": {shades[0].Colours[0], themed("", false).support},
		"dark":  {onDark[0].Colours[0], themed("", true).support},
	} {
		must.Equal(t, c.got, c.want, name)
	}
}

// TestManyClassesInLegend checks that a legend of many classes stays short.
func TestManyClassesInLegend(t *testing.T) {
	report := judged(waves(5, 40), 0, .4)
	ls := must.Get(newLayers(report, 5, Options{PerClass: true}))(t)
	g := newHeader(report, "", ls, Options{PerClass: true}).legend
	if text := g.texts(); !strings.Contains(text, "(class 4) and 35 more") || len(text) > 400 {
		t.Errorf("the legend of 40 classes reads\n%s", text)
	}
}

// TestLegendFits checks that no part of a legend lies outside its room or over another, at any
// width.
func TestLegendFits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"a", "benign", "Pneumonoultramicroscopicsilicovolcanoconiosis",
		"neither 8 nor 9", ""}
	for width := minWidth - 2*margin; width < 900; width += 1 + r.IntN(9) {
		k, classes := 2+r.IntN(9), 1+r.IntN(9)
		o := Options{PerClass: r.IntN(2) == 0, Top: r.IntN(3) - 1}
		if r.IntN(2) == 0 {
			o.Removed = []int{0}
		}
		report := judged(waves(k, classes), float64(r.IntN(2)), r.Float64())
		for n := range report.Explanations {
			o.ClassNames = append(o.ClassNames, words[r.IntN(len(words))])
			for i := range report.Explanations[n].Scores {
				report.Explanations[n].Scores[i] *= []float64{1, 1e-7, 1e200}[width%3]
			}
		}
		ls := must.Get(newLayers(report, k, o))(t)
		l := newHeader(report, "", ls, o).legend.layout(width)
		room := image.Rect(0, 0, width, l.height)
		parts := l.parts()
		for n, p := range parts {
			if !p.Rectangle.In(room) {
				t.Errorf("width %d: %s at %v lies outside %v", width, p.name, p.Rectangle, room)
			}
			for _, q := range parts[:n] {
				if p.Overlaps(q.Rectangle) {
					t.Errorf("width %d: %s at %v and %s at %v overlap", width, p.name, p.Rectangle,
						q.name, q.Rectangle)
				}
			}
		}
	}
}

type part struct {
	image.Rectangle
	name string
}

// parts returns the drawn parts of a legend and their places.
func (l legendLayout) parts() []part {
	text := func(at image.Point, s string) part {
		return part{image.Rectangle{at, at.Add(image.Pt(textWidth(s), LineHeight))},
			fmt.Sprintf("%q", s)}
	}
	var out []part
	if !l.ramp.Empty() {
		out = append(out, part{l.ramp, "the ramp"}, text(l.lowAt, l.low), text(l.highAt, l.high))
		if l.words {
			out = append(out, text(image.Pt(l.ramp.Min.X, 0), "refutes"),
				text(image.Pt(l.ramp.Max.X-textWidth("supports"), 0), "supports"))
		}
	}
	for _, row := range l.rows {
		out = append(out, text(row.at, row.text))
		if row.sample != noSample {
			at := row.at.Add(image.Pt(-indent, 1))
			out = append(out, part{image.Rectangle{at, at.Add(image.Pt(swatch, swatch))},
				"a sample"})
		}
	}
	return out
}

// TestNoiseHasNoColour checks that scores without evidence are grey, without a mark, and unlike
// removed instances.
func TestNoiseHasNoColour(t *testing.T) {
	report := judged(scored(1, .1, -.1, -1, .5), 0, .3)
	for _, o := range []Options{{}, {Dark: true}, {Scale: 2}} {
		o.Removed = []int{4}
		p := drawn(t)(Strip(shapes(5, 1, 8, 8), report, o))
		grey := themed("", false).noise
		empty := themed("", false).background
		if o.Dark {
			grey, empty = themed("", true).noise, themed("", true).background
		}
		for i, want := range map[int]any{1: grey, 2: grey, 4: empty} {
			r := cellOf(t, p, i, 0)
			if got := p.RGBAAt((r.Min.X+r.Max.X)/2, (r.Min.Y+r.Max.Y)/2); got != want {
				t.Errorf("%+v: instance %d is drawn %v, want %v", o, i, got, want)
			}
		}
		if wide, high := extent(p, cellOf(t, p, 1, 0)); wide != 0 || high != 0 {
			t.Errorf("%+v: noise carries a mark", o)
		}
	}
	if c := contrast(themed("", false).noise, themed("", false).background); c < 1.4 {
		t.Errorf("noise has contrast %.2f with paper", c)
	}
	if c := contrast(themed("", true).noise, themed("", true).background); c < 1.4 {
		t.Errorf("noise has contrast %.2f with dark paper", c)
	}
}

// TestSignsAreFromTheNeutralPoint checks scores that are all above 0.
func TestSignsAreFromTheNeutralPoint(t *testing.T) {
	report := scored(.2, .3, .5)
	report.Explanations[0].Neutral = .3
	ls := must.Get(newLayers(report, 3, Options{}))(t)
	for i, want := range []struct {
		t    float64
		sign int
	}{{.5, -1}, {0, 0}, {1, 1}} {
		if got, sign := ls[0].strength(i); sign != want.sign || got-want.t > 1e-12 ||
			want.t-got > 1e-12 {
			t.Errorf("instance %d: %v, sign %d", i, got, sign)
		}
	}
}

// TestBarsWithoutEvidenceAreSymmetric checks that a bar that is not evidence is as long on one
// side of zero as on the other.
func TestBarsWithoutEvidenceAreSymmetric(t *testing.T) {
	p := drawn(t)(Bars(vectors(2, 3), judged(scored(1, -.5), 0, .6), Options{Width: 700}))
	r := cellOf(t, p, 1, 0)
	y, axis := r.Min.Y+2, r.Min.X+r.Dx()/2
	left, right := 0, 0
	for x := r.Min.X; x < r.Max.X; x++ {
		if p.RGBAAt(x, y) != themed("", false).noise {
			continue
		}
		if x < axis {
			left++
		} else if x > axis {
			right++
		}
	}
	must.Equal(t, left != 0, true, left, right)
	must.Equal(t, left, right)
}

func TestEvidenceOfOtherLength(t *testing.T) {
	report := scored(1, 2)
	report.Explanations[0].Evident = []bool{true}
	must.Fail(t, must.Err(Strip(shapes(2, 1, 8, 8), report, Options{})), "2 scores")
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"84 of 116 not", 80, "84 of 116|not"}, {"abcdef", 16, "ab|cd|ef"}, {"", 80, ""}, {"a b", 8,
			"a|b"},
		{"支持 水×30", 56, "支持|水×30"}, {"支持 水", 56, "支持 水"}, {"水水水", 32, "水水|水"},
		{"水水", 8, "水|水"},
	} {
		must.Equal(t, strings.Join(wrap(c.text, c.width), "|"), c.want, c.text, c.width)
	}
}

// TestLegendOfUnits draws classes of two units: months and probabilities share no scale.
func TestLegendOfUnits(t *testing.T) {
	report := &core.Report{
		Prediction: []float64{.2, .8, 31},
		Units:      []core.Unit{"probability", "probability", "months"},
		Explanations: []core.Explanation{
			{Method: "one_removed", Class: 0, Scores: []float64{.1, 0}, Unit: "probability"},
			{Method: "one_removed", Class: 1, Scores: []float64{.4, -.1}, Unit: "probability"},
			{Method: "one_removed", Class: 2, Scores: []float64{0, -6}, Unit: "months"},
		}}
	names := []string{"benign", "malignant", "survival"}
	for _, c := range []struct {
		o     Options
		low   string
		texts []string
	}{
		{Options{}, "−100 %", []string{"each unit on its own scale", "100 % is 0.400 probability " +
			"(benign), 0.400 probability (malignant), 6.000 months (survival)"}},
		{Options{PerClass: true}, "−100 %", []string{"each class on its own scale", "100 % is " +
			"0.300 probability (benign), 0.400 probability (malignant), 6.000 months (survival)"}},
		{Options{Classes: []int{2}}, "−6.000", []string{"months\n"}},
		{Options{Classes: []int{0}}, "−0.400", []string{"probability, one scale for 2 classes"}},
		{Options{Classes: []int{0, 2}, Removed: nil}, "−100 %", []string{"each unit"}},
	} {
		c.o.ClassNames = names
		ls := must.Get(newLayers(report, 2, c.o))(t)
		if len(c.o.Classes) == 0 && ls[0].class != 0 {
			t.Error("months are compared with probabilities to find the first class")
		}
		g := newLegend(ls, c.o)
		for _, want := range c.texts {
			must.Equal(t, g.low, c.low, c.o.Classes)
			must.Contain(t, g.texts()+"\n", want)
		}
	}
}
