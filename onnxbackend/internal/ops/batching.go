package ops

import "slices"

// onlyFirst reports whether the first input is stacked and no other.
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

func batchMatMul(v *Vmap, _ *Node) {
	if len(v.stacked) < 3 || !v.stacked[2] {
		v.strategy, v.product = alignRanks, true
	}
}

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

// batchPictures is for operators whose first axis is a batch that they never mix, such as Conv.
func batchPictures(v *Vmap, n *Node) {
	if v.onlyFirst() && n.Outputs == 1 {
		v.strategy = mergeBatch
	}
}

func batchConcat(v *Vmap, n *Node) {
	v.joins = true
	v.shift(n, "axis", 0)
}

func batchGatherElements(v *Vmap, n *Node) {
	if !slices.Contains(v.stacked, false) {
		v.shift(n, "axis", 0)
	}
}

// batchAxis is for operators along the axis of an attribute, whose default is def.
func batchAxis(def int) Batching {
	return func(v *Vmap, n *Node) {
		if v.onlyFirst() {
			v.shift(n, "axis", def)
		}
	}
}

func batchSoftmax(v *Vmap, n *Node) {
	if v.onlyFirst() {
		axis, _ := softmaxAxes(n)
		v.shift(n, "axis", axis)
	}
}

func batchTranspose(v *Vmap, n *Node) {
	if perm := n.Ints("perm"); v.onlyFirst() && perm != nil {
		v.rebuild(n, "perm", append([]int{0}, shiftAll(perm)...))
	}
}

// batchAxisInput is for operators whose second input is an axis.
func batchAxisInput(v *Vmap, _ *Node) {
	if v.onlyFirst() {
		v.strategy, v.axes = shiftAxis, 1
	}
}

func batchSlice(v *Vmap, n *Node) {
	if v.onlyFirst() && n.Opset >= 10 && n.Inputs > 3 {
		v.strategy, v.axes = shiftAxis, 3
	}
}

// batchReduce is for reductions that name their axes. One of all axes runs one by one, since it
// would combine coalitions.
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
