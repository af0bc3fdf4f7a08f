package auxinput

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
)

// Libraries of graphs join the bags of a batch and number the bag of each instance. A model pools
// by these numbers, and has a row of scores for each bag.

// firstOfTwo reports whether an output has a row for each bag, so that the first row of the second
// tensor belongs to the bag of the first tensor.
func firstOfTwo(fills []fill, one, two *tensor.Tensor) bool {
	return slices.ContainsFunc(fills, func(f fill) bool { return f.bags }) && one.Rank() > 0 &&
		one.Rank() == two.Rank() && one.Shape[0] == 1 && two.Shape[0] == 2 &&
		slices.Equal(one.Shape[1:], two.Shape[1:])
}

// oneBag returns the fills with padding in the first bag, or nil if none numbers bags.
func oneBag(fills []fill) []fill {
	one := slices.Clone(fills)
	numbers := false
	for i := range one {
		if one[i].bags {
			one[i].pad, numbers = one[i].real, true
		}
	}
	if !numbers {
		return nil
	}
	return one
}

// alone returns the scores of A if the graph runs on A+B as one bag, or nil. It failed with B as a
// second bag, so that the first bag is the only one that it takes. A mask must still hide padding.
func (p *prover) alone(one []fill, a, b []*tensor.Tensor) []float64 {
	both := p.run(one, []uint64{1, 2})
	if both == nil {
		return nil
	}
	masked := slices.ContainsFunc(one, func(f fill) bool { return f.real != f.pad })
	var y [3][]float64
	for i, t := range a {
		if !slices.Equal(t.Shape, both[i].Shape) {
			continue
		}
		for j, run := range [3][]*tensor.Tensor{a, b, both} {
			v, _ := run[i].Float64s()
			y[j] = append(y[j], v...)
		}
	}
	if tolerance.NonFinite(y[0]) >= 0 || len(y[0]) != len(y[1]) ||
		tolerance.Agree(y[1], y[0], p.n) || masked && !tolerance.Agree(y[2], y[0], p.n) {
		return nil
	}
	return y[0]
}
