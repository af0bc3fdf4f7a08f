package ops

import "slices"

// onlyFirst reports whether the first input is stacked and no other. Parameters that differ between
// coalitions need one call for each.
func (v *Vmap) onlyFirst() bool { return v.stacked[0] && !slices.Contains(v.stacked[1:], true) }

// batchElementwise is for functions of each element of the first input.
func batchElementwise(v *Vmap, _ *Node) {
	if v.onlyFirst() {
		v.strategy = asIs
	}
}

// batchBroadcast is for functions of elements that meet when the inputs are broadcast.
func batchBroadcast(v *Vmap, _ *Node) { v.strategy = alignRanks }

// batchShape is for operators that read the shape of their input only.
func batchShape(v *Vmap, _ *Node) { v.strategy = readShape }

// batchMatMul multiplies stacks of matrices in one call, since MatMul broadcasts leading
// dimensions. A stacked bias, which rewriting may add as input 2, would have to be added per
// matrix.
func batchMatMul(v *Vmap, _ *Node) {
	if len(v.stacked) < 3 || !v.stacked[2] {
		v.strategy, v.product = alignRanks, true
	}
}

// batchGemm multiplies the rows of all coalitions in one product. A transposed left factor has the
// coalitions' rows as columns, so its rows cannot be merged.
func batchGemm(v *Vmap, n *Node) {
	if v.onlyFirst() && n.Int("transA", 0) == 0 {
		v.strategy = mergeRows
	}
}

// batchLayout is for operators that give the elements another shape.
func batchLayout(v *Vmap, _ *Node) {
	if v.onlyFirst() {
		v.strategy = keepLayout
	}
}

// batchPictures is for operators whose first axis is a batch that they never mix, such as Conv. A
// second output, such as the places of MaxPool, would count over the whole batch.
func batchPictures(v *Vmap, n *Node) {
	if v.onlyFirst() && n.Outputs == 1 {
		v.strategy = mergeBatch
	}
}

// batchConcat joins along the axis behind that of coalitions. Inputs that are the same for all
// coalitions are repeated, since Concat does not broadcast.
func batchConcat(v *Vmap, n *Node) {
	v.joins = true
	v.shift(n, 0)
}

// batchGatherElements needs both inputs stacked: GatherElements does not broadcast.
func batchGatherElements(v *Vmap, n *Node) {
	if !slices.Contains(v.stacked, false) {
		v.shift(n, 0)
	}
}

// batchAxis is for operators along the axis of an attribute with a default. The axis moves by one.
func batchAxis(def int) Batching {
	return func(v *Vmap, n *Node) {
		if v.onlyFirst() {
			v.shift(n, def)
		}
	}
}

// batchSoftmax moves the axis by one. Its default depends on the version.
func batchSoftmax(v *Vmap, n *Node) {
	if v.onlyFirst() {
		axis, _ := n.SoftmaxAxes()
		v.shift(n, axis)
	}
}

// batchTranspose keeps the axis of coalitions first. Without attribute perm the default depends on
// the rank, which is not known here, so each coalition is computed on its own.
func batchTranspose(v *Vmap, n *Node) {
	if perm := n.Ints("perm"); v.onlyFirst() && perm != nil {
		v.rebuild(n, "perm", append([]int{0}, shiftAll(perm)...))
	}
}

// batchAxisInput is for operators whose second input is an axis, such as CumSum.
func batchAxisInput(v *Vmap, _ *Node) {
	if v.onlyFirst() {
		v.strategy, v.axes = shiftAxis, 1
	}
}

// batchSlice needs input 3, the axes, since the default axes would include that of coalitions.
func batchSlice(v *Vmap, n *Node) {
	if v.onlyFirst() && n.Opset >= 10 && n.Inputs > 3 {
		v.strategy, v.axes = shiftAxis, 3
	}
}

// batchReduce is for reductions that name their axes, by attribute or input. A reduction of all
// axes would combine coalitions, so it computes them one by one.
func batchReduce(v *Vmap, n *Node) {
	if !v.onlyFirst() {
		return
	}
	if axes := n.Ints("axes"); len(axes) > 0 {
		v.rebuild(n, "axes", shiftAll(axes))
	} else if len(v.stacked) > 1 {
		v.strategy, v.axes = shiftAxis, 1
	}
}
