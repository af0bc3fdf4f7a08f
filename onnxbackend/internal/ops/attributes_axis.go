package ops

import (
	"strconv"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
)

// CheckAxes returns an error if attribute axis, or an element of axes or perm, is no axis of the
// first input, which has a rank. The functions of operators check axes too, since most ranks are
// known in runs only; this check finds the others when a model is opened.
func (r *Row) CheckAxes(n *Node, rank int) error {
	least, end := -rank, rank // the axes are from least up to end
	switch n.Op {
	// One scale has no axis, and Unsqueeze counts in its result.
	case "QuantizeLinear", "DequantizeLinear", "Unsqueeze":
		return nil
	case "Flatten":
		end++
	case "OneHot":
		least, end = least-1, end+1
	}
	for _, a := range r.attributesIn(n.Opset) {
		var axes []int
		switch a.name {
		case "axis":
			def, err := strconv.Atoi(a.initial)
			if err != nil && !n.Has(a.name) {
				continue
			}
			axes = []int{n.Int(a.name, def)}
		case "axes":
			axes = n.Ints(a.name)
		case "perm":
			if _, err := compute.Permutation(n.Ints(a.name), rank); err != nil {
				return err
			}
		}
		for _, axis := range axes {
			if axis < least || axis >= end {
				return compute.AxisError(axis, rank)
			}
		}
	}
	return nil
}
