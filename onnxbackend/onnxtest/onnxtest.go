// Package onnxtest writes small ONNX models for tests: whatever a test says, right or wrong, goes
// into the file unchecked.
package onnxtest

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// A Model is written by Bytes.
type Model struct {
	Opset        int               // of ai.onnx; 0 writes none
	Domains      map[string]int    // further operator sets
	Metadata     map[string]string // "bagscope" is the model card
	Nodes        []Node
	Initializers []Tensor
	Inputs       []Value
	Outputs      []Value
	Functions    []Function
}

// A Function is local to the model.
type Function struct {
	Name, Domain string
	Opset        int
	In, Out      []string
	Formal       []string    // attributes without defaults
	Defaults     []Attribute // of the others
	Nodes        []Node
}

// A Node is one operator.
type Node struct {
	Name, Op, Domain string
	In, Out          []string
	Attributes       []Attribute
}

// A Value is a graph input or output. A dimension is an int or, symbolic, a string. Type 0 means
// float32.
type Value struct {
	Name string
	Type int
	Dims []any
}

// A Tensor is written in the typed field that holds values, or raw.
type Tensor struct {
	Name    string
	Type    int
	Dims    []int
	Floats  []float32
	Doubles []float64
	Ints32  []int32 // also float16 bits, bools and the small integers
	Ints64  []int64
	Uints64 []uint64
	Raw     []byte
	File    string            // of external data
	Place   map[string]string // further keys of external data: offset, length, checksum
}

// An Attribute is made by Int, Ints, Float, Floats, Text, Texts, Dense, Body or Ref.
type Attribute struct{ body []byte }

// Types of elements, as ONNX numbers them.
const (
	Float32  = 1
	Uint8    = 2
	Int32    = 6
	Int64    = 7
	Bool     = 9
	Float16  = 10
	Float64  = 11
	BFloat16 = 16
)

// F returns a float32 tensor.
func F(name string, values []float32, dims ...int) Tensor {
	return Tensor{Name: name, Type: Float32, Dims: dims, Floats: values}
}

// I returns an int64 tensor.
func I(name string, values []int64, dims ...int) Tensor {
	return Tensor{Name: name, Type: Int64, Dims: dims, Ints64: values}
}

// In returns a float32 input or output.
func In(name string, dims ...any) Value { return Value{Name: name, Dims: dims} }

// N returns a node.
func N(op string, in, out []string, a ...Attribute) Node {
	return Node{Op: op, In: in, Out: out, Attributes: a}
}

func attribute(name string, kind uint64, body []byte) Attribute {
	b := text(nil, 1, name)
	return Attribute{number(append(b, body...), 20, kind)}
}

// Int returns an integer attribute.
func Int(name string, v int64) Attribute { return attribute(name, 2, number(nil, 3, uint64(v))) }

// Ints returns a list attribute.
func Ints(name string, v ...int64) Attribute {
	var b []byte
	for _, x := range v {
		b = number(b, 8, uint64(x))
	}
	return attribute(name, 7, b)
}

// Float returns a real attribute.
func Float(name string, v float32) Attribute { return attribute(name, 1, fixed(nil, 2, v)) }

// Floats returns a list attribute.
func Floats(name string, v ...float32) Attribute {
	var b []byte
	for _, x := range v {
		b = fixed(b, 7, x)
	}
	return attribute(name, 6, b)
}

// Text returns a text attribute.
func Text(name, v string) Attribute { return attribute(name, 3, text(nil, 4, v)) }

// Texts returns a list attribute.
func Texts(name string, v ...string) Attribute {
	var b []byte
	for _, x := range v {
		b = text(b, 9, x)
	}
	return attribute(name, 8, b)
}

// Dense returns a tensor attribute.
func Dense(name string, t Tensor) Attribute { return attribute(name, 4, sub(nil, 5, t.bytes())) }

// Body returns an attribute that holds the model's graph.
func Body(name string, m Model) Attribute { return attribute(name, 5, sub(nil, 6, m.graph())) }

// Ref returns an attribute of a function's node that takes its value from the function's attribute.
func Ref(name, formal string, kind uint64) Attribute {
	return attribute(name, kind, text(nil, 21, formal))
}

