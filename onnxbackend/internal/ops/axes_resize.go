package ops

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// resizeRule keeps instances apart if their axis keeps its places. Sizes or scales must be known to
// prove it.
func resizeRule(n *Node, k int, in, out []Place) {
	if in[0].Class != Instance || n.Text("coordinate_transformation_mode",
		"") == "tf_crop_and_resize" {
		return
	}
	at := in[0].Axis
	if axes := n.Ints("axes"); axes != nil {
		at = slices.IndexFunc(axes, func(a int) bool {
			i, ok := tensor.Axis(a, len(in[0].Shape))
			return ok && i == in[0].Axis
		})
	}
	// The order of the inputs changed in version 11, which added the region of interest.
	scales, sizes := 2, 3
	if n.Opset < 11 {
		scales, sizes = 1, len(in)
	}
	switch {
	case n.Text("keep_aspect_ratio_policy", "stretch") != "stretch":
		return
	case sizes < len(in) && in[sizes].Shape != nil && !slices.Contains(in[sizes].Shape, 0):
		list := sizesOf(in[sizes])
		for i, d := range list {
			if (i == at) != (BagTimes(d) > 0) || d == -1 {
				return
			}
		}
		if list == nil {
			return
		}
	case scales < len(in) && in[scales].Shape != nil:
		v, err := compute.Reals(in[scales].Value)
		if err != nil || v == nil || at >= len(v) || at >= 0 && v[at] != 1 {
			return
		}
	// Upsample before version 9 has its scales in an attribute.
	default:
		if v := n.Floats("scales"); at < 0 || at >= len(v) || v[at] != 1 {
			return
		}
	}
	out[0].keep(in[0].Axis, k)
}
