package decode_test

import (
	"errors"
	"math"
	"runtime"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

var limits = decode.Limits{Elements: 1 << 20, Bytes: 1 << 24, Nodes: 10, Depth: 4}

func initializer(t ot.Tensor) (*tensor.Tensor, error) {
	t.Name = "t"
	m, err := decode.Decode(ot.Model{Opset: 13, Initializers: []ot.Tensor{t}}.Bytes(), limits)
	if err != nil {
		return nil, err
	}
	return m.Graph.Initializers[0].Tensor, nil
}

func elements[T tensor.Number](t *testing.T, x *tensor.Tensor, want ...T) {
	t.Helper()
	must.EqualSlices(t, tensor.Of[T](x), want, x.Type)
}

// TestElementTypes reads -1 and 2, or the nearest numbers of the type, from every field that may
// hold it.
func TestElementTypes(t *testing.T) {
	two := []int{2}
	for _, c := range []struct {
		in    ot.Tensor
		check func(x *tensor.Tensor)
	}{
		{ot.Tensor{Type: 1, Floats: []float32{-1, 2}},
			func(x *tensor.Tensor) { elements[float32](t, x, -1, 2) }},
		{ot.Tensor{Type: 1, Raw: []byte{0, 0, 0x80, 0xbf, 0, 0, 0, 0x40}},
			func(x *tensor.Tensor) { elements[float32](t, x, -1, 2) }},
		{ot.Tensor{Type: 2, Ints32: []int32{255, 2}},
			func(x *tensor.Tensor) { elements[uint8](t, x, 255, 2) }},
		{ot.Tensor{Type: 3, Ints32: []int32{-1, 2}},
			func(x *tensor.Tensor) { elements[int8](t, x, -1, 2) }},
		{ot.Tensor{Type: 3, Raw: []byte{255, 2}},
			func(x *tensor.Tensor) { elements[int8](t, x, -1, 2) }},
		{ot.Tensor{Type: 4, Ints32: []int32{65535, 2}},
			func(x *tensor.Tensor) { elements[uint16](t, x, 65535, 2) }},
		{ot.Tensor{Type: 5, Raw: []byte{255, 255, 2, 0}},
			func(x *tensor.Tensor) { elements[int16](t, x, -1, 2) }},
		{ot.Tensor{Type: 6, Ints32: []int32{-1, 2}},
			func(x *tensor.Tensor) { elements[int32](t, x, -1, 2) }},
		{ot.Tensor{Type: 7, Ints64: []int64{-1, 2}},
			func(x *tensor.Tensor) { elements[int64](t, x, -1, 2) }},
		{ot.Tensor{Type: 7, Raw: []byte{255, 255, 255, 255, 255, 255, 255, 255, 2, 0, 0, 0, 0, 0, 0,
			0}}, func(x *tensor.Tensor) { elements[int64](t, x, -1, 2) }},
		{ot.Tensor{Type: 9, Ints32: []int32{1, 0}},
			func(x *tensor.Tensor) { elements[uint8](t, x, 1, 0) }},
		{ot.Tensor{Type: 9, Raw: []byte{7, 0}},
			func(x *tensor.Tensor) { elements[uint8](t, x, 1, 0) }},
		{ot.Tensor{Type: 10, Ints32: []int32{0xbc00, 0x4000}},
			func(x *tensor.Tensor) { elements[float32](t, x, -1, 2) }},
		{ot.Tensor{Type: 10, Raw: []byte{0, 0xbc, 0, 0x40}},
			func(x *tensor.Tensor) { elements[float32](t, x, -1, 2) }},
		{ot.Tensor{Type: 11, Doubles: []float64{-1, 2}},
			func(x *tensor.Tensor) { elements[float64](t, x, -1, 2) }},
		{ot.Tensor{Type: 12, Uints64: []uint64{1 << 31, 2}},
			func(x *tensor.Tensor) { elements[uint32](t, x, 1<<31, 2) }},
		{ot.Tensor{Type: 13, Uints64: []uint64{1 << 63, 2}},
			func(x *tensor.Tensor) { elements[uint64](t, x, 1<<63, 2) }},
		{ot.Tensor{Type: 22, Raw: []byte{0x2f}},
			func(x *tensor.Tensor) { elements[int8](t, x, -1, 2) }},
		{ot.Tensor{Type: 22, Ints32: []int32{0x2f}},
			func(x *tensor.Tensor) { elements[int8](t, x, -1, 2) }},
		{ot.Tensor{Type: 21, Raw: []byte{0x2f}},
			func(x *tensor.Tensor) { elements[uint8](t, x, 15, 2) }},
		{ot.Tensor{Type: 26, Raw: []byte{0x07}},
			func(x *tensor.Tensor) { elements[int8](t, x, -1, 1) }},
		{ot.Tensor{Type: 25, Ints32: []int32{0x0b}},
			func(x *tensor.Tensor) { elements[uint8](t, x, 3, 2) }},
		{ot.Tensor{Type: 23, Raw: []byte{0x4a}},
			func(x *tensor.Tensor) { elements[uint8](t, x, 0xa, 4) }},
		{ot.Tensor{Type: 17, Raw: []byte{0xb8, 0x40}},
			func(x *tensor.Tensor) { elements[uint8](t, x, 0xb8, 0x40) }},
		{ot.Tensor{Type: 16, Ints32: []int32{0xbf80, 0x4000}},
			func(x *tensor.Tensor) { elements[float32](t, x, -1, 2) }},
	} {
		c.in.Dims = two
		x, err := initializer(c.in)
		if err != nil {
			t.Errorf("type %d: %v", c.in.Type, err)
			continue
		}
		c.check(x)
	}
}

func TestTensorErrors(t *testing.T) {
	var format *fault.Format
	var gap *fault.Unsupported
	var missing *fault.Missing
	var limit *fault.Limit
	for _, c := range []struct {
		name string
		in   ot.Tensor
		kind any
	}{
		{"too few", ot.Tensor{Type: 1, Dims: []int{3}, Floats: []float32{1, 2}}, &format},
		{"too many", ot.Tensor{Type: 1, Dims: []int{1}, Floats: []float32{1, 2}}, &format},
		{"raw that ends within the element", ot.Tensor{Type: 1, Dims: []int{1},
			Raw: []byte{1, 2, 3}}, &format},
		{"raw that ends within an element more", ot.Tensor{Type: 1, Dims: []int{1},
			Raw: []byte{0, 0, 0, 0, 5}}, &format},
		{"wrong field", ot.Tensor{Type: 1, Dims: []int{1}, Ints64: []int64{1}}, &format},
		{"negative side", ot.Tensor{Type: 1, Dims: []int{-1}}, &format},
		{"overflow", ot.Tensor{Type: 1, Dims: []int{1 << 30, 1 << 30, 1 << 30}}, &format},
		{"beyond the limit", ot.Tensor{Type: 1, Dims: []int{1 << 21}}, &limit},
		{"complex", ot.Tensor{Type: 14, Dims: []int{1}}, &gap},
		{"four bits too few", ot.Tensor{Type: 22, Dims: []int{3}, Raw: []byte{1}}, &format},
		{"four bits too many", ot.Tensor{Type: 22, Dims: []int{2}, Ints32: []int32{1, 2}}, &format},
		{"elsewhere", ot.Tensor{Type: 1, Dims: []int{1}, File: "weights.bin"}, &missing},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := initializer(c.in); err == nil || !errors.As(err, c.kind) {
				t.Errorf("%s: error %v, want %T", c.name, err, c.kind)
			}
		})
	}
}

