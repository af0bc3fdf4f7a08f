package ops

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// scatterRule keeps instances apart if nothing is replaced.
func scatterRule(_ *Node, k int, in, out []Place) {
	if in[0].Class == Instance && replacesNone(in) {
		out[0].keep(in[0].Axis, k)
	}
}

// cutRule is sliceRule for a cut of the axis of the instances at a number of instances: at their
// end it keeps all, and from there on it leaves none.
func cutRule(n *Node, k int, in, out []Place) {
	x, at := in[0], slices.Repeat([]Place{{}}, 4) // starts, ends, axes, steps
	copy(at, in[1:])
	axes := []int{0}
	if at[2].Value != nil {
		axes, _ = compute.IntsOf(at[2].Value)
	}
	start, end, step := boundsOf(at[0]), boundsOf(at[1]), allTrue
	if at[3].Shape != nil {
		step = boundsOf(at[3])
	}
	if len(axes) != 1 || start == nil || end == nil || step == nil || *step != *allTrue ||
		at[2].Shape != nil && at[2].Value == nil || x.Class != Instance || x.Merged() {
		return
	}
	all := Line{1, 0}
	if a, ok := tensor.Axis(axes[0], len(x.Shape)); !ok || a != x.Axis {
		return
	}
	switch {
	case *start == *allFalse && all.atMost(end.Low):
		out[0].keep(x.Axis, k)
	case all.atMost(start.Low):
		out[0].Counted = countedEmpty
	}
}
