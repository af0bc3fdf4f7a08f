// Package compute holds the functions that compute nodes. It knows no rules of the planner: package
// ops is the table of operators, whose rows name a [Factory] of this package beside their rules.
//
//	node.go          Node, Factory and Func; attrs.go attributes that other packages read
//	inputs.go        what functions read of their inputs; memory.go temporary tensors
//	intpromote.go    the choice of a function by type, and promotion of small integers
//	viafloat64.go    operators that are written once, on float64
//	broadcast.go     walks over tensors that are broadcast or reduced
//	strided.go       copies with strides, which most operators that move elements use
//	convfused*.go    chains of convolutions, pictures side by side in SIMD lanes
//	convflat*.go     chains of convolutions, neighbouring places in SIMD lanes
//
// The other files compute operators and have their names.
//
// A function runs as follows. It checks types and shapes, since a model may be hostile. It
// allocates its outputs and temporaries from the machine of the run, which enforces limits of
// memory. It calls Tick for its work at least every few million elements, so that a run can be
// cancelled. It must not allocate from Go's heap for each coalition: a test in package onnxbackend
// counts allocations.
package compute

import (
	"math"

	"github.com/bagscope/bagscope/internal/msg"
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

// A Node is what a factory sees of a node: its attributes, and what passes have added to it.
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

	// Fuse makes the node the activation of a layer; nil if a layer cannot apply the operator.
	Fuse FuseRule
	// Packs is shared by all nodes of a model.
	Packs *Packs

	err error // the first fault of the attributes, see fail
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

// Make returns the function that a factory makes of the node. gap is an error if the engine does
// not support the node, broken if the node contradicts the specification.
func (n *Node) Make(factory Factory) (f Func, gap, broken error) {
	f, gap = factory(n)
	return f, gap, n.err
}

// find returns an attribute, or nil if it is absent. Package ops has checked its kind and range.
func (n *Node) find(name string) *decode.Attribute {
	for i := range n.Attributes {
		if n.Attributes[i].Name == name {
			return &n.Attributes[i]
		}
	}
	return nil
}

// fail records what is wrong with a node. The first reason counts.
func (n *Node) fail(reason string, args ...any) {
	if n.err == nil {
		n.err = msg.Errorf(reason, args...)
	}
}

// Has reports whether the node carries the attribute.
func (n *Node) Has(name string) bool { return n.find(name) != nil }

// Int returns an integer attribute or its default. It is clamped to 48 bits, beyond any size, so
// that sums and differences of attributes do not overflow.
func (n *Node) Int(name string, def int) int {
	if a := n.find(name); a != nil {
		return clampInt(a.Int)
	}
	return def
}

// Float returns a float attribute or its default.
func (n *Node) Float(name string, def float32) float32 {
	if a := n.find(name); a != nil {
		return a.Float
	}
	return def
}

// Text returns a string attribute or its default.
func (n *Node) Text(name, def string) string {
	if a := n.find(name); a != nil {
		return a.String
	}
	return def
}

// Ints returns a list attribute, nil if it is absent. Its elements are clamped like those of Int.
func (n *Node) Ints(name string) []int {
	a := n.find(name)
	if a == nil {
		return nil
	}
	v := make([]int, len(a.Ints))
	for i, x := range a.Ints {
		v[i] = clampInt(x)
	}
	return v
}

// Floats returns a list attribute, nil if it is absent.
func (n *Node) Floats(name string) []float64 {
	var v []float64
	if a := n.find(name); a != nil {
		for _, f := range a.Floats {
			v = append(v, float64(f))
		}
	}
	return v
}

// constant returns the value of input i if it is known before any run, else nil. Factories prepare
// such values once, for example by packing weights.
func (n *Node) constant(i int) *tensor.Tensor {
	if i < len(n.Const) {
		return n.Const[i]
	}
	return nil
}

// clampInt clips an integer of the file to 48 bits.
func clampInt(v int64) int {
	const top = min(1<<48, math.MaxInt/2) // int has 32 bits on some platforms
	return int(max(-top, min(top, v)))
}
