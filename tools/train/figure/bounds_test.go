package figure

import (
	"math"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
)

func TestTicksOfNarrowRanges(t *testing.T) {
	for _, c := range []struct {
		lo, hi      float64
		least, most int
	}{
		{.9999999999999998, 1, 1, 1}, {1, 1, 1, 1}, {0, 0, 1, 1}, {-5e-324, 5e-324, 1, 1}, {1e300,
			math.Nextafter(1e300, 2e300), 1, 1},
		{math.NaN(), 1, 1, 1}, {0, math.Inf(1), 1, 1}, {-math.MaxFloat64, math.MaxFloat64, 1, 1},
		{1, 0, 1, 1},
		{1, 1 + 1e-8, 3, 16}, {-1e-299, 1e-299, 3, 16}, {0, 1e300, 3, 16}, {1e15, 1e15 + 1e7, 3,
			16},
	} {
		ticks := roundTicks{}.Ticks(c.lo, c.hi)
		labels := map[string]bool{}
		for _, tick := range ticks {
			labels[tick.Label] = true
		}
		if len(ticks) < c.least || len(ticks) > c.most || len(labels) != len(ticks) {
			t.Errorf("%v to %v: %v", c.lo, c.hi, ticks)
		}
	}
}

func TestFiguresOfNarrowRanges(t *testing.T) {
	size := must.Get(Size(30, 1e-300, []float64{.05}))(t)
	curve := must.Get(Curve(30, []methods.MILLICurve{{Alpha: .4999999999999999, Beta: .1}}))(t)
	for _, f := range []*Figure{size, curve} {
		written(t, f, "svg")
	}
}

func TestSizeFormsAgree(t *testing.T) {
	f := must.Get(Size(4, 1, []float64{.2}))(t)
	text := string(written(t, f, "svg"))
	must.Equal(t, strings.Count(text, "fill:#0072B2"), integralPoints)
	holds(t, words(t, f), "sum (lines), integral (points)")
	var sum, integral Line
	sum.share(4, .2, 1, 3, methods.MILLICurve.ExpectedSize)
	integral.share(4, .2, 1, 3, methods.MILLICurve.ExpectedSizeIntegral)
	// On the straight ramp both are a half of the ranks 0 to 3: 4 of them in the sum, a length of 3
	// in the integral.
	must.Equal(t, math.Abs(sum.Y[1]-.5) <= 1e-12, true, sum, integral)
	must.Equal(t, math.Abs(integral.Y[1]-.375) <= 1e-12, true, sum, integral)
	must.Equal(t, sum.X[0], -1, sum, integral)
	must.Equal(t, integral.X[2], 1, sum, integral)
}

func TestInvalidFiguresAreErrors(t *testing.T) {
	point := []Line{{Name: "a", X: []float64{1}, Y: []float64{1}}}
	for what, draw := range map[string]func() (*Figure, error){
		"no lines": func() (*Figure, error) { return Lines(Axes{}, nil) },
		"no points": func() (*Figure, error) {
			return Lines(Axes{}, []Line{{X: []float64{1}, Y: []float64{math.NaN()}}})
		},
		"no lines, log": func() (*Figure, error) { return Lines(Axes{Log: true}, nil) },
		"a log of 0": func() (*Figure, error) {
			return Lines(Axes{Log: true}, []Line{{X: []float64{0, 1}, Y: []float64{1, 1}}})
		},
		"a log below 0": func() (*Figure, error) {
			return Lines(Axes{Log: true}, []Line{{X: []float64{-1}, Y: []float64{1}}})
		},
		"too few places": func() (*Figure, error) {
			return Lines(Axes{}, []Line{{X: []float64{1}, Y: []float64{1, 2}}})
		},
		"too few errors": func() (*Figure, error) {
			return Lines(Axes{}, []Line{{X: []float64{1}, Y: []float64{1}, Error: []float64{}}})
		},
		"a level of one end": func() (*Figure, error) {
			return Lines(Axes{}, []Line{{X: []float64{1, math.NaN()}, Y: []float64{1, 1},
				Level: true}})
		},
		"no instances": func() (*Figure, error) {
			return Curve(-1, []methods.MILLICurve{{Alpha: .1}})
		},
		"instances of no bag": func() (*Figure, error) { return Size(0, 1, []float64{.1}) },
		"no range of beta": func() (*Figure, error) {
			return Size(3, math.Inf(1), []float64{.1})
		},
		"no alpha":      func() (*Figure, error) { return Size(3, 1, nil) },
		"an empty grid": func() (*Figure, error) { return Heat(&Grid{}) },
		"a grid of few values": func() (*Figure, error) {
			return Heat(&Grid{XS: []float64{1, 2}, YS: []float64{1}, Values: []float64{1}})
		},
		"a best cell outside": func() (*Figure, error) {
			return Heat(&Grid{XS: []float64{1}, YS: []float64{1}, Values: []float64{1}, BestX: 1})
		},
		"an infinite value": func() (*Figure, error) {
			return Heat(&Grid{XS: []float64{1}, YS: []float64{1}, Values: []float64{math.Inf(1)}})
		},
	} {
		must.Equal(t, must.Err(draw()) != nil, true, what)
	}
	for _, a := range []Axes{{}, {Log: true}, {Log: true, Marked: true}} {
		f := must.Get(Lines(a, point))(t)
		written(t, f, "svg")
	}
	infinite := []Line{{Name: "a", X: []float64{1, math.Inf(1), math.NaN()}, Y: []float64{1, 2, 3}}}
	if f, err := Lines(Axes{}, infinite); err != nil {
		t.Error(err)
	} else {
		written(t, f, "svg")
	}
}
