//go:build gpu

package gpu

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Kinds of along.wgsl that the operators of this file need by name. Their numbers are those of the
// constants in the shader.
const (
	kindMean      = 1
	kindMax       = 2
	kindSoftmax   = 7
	kindNormalize = 8
	kindRMS       = 9
	kindLogSumExp = 10
	kindProduct   = 11
)

// reductionKinds has the kinds of along.wgsl that are reductions.
var reductionKinds = map[compute.Reduction]int{
	compute.Sum: 0, compute.Mean: kindMean, compute.Max: kindMax, compute.Min: 3,
	compute.SumSquare: 4, compute.L2: 5,
	compute.L1:        6,
	compute.LogSumExp: kindLogSumExp, compute.Prod: kindProduct,
}

// reductionOf returns the kind of along.wgsl for a node that reduces, by its row of the operator
// table.
func reductionOf(n *compute.Node) int { return reductionKinds[ops.Lookup("", n.Op).Reduces] }

// A line is a computation along the middle axis of a value (outer, n, inner).
type line struct {
	kind, outer, n, inner int
	epsilon               float32
	// parts, each and spread give the channel of element i of row r, for its scale and bias:
	// r%parts*each + i/spread. 0 counts as 1 for parts and spread.
	parts, each, spread int
}

// along records a computation along an axis; shape is that of the result. in are the value, and a
// scale and a bias for normalizations.
func (c *call) along(l line, shape []int, in ...*tensor.Tensor) (bool, error) {
	rows := l.outer * l.inner
	work := rows * l.n
	var with params
	with.ints(0, l.kind, l.outer, l.n, l.inner)
	with.reals(4, l.epsilon)
	with.ints(5, max(1, l.parts), l.each, max(1, l.spread))
	if len(in) > 2 {
		with.ints(8, flag(in[2]))
	}
	name, width := l.kernel()
	with.ints(9, width)
	abreast := 256 / width
	return c.result(name, with, (rows+abreast-1)/abreast, work, shape, in...)
}

// longestRow is the longest row of which the invocations of rows.wgsl have all elements.
const longestRow = 8 * 256

// kernel returns the kernel of a line and the number of invocations for a row. This is a power of
// two, since they add in a tree.
func (l *line) kernel() (name string, width int) {
	name, most, width := "along", 256, 1
	if l.n <= longestRow && l.kind >= kindSoftmax && l.kind <= kindRMS {
		name, most = "rows", max(32, (l.n+7)/8)
	}
	for width < min(l.n, most) {
		width *= 2
	}
	return name, width
}

// reduce records a reduction over neighbouring axes that the CPU can read.
func reduce(c *call) (bool, error) {
	x := c.in[0]
	axes, ok := c.list(1)
	if !ok {
		return false, nil
	}
	mark, err := c.n.Axes(x.Rank(), axes)
	if err != nil {
		return false, nil
	}
	l, ok := lineOf(x.Shape, mark)
	if !ok {
		return false, nil
	}
	var shape []int
	for i, d := range x.Shape {
		if !mark[i] {
			shape = append(shape, d)
		} else if c.n.Int("keepdims", 1) != 0 {
			shape = append(shape, 1)
		}
	}
	l.kind = reductionOf(c.n)
	return c.along(l, shape, x)
}

// lineOf joins the marked axes to one. It reports false if another axis between them has a size
// other than 1, or none is marked.
func lineOf(shape []int, mark []bool) (l line, ok bool) {
	l = line{outer: 1, n: 1, inner: 1}
	found := false
	for i, d := range shape {
		switch {
		case mark[i] && l.inner > 1:
			if d > 1 {
				return l, false
			}
		case mark[i]:
			l.n *= d
			found = true
		case !found:
			l.outer *= d
		default:
			l.inner *= d
		}
	}
	return l, found
}

// globalPool records a pool over all positions of each channel: a reduction of the last axes.
func globalPool(c *call) (bool, error) {
	x := c.in[0]
	if x.Rank() < 3 {
		return false, nil
	}
	l := line{
		kind: reductionOf(c.n), outer: x.Shape[0] * x.Shape[1], n: elements(x.Shape[2:]), inner: 1,
	}
	shape := slices.Clone(x.Shape)
	for i := 2; i < len(shape); i++ {
		shape[i] = 1
	}
	return c.along(l, shape, x)
}

