package ops

import "github.com/bagscope/bagscope/onnxbackend/internal/tensor"

// Overwrites reports whether updates of several instances may go to one place, where the last one
// counts: the node is a scatter without a reduction, and its indices depend on the bag. place
// returns the place of an input.
func (n *Node) Overwrites(place func(input int) Place) bool {
	if n.Op != "Scatter" && n.Op != "ScatterElements" && n.Op != "ScatterND" ||
		n.Text("reduction", "none") != "none" {
		return false
	}
	indices := place(1)
	if n.Op == "ScatterND" || indices.Class != Instance {
		return indices.Class != Constant
	}
	// Each instance writes to a row of its own, unless the indices name the row.
	axis, ok := tensor.Axis(n.Int("axis", 0), len(indices.Shape))
	return !ok || axis == indices.Axis
}
