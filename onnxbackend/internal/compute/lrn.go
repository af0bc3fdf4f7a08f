package compute

import "math"

// NewLRN makes LRN. It divides by (bias + alpha/size · sum of squares)^beta over size neighbouring
// channels (Krizhevsky et al., 2012, section 3.3). The sum of a sliding window is updated rather
// than computed anew.
func NewLRN(n *Node) (Func, error) {
	size, alpha := n.Int("size", 1), float64(n.Float("alpha", 1e-4))
	beta, bias := float64(n.Float("beta", 0.75)), float64(n.Float("bias", 1))
	return alongAxis(1, false, func(row []float64) {
		before, behind := (size-1)/2, size/2
		was := append([]float64{}, row...)
		// The window around the first channel has no channels before it.
		sum := 0.0
		for j := range min(behind, len(row)) {
			sum += was[j] * was[j]
		}
		for j := range row {
			if k := j + behind; k < len(was) {
				sum += was[k] * was[k]
			}
			// Rounding of the updates may leave a sum slightly below zero, whose power would be
			// NaN.
			row[j] = was[j] / math.Pow(bias+alpha/float64(size)*max(0, sum), beta)
			if k := j - before; k >= 0 {
				sum -= was[k] * was[k]
			}
		}
	}), nil
}
