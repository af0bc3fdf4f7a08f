package draw

import (
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// TestSignsAndHues checks that a positive score has a blue cell with a plus and a negative one an
// orange cell with a minus, in every theme and size.
func TestSignsAndHues(t *testing.T) {
	scores := []float64{1, -1, .06, -.06, 0, .04, -.04, math.NaN(), .5, -.5}
	for _, o := range []Options{{}, {Dark: true}, {Scale: 2}, {Dark: true, Scale: 3}, {Cell: 17},
		{Cell: 64}} {
		p := drawn(t)(Strip(shapes(len(scores), 1, 8, 8), scored(scores...), o))
		for i, s := range scores {
			r := cellOf(t, p, i, 0)
			corner := p.RGBAAt(r.Min.X+1, r.Min.Y+1)
			wide, high := extent(p, r)
			switch {
			case math.Abs(s) < LeastDrawn || math.IsNaN(s):
				if wide != 0 || isFor(corner, 20) || isAgainst(corner, 20) {
					t.Errorf("%+v: score %v has colour %v and a mark %d wide", o, s, corner, wide)
				}
			case s > 0:
				if wide == 0 || wide != high {
					t.Errorf("%+v: score %v has a mark of %dx%d, not a plus", o, s, wide, high)
				}
			default:
				if high == 0 || wide < 3*high {
					t.Errorf("%+v: score %v has a mark of %dx%d, not a minus", o, s, wide, high)
				}
			}
			// The whole cell, including the mark, has the hue.
			for y := r.Min.Y; y < r.Max.Y; y++ {
				for x := r.Min.X; x < r.Max.X; x++ {
					c := p.RGBAAt(x, y)
					if s > LeastDrawn && !isFor(c, 1) || s < -LeastDrawn && !isAgainst(c, 1) {
						t.Fatalf("%+v: score %v has a pixel %v", o, s, c)
					}
				}
			}
			if math.Abs(s) == 1 && !isFor(corner, 50) && !isAgainst(corner, 50) {
				t.Errorf("%+v: the largest score has the weak colour %v", o, corner)
			}
		}
	}
}

// extent returns the size of what differs from the corner of r.
func extent(p *picture, r image.Rectangle) (wide, high int) {
	var box image.Rectangle
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if p.RGBAAt(x, y) != p.RGBAAt(r.Min.X, r.Min.Y) {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return box.Dx(), box.Dy()
}

// TestContrast checks that the two colours differ in luminance, for readers with colour blindness,
// and that marks have contrast.
func TestContrast(t *testing.T) {
	for name, p := range map[string]palette{
		"blue and orange on light": themed("", false), "blue and orange on dark": themed("", true),
		"green and red on light": themed("green-red", false),
		"green and red on dark":  themed("green-red", true)} {
		t.Run(name, func(t *testing.T) {
			if c := contrast(p.support, p.refute); c < 1.5 {
				t.Errorf("%s: the colours have contrast %.2f", name, c)
			}
			if c := contrast(p.ink, p.background); c < 7 {
				t.Errorf("%s: text has contrast %.2f", name, c)
			}
			if c := contrast(p.faint, p.background); c < 3 {
				t.Errorf("%s: secondary text has contrast %.2f", name, c)
			}
			for _, sign := range []int{1, -1} {
				if c := contrast(p.text(sign), p.background); c < legible {
					t.Errorf("%s: words of sign %+d have contrast %.2f", name, sign, c)
				}
				for _, strength := range []float64{0, .25, .5, .75, 1} {
					cell := p.signed(strength, sign)
					if c := contrast(cell, p.mark(cell, sign)); c < 3 {
						t.Errorf("%s: the mark of %+d at %v has contrast %.2f", name, sign,
							strength, c)
					}
				}
			}
		})
	}
}

func TestStrengthGrowsWithScore(t *testing.T) {
	p := drawn(t)(Strip(shapes(5, 1, 8, 8), scored(.1, .3, .5, .8, 1), Options{}))
	before := 0
	for i := range 5 {
		r := cellOf(t, p, i, 0)
		c := p.RGBAAt(r.Min.X, r.Min.Y)
		if blue := int(c.B) - int(c.R); blue <= before {
			t.Errorf("instance %d is no bluer than the one of a lower score", i)
		} else {
			before = blue
		}
	}
}

// TestScales compares scales with those that layers are drawn on.
func TestScales(t *testing.T) {
	report := judged(waves(9, 3), .1, .2)
	report.Explanations[2].Unit = "months"
	other := judged(waves(9, 1), 0, 9).Explanations[0]
	other.Method = "single"
	report.Explanations = append(report.Explanations, other)
	for i, got := range Scales(report) {
		e := report.Explanations[i]
		for perClass, scale := range map[bool]float64{true: got.Own, false: got.Shared} {
			ls, err := newLayers(report, 9, Options{Method: e.Method, Classes: []int{e.Class},
				PerClass: perClass})
			if err != nil || scale != ls[0].max || scale <= 0 {
				t.Errorf("%s of class %d, per class %v: %v, want %v; %v", e.Method, e.Class,
					perClass, scale, ls[0].max, err)
			}
		}
	}
}

// TestStatedScale checks that equal scores of bags with other predictions and other largest scores
// have equal colours if the strongest one is stated, and that larger ones have the strongest
// colour.
func TestStatedScale(t *testing.T) {
	shade := func(prediction float64, scores ...float64) []color.RGBA {
		report := judged(scored(scores...), 0, .1)
		report.Prediction = []float64{prediction}
		return must.Get(ShadesOf(shapes(len(scores), 1, 8, 8), report,
			Options{Strongest: 2}))(t)[0].Colours
	}
	a, b := shade(.999, 1, -1, 9), shade(.5, 1, -1, 2)
	must.EqualSlices(t, a, b)
	must.Equal(t, a[2], Theme("", false)["support"])
}

// TestNameWidth checks that a picture leaves room for names, and that its only texts are numbers of
// instances: it has neither names nor a legend.
func TestNameWidth(t *testing.T) {
	o := Options{Width: 480, NameWidth: 56, ClassNames: []string{"a", "b"}, Scale: 2}
	texts := func(s *Scene) (out []string) {
		for _, m := range s.Marks {
			if m.Kind == Text {
				out = append(out, m.Text)
			}
		}
		return out
	}
	strip := drawn(t)(Strip(shapes(12, 1, 16, 16), waves(12, 2), o))
	must.EqualSlices(t, texts(strip.Scene), strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12"),
		"a strip has the texts")
	rows := map[int]bool{}
	for _, n := range strip.Names {
		first := image.Rectangle{}
		for _, c := range strip.Cells {
			if c.Class == n.Class && c.Rect.Min.Y == n.Rect.Min.Y && first.Empty() {
				first = c.Rect
			}
		}
		if n.Above || n.Rect.Dx() < 2*o.NameWidth || n.Rect.Max.Y != first.Max.Y ||
			n.Rect.Max.X > first.Min.X {
			t.Errorf("the name %+v is beside the cell %v", n, first)
		}
		rows[n.Rect.Min.Y] = true
	}
	must.Equal(t, len(rows), len(strip.Names))
	must.Equal(t, len(rows) >= 4, true, len(strip.Names), len(rows))
	bars := drawn(t)(Bars(vectors(5, 3), waves(5, 2), o))
	must.Equal(t, len(bars.Names), 2)
	must.Equal(t, slices.Contains(texts(bars.Scene), "a"), false, len(bars.Names))
	for _, n := range bars.Names {
		if c := cellOf(t, bars, 0, n.Class); !n.Above || n.Rect.Min.X != c.Min.X ||
			n.Rect.Max.X != c.Max.X || n.Rect.Max.Y > c.Min.Y || n.Rect.Min.Y < 0 {
			t.Errorf("the name %+v is above the bars %v", n, c)
		}
	}
}

func TestSharedScale(t *testing.T) {
	report := scored(1, .5)
	report.Explanations = append(report.Explanations,
		core.Explanation{Method: "milli", Class: 1, Scores: []float64{.1, .05}})
	own := drawn(t)(Strip(shapes(2, 1, 8, 8), report, Options{PerClass: true}))
	shared := drawn(t)(Strip(shapes(2, 1, 8, 8), report, Options{}))
	at := func(p *picture, class int) color.RGBA {
		r := cellOf(t, p, 0, class)
		return p.RGBAAt(r.Min.X, r.Min.Y)
	}
	must.Equal(t, at(own, 0), at(own, 1),
		"each class on its own scale: the largest scores differ in colour")
	if at(shared, 0) != at(own, 0) || at(shared, 1) == at(own, 1) {
		t.Error("on a shared scale the smaller class should be paler, and the larger as before")
	}
}

// TestPredictedClassFirst checks the default class of an overlay and the first class of a strip.
func TestPredictedClassFirst(t *testing.T) {
	img := hill(32, 16)
	cut := patches(img, 16)
	report := waves(2, 3)
	report.Prediction = []float64{.1, .2, .7}
	must.Equal(t, drawn(t)(Overlay(cut, img, report, Options{Width: 300})).Cells[0].Class, 2,
		"the overlay shows class")
	top := func(p *picture, class int) int { return cellOf(t, p, 0, class).Min.Y }
	p := drawn(t)(Strip(shapes(2, 1, 8, 8), report, Options{}))
	must.Equal(t, top(p, 2) < top(p, 0) && top(p, 0) < top(p, 1), true, top(p, 0), top(p, 1),
		top(p, 2))
	p = drawn(t)(Strip(shapes(2, 1, 8, 8), report, Options{Classes: []int{0, 2}}))
	must.Equal(t, top(p, 0) <= top(p, 2), true, "classes asked for are drawn in another order")
}

// TestCells checks that cells lie in the picture, one for each instance and class, and do not
// overlap.
func TestCells(t *testing.T) {
	img := hill(64, 48)
	cut := patches(img, 16)
	for _, c := range []struct {
		name    string
		k, rows int // rows: the instance's own cell and those of classes
		draw    func(Options) (*Scene, error)
	}{
		{"strip", 37, 4, func(o Options) (*Scene,
			error) {
			return Strip(shapes(37, 1, 8, 8), waves(37, 3), o)
		}},
		{"strip of one", 1, 2, func(o Options) (*Scene,
			error) {
			return Strip(shapes(1, 1, 8, 8), waves(1, 1), o)
		}},
		{"overlay", 12, 1, func(o Options) (*Scene,
			error) {
			return Overlay(cut, img, waves(12, 3), o)
		}},
		{"bars", 37, 4, func(o Options) (*Scene,
			error) {
			return Bars(vectors(37, 5), waves(37, 3), o)
		}},
		{"bars of one", 1, 2, func(o Options) (*Scene,
			error) {
			return Bars(vectors(1, 1), waves(1, 1), o)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, o := range []Options{{}, {Width: 300, Scale: 2}, {Width: 250, Cell: 9},
				{Removed: []int{0}}, {Sorted: true, Top: 2}} {
				p := drawn(t)(c.draw(o))
				must.Equal(t, len(p.Cells), c.k*c.rows, c.name, o)
				seen := image.NewGray(p.Bounds())
				for _, cell := range p.Cells {
					if cell.Rect.Empty() || !cell.Rect.In(p.Bounds()) {
						t.Fatalf("%s %+v: cell %v lies outside %v", c.name, o, cell, p.Bounds())
					}
					for y := cell.Rect.Min.Y; y < cell.Rect.Max.Y; y++ {
						for x := cell.Rect.Min.X; x < cell.Rect.Max.X; x++ {
							must.Equal(t, seen.GrayAt(x, y).Y, 0, c.name, o, cell)
							seen.SetGray(x, y, color.Gray{1})
						}
					}
				}
				if width := max(o.Width, defaultWidth*(1-min(1, o.Width))); p.Rect.Dx() > width*max(
					1, o.Scale) {
					t.Errorf("%s %+v: %d pixels wide", c.name, o, p.Rect.Dx())
				}
			}
		})
	}
}

// TestHugeBagsShowStrongestInstances checks that a bag that is too large for a picture shows its
// strongest instances, in the bag's order or by score.
func TestHugeBagsShowStrongestInstances(t *testing.T) {
	const k, heavy = 100_000, 77_777
	report := waves(k, 2)
	for _, e := range report.Explanations {
		for i := range e.Scores {
			e.Scores[i] = float64(i%1000) / 1e4
		}
	}
	report.Explanations[1].Scores[heavy] = -5
	for _, sorted := range []bool{false, true} {
		p := drawn(t)(Bars(vectors(k, 3), report, Options{Sorted: sorted}))
		rows, found := map[int]bool{}, false
		last := -1
		for _, c := range p.Cells {
			rows[c.Instance] = true
			found = found || c.Instance == heavy
			if c.Class == OwnCell && !sorted {
				if c.Instance <= last {
					t.Fatalf("instance %d is drawn behind %d", c.Instance, last)
				}
				last = c.Instance
			}
			if c.Instance != heavy && c.Instance%1000 < 900 {
				t.Fatalf("instance %d, a weak one, is drawn", c.Instance)
			}
		}
		must.Equal(t, len(rows), mostStrong, sorted, found)
		must.Equal(t, found, true, sorted, len(rows), found)
	}
}

func TestAutoChooses(t *testing.T) {
	img := hill(32, 32)
	cut := patches(img, 8)
	own := func(p *picture) image.Point { return p.Bounds().Size() }
	pick := func(bag *core.Bag, picture image.Image) image.Point {
		return own(drawn(t)(Auto(bag, picture, nil, Options{Width: 300})))
	}
	must.Equal(t, pick(cut, img), own(drawn(t)(Overlay(cut, img, nil, Options{Width: 300}))),
		"a bag cut from the picture is not laid over it")
	for _, shape := range [][]int{{8, 8}, {1, 8, 8}, {3, 8, 8}, {8, 8, 3}, {8, 8, 1}} {
		bag := zeros(shape)
		must.Equal(t, pick(bag, nil), own(drawn(t)(Strip(bag, nil, Options{Width: 300}))), shape)
	}
	slide := located(9, 9)
	must.Equal(t, pick(slide, nil), own(drawn(t)(Map(slide, nil, Options{Width: 300}))),
		"features with coordinates are not drawn as a map")
	for _, shape := range [][]int{{}, {5}, {2, 3}, {2, 8, 8}, {1, 1, 8, 8}, {1}} {
		bag := zeros(shape)
		must.Equal(t, pick(bag, nil), own(drawn(t)(Bars(bag, nil, Options{Width: 300}))), shape)
	}
}

// TestRemovedInstances checks that a report on the bag without its removed instances is drawn at
// the cells of the other instances.
func TestRemovedInstances(t *testing.T) {
	bag := shapes(4, 1, 8, 8)
	o := Options{Removed: []int{1, 1}}
	whole := drawn(t)(Strip(bag, scored(1, 7, -1, .5), o))
	left := drawn(t)(Strip(bag, scored(1, -1, .5), o))
	must.Equal(t, differing(whole.RGBA, left.RGBA), 0,
		"scores of the instances that are left are drawn at other places, or the removed "+
			"one's score counts")
	r := cellOf(t, left, 1, 0)
	empty := themed("", false).background
	must.Equal(t, left.RGBAAt((r.Min.X+r.Max.X)/2, (r.Min.Y+r.Max.Y)/2), empty,
		"the removed instance's cell is filled with")
}

// TestOverlayOfSlide draws patches with the coordinates of a slide over a small picture of it,
// where those of the picture itself would be.
func TestOverlayOfSlide(t *testing.T) {
	small := image.NewRGBA(image.Rect(0, 0, 60, 30))
	bag := &core.Bag{Name: "a", Shape: []int{1}, Values: []float32{1, 2},
		Boxes: []image.Rectangle{image.Rect(0, 0, 20, 20), image.Rect(40, 10, 60, 30)}}
	want := must.Get(Overlay(bag, small, nil, Options{}))(t)
	for i, b := range bag.Boxes {
		bag.Boxes[i] = image.Rectangle{b.Min.Mul(100), b.Max.Mul(100)}
	}
	bag.Slide = &core.Slide{Width: 6000, Height: 3000}
	got := must.Get(Overlay(bag, small, nil, Options{}))(t)
	must.EqualSlices(t, got.Cells, want.Cells)
	must.Equal(t, len(got.Cells), 2)
}
