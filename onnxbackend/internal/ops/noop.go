package ops

import "github.com/bagscope/bagscope/onnxbackend/internal/tensor"

// A NoOpRule reports whether the first output of a node is its first input for every bag. Passes
// then remove the node.
type NoOpRule func(n *Node, in []Fact) bool

// always is for operators that never change their input, such as Identity.
func always(*Node, []Fact) bool { return true }

// dropoutNoOp requires that the mode is known: a Dropout in training mode fails in a run, and
// removing it would hide the error.
func dropoutNoOp(_ *Node, in []Fact) bool {
	mode := factAt(in, 2)
	return mode.Omitted || mode.Value != nil
}

// castNoOp is for casts to the type that the input already has.
func castNoOp(n *Node, in []Fact) bool {
	return in[0].Type != tensor.Undefined && in[0].Type == tensor.Type(n.Int("to", 0))
}

// transposeNoOp is for permutations that leave all axes in place.
func transposeNoOp(n *Node, in []Fact) bool {
	perm := n.Ints("perm")
	for i, p := range perm {
		if p != i {
			return false
		}
	}
	return perm != nil && in[0].Ranked && len(in[0].Shape) == len(perm)
}

// flattenNoOp is for inputs that are matrices already.
func flattenNoOp(n *Node, in []Fact) bool {
	return n.Int("axis", 1) == 1 && in[0].Ranked && len(in[0].Shape) == 2
}

// reshapeNoOp is for a Reshape that names each size of its input as 0, as the known number, or once
// as what is left.
func reshapeNoOp(n *Node, in []Fact) bool {
	target, shape := ShortList(in[1].Value), in[0].Shape
	if !in[0].Ranked || target == nil || len(target) != len(shape) {
		return false
	}
	left := 0
	for i, d := range target {
		switch {
		case d == 0 && n.Int("allowzero", 0) == 0:
		case d == -1 && left == 0:
			left++
		case d > 0 && d == shape[i]:
		default:
			return false
		}
	}
	return true
}
