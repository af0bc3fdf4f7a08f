package figure

import (
	"fmt"
	"math"

	"github.com/bagscope/bagscope/core/methods"
)

// Curve draws MILLI's sampling curve pi_R against the rank of instances, with a line for each pair
// of alpha and beta (paper, section 3.2). The bag has k instances, from 1 to 2^20.
func Curve(k int, curves []methods.MILLICurve) (*Figure, error) {
	if err := checkSize(k); err != nil {
		return nil, err
	}
	ranks := make([]float64, k)
	for r := range ranks {
		ranks[r] = float64(r)
	}
	var lines []Line
	for _, c := range curves {
		lines = append(lines, Line{Name: fmt.Sprintf("α = %g, β = %g", c.Alpha, c.Beta), X: ranks,
			Y: c.Probabilities(k)})
	}
	return Lines(Axes{
		Title: fmt.Sprintf("Probability of being drawn, bag of %d instances", k),
		X:     "rank, 0 the most important", Y: "πR(r)",
	}, lines)
}

// maxInstances limits the points of a curve.
const maxInstances = 1 << 20

// checkSize returns an error unless k is from 1 to maxInstances.
func checkSize(k int) error {
	if k < 1 || k > maxInstances {
		return fmt.Errorf("a bag of %d instances cannot be drawn; use 1 to %d instances", k,
			maxInstances)
	}
	return nil
}

// The numbers of values of beta for the two forms of the expected size.
const (
	sumPoints      = 121
	integralPoints = 21
)

// Size draws the expected size of a coalition divided by the size of the bag, E|z| / k, against
// beta from -most to most. For each alpha, a line shows the exact sum over ranks, and points show
// the paper's closed form, the integral.
func Size(k int, most float64, alphas []float64) (*Figure, error) {
	if err := checkSize(k); err != nil {
		return nil, err
	}
	if !(most > 0) || math.IsInf(most, 0) {
		return nil, fmt.Errorf("the range of beta from %g to %g is invalid", -most, most)
	}
	var lines []Line
	for _, alpha := range alphas {
		sum, integral := Line{Name: fmt.Sprintf("α = %g", alpha)}, Line{Beside: true}
		sum.share(k, alpha, most, sumPoints, methods.MILLICurve.ExpectedSize)
		integral.share(k, alpha, most, integralPoints, methods.MILLICurve.ExpectedSizeIntegral)
		lines = append(lines, sum, integral)
	}
	return Lines(Axes{Title: fmt.Sprintf(
		"Expected size of a coalition, bag of %d instances: sum (lines), integral (points)", k),
		X: "β", Y: "E|z| / k"}, lines)
}

// share computes the points of a line from one form of the expected size.
func (l *Line) share(
	k int, alpha, most float64, points int, size func(methods.MILLICurve, int) float64,
) {
	for i := range points {
		beta := most * (2*float64(i)/float64(points-1) - 1)
		l.X = append(l.X, beta)
		l.Y = append(l.Y, size(methods.MILLICurve{Alpha: alpha, Beta: beta}, k)/float64(k))
	}
}
