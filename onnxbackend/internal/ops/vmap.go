package ops

import (
	"errors"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A Vmap computes a node for several coalitions of equal size in one call, by the batching rule of
// its operator, as JAX's vmap does. Inputs that differ between coalitions are stacked: they have
// one more axis, the first, along which the coalitions lie. The result for a coalition equals bit
// for bit what the node's function returns for it alone. A Vmap serves one run at a time.
type Vmap struct {
	row      *Row
	strategy strategy
	// f computes stacked inputs, or those of one coalition, as the strategy requires.
	f compute.Func
	// alone computes the inputs of one coalition.
	alone compute.Func
	// stacked says which inputs are stacked.
	stacked []bool
	// axes is the input that names axes, 0 for none.
	axes int
	// lowestAxis is the lowest negative axis that an attribute names, 0 for none.
	lowestAxis int
	// product says that the node multiplies matrices, whose ranks must not change.
	product bool
	// joins says that all inputs must be stacked.
	joins bool

	// The remaining fields are memory that runs reuse.

	// in holds the inputs of f, view those of them that f reads under another shape.
	in   []*tensor.Tensor
	view []tensor.Tensor
	// one and oneOut hold the inputs and outputs of alone. part and results are those of them that
	// belong to one coalition.
	one, oneOut   []*tensor.Tensor
	part, results []tensor.Tensor
	// shiftedList holds the axes that an input names, shifted by one.
	shiftedList tensor.Tensor
	shape       []int // shape of a stacked output
}

// A strategy says how a node computes stacked inputs.
type strategy uint8

const (
	// oneByOne makes one call for each coalition.
	oneByOne strategy = iota
	// asIs calls the function as it is, since it computes element by element.
	asIs
	// alignRanks relies on broadcasting: operands of lower rank get dimensions of one place after
	// the first axis.
	alignRanks
	// mergeRows makes one matrix of the rows of the first operand's matrices.
	mergeRows
	// shiftAxis calls a function that was built for axes shifted by one.
	shiftAxis
	// keepLayout only changes the shape; elements stay in place.
	keepLayout
	// readShape reads the shape of one coalition's input.
	readShape
	// mergeBatch extends the operator's own batch, its first axis, by the coalitions.
	mergeBatch
)

// A Batching is the batching rule of an operator. It sets the fastest strategy that holds for the
// node and its stacked inputs, and leaves oneByOne if none does.
type Batching func(v *Vmap, n *Node)

// NewVmap returns the Vmap of a node whose function is f, and whether its outputs are stacked. They
// are not if they depend on shapes alone, which all coalitions of one size share.
func NewVmap(n *Node, f compute.Func, stacked []bool) (v *Vmap, outputs bool) {
	v = &Vmap{row: n.Row, f: f, alone: f, stacked: stacked}
	if v.row.Batch != nil {
		v.row.Batch(v, n)
	}
	k := len(stacked)
	v.in, v.one = make([]*tensor.Tensor, k), make([]*tensor.Tensor, k)
	v.view, v.part = make([]tensor.Tensor, k), make([]tensor.Tensor, k)
	return v, v.strategy != readShape
}

// OneCall reports whether one call computes all coalitions of these inputs. It depends on their
// ranks.
func (v *Vmap) OneCall(in []*tensor.Tensor) bool { return v.strategy != oneByOne && v.applies(in) }

// ErrShapesDiffer says that a node returns tensors of different shapes for coalitions of one size.
var ErrShapesDiffer = errors.New("coalitions of one size give tensors of different shapes")

// Run computes the node for count coalitions. Stacked inputs have count places along their first
// axis. All outputs are stacked, except those of strategy readShape.
func (v *Vmap) Run(m *machine.Machine, in, out []*tensor.Tensor, count int) error {
	if !v.OneCall(in) {
		return v.each(m, in, out, count)
	}
	// Strategies replace those inputs that the function must read under another shape.
	copy(v.in, in)
	switch v.strategy {
	case alignRanks:
		v.align(in)
	// The rows of all coalitions form one matrix, so the product has as many rows.
	case mergeRows:
		v.rows(in)
		if err := v.f(m, v.in, out); err != nil {
			return err
		}
		out[0].Shape = append(out[0].Shape[:0], count, in[0].Shape[1], out[0].Shape[1])
		return nil
	case shiftAxis:
		v.shiftedAxes(in)
		if err := v.repeat(m, in, count); err != nil {
			return err
		}
	// The function reads the shape of one coalition; the elements of the others follow in order.
	case keepLayout, readShape:
		v.viewAs(0, in[0], in[0].Shape[1:])
		if err := v.f(m, v.in, out); err != nil || v.strategy == readShape {
			return err
		}
		out[0].Shape = slices.Insert(out[0].Shape, 0, count)
		return nil
	// The coalitions extend the batch that the operator has already.
	case mergeBatch:
		v.viewAs(0, in[0], in[0].Shape[1:])
		v.view[0].Shape[0] *= count
		if err := v.f(m, v.in, out); err != nil {
			return err
		}
		out[0].Shape[0] /= count
		out[0].Shape = slices.Insert(out[0].Shape, 0, count)
		return nil
	}
	return v.f(m, v.in, out)
}

// viewAs replaces input i of the function by a view of x under a shape. The view holds no
// reference, since x outlives the call.
func (v *Vmap) viewAs(i int, x *tensor.Tensor, shape []int) {
	t := &v.view[i]
	t.Type, t.Words, t.Block = x.Type, x.Words, x.Block
	t.Shape = append(t.Shape[:0], shape...)
	v.in[i] = t
}

// shift rebuilds the node's function with its attribute axis, whose default is def, shifted by one.
// An axis that counts from the end stays as it is, if the inputs have enough dimensions.
func (v *Vmap) shift(n *Node, def int) {
	axis := n.Int("axis", def)
	if axis >= 0 {
		v.rebuild(n, "axis", axis+1)
		return
	}
	v.strategy, v.lowestAxis = shiftAxis, axis
}

// shiftAll returns axes shifted by one. Axes that count from the end stay, since the axis of
// coalitions is the first.
func shiftAll(axes []int) []int {
	to := slices.Clone(axes)
	for i, a := range to {
		if a >= 0 {
			to[i]++
		}
	}
	return to
}

// rebuild builds the node's function with another value of an attribute, an int or a []int. If that
// fails, coalitions are computed one by one: the unchanged function would use the axis of
// coalitions.
func (v *Vmap) rebuild(n *Node, name string, value any) {
	fresh := *n
	fresh.Attributes = slices.DeleteFunc(slices.Clone(n.Attributes), func(a decode.Attribute) bool {
		return a.Name == name
	})
	a := decode.Attribute{Name: name, Kind: decode.KindInt}
	switch x := value.(type) {
	case int:
		a.Int = int64(x)
	case []int:
		a.Kind = decode.KindInts
		for _, axis := range x {
			a.Ints = append(a.Ints, int64(axis))
			v.lowestAxis = min(v.lowestAxis, axis)
		}
	}
	fresh.Attributes = append(fresh.Attributes, a)
	if f, gap, broken := fresh.Make(v.row.New); gap == nil && broken == nil {
		v.f, v.strategy = f, shiftAxis
	}
}
