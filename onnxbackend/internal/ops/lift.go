package ops

import (
	"errors"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A Lift computes a node for several coalitions of as many instances each at once. Inputs that differ between
// coalitions are stacked: they have one axis more, the first, along which coalitions lie. The result for
// a coalition has the bits that the node's function gives for it alone. A Lift serves one run at a time.
type Lift struct {
	way     way
	f       Func   // of stacked inputs, or of one coalition's, as the way wants it
	alone   Func   // of one coalition's inputs
	stacked []bool // (input)
	axes    int    // the input that names axes, 0 for none
	deepest int    // the least axis that an attribute counts from the end
	product bool   // it multiplies matrices
	joins   bool   // all inputs must be stacked

	in         []*tensor.Tensor
	view, part []tensor.Tensor // (input): under another shape; one coalition's
	made       []tensor.Tensor // (output) of one coalition
	one        []*tensor.Tensor
	oneOut     []*tensor.Tensor
	numbers    tensor.Tensor // the axes that an input names, one further
	shape      []int
}

// A way is how a node takes stacked inputs.
type way uint8

const (
	wayEach   way = iota // coalition after coalition
	wayAsIs              // the function works on any shape, element by element
	wayAlign             // operands broadcast, so that the shorter get ones behind the first axis
	wayRows              // the first operand's matrices are more rows of one
	wayAxis              // the function was built for axes that lie one further
	wayLayout            // the elements stay where they are
	waySizes             // only the shape of one coalition's input is read
	wayBatch             // the first axis is a batch of pictures already
)

// NewLift returns the Lift of a node whose function is f, and whether its outputs are stacked.
func NewLift(n *Node, f Func, stacked []bool) (l *Lift, outputs bool) {
	l = &Lift{f: f, alone: f, stacked: stacked}
	l.choose(n)
	k := len(stacked)
	l.in, l.one = make([]*tensor.Tensor, k), make([]*tensor.Tensor, k)
	l.view, l.part = make([]tensor.Tensor, k), make([]tensor.Tensor, k)
	return l, l.way != waySizes
}

// choose finds the fastest way that takes the node with these inputs.
func (l *Lift) choose(n *Node) {
	first := l.stacked[0] && !slices.Contains(l.stacked[1:], true)
	switch n.Op {
	case "Shape", "Size":
		l.way = waySizes
	case "MatMul":
		if len(l.stacked) < 3 || !l.stacked[2] {
			l.way, l.product = wayAlign, true
		}
	case "Gemm":
		if first && n.Int("transA", 0) == 0 {
			l.way = wayRows
		}
	case "Reshape", "Flatten", "Squeeze", "Unsqueeze":
		if first {
			l.way = wayLayout
		}
	case "Conv", "BatchNormalization", "InstanceNormalization", "GlobalAveragePool", "GlobalMaxPool", "AveragePool", "MaxPool":
		if first && n.Outputs == 1 {
			l.way = wayBatch
		}
	case "Concat":
		l.joins = true
		l.shift(n, "axis", 0)
	case "GatherElements":
		if !slices.Contains(l.stacked, false) {
			l.shift(n, "axis", 0)
		}
	default:
		switch op := " " + n.Op + " "; {
		case strings.Contains(broadcasting, op):
			l.way = wayAlign
		case first && strings.Contains(elementwise, op):
			l.way = wayAsIs
		case first:
			l.chooseAxis(n)
		}
	}
}

// Operators that work element by element: on operands that broadcast, and on one.
const (
	broadcasting = " Add Sub Mul Div PRelu Mod Pow Max Min Sum Mean Equal Greater Less GreaterOrEqual LessOrEqual And Or Xor Where "
	elementwise  = " Relu Abs Neg Sign LeakyRelu Elu Gelu Softplus Softsign Sigmoid Tanh Erf Exp Log Sqrt Reciprocal Floor Ceil Round" +
		" IsNaN IsInf Not Clip Cast CastLike Identity "
)

// chooseAxis is choose for operators along axes, of which the first input alone is stacked.
func (l *Lift) chooseAxis(n *Node) {
	switch n.Op {
	case "Softmax", "LogSoftmax":
		axis, _ := softmaxAxes(n)
		l.shift(n, "axis", axis)
	case "LayerNormalization", "RMSNormalization", "TopK":
		l.shift(n, "axis", -1)
	case "Gather", "Split", "ArgMax", "ArgMin":
		l.shift(n, "axis", 0)
	case "Transpose":
		if perm := n.Ints("perm"); perm != nil {
			l.rebuild(n, "perm", append([]int{0}, oneFurther(perm)...))
		}
	case "CumSum":
		l.way, l.axes = wayAxis, 1
	case "Slice":
		if n.Opset >= 10 && n.Inputs > 3 {
			l.way, l.axes = wayAxis, 3
		}
	default:
		if !strings.HasPrefix(n.Op, "Reduce") {
			return
		}
		if axes := n.Ints("axes"); len(axes) > 0 {
			l.rebuild(n, "axes", oneFurther(axes))
		} else if len(l.stacked) > 1 {
			l.way, l.axes = wayAxis, 1
		}
	}
}

// shift makes the function of the node with the axis of an attribute one further.
func (l *Lift) shift(n *Node, name string, usual int) {
	axis := n.Int(name, usual)
	if axis >= 0 {
		l.rebuild(n, name, axis+1)
		return
	}
	l.way, l.deepest = wayAxis, axis
}

// oneFurther returns axes counted with a new first one; those that are counted from the end stay.
func oneFurther(axes []int) []int {
	to := slices.Clone(axes)
	for i, a := range to {
		if a >= 0 {
			to[i]++
		}
	}
	return to
}

// rebuild makes the function of the node with another attribute.
func (l *Lift) rebuild(n *Node, name string, value any) {
	fresh := *n
	fresh.Attributes = slices.DeleteFunc(slices.Clone(n.Attributes), func(a decode.Attribute) bool { return a.Name == name })
	a := decode.Attribute{Name: name, Kind: decode.KindInt}
	switch v := value.(type) {
	case int:
		a.Int = int64(v)
	case []int:
		a.Kind = decode.KindInts
		for _, x := range v {
			a.Ints = append(a.Ints, int64(x))
			l.deepest = min(l.deepest, x)
		}
	}
	fresh.Attributes = append(fresh.Attributes, a)
	if f, err := Lookup("", n.Op).New(&fresh); err == nil && fresh.err == nil {
		l.f, l.way = f, wayAxis
	}
}

// ErrUnlike says that a node makes tensors of different shapes for coalitions of one size.
var ErrUnlike = errors.New("coalitions of one size give tensors of different shapes")

// Run computes the node for count coalitions.
func (l *Lift) Run(m *machine.Machine, in, out []*tensor.Tensor, count int) error {
	if l.way == wayEach || !l.fits(in) {
		return l.each(m, in, out, count)
	}
	copy(l.in, in)
	switch l.way {
	case wayAlign:
		l.align(in)
	case wayRows:
		l.rows(in)
		if err := l.f(m, l.in, out); err != nil {
			return err
		}
		out[0].Shape = append(out[0].Shape[:0], count, in[0].Shape[1], out[0].Shape[1])
		return nil
	case wayAxis:
		l.furtherAxes(in)
		if err := l.spread(m, in, count); err != nil {
			return err
		}
	case wayLayout, waySizes:
		l.see(0, in[0], in[0].Shape[1:])
		if err := l.f(m, l.in, out); err != nil || l.way == waySizes {
			return err
		}
		out[0].Shape = slices.Insert(out[0].Shape, 0, count)
		return nil
	case wayBatch:
		l.see(0, in[0], in[0].Shape[1:])
		l.view[0].Shape[0] *= count
		if err := l.f(m, l.in, out); err != nil {
			return err
		}
		out[0].Shape[0] /= count
		out[0].Shape = slices.Insert(out[0].Shape, 0, count)
		return nil
	}
	return l.f(m, l.in, out)
}

// see replaces an input of the function by a view of x under a shape.
func (l *Lift) see(i int, x *tensor.Tensor, shape []int) {
	v := &l.view[i]
	v.Type, v.Words, v.Block = x.Type, x.Words, x.Block
	v.Shape = append(v.Shape[:0], shape...)
	l.in[i] = v
}
