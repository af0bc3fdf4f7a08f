package compute

import (
	"fmt"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewDepthToSpace makes DepthToSpace, which arranges channels as blocks of pixels.
func NewDepthToSpace(n *Node) (Func, error) { return buildBlocks(n, false) }

// NewSpaceToDepth makes SpaceToDepth, which arranges blocks of pixels as channels.
func NewSpaceToDepth(n *Node) (Func, error) { return buildBlocks(n, true) }

// buildBlocks makes DepthToSpace, or SpaceToDepth if deep. Both are a Reshape to six dimensions, a
// Transpose and a Reshape back, which one strided copy replaces. Attribute mode says whether the
// place in a block (DCR) or the channel (CRD) comes first.
func buildBlocks(n *Node, deep bool) (Func, error) {
	b, mode := n.Int("blocksize", 1), n.Text("mode", "DCR")
	if b > 1<<20 {
		return nil, fmt.Errorf("blocks of %d are too large for any memory", b)
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		if x.Rank() != 4 {
			return msg.Errorf("shape %v has no channels, rows and columns", x.Shape)
		}
		batch, c, h, w := x.Shape[0], x.Shape[1], x.Shape[2], x.Shape[3]
		var apart, order []int // the input's dimensions taken apart, and their order in the result
		var shape []int
		switch {
		case deep && h%b == 0 && w%b == 0:
			apart, order = []int{batch, c, h / b, b, w / b, b}, []int{0, 3, 5, 1, 2, 4}
			shape = []int{batch, c * b * b, h / b, w / b}
		case !deep && c%(b*b) == 0:
			apart, order = []int{batch, b, b, c / (b * b), h, w}, []int{0, 3, 4, 1, 5, 2}
			if mode == "CRD" {
				apart, order = []int{batch, c / (b * b), b, b, h, w}, []int{0, 1, 4, 2, 5, 3}
			}
			shape = []int{batch, c / (b * b), h * b, w * b}
		default:
			return msg.Errorf("shape %v cannot be laid out in blocks of %d", x.Shape, b)
		}
		st, dims, strides := tensor.Strides(apart), make([]int, 6), make([]int, 6)
		for i, a := range order {
			dims[i], strides[i] = apart[a], st[a]
		}
		return stridedCopy(m, out[0], x, shape, 0, dims, strides)
	}, nil
}
