package export

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// The versions of the files. IR version 8 belongs to opset 17.
const (
	irVersion = 8
	opset     = 17
)

// The numbers of ONNX for types of elements and of attributes (onnx.proto).
const (
	typeFloat = 1
	typeInt64 = 7
	attrInt   = 2
	attrInts  = 7
)

// A file collects the encoded parts of an ONNX model.
type file struct {
	nodes, tensors  [][]byte
	inputs, outputs [][]byte
	names           map[string]int // number of uses of each name
}

// attribute is an integer or a list of integers.
type attribute struct {
	name string
	one  int64
	list []int64
}

// node appends a node. Field numbers are those of NodeProto and AttributeProto.
func (f *file) node(op, name string, in, out []string, attributes ...attribute) {
	b := text(text(nil, 1, in...), 2, out...)
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

// tensor appends a TensorProto with values in raw form.
func (f *file) tensor(name string, kind uint64, raw []byte, dims []int) {
	var b []byte
	for _, d := range dims {
		b = number(b, 1, uint64(d))
	}
	f.tensors = append(f.tensors, sub(text(number(b, 2, kind), 8, name), 9, raw))
}

// value returns the ValueInfoProto of an input or output of floats. A dimension is an int, or a
// string that names a variable dimension.
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

// bytes returns the encoded model. The card is a metadata property with the key "bagscope".
func (f *file) bytes(name, version string, card []byte) []byte {
	g := text(sub(nil, 1, f.nodes...), 2, name)
	g = sub(g, 5, f.tensors...)
	g = sub(g, 11, f.inputs...)
	g = sub(g, 12, f.outputs...)
	b := text(text(number(nil, 1, irVersion), 2, "bagscope"), 3, version)
	b = sub(b, 7, g)
	b = sub(b, 8, number(nil, 2, opset))
	return sub(b, 14, sub(text(nil, 1, "bagscope"), 2, card))
}

// number appends a field with an integer.
func number(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

// sub appends a field for each body, which is an encoded message or bytes.
func sub(b []byte, field protowire.Number, bodies ...[]byte) []byte {
	for _, body := range bodies {
		b = protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), body)
	}
	return b
}

// text appends a field for each string.
func text(b []byte, field protowire.Number, texts ...string) []byte {
	for _, s := range texts {
		b = sub(b, field, []byte(s))
	}
	return b
}