// TestNumbersApart opens a file with a field for each number. It must take at most four times the
// memory of the file.
func TestNumbersApart(t *testing.T) {
	const n = 300_000
	data := protowire.AppendTag(nil, 1, protowire.VarintType)
	data = protowire.AppendVarint(data, n)
	data = protowire.AppendTag(data, 2, protowire.VarintType)
	data = protowire.AppendVarint(data, uint64(tensor.Float32))
	for i := range n {
		data = protowire.AppendTag(data, 4, protowire.Fixed32Type)
		data = protowire.AppendFixed32(data, math.Float32bits(float32(i)))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read, err := decode.Tensor(data, decode.Limits{Elements: n, Bytes: 8 * n})
	runtime.ReadMemStats(&after)
	must.Do(t, err)
	for i, v := range tensor.Of[float32](read) {
		must.Equal(t, v, float32(i), i)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 4*uint64(len(data)) {
		t.Errorf("%d bytes were taken for a file of %d", took, len(data))
	}
}

// TestKindsBeyondAnInt checks kinds that an int of 32 bits would cut to one that exists.
func TestKindsBeyondAnInt(t *testing.T) {
	for kind, want := range map[decode.Kind]string{decode.KindFloat: "a float",
		1<<32 + 1: "of kind 4294967297", -1: "of kind -1"} {
		must.Equal(t, kind.String(), want, int64(kind))
	}
}