func number(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func fixed(b []byte, field protowire.Number, v float32) []byte {
	return protowire.AppendFixed32(protowire.AppendTag(b, field, protowire.Fixed32Type),
		math.Float32bits(v))
}

func sub(b []byte, field protowire.Number, body []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), body)
}

func text(b []byte, field protowire.Number, s string) []byte { return sub(b, field, []byte(s)) }

// Bytes writes the model.
func (m Model) Bytes() []byte {
	b := number(nil, 1, 8)
	b = sub(b, 7, m.graph())
	if m.Opset != 0 {
		b = sub(b, 8, number(nil, 2, uint64(m.Opset)))
	}
	for domain, v := range m.Domains {
		b = sub(b, 8, number(text(nil, 1, domain), 2, uint64(v)))
	}
	for k, v := range m.Metadata {
		b = sub(b, 14, text(text(nil, 1, k), 2, v))
	}
	for _, f := range m.Functions {
		b = sub(b, 25, f.bytes())
	}
	return b
}

func (m Model) graph() []byte {
	g := text(nil, 2, "test")
	for _, n := range m.Nodes {
		g = sub(g, 1, n.bytes())
	}
	for _, t := range m.Initializers {
		g = sub(g, 5, t.bytes())
	}
	for _, v := range m.Inputs {
		g = sub(g, 11, v.bytes())
	}
	for _, v := range m.Outputs {
		g = sub(g, 12, v.bytes())
	}
	return g
}

func (f Function) bytes() []byte {
	b := text(nil, 1, f.Name)
	for _, s := range f.In {
		b = text(b, 4, s)
	}
	for _, s := range f.Out {
		b = text(b, 5, s)
	}
	for _, s := range f.Formal {
		b = text(b, 6, s)
	}
	for _, n := range f.Nodes {
		b = sub(b, 7, n.bytes())
	}
	b = sub(b, 9, number(nil, 2, uint64(f.Opset)))
	b = text(b, 10, f.Domain)
	for _, a := range f.Defaults {
		b = sub(b, 11, a.body)
	}
	return b
}

func (n Node) bytes() []byte {
	var b []byte
	for _, s := range n.In {
		b = text(b, 1, s)
	}
	for _, s := range n.Out {
		b = text(b, 2, s)
	}
	b = text(text(b, 3, n.Name), 4, n.Op)
	for _, a := range n.Attributes {
		b = sub(b, 5, a.body)
	}
	return text(b, 7, n.Domain)
}

func (v Value) bytes() []byte {
	typ := uint64(v.Type)
	if typ == 0 {
		typ = Float32
	}
	var shape []byte
	for _, d := range v.Dims {
		switch d := d.(type) {
		case int:
			shape = sub(shape, 1, number(nil, 1, uint64(d)))
		case string:
			shape = sub(shape, 1, text(nil, 2, d))
		}
	}
	return sub(text(nil, 1, v.Name), 2, sub(nil, 1, sub(number(nil, 1, typ), 2, shape)))
}

func (t Tensor) bytes() []byte {
	var b []byte
	for _, d := range t.Dims {
		b = number(b, 1, uint64(d))
	}
	b = text(number(b, 2, uint64(t.Type)), 8, t.Name)
	for _, v := range t.Floats {
		b = fixed(b, 4, v)
	}
	for _, v := range t.Ints32 {
		b = number(b, 5, uint64(int64(v)))
	}
	for _, v := range t.Ints64 {
		b = number(b, 7, uint64(v))
	}
	for _, v := range t.Doubles {
		b = protowire.AppendFixed64(protowire.AppendTag(b, 10, protowire.Fixed64Type),
			math.Float64bits(v))
	}
	for _, v := range t.Uints64 {
		b = number(b, 11, v)
	}
	if t.Raw != nil {
		b = sub(b, 9, t.Raw)
	}
	if t.File != "" {
		b = number(sub(b, 13, text(text(nil, 1, "location"), 2, t.File)), 14, 1)
	}
	for key, value := range t.Place {
		b = sub(b, 13, text(text(nil, 1, key), 2, value))
	}
	return b
}
