package synthetic

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/tools/gen/tissue/stain"
)

// The size of slides: pixels of 1 µm, patches of 128 x 128 on a grid.
const (
	microns = 1.0
	side    = 128
	across  = 20
	down    = 15
	width   = across * side
	height  = down * side
)

// A polygon has the corners of an outline in pixels.
type polygon [][2]float64

// crossings returns where the lines of a polygon cross a row of height y, ascending. Between the
// first and the second, the third and the fourth, and so on, lies its inside.
func (p polygon) crossings(y float64) (xs []float64) {
	for i, b := range p {
		a := p[(i+len(p)-1)%len(p)]
		if (a[1] <= y) != (b[1] <= y) {
			xs = append(xs, a[0]+(y-a[1])*(b[0]-a[0])/(b[1]-a[1]))
		}
	}
	slices.Sort(xs)
	return xs
}

// holds reports whether a place lies inside.
func (p polygon) holds(x, y float64) bool {
	left := 0
	for _, at := range p.crossings(y) {
		if at <= x {
			left++
		}
	}
	return left%2 == 1
}

// A drawn is an outline of an annotation with its group in CAMELYON: _0 and _1 are lesions, _2 is
// cut out of them.
type drawn struct {
	group   string
	outline polygon
}

// A slide is simulated: an ellipse of tissue with lesions or none.
type slide struct {
	name     string
	lesions  []drawn
	corners  []image.Point // patches of tissue
	tumour   []bool        // (patch) the middle of the patch lies in a lesion
	features []float32     // (patch, feature)
	tissue   *tissue
	shift    image.Point // where the tissue's pictures begin
}

// tissue is what slides look like, repeated: pictures of stain.Side pixels. Slides share it,
// because drawing takes longer than all else.
type tissue struct{ healthy, ill *image.RGBA }

// drawTissue draws the pictures of a cohort.
func drawTissue(random *rand.Rand) *tissue {
	return &tissue{stain.Draw(random, false).Picture, stain.Draw(random, true).Picture}
}

// simulate returns a slide. Features are noise of standard deviation 1; the first of a patch has
// the mean 1.5 in a lesion, and -0.5 elsewhere.
func simulate(
	name string, random *rand.Rand, positive bool, features int, like *tissue,
) *slide {
	s := &slide{name: name, tissue: like, shift: image.Pt(random.IntN(stain.Side),
		random.IntN(stain.Side))}
	if positive {
		s.draw(random)
	}
	for row := range down {
		for column := range across {
			at := image.Pt(column*side, row*side)
			x, y := float64(at.X+side/2), float64(at.Y+side/2)
			if !inTissue(x, y) {
				continue
			}
			tumour := s.inLesion(x, y)
			s.corners, s.tumour = append(s.corners, at), append(s.tumour, tumour)
			first := -.5
			if tumour {
				first = 1.5
			}
			s.features = append(s.features, float32(first+random.NormFloat64()))
			for range features - 1 {
				s.features = append(s.features, float32(random.NormFloat64()))
			}
		}
	}
	return s
}

// draw draws one to four lesions, isolated tumour cells, and a hole in the first lesion.
func (s *slide) draw(random *rand.Rand) {
	star := func(x, y, radius float64) polygon {
		angles := make([]float64, 12)
		for i := range angles {
			angles[i] = 2 * math.Pi * random.Float64()
		}
		slices.Sort(angles)
		var p polygon
		for _, a := range angles {
			r := radius * (.6 + .6*random.Float64())
			p = append(p, [2]float64{math.Round(x + r*math.Cos(a)), math.Round(y + r*math.Sin(a))})
		}
		return p
	}
	within := func() (x, y float64) {
		return width * (.25 + .5*random.Float64()), height * (.25 + .5*random.Float64())
	}
	x, y := within()
	s.lesions = append(s.lesions, drawn{"_0", star(x, y, 200+200*random.Float64())})
	hole := drawn{"_2", star(x, y, 80)}
	for range random.IntN(4) {
		x, y := within()
		s.lesions = append(s.lesions, drawn{"_1", star(x, y, 200+200*random.Float64())})
	}
	x, y = within()
	s.lesions = append(s.lesions, drawn{"_1", star(x, y, 60)}, hole)
}

// tissueShare is the share of the slide's sides that an ellipse of tissue reaches from the middle.
const tissueShare = .45

// inTissue reports whether a place lies in the tissue.
func inTissue(x, y float64) bool {
	return math.Hypot((x/width-.5)/tissueShare, (y/height-.5)/tissueShare) <= 1
}

// inLesion reports whether a place lies in a lesion.
func (s *slide) inLesion(x, y float64) bool {
	in := false
	for _, d := range s.lesions {
		if d.outline.holds(x, y) {
			in = d.group != "_2"
			if !in {
				return false
			}
		}
	}
	return in
}

// glass is the colour of a slide without tissue.
var glass = color.RGBA{245, 244, 246, 255}

// picture returns the pixels of a part of the slide.
func (s *slide) picture(part image.Rectangle) *image.RGBA {
	m := image.NewRGBA(part)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		middle := float64(y) + .5
		line := func(from, to float64, like *image.RGBA) {
			for x := max(part.Min.X, int(from+.5)); x < min(part.Max.X, int(to+.5)); x++ {
				at := like.PixOffset((x+s.shift.X)%stain.Side, (y+s.shift.Y)%stain.Side)
				copy(m.Pix[m.PixOffset(x, y):], like.Pix[at:at+4])
			}
		}
		for x := part.Min.X; x < part.Max.X; x++ {
			copy(m.Pix[m.PixOffset(x, y):], []byte{glass.R, glass.G, glass.B, glass.A})
		}
		half := tissueShare * width * math.Sqrt(max(0,
			1-math.Pow((middle/height-.5)/tissueShare, 2)))
		line(width/2-half, width/2+half, s.tissue.healthy)
		for _, d := range s.lesions { // the hole is the last
			like := s.tissue.ill
			if d.group == "_2" {
				like = s.tissue.healthy
			}
			xs := d.outline.crossings(middle)
			for i := 0; i+1 < len(xs); i += 2 {
				line(max(xs[i], width/2-half), min(xs[i+1], width/2+half), like)
			}
		}
	}
	return m
}
