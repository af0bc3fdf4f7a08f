// Package onnxtest writes small ONNX models for tests, and reads the official node tests. Whatever
// a test states, right or wrong, goes into the file unchecked. Field numbers are those of
// onnx.proto.
package onnxtest

import (
	"cmp"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// A Model is written by Bytes.
type Model struct {
	Opset        int               // operator set of ai.onnx; 0 writes none
	Domains      map[string]int    // further operator sets
	Metadata     map[string]string // "bagscope" is the model card
	Nodes        []Node
	Initializers []Tensor
	Sparse       []Sparse // sparse initializers
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
	Defaults     []Attribute // defaults of the other attributes
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
	File    string            // file of external data
	Place   map[string]string // further keys of external data: offset, length, checksum
}

// A Sparse is a tensor of which most elements are 0.
type Sparse struct {
	Values, Indices Tensor
	Dims            []int
}

// bytes returns a SparseTensorProto.
func (s Sparse) bytes() []byte {
	return each(message(message(nil, 1, s.Values), 2, s.Indices), 3, s.Dims, number)
}

// An Attribute is made by Int, Ints, Float, Floats, Text, Texts, Dense, Body or Ref.
type Attribute struct{ body []byte }

// dataIsExternal is TensorProto.data_location of a tensor in another file.
const dataIsExternal = 1

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

// attribute returns an AttributeProto of a kind, as AttributeType numbers them.
func attribute(name string, kind uint64, body []byte) Attribute {
	return Attribute{number(append(text(nil, 1, name), body...), 20, kind)}
}

// Int returns an integer attribute.
func Int(name string, v int64) Attribute { return attribute(name, 2, number(nil, 3, v)) }

// Ints returns a list attribute.
func Ints(name string, v ...int64) Attribute {
	return attribute(name, 7, each(nil, 8, v, number))
}

// Float returns a real attribute.
func Float(name string, v float32) Attribute { return attribute(name, 1, fixed(nil, 2, v)) }

// Floats returns a list attribute.
func Floats(name string, v ...float32) Attribute {
	return attribute(name, 6, each(nil, 7, v, fixed))
}

// Text returns a text attribute.
func Text(name, v string) Attribute { return attribute(name, 3, text(nil, 4, v)) }

// Texts returns a list attribute.
func Texts(name string, v ...string) Attribute {
	return attribute(name, 8, each(nil, 9, v, text))
}

// Dense returns a tensor attribute.
func Dense(name string, t Tensor) Attribute { return attribute(name, 4, sub(nil, 5, t.bytes())) }

// Body returns an attribute that holds the model's graph.
func Body(name string, m Model) Attribute { return attribute(name, 5, sub(nil, 6, m.graph())) }

// Ref returns an attribute of a function's node that takes its value from the function's attribute.
func Ref(name, formal string, kind uint64) Attribute {
	return attribute(name, kind, text(nil, 21, formal))
}

// number appends a varint field.
func number[T int | int32 | int64 | uint64](b []byte, field protowire.Number, v T) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(v))
}

// fixed appends a field of a float32, in four bytes.
func fixed(b []byte, field protowire.Number, v float32) []byte {
	return protowire.AppendFixed32(protowire.AppendTag(b, field, protowire.Fixed32Type),
		math.Float32bits(v))
}

// double appends a field of a float64, in eight bytes.
func double(b []byte, field protowire.Number, v float64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type),
		math.Float64bits(v))
}

// sub appends a message or other bytes.
func sub(b []byte, field protowire.Number, body []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), body)
}

// text appends a string.
func text(b []byte, field protowire.Number, s string) []byte { return sub(b, field, []byte(s)) }

// message appends a message that can write itself.
func message[T interface{ bytes() []byte }](b []byte, field protowire.Number, m T) []byte {
	return sub(b, field, m.bytes())
}

// each appends a repeated field: one record for each value, written by appendOne.
func each[T any](
	b []byte, field protowire.Number, values []T,
	appendOne func(b []byte, field protowire.Number, v T) []byte,
) []byte {
	for _, v := range values {
		b = appendOne(b, field, v)
	}
	return b
}

// entries appends a field of keys and values, field 1 and 2 of each record.
func entries(b []byte, field protowire.Number, m map[string]string) []byte {
	for key, value := range m {
		b = sub(b, field, text(text(nil, 1, key), 2, value))
	}
	return b
}

// Bytes writes the model.
func (m Model) Bytes() []byte {
	b := number(nil, 1, 8)
	b = sub(b, 7, m.graph())
	if m.Opset != 0 {
		b = sub(b, 8, number(nil, 2, m.Opset))
	}
	for domain, v := range m.Domains {
		b = sub(b, 8, number(text(nil, 1, domain), 2, v))
	}
	return each(entries(b, 14, m.Metadata), 25, m.Functions, message)
}

// graph returns a GraphProto.
func (m Model) graph() []byte {
	g := each(text(nil, 2, "test"), 1, m.Nodes, message)
	g = each(g, 5, m.Initializers, message)
	g = each(g, 15, m.Sparse, message)
	return each(each(g, 11, m.Inputs, message), 12, m.Outputs, message)
}

// bytes returns a FunctionProto.
func (f Function) bytes() []byte {
	b := each(text(nil, 1, f.Name), 4, f.In, text)
	b = each(each(b, 5, f.Out, text), 6, f.Formal, text)
	b = each(b, 7, f.Nodes, message)
	b = sub(b, 9, number(nil, 2, f.Opset))
	return each(text(b, 10, f.Domain), 11, f.Defaults, message)
}

// bytes returns a NodeProto.
func (n Node) bytes() []byte {
	b := each(each(nil, 1, n.In, text), 2, n.Out, text)
	b = text(text(b, 3, n.Name), 4, n.Op)
	return text(each(b, 5, n.Attributes, message), 7, n.Domain)
}

// bytes returns an AttributeProto.
func (a Attribute) bytes() []byte { return a.body }

// bytes returns a ValueInfoProto.
func (v Value) bytes() []byte {
	typ := cmp.Or(v.Type, Float32)
	var shape []byte
	for _, d := range v.Dims {
		switch d := d.(type) {
		case int:
			shape = sub(shape, 1, number(nil, 1, d))
		case string:
			shape = sub(shape, 1, text(nil, 2, d))
		}
	}
	return sub(text(nil, 1, v.Name), 2, sub(nil, 1, sub(number(nil, 1, typ), 2, shape)))
}

// bytes returns a TensorProto. Lists are not packed: decoders must read both forms.
func (t Tensor) bytes() []byte {
	b := each(nil, 1, t.Dims, number)
	b = text(number(b, 2, t.Type), 8, t.Name)
	b = each(each(b, 4, t.Floats, fixed), 5, t.Ints32, number)
	b = each(each(b, 7, t.Ints64, number), 10, t.Doubles, double)
	b = each(b, 11, t.Uints64, number)
	if t.Raw != nil {
		b = sub(b, 9, t.Raw)
	}
	if t.File != "" {
		b = number(sub(b, 13, text(text(nil, 1, "location"), 2, t.File)), 14, dataIsExternal)
	}
	return entries(b, 13, t.Place)
}
