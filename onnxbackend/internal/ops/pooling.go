package ops

import (
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// PoolsAlong reports whether a node, a reduction, an Einsum of one operand, a pool of all places, a Softmax or a TopK, combines the places of the axis of its
// first input along which the instances lie, and nothing but them. Dimensions of one place do not count.
func (n *Node) PoolsAlong(in []Place) bool {
	x := in[0]
	var mixed []bool
	switch n.Op {
	case "Softmax":
		first, last := softmaxMixes(n, len(x.Shape))
		mixed = make([]bool, len(x.Shape))
		for i := range mixed {
			mixed[i] = i >= first && i <= last
		}
	case "TopK":
		a, ok := tensor.Axis(n.Int("axis", -1), len(x.Shape))
		if !ok {
			return false
		}
		mixed = make([]bool, len(x.Shape))
		mixed[a] = true
	case "GlobalAveragePool", "GlobalMaxPool":
		mixed = make([]bool, len(x.Shape))
		for i := range mixed {
			mixed[i] = i >= 2
		}
	case "Einsum": // of one operand whose labels keep their order
		terms, result, err := parseEinsum(n.Text("equation", ""))
		if err != nil || len(terms) != 1 || len(in) != 1 || len(terms[0]) != len(x.Shape) || strings.ContainsRune(terms[0], rest) || !once([]rune(terms[0])) {
			return false
		}
		left := ""
		for _, l := range terms[0] {
			mixed = append(mixed, !strings.ContainsRune(result, l))
			if strings.ContainsRune(result, l) {
				left += string(l)
			}
		}
		if left != result {
			return false
		}
	default:
		if _, ok := reductions[n.Op]; !ok {
			return false
		}
		var ok bool
		if mixed, ok = reducedBy(n, in); !ok {
			return false
		}
	}
	for i, m := range mixed {
		if m != (i == x.Axis) && x.Shape[i] != 1 {
			return false
		}
	}
	return mixed[x.Axis]
}

// reducedBy marks the dimensions that a reduction combines, and fails when they are not known.
func reducedBy(n *Node, in []Place) ([]bool, bool) {
	axes := n.Ints("axes")
	if len(in) > 1 && in[1].Shape != nil {
		if in[1].Value == nil {
			return nil, false
		}
		var err error
		if axes, err = intsOf(in[1].Value); err != nil {
			return nil, false
		}
	}
	mark, err := reducedAxes(nil, axes, len(in[0].Shape), n.Int("noop_with_empty_axes", 0) != 0)
	return mark, err == nil
}
