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

// A Factory reads a node's attributes once. An error says what is wrong with them.
type Factory func(n *Node) (Func, error)

// A Func computes a node. Omitted optional inputs are nil; outputs are never nil, even when nobody
// reads them. A Func keeps nothing between calls and may be called by several machines at a time.
type Func func(m *machine.Machine, in, out []*tensor.Tensor) error

// A Node is what a factory sees of a node.
type Node struct {
	Op    string
	Opset int
	// how many are named; what bodies read of the graph around the node follows them
	Inputs     int
	Outputs    int              // how many are named
	Const      []*tensor.Tensor // per input: its value when it is known before any run, else nil
	Attributes []decode.Attribute
	// what a Conv, Gemm or MatMul applies to each element of its result, or nil
	Activation *Node
	// of a CastLike, the 16-bit floats that the file calls what it casts to, else Undefined
	Like tensor.Type
	// what a Conv computes in one go, itself first; nil when it is alone
	Chain  []Link
	Bodies map[string]*Body // the graphs inside the node, by attribute
	packs  *Packs
	err    error
}

// A Body is a graph inside of a node.
type Body struct {
	Inputs  int
	Outputs []decode.Value // as the file describes them
	// Run computes the body: args are its own inputs, around those of the node, of which it may
	// read some.
	Run func(m *machine.Machine, args, around, out []*tensor.Tensor) error
}

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

// Int returns an integer attribute or its default. It is clamped to 48 bits, beyond any size.
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

// Ints returns a list attribute, nil when it is absent.
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

func clampInt(v int64) int {
	const top = int64(1) << 48
	return int(max(-top, min(top, v)))
}

// given returns input i or nil.
func given(in []*tensor.Tensor, i int) *tensor.Tensor {
	if i < len(in) {
		return in[i]
	}
	return nil
}

// intsOf returns the values of an integer tensor, such as a shape or axes.
func intsOf(t *tensor.Tensor) ([]int, error) {
	if t.Len() > maxList {
		return nil, fmt.Errorf("a list of sizes or axes holds %d numbers", t.Len())
	}
	return intsTo(make([]int, t.Len()), t)
}

// maxList bounds the lists of sizes and axes.
const maxList = 1 << 16

// intsIn is intsOf in the memory of a run.
func intsIn(m *machine.Machine, t *tensor.Tensor) ([]int, error) {
	if t.Len() > maxList {
		return intsOf(t)
	}
	return intsTo(m.Ints(t.Len()), t)
}

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

// scalar returns the value of a tensor of one element.
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

func mixedError(a, b tensor.Type) error {
	return fmt.Errorf("its operands are of %v and of %v, but ONNX requires one type", a, b)
}

// typeError says that an operator does not compute on a type.
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

func axisError(axis, rank int) error {
	return fmt.Errorf("axis %d does not exist in a tensor of %d dimensions", axis, rank)
}

// splitAt returns the sizes before, at and after an axis.
func splitAt(shape []int, axis int) (outer, n, inner int) {
	return tensor.Split(shape, axis)
}
