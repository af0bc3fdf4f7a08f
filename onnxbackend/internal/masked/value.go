package masked

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A kind says how a value of the suffix depends on the coalition. The package comment lists the
// kinds in this order.
type kind int

const (
	constant kind = iota
	perInstance
	ratio
	shifted
	repeated
	row
	sizeList
	perMember
	pairwise
)

// A value describes a tensor of the suffix to the compiler.
type value struct {
	kind  kind
	place ops.Place // Shape, and the Axis of the instances if there is one
	// tensor is the value for the whole bag. For a ratio, it is the dividend. For a row, it is nil.
	tensor *tensor.Tensor
	// The weights of a ratio are summed over the members along weightAxis for the divisor, or nil.
	weights    *tensor.Tensor
	weightAxis int
	slot       int        // slot of a row
	logits     bool       // the weights are logits, whose exponentials multiply the tensor
	by         *rowFactor // factor of a ratio, or nil
	lead       int        // constant places before the instances, see lead.go
	pairs      *pairs     // pairs of a pairwise value
}

// instances reports whether a value has an axis of instances and can be pooled.
func (v value) instances() bool {
	return v.kind == perInstance || v.kind == ratio || v.kind == shifted
}

// isRow reports whether a value is a row of each coalition.
func (v value) isRow() bool { return v.kind == row }

// isSizes reports whether a value is a list of sizes with the number of members.
func (v value) isSizes() bool { return v.kind == sizeList }

// ofMembers reports whether only steps on members can read a value. Values with constant places are
// among them, because tables have rows for instances alone.
func (v value) ofMembers() bool {
	return v.kind == perMember || v.kind == pairwise || v.lead > 0 && v.kind != sizeList
}

// tensors returns the tensors of values.
func tensors(in []value) []*tensor.Tensor {
	out := make([]*tensor.Tensor, len(in))
	for i, v := range in {
		out[i] = v.tensor
	}
	return out
}

// places returns values as the axis rules of operators describe them.
func places(in []value) []ops.Place {
	out := make([]ops.Place, len(in))
	for i, v := range in {
		out[i] = v.place
		switch v.kind {
		case constant:
			out[i].Class, out[i].Value = ops.Constant, v.tensor
			if v.tensor != nil {
				out[i].Shape = v.tensor.Shape
			}
		case sizeList:
			out[i].Class = ops.Whole
		default:
			out[i].Class = ops.Instance
		}
	}
	return out
}
