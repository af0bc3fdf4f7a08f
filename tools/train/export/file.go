package export

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// The versions that files are written in. IR version 8 is that of opset 17.
const (
	irVersion = 8
	opset     = 17
)

// Numbers that ONNX has for types of elements and of attributes.
const (
	typeFloat = 1
	typeInt64 = 7
	attrInt   = 2
	attrInts  = 7
)

// A file is an ONNX model as it is written.
type file struct {
	nodes, tensors  [][]byte
	inputs, outputs [][]byte
	names           map[string]int // how often each was asked for
}

// attribute is an integer or a list of them.
type attribute struct {
	name string
	one  int64
	list []int64
}

// node appends an operator.
func (f *file) node(op, name string, in, out []string, attributes ...attribute) {
	var b []byte
	for _, s := range in {
		b = text(b, 1, s)
	}
	for _, s := range out {
		b = text(b, 2, s)
	}
	b = text(text(b, 3, name), 4, op)
	for _, a := range attributes {
		body := text(nil, 1, a.name)
		if a.list == nil {
			body = number(number(body, 3, uint64(a.one)), 20, attrInt)
		} else {
			for _, v := range a.list {
				body = number(body, 8, uint64(v))
			}
			body = number(body, 20, attrInts)
		}
		b = sub(b, 5, body)
	}
	f.nodes = append(f.nodes, b)
}

// floats appends a constant tensor.
func (f *file) floats(name string, values []float32, dims ...int) {
	raw := make([]byte, 0, 4*len(values))
	for _, v := range values {
		raw = protowire.AppendFixed32(raw, math.Float32bits(v))
	}
	f.tensor(name, typeFloat, raw, dims)
}

// integers appends a constant list.
func (f *file) integers(name string, values ...int64) {
	var raw []byte
	for _, v := range values {
		raw = protowire.AppendFixed64(raw, uint64(v))
	}
	f.tensor(name, typeInt64, raw, []int{len(values)})
}

func (f *file) tensor(name string, kind uint64, raw []byte, dims []int) {
	var b []byte
	for _, d := range dims {
		b = number(b, 1, uint64(d))
	}
	f.tensors = append(f.tensors, sub(text(number(b, 2, kind), 8, name), 9, raw))
}

// value is a graph's input or output of floats; a dimension is an int or, where it varies, a name.
func value(name string, dims ...any) []byte {
	var shape []byte
	for _, d := range dims {
		if n, ok := d.(int); ok {
			shape = sub(shape, 1, number(nil, 1, uint64(n)))
		} else {
			shape = sub(shape, 1, text(nil, 2, d.(string)))
		}
	}
	return sub(text(nil, 1, name), 2, sub(nil, 1, sub(number(nil, 1, typeFloat), 2, shape)))
}

// bytes writes the model with a card.
func (f *file) bytes(name, version string, card []byte) []byte {
	var g []byte
	for _, n := range f.nodes {
		g = sub(g, 1, n)
	}
	g = text(g, 2, name)
	for _, t := range f.tensors {
		g = sub(g, 5, t)
	}
	for _, v := range f.inputs {
		g = sub(g, 11, v)
	}
	for _, v := range f.outputs {
		g = sub(g, 12, v)
	}
	b := text(text(number(nil, 1, irVersion), 2, "bagscope"), 3, version)
	b = sub(b, 7, g)
	b = sub(b, 8, number(nil, 2, opset))
	return sub(b, 14, sub(text(nil, 1, "bagscope"), 2, card))
}

func number(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func sub(b []byte, field protowire.Number, body []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), body)
}

func text(b []byte, field protowire.Number, s string) []byte { return sub(b, field, []byte(s)) }
