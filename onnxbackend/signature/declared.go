package signature

import (
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// InstanceAxis returns the axis of the instances of an input, by its declared shape and the card,
// and all of its open axes. An input without an open axis has none.
func InstanceAxis(v *decode.Value, card *Card) (axis int, open []int) {
	for i, d := range v.Shape {
		if d < 0 {
			open = append(open, i)
		}
	}
	if len(open) == 0 {
		return 0, nil
	}
	// Without a name, two open axes in front are taken for a batch of bags and the instances. A bag
	// or runs may decide otherwise.
	axis = open[0]
	if batched(v, open) || len(open) == 2 && open[1] == 1 && len(v.Shape) > 2 {
		axis = 1
	}
	// An axis of the card that this input does not have may belong to another input.
	if a := card.InstanceAxis; a != nil {
		if at, ok := tensor.Axis(*a, len(v.Shape)); ok && v.Shape[at] < 0 {
			axis = at
		}
	}
	return axis, open
}

// batched reports whether the first of several open axes is named as a batch of bags.
func batched(v *decode.Value, open []int) bool {
	return len(open) > 1 && open[0] == 0 && open[1] == 1 && len(v.Shape) > 2 &&
		strings.Contains(strings.ToLower(v.Names[0]), "batch")
}

// StaticError returns a *fault.Unsupported for an input that leaves no axis open for the instances.
func StaticError(in *decode.Value) error {
	return fault.Unsupportedf(msg.Sprintf("input %q of shape %s", in.Name, ShapeText(in)),
		"it was exported for one number of instances: no axis is left open for it, so that no "+
			"coalition of instances can be scored; export the model with that axis dynamic, in "+
			"PyTorch: torch.onnx.export(..., dynamic_axes={%q: {%d: \"instances\"}})", in.Name,
		staticAxis(in.Shape))
}

// staticAxis returns the axis that probably holds the instances in a shape without an open axis: a
// first axis of 1 is a batch of bags, unless the shape is that of one vector or picture.
func staticAxis(shape []int) int {
	one := len(shape) < 3 || len(shape) == 4 && (shape[1] == 1 || shape[1] == 3)
	if one || shape[0] != 1 {
		return 0
	}
	return 1
}

// ShapeText writes a declared shape, such as [batch ? 512], with the names of its open axes.
func ShapeText(v *decode.Value) string {
	if v.Shape == nil {
		return "[?]"
	}
	s := make([]string, len(v.Shape))
	for i, d := range v.Shape {
		switch {
		case d >= 0:
			s[i] = strconv.Itoa(d)
		case v.Names[i] != "":
			s[i] = v.Names[i]
		default:
			s[i] = "?"
		}
	}
	return "[" + strings.Join(s, " ") + "]"
}
