package metric

import (
	"image"
	"math"
	"slices"
)

// Detections are what a method finds on a slide, for FROC.
type Detections struct {
	Hits  []float64 // largest score of a detection in each lesion, 0 without one
	False []float64 // scores of the detections outside of lesions, above 0
}

// FalsePositives are the mean numbers of false positives of a slide at which FROC takes the
// sensitivity.
var FalsePositives = [6]float64{.25, .5, 1, 2, 4, 8}

// FROC returns the score of CAMELYON16 (Ehteshami Bejnordi et al., JAMA 318, 2017): the mean of the
// sensitivities for lesions at [FalsePositives], which are interpolated between thresholds as in
// its program evaluation.py, and the sensitivities. ok is false without a lesion.
func FROC(slides []Detections) (score float64, sensitivity [6]float64, ok bool) {
	var hits, wrong, thresholds []float64
	for _, s := range slides {
		hits = append(hits, s.Hits...)
		wrong = append(wrong, s.False...)
	}
	if len(hits) == 0 {
		return math.NaN(), sensitivity, false
	}
	slices.Sort(hits)
	slices.Sort(wrong)
	thresholds = slices.Concat(hits, wrong)
	slices.Sort(thresholds)
	thresholds = slices.Compact(thresholds)
	atLeast := func(sorted []float64, t float64) float64 {
		n, _ := slices.BinarySearch(sorted, t)
		return float64(len(sorted) - n)
	}
	// From the strictest threshold, which nothing reaches, to the second lowest one.
	x, y := []float64{0}, []float64{0}
	for i := len(thresholds) - 1; i > 0; i-- {
		x = append(x, atLeast(wrong, thresholds[i])/float64(len(slides)))
		y = append(y, atLeast(hits, thresholds[i])/float64(len(hits)))
	}
	for i, at := range FalsePositives {
		sensitivity[i] = interpolated(x, y, at)
		score += sensitivity[i] / float64(len(FalsePositives))
	}
	return score, sensitivity, true
}

// interpolated returns y at a place on the line through points in the order of x, as numpy.interp
// does: of points with one x the last counts.
func interpolated(x, y []float64, at float64) float64 {
	after, _ := slices.BinarySearchFunc(x, at, func(v, at float64) int { // the first above at
		if v <= at {
			return -1
		}
		return 1
	})
	if after == len(x) {
		return y[len(y)-1]
	}
	if after == 0 {
		return y[0]
	}
	a := after - 1
	return y[a] + (y[after]-y[a])*(at-x[a])/(x[after]-x[a])
}

// FROCError returns the standard error of FROC by the jackknife over slides (Efron and Stein, Ann.
// Stat. 9, 1981), NaN for fewer than two slides or if one slide has all lesions.
func FROCError(slides []Detections) float64 {
	n := len(slides)
	values := make([]float64, n)
	mean := 0.0
	for i := range slides {
		v, _, ok := FROC(slices.Concat(slides[:i], slides[i+1:]))
		if !ok {
			return math.NaN()
		}
		values[i] = v
		mean += v / float64(n)
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	if n < 2 {
		return math.NaN()
	}
	return math.Sqrt(squares * float64(n-1) / float64(n))
}

// Peaks returns the patches that are detections: those with a score above 0 that is the largest of
// the patches whose middle lies closer than 1.5 sides across and down; of equal ones the first.
// From the largest score down, a peak removes the others around it.
func Peaks(boxes []image.Rectangle, scores []float64) []int {
	order := make([]int, 0, len(boxes))
	reach := 0
	for i := range boxes {
		reach = max(reach, 3*boxes[i].Dx()/2)
		if scores[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	// A cell of the grid has reach pixels, so that all neighbours lie in nine cells.
	cell := func(p image.Point) image.Point {
		return image.Pt(int(math.Floor(float64(p.X)/float64(reach))),
			int(math.Floor(float64(p.Y)/float64(reach))))
	}
	kept := map[image.Point][]image.Point{}
	var peaks []int
	for _, i := range order {
		middle := boxes[i].Min.Add(boxes[i].Max).Div(2)
		at, free := cell(middle), true
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				for _, other := range kept[at.Add(image.Pt(dx, dy))] {
					d := other.Sub(middle)
					if max(d.X, -d.X) < reach && max(d.Y, -d.Y) < reach {
						free = false
					}
				}
			}
		}
		if free {
			kept[at] = append(kept[at], middle)
			peaks = append(peaks, i)
		}
	}
	return peaks
}
