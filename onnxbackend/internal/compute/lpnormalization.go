package compute

import "math"

// NewLpNormalization makes LpNormalization. It divides each row along an axis by the sum of
// absolute values (p = 1) or the root of the sum of squares (p = 2). Rows of zeros stay zeros.
func NewLpNormalization(n *Node) (Func, error) {
	p := n.Int("p", 2)
	return alongAxis(n.Int("axis", -1), false, func(row []float64) {
		sum := 0.0
		for _, v := range row {
			if p == 1 {
				sum += math.Abs(v)
			} else {
				sum += v * v
			}
		}
		if p == 2 {
			sum = math.Sqrt(sum)
		}
		for j := range row {
			if sum != 0 {
				row[j] /= sum
			}
		}
	}), nil
}