// softmax records a Softmax. Before opset 13 it is computed over all axes from the given one on.
func softmax(c *call) (bool, error) {
	x := c.in[0]
	axis, together := c.n.SoftmaxAxes()
	a, ok := tensor.Axis(axis, x.Rank())
	if !ok {
		return false, nil
	}
	l := line{kind: kindSoftmax, outer: elements(x.Shape[:a]), n: x.Shape[a],
		inner: elements(x.Shape[a+1:])}
	if together {
		l.n, l.inner = l.n*l.inner, 1
	}
	if c.soften(l) {
		return true, nil
	}
	return c.along(l, x.Shape, x)
}

// layerNormalization records LayerNormalization and RMSNormalization. Scale and bias must have the
// shape of a row; the CPU computes or rejects other shapes.
func layerNormalization(c *call) (bool, error) {
	x, scale, bias := c.in[0], c.in[1], c.given(2)
	a, ok := tensor.Axis(c.n.Int("axis", -1), x.Rank())
	if !ok {
		return false, nil
	}
	size := elements(x.Shape[a:])
	row := x.Shape[a:]
	if !slices.Equal(scale.Shape, row) || bias != nil && !slices.Equal(bias.Shape, row) {
		return false, nil
	}
	l := line{kind: kindNormalize, outer: elements(x.Shape[:a]), n: size, inner: 1,
		epsilon: c.n.Float("epsilon", 1e-5)}
	if deviceOf(c.n) == "rmsnorm" {
		l.kind = kindRMS
	}
	return c.along(l, x.Shape, x, scale, bias)
}

// instanceNormalization is groupNormalization with a group for each channel.
func instanceNormalization(c *call) (bool, error) {
	if c.in[0].Rank() < 3 {
		return false, nil
	}
	return c.groups(c.in[0].Shape[1])
}

// groupNormalization records the operator of opset 21 and newer, with a scale for each channel.
// Older versions have a scale for each group.
func groupNormalization(c *call) (bool, error) {
	if c.n.Opset < 21 || c.in[0].Rank() < 3 {
		return false, nil
	}
	return c.groups(c.n.Int("num_groups", 0))
}

// groups records a normalization of groups of channels.
func (c *call) groups(groups int) (bool, error) {
	x, scale, bias := c.in[0], c.in[1], c.in[2]
	channels, inner := x.Shape[1], elements(x.Shape[2:])
	if groups < 1 || channels%groups != 0 || scale.Len() != channels || bias.Len() != channels {
		return false, nil
	}
	each := channels / groups
	l := line{
		kind: kindNormalize, outer: x.Shape[0] * groups, n: each * inner, inner: 1,
		epsilon: c.n.Float("epsilon", 1e-5), parts: groups, each: each, spread: inner,
	}
	return c.along(l, x.Shape, x, scale, bias)
}

// batchNormalization records a scale and a shift of each channel. The CPU computes them from the
// four parameters once for a model, in float64.
func batchNormalization(c *call) (bool, error) {
	x := c.in[0]
	if x.Rank() < 2 || x.Type != tensor.Float32 {
		return false, nil
	}
	key := [4]*tensor.Tensor(c.in[1:5])
	for _, t := range key {
		if t.Type != tensor.Float32 || t.Len() != x.Shape[1] || !slices.Contains(c.n.Const, t) {
			return false, nil
		}
	}
	made, ok := c.loaded.affine[key]
	if !ok {
		made = affine(key, float64(c.n.Float("epsilon", 1e-5)))
		c.loaded.affine[key] = made
	}
	c.made = made[:]
	var with params
	with.ints(0, x.Len(), x.Shape[1], elements(x.Shape[2:]))
	return c.result("affine", with, groupsOf(x.Len()), x.Len(), x.Shape, x, made[0], made[1])
}

// affine returns the scale and the shift of a BatchNormalization; of are its scale, bias, mean and
// variance.
func affine(of [4]*tensor.Tensor, epsilon float64) (made [2]*tensor.Tensor) {
	n := of[0].Len()
	for i := range made {
		made[i] = tensor.New(tensor.Float32, n)
	}
	scale, bias, mean, variance := tensor.Of[float32](of[0]), tensor.Of[float32](of[1]),
		tensor.Of[float32](of[2]), tensor.Of[float32](of[3])
	for i := range n {
		s := float64(scale[i]) / math.Sqrt(float64(variance[i])+epsilon)
		tensor.Of[float32](made[0])[i] = float32(s)
		tensor.Of[float32](made[1])[i] = float32(float64(bias[i]) - float64(mean[i])*s)
	}
	return made
}
