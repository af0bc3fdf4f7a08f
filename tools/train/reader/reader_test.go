package reader

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/oklab"
)

// bagOf returns a bag of k instances without places.
func bagOf(k int) *core.Bag {
	return &core.Bag{Name: "bag", Shape: []int{1}, Values: make([]float32, k)}
}

// reportOf returns a report of one class in log-odds.
func reportOf(prediction float64, scores ...float64) *core.Report {
	return &core.Report{Prediction: []float64{prediction}, Explanations: []core.Explanation{{
		Method: "m", Unit: core.UnitLogOdds, Scores: scores}}}
}

// random returns a stream of random numbers.
func random() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// TestFound checks shares that are known: all keys if they are louder, none if they are quieter,
// and that of chance if all cells are alike.
func TestFound(t *testing.T) {
	key := []bool{true, true, false, false, false, false, false, false}
	for name, c := range map[string]struct {
		loudness    []float64
		want, error float64
	}{
		"louder":  {[]float64{1, 1, 0, 0, 0, 0, 0, 0}, 1, 0},
		"quieter": {[]float64{-1, -1, 0, 0, 0, 0, 0, 0}, 0, 0},
		"half":    {[]float64{1, -1, 0, 0, 0, 0, 0, 0}, .5, 0},
		"alike":   {make([]float64, 8), .25, .01},
	} {
		t.Run(name, func(t *testing.T) {
			r := Reader{Noise: .02, Trials: 4000}
			must.Equal(t, math.Abs(r.Found(c.loudness, key, random())-c.want) <= c.error, true,
				c.want, c.error)
		})
	}
}

// TestSee checks that a cell that supports is louder than one of nothing, this one louder than one
// that refutes, and that a bag of noise has no colour.
func TestSee(t *testing.T) {
	scores := make([]float64, 49)
	scores[8], scores[40] = 6, -6
	s := must.Get(Glancing.See(bagOf(49), reportOf(.99, scores...), 0))(t)
	must.Equal(t, s.Loudness[8] > .1 && s.Loudness[40] < -.02 && math.Abs(s.Loudness[24]) < .01,
		true, s.Loudness[8], s.Loudness[24], s.Loudness[40])
	noise := must.Get(Glancing.See(bagOf(49), reportOf(.99, make([]float64, 49)...), 0))(t)
	must.Equal(t, noise.Colour < s.Colour, true, noise.Colour, s.Colour)
	must.Fail(t, must.Err(Glancing.See(bagOf(3), reportOf(.9, 1, 2, 3), 7)))
}

// TestBlur compares with a direct sum over the plane, and checks that a plain picture stays as it
// is.
func TestBlur(t *testing.T) {
	rng := random()
	m := image.NewRGBA(image.Rect(0, 0, 23, 17))
	for y := range 17 {
		for x := range 23 {
			m.SetRGBA(x, y, color.RGBA{uint8(rng.IntN(256)), uint8(rng.IntN(256)), 9, 255})
		}
	}
	r, area := Reader{Blur: 1.3}, image.Rect(2, 0, 23, 11)
	got := r.blurred(m, area)
	weight := func(dx, dy int) float64 {
		return math.Exp(-float64(dx*dx+dy*dy) / (2 * r.Blur * r.Blur))
	}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			var want [3]float64
			sum := 0.
			for dy := -4; dy <= 4; dy++ {
				for dx := -4; dx <= 4; dx++ {
					w := weight(dx, dy)
					at := oklab.Linear(m.RGBAAt(min(22, max(0, x+dx)), min(16, max(0, y+dy))))
					sum += w
					for c, v := range at {
						want[c] += w * v
					}
				}
			}
			for c, v := range got.mean(image.Rect(x, y, x+1, y+1)) {
				if !(math.Abs(v-want[c]/sum) <= 1e-12) {
					t.Fatalf("pixel %d, %d has %v of colour %d, want %v", x, y, v, c, want[c]/sum)
				}
			}
		}
	}
}

// TestFloored checks the colours of the drawing that it stands for against their formula.
func TestFloored(t *testing.T) {
	report := reportOf(.999, 4, -2, .004, 0, 9)
	report.Explanations[0].Evident = []bool{true, true, true, true, false}
	theme := draw.Theme(draw.Palettes[0], false)
	shades := must.Get(draw.ShadesOf(bagOf(5), Floored(report, .25), draw.Options{}))(t)
	mixed := func(sign string, share float64) color.RGBA {
		m := func(a, b uint8) uint8 {
			return uint8(float64(a) + share*(float64(b)-float64(a)) + .5)
		}
		a, b := theme["neutral"], theme[sign]
		return color.RGBA{m(a.R, b.R), m(a.G, b.G), m(a.B, b.B), 255}
	}
	for i, want := range []color.RGBA{theme["support"], mixed("refute", .625),
		mixed("support", .25075), theme["noise"], theme["noise"]} {
		must.Equal(t, shades[0].Colours[i], want)
	}
	must.Equal(t, report.Explanations[0].Scores[0], 4, "the report changed")
}

// TestStudy has bags of which it is known what is found: keys that decide, and bags without any
// whose scores are trifles beside their decisions.
func TestStudy(t *testing.T) {
	s := &Study{Reader: Glancing, Page: 4}
	rng := random()
	for n := range 8 {
		scores, rel := make([]float64, 25), make([]metric.Relevance, 25)
		for i := range scores {
			scores[i] = .1 * rng.NormFloat64()
		}
		if n%2 == 0 {
			at := rng.IntN(25)
			scores[at], rel[at] = 7, metric.Supporting
			rel[(at+1)%25] = metric.Unlabelled
		}
		must.Do(t, s.Add(bagOf(25), reportOf(.999, scores...), 0, rel))
	}
	results, bags, pages := s.Results(1)
	decision, own := results[0], results[1]
	if decision.Bags.N != 4 || decision.Pages.N != 2 || decision.Pairs != 16 || own.Pairs != 16 {
		t.Errorf("%d bags, %d pages, %d pairs", decision.Bags.N, decision.Pages.N, decision.Pairs)
	}
	must.Equal(t, decision.Bags.Mean > .95 && decision.Pages.Mean > .95, true, decision)
	must.Equal(t, decision.Quiet, 1, decision)
	must.Equal(t, own.Pages.Mean < .9 && own.Quiet < .5, true, own)
	for name, of := range map[string][3]Stat{"bags": {bags, decision.Bags, own.Bags},
		"pages": {pages, decision.Pages, own.Pages}} {
		must.Equal(t, math.Abs(of[0].Mean-(of[1].Mean-of[2].Mean)) <= 1e-12, true, name,
			of[0].Mean)
	}
	if again, _, _ := s.Results(1); again != results {
		t.Error("the same seed gives other results")
	}
}
