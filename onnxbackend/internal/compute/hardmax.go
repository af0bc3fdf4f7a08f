package compute

// NewHardmax makes Hardmax: 1 at the first of the largest elements along an axis, and 0 elsewhere.
func NewHardmax(n *Node) (Func, error) {
	axis, flatten := n.SoftmaxAxes()
	return alongAxis(axis, flatten, func(row []float64) {
		best := 0
		for j, v := range row {
			if v > row[best] {
				best = j
			}
		}
		clear(row)
		row[best] = 1
	}), nil
}
