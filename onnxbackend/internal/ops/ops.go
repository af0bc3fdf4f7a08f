// Package ops is the table of operators. A [Row] says everything that the engine knows about an
// operator: versions, arity, kind, its effect on the instance axis, how it computes a batch of
// coalitions, what is known of its result before a run, its device kernel and the function that
// computes it. Other packages read the row; they hold no lists of operators.
//
//	row.go       Row and Kind; table_*.go the rows, by kind
//	axes*.go     the effect on the instance axis
//	batching.go  batching rules; vmap*.go how they run
//	facts*.go    type and shape inference
//	mixing.go    which axes an operator combines; product.go the labels of products
//
// The other files compute operators and have their names.
package ops

import (
	"fmt"
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A Factory reads a node's attributes once and returns the function of the node. An error says what
// the engine cannot do; what is wrong with the attributes is reported by fail.
type Factory func(n *Node) (Func, error)

// A Func computes a node. Omitted optional inputs are nil; outputs are never nil, even if nobody
// reads them. A Func must not change its inputs or store anything between calls, since several
// machines may call it at a time.
type Func func(m *machine.Machine, in, out []*tensor.Tensor) error

// A Node is what a factory sees of a node.
type Node struct {
	Op    string
	Opset int // version of the operator set that the file states

	// Inputs is the number of named inputs. In a node with bodies, further inputs follow them: the
	// values of the surrounding graph that the bodies read.
	Inputs int
	// Outputs is the number of named outputs.
	Outputs int
	// Const holds for each input its value if that is known before any run, else nil.
	Const      []*tensor.Tensor
	Attributes []decode.Attribute

	// Activation is what a Conv, Gemm or MatMul applies to each element of its result, or nil.
	Activation *Node
	// Like is the 16-bit float type to which the file has a CastLike cast, else Undefined.
	Like tensor.Type
	// Chain holds the nodes that a Conv computes in one call, itself first. It is nil if the Conv
	// is computed alone.
	Chain []Link
	// Bodies holds the graphs inside the node by the names of their attributes.
	Bodies map[string]*Body

	packs *Packs // shared by all nodes of a model
	err   error  // the first fault of the attributes, see fail
}

// A Body is a graph inside of a node, such as a branch of an If.
type Body struct {
	Inputs int
	// Outputs describes the outputs as the file does. Loops without trips read types from it.
	Outputs []decode.Value
	// Run computes the body. args are its own inputs; around are the inputs of the node, some of
	// which it may read.
	Run func(m *machine.Machine, args, around, out []*tensor.Tensor) error
}

// find returns an attribute of a kind, or nil if it is absent. An attribute of another kind, or one
// that refers to a parameter of a function, is an error of the node.
func (n *Node) find(name string, kind decode.Kind) *decode.Attribute {
	for i := range n.Attributes {
		a := &n.Attributes[i]
		if a.Name != name {
			continue
		}
		if a.Ref != "" {
			n.fail("attribute %s refers to a parameter of a function", name)
			return nil
		}
		if a.Kind != kind {
			n.fail("attribute %s has kind %d instead of %d", name, a.Kind, kind)
			return nil
		}
		return a
	}
	return nil
}

// fail records what is wrong with a node. The first reason counts.
func (n *Node) fail(reason string, args ...any) {
	if n.err == nil {
		n.err = fmt.Errorf(reason, args...)
	}
}

// Has reports whether the node carries the attribute.
func (n *Node) Has(name string) bool {
	for _, a := range n.Attributes {
		if a.Name == name {
			return true
		}
	}
	return false
}

// Int returns an integer attribute or its default. It is clamped to 48 bits, beyond any size, so
// that sums and differences of attributes do not overflow.
func (n *Node) Int(name string, def int) int {
	if a := n.find(name, decode.KindInt); a != nil {
		return clampInt(a.Int)
	}
	return def
}

// Float returns a float attribute or its default.
func (n *Node) Float(name string, def float32) float32 {
	if a := n.find(name, decode.KindFloat); a != nil {
		return a.Float
	}
	return def
}

// Text returns a string attribute or its default.
func (n *Node) Text(name, def string) string {
	if a := n.find(name, decode.KindString); a != nil {
		return a.String
	}
	return def
}

// Ints returns a list attribute, nil if it is absent. Its elements are clamped like those of Int.
func (n *Node) Ints(name string) []int {
	a := n.find(name, decode.KindInts)
	if a == nil {
		return nil
	}
	v := make([]int, len(a.Ints))
	for i, x := range a.Ints {
		v[i] = clampInt(x)
	}
	return v
}

// constant returns the value of input i when it is known before any run, else nil.
func (n *Node) constant(i int) *tensor.Tensor {
	if i < len(n.Const) {
		return n.Const[i]
	}
	return nil
}

// clampInt clips an integer of the file to 48 bits.
func clampInt(v int64) int {
	const top = int64(1) << 48
	return int(max(-top, min(top, v)))
}

// given returns input i, or nil if it is omitted, by an empty name or by ending the list before it.
func given(in []*tensor.Tensor, i int) *tensor.Tensor {
	if i < len(in) {
		return in[i]
	}
	return nil
}

// intsOf returns the elements of an integer tensor, such as a shape or axes.
func intsOf(t *tensor.Tensor) ([]int, error) {
	if t.Len() > maxList {
		return nil, fmt.Errorf("a list of sizes or axes holds %d numbers", t.Len())
	}
	return intsTo(make([]int, t.Len()), t)
}

// maxList bounds the lists of sizes and axes. A longer list is data, and converting it would be
// work that nobody accounts for.
const maxList = 1 << 16

// intsIn is intsOf in the memory of a run. The list is valid until the operator returns.
func intsIn(m *machine.Machine, t *tensor.Tensor) ([]int, error) {
	if t.Len() > maxList {
		return intsOf(t)
	}
	return intsTo(m.Ints(t.Len()), t)
}

// intsTo writes the elements of t, of int64 or int32, to v.
func intsTo(v []int, t *tensor.Tensor) ([]int, error) {
	switch t.Type {
	case tensor.Int64:
		for i, x := range tensor.Of[int64](t) {
			v[i] = clampInt(x)
		}
	case tensor.Int32:
		for i, x := range tensor.Of[int32](t) {
			v[i] = int(x)
		}
	default:
		return nil, fmt.Errorf("sizes or axes are of %v instead of int64", t.Type)
	}
	return v, nil
}

// intOf returns the value of an integer tensor of one element.
func intOf(t *tensor.Tensor) (int, error) {
	v, err := intsOf(t)
	if err != nil {
		return 0, err
	}
	if len(v) != 1 {
		return 0, fmt.Errorf("expected one number, got %d", len(v))
	}
	return v[0], nil
}

// scalar returns the value of a tensor of one element, of any common type.
func scalar(t *tensor.Tensor) (float64, error) {
	if t.Len() != 1 {
		return 0, fmt.Errorf("expected one number, got a tensor of shape %v", t.Shape)
	}
	switch t.Type {
	case tensor.Float32:
		return float64(tensor.Of[float32](t)[0]), nil
	case tensor.Float64:
		return tensor.Of[float64](t)[0], nil
	case tensor.Bool, tensor.Uint8:
		return float64(tensor.Of[uint8](t)[0]), nil
	}
	v, err := intsOf(t)
	if err != nil {
		return math.NaN(), err
	}
	return float64(v[0]), nil
}

// optionalInt returns the value of input i, an integer of one element, or a default if it is
// omitted.
func optionalInt(in []*tensor.Tensor, i, def int) (int, error) {
	if t := given(in, i); t != nil {
		return intOf(t)
	}
	return def, nil
}

// sameType returns an error if tensors, of which some may be nil, differ in type from the first.
func sameType(ts ...*tensor.Tensor) error {
	for _, t := range ts {
		if t != nil && t.Type != ts[0].Type {
			return mixedError(ts[0].Type, t.Type)
		}
	}
	return nil
}

// mixedError says that the types of two operands differ.
func mixedError(a, b tensor.Type) error {
	return fmt.Errorf("its operands are of %v and of %v, but ONNX requires one type", a, b)
}

// typeError says that an operator does not support a type. The remedy is for the author of the
// model.
func typeError(t tensor.Type) error {
	return fmt.Errorf("elements of %v are not computed by this operator in this engine; cast "+
		"them to float32 or int64 first", t)
}

// axisOf returns an axis of a tensor of a rank, counted from the front.
func axisOf(axis, rank int) (int, error) {
	a, ok := tensor.Axis(axis, rank)
	if !ok {
		return 0, axisError(axis, rank)
	}
	return a, nil
}

// withAxis makes the function of a node from one that also receives the value of the attribute
// "axis", counted from the front of the first input.
func withAxis(
	n *Node, def int, f func(m *machine.Machine, in, out []*tensor.Tensor, axis int) error,
) (Func, error) {
	axis := n.Int("axis", def)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		a, err := axisOf(axis, in[0].Rank())
		if err != nil {
			return err
		}
		return f(m, in, out, a)
	}, nil
}

// axisError says that a tensor does not have an axis.
func axisError(axis, rank int) error {
	return fmt.Errorf("axis %d does not exist in a tensor of %d dimensions", axis, rank)
}

// splitAt returns the numbers of elements before, at and after an axis: a tensor is an array
// (outer, n, inner) for an operator along one axis.
func splitAt(shape []int, axis int) (outer, n, inner int) {
	return tensor.Split(shape, axis)
}
