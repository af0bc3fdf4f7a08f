package figure

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// roundTicks implements plot.Ticker with about eight round values.
type roundTicks struct{}

// sameShare is the relative length below which an axis has one tick. Such a range is rounding
// noise, and labels could not show its differences.
const sameShare = 1e-9

// Ticks returns multiples of 1, 2, 5 or 10 times a power of ten from lo to hi.

func (roundTicks) Ticks(lo, hi float64) []plot.Tick {
	const most = 8 // the largest number of ticks
	span, magnitude := hi-lo, max(math.Abs(lo), math.Abs(hi))
	// Below 1e-300 a step would lose its digits.
	if !(span > sameShare*magnitude && span > 1e-300) || math.IsInf(span, 0) {
		return []plot.Tick{{Value: lo, Label: strconv.FormatFloat(lo, 'g', 6, 64)}}
	}
	// The step is a power of ten, multiplied until there are few enough ticks.
	step := math.Pow(10, math.Floor(math.Log10(span/most)))
	for _, factor := range []float64{2, 2.5, 2} { // 2, 5 and 10 times
		if span/step > most {
			step *= factor
		}
	}
	digits := max(6, int(math.Ceil(math.Log10(magnitude/step)))+1)
	first := math.Ceil(lo/step-1e-9) + 0 // no -0
	var ticks []plot.Tick
	for i := range 2 * most {
		v := (first + float64(i)) * step
		if v > hi+1e-9*step {
			break
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', digits, 64)})
	}
	return ticks
}
