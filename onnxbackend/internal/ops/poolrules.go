package ops

import (
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A PoolRule marks the axes of its first input that a node combines. It reports false if they are
// not known. Masked pooling replaces such a node if it combines the instance axis alone. It then
// needs the elements of each instance once, instead of a run of the graph for each coalition.
type PoolRule func(n *Node, in []Place) (combined []bool, ok bool)

// PoolsAlong reports whether a node combines the places of the instance axis of its first input,
// and no others. Dimensions of one place do not count. Masked pooling then computes the node for
// all coalitions from one table.
func (n *Node) PoolsAlong(in []Place) bool {
	if n.Row == nil || n.Row.Pools == nil {
		return false
	}
	combined, ok := n.Row.Pools(n, in)
	if !ok {
		return false
	}
	x := in[0]
	for i, c := range combined {
		if c != (i == x.Axis) && x.Shape[i] != 1 {
			return false
		}
	}
	return combined[x.Axis]
}

// softmaxPools marks the axes over which a Softmax normalises.
func softmaxPools(n *Node, in []Place) ([]bool, bool) {
	combined := make([]bool, len(in[0].Shape))
	first, last := softmaxMixes(n, len(combined))
	for i := range combined {
		combined[i] = i >= first && i <= last
	}
	return combined, true
}

// topKPools marks the axis along which TopK selects.
func topKPools(n *Node, in []Place) ([]bool, bool) {
	combined := make([]bool, len(in[0].Shape))
	a, ok := tensor.Axis(n.Int("axis", -1), len(combined))
	if ok {
		combined[a] = true
	}
	return combined, ok
}

// placePools is for pools over all places of each channel, such as GlobalAveragePool.
func placePools(_ *Node, in []Place) ([]bool, bool) {
	combined := make([]bool, len(in[0].Shape))
	for i := range combined {
		combined[i] = i >= 2
	}
	return combined, true
}

// einsumPools is for an Einsum of one operand whose remaining labels keep their order: it sums over
// the labels that the result lacks.
func einsumPools(n *Node, in []Place) ([]bool, bool) {
	terms, result, ok := einsumTerms(n)
	if !ok || len(terms) != 1 || len(in) != 1 || len(terms[0]) != len(in[0].Shape) ||
		!once([]rune(terms[0])) {
		return nil, false
	}
	var combined []bool
	left := ""
	for _, l := range terms[0] {
		summed := !strings.ContainsRune(result, l)
		if combined = append(combined, summed); !summed {
			left += string(l)
		}
	}
	return combined, left == result
}

// reducedBy is the PoolRule of reductions. Axes in an input must be constant.
func reducedBy(n *Node, in []Place) ([]bool, bool) {
	var axes []int
	if len(in) > 1 && in[1].Shape != nil {
		if in[1].Value == nil {
			return nil, false
		}
		var err error
		if axes, err = compute.IntsOf(in[1].Value); err != nil {
			return nil, false
		}
	}
	mark, err := n.Axes(len(in[0].Shape), axes)
	return mark, err == nil
}
