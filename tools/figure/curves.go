package figure

import (
	"fmt"

	"github.com/bagscope/bagscope/core"
)

// Curve draws MILLI's sampling curve pi_R against rank in a bag of k instances, a line for each pair of alpha and beta
// (paper, section 3.2).
func Curve(k int, curves []core.MILLICurve) (*Figure, error) {
	ranks := make([]float64, k)
	for r := range ranks {
		ranks[r] = float64(r)
	}
	var lines []Line
	for _, c := range curves {
		lines = append(lines, Line{Name: fmt.Sprintf("α = %g, β = %g", c.Alpha, c.Beta), X: ranks, Y: c.Probabilities(k)})
	}
	return Lines(Axes{
		Title: fmt.Sprintf("Probability of being drawn, bag of %d instances", k),
		X:     "rank, 0 the most important", Y: "πR(r)",
	}, lines)
}

// sizePoints is how many values of beta a line has.
const sizePoints = 121

// Size draws the expected share E|z| / k of a bag of k instances that a coalition holds, against beta from -most to
// most, a line for each alpha.
func Size(k int, most float64, alphas []float64) (*Figure, error) {
	var lines []Line
	for _, alpha := range alphas {
		l := Line{Name: fmt.Sprintf("α = %g", alpha)}
		for i := range sizePoints {
			beta := most * (2*float64(i)/(sizePoints-1) - 1)
			l.X = append(l.X, beta)
			l.Y = append(l.Y, core.MILLICurve{Alpha: alpha, Beta: beta}.ExpectedSize(k)/float64(k))
		}
		lines = append(lines, l)
	}
	return Lines(Axes{Title: fmt.Sprintf("Expected size of a coalition, bag of %d instances", k), X: "β", Y: "E|z| / k"}, lines)
}
