package draw

import (
	"image"
	"image/color"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/oklab"
)

// apart is the smallest distance in OKLab at which readers are taken to distinguish two parts of a
// picture at a glance: six times a just noticeable one.
const apart = .12

// A sight simulates colour vision: a matrix for linear red, green and blue.
type sight oklab.Matrix

// sights are normal vision and three dichromacies (Machado, Oliveira and Fernandes 2009, A
// physiologically-based model for simulation of color vision deficiency, table 1, severity 1).
var sights = map[string]sight{
	"normal": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protan": {{.152286, 1.052583, -.204868}, {.114503, .786281, .099216},
		{-.003882, -.048116, 1.051998}},
	"deutan": {{.367322, .860646, -.227968}, {.280085, .672501, .047413},
		{-.011820, .042940, .968881}},
	"tritan": {{1.255528, -.076749, -.178779}, {-.078411, .930809, .147602},
		{.004733, .691367, .303900}},
}

// place returns the place of a colour in OKLab as a sight has it.
func (s sight) place(c color.RGBA) oklab.Place {
	seen := oklab.Matrix(s).Times(oklab.Linear(c))
	for i, v := range seen {
		seen[i] = min(1, max(0, v))
	}
	return oklab.Of(seen)
}

// distance returns the distance of two colours in OKLab.
func (s sight) distance(a, b color.RGBA) float64 { return s.place(a).Distance(s.place(b)) }

// TestSightsOfGreys checks that all sights see white as it is.
func TestSightsOfGreys(t *testing.T) {
	for name, s := range sights {
		must.Equal(t, s.place(white).Distance(oklab.Place{1, 0, 0}) <= .003, true, name)
	}
}

// grounds are what lies beneath patches: glass, a dark page, and tissue stained with eosin and with
// haematoxylin.
var grounds = map[string]color.RGBA{"white": white, "dark": rgb(0x14171c), "pink": rgb(0xe8c0d0),
	"purple": rgb(0x7d5a9c)}

// seen returns how far two cells of a size are from each other: the largest distance of two pixels
// at the same place, those of fills, of outlines or of marks.
func (s sight) seen(p *picture, a, b image.Rectangle) (most float64) {
	for y := range a.Dy() {
		for x := range a.Dx() {
			most = max(most, s.distance(p.RGBAAt(a.Min.X+x, a.Min.Y+y),
				p.RGBAAt(b.Min.X+x, b.Min.Y+y)))
		}
	}
	return most
}

// TestSight measures how far what supports, what refutes and what is no evidence are from each
// other, as they are drawn, at full strength and at a quarter of it. Those that support and refute
// must differ by their fills alone, as a map from afar shows nothing else; over tissue, outlines
// and marks set them apart from nothing.
func TestSight(t *testing.T) {
	for _, colours := range Palettes {
		for ground, under := range grounds {
			for _, strength := range []float64{1, .25} {
				o := Options{Width: 400, Colours: colours, Dark: ground == "dark"}
				for kind, p := range signsOn(t, under, strength, o) {
					supports, refutes := cellOf(t, p, 1, 0), cellOf(t, p, 2, 0)
					nothing := cellOf(t, p, 3, 0)
					for name, s := range sights {
						fills := s.distance(fillOf(p, supports), fillOf(p, refutes))
						plus, minus := s.seen(p, supports, nothing), s.seen(p, refutes, nothing)
						t.Logf("%s, %s on %s at %v, %s: for and against %.3f, for and nothing "+
							"%.3f, against and nothing %.3f", colours, kind, ground, strength,
							name, fills, plus, minus)
						if colours == Palettes[0] && min(fills, plus, minus) < apart {
							t.Errorf("%s, %s on %s at %v: less than %v apart", kind, name, ground,
								strength, apart)
						}
					}
				}
			}
		}
	}
}

// fillOf returns the colour of a cell below its marks and within its outline.
func fillOf(p *picture, r image.Rectangle) color.RGBA {
	return p.RGBAAt((r.Min.X+2*r.Max.X)/3, (r.Min.Y+3*r.Max.Y)/4)
}

// signsOn returns overlays on a colour, of large patches and of patches without room for marks, and
// a strip, each with the strongest score, one that supports, one that refutes, and zeros.
func signsOn(t *testing.T, under color.RGBA, strength float64, o Options) map[string]*picture {
	t.Helper()
	row := func(k int) *image.RGBA {
		img := image.NewRGBA(image.Rect(0, 0, 16*k, 16))
		for i := range 16 * k * 16 {
			img.SetRGBA(i%(16*k), i/(16*k), under)
		}
		return img
	}
	large, small := row(4), row(48)
	scores := make([]float64, 48)
	copy(scores, []float64{1, strength, -strength})
	return map[string]*picture{
		"overlay":       drawn(t)(Overlay(patches(large, 16), large, scored(scores[:4]...), o)),
		"small overlay": drawn(t)(Overlay(patches(small, 16), small, scored(scores...), o)),
		"strip":         drawn(t)(Strip(shapes(4, 1, 8, 8), scored(scores[:4]...), o)),
	}
}

// TestSignsWithoutHue checks that cells of each size from 3 pixels that support and that refute
// differ where they have no hue: by the shape of what is drawn on them.
func TestSignsWithoutHue(t *testing.T) {
	for side := striped; side <= 24; side++ {
		for _, dark := range []bool{false, true} {
			o := Options{Width: 120, Dark: dark, Cell: side}
			c := must.Get(newCanvas(120, 40, must.Get(o.checked(1))(t)))(t)
			r := [2]image.Rectangle{c.box(10, 5, side, side), c.box(60, 5, side, side)}
			l := &layer{scores: []float64{1, -1}, max: 1}
			for i := range r {
				c.tinted(i, r[i], l, must.Get(o.checked(1))(t))
			}
			p := &picture{c.Picture(), &c.Scene}
			if plus, minus := shape(p, r[0]), shape(p, r[1]); slices.Equal(plus, minus) {
				t.Errorf("patches of %d pixels, dark %v: both signs have the shape %v", side, dark,
					plus)
			}
		}
	}
}

// shape returns, for each pixel of a cell, the number of the colour that it has, in the order in
// which they appear.
func shape(p *picture, r image.Rectangle) (out []int) {
	number := map[color.RGBA]int{}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c := p.RGBAAt(x, y)
			if _, known := number[c]; !known {
				number[c] = len(number)
			}
			out = append(out, number[c])
		}
	}
	return out
}
