package decode_test

import (
	"errors"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestSparse reads sparse initializers as dense tensors.
func TestSparse(t *testing.T) {
	for name, c := range map[string]struct {
		ot.Sparse
		want []float32
	}{
		"places": {ot.Sparse{Values: ot.F("w", []float32{5, 7}, 2),
			Indices: ot.I("", []int64{1, 5}, 2), Dims: []int{2, 3}}, []float32{0, 5, 0, 0, 0, 7}},
		"rows and columns": {ot.Sparse{Values: ot.F("w", []float32{5, 7}, 2),
			Indices: ot.I("", []int64{0, 1, 1, 2}, 2, 2), Dims: []int{2, 3}},
			[]float32{0, 5, 0, 0, 0, 7}},
		"a vector": {ot.Sparse{Values: ot.F("w", []float32{5}, 1),
			Indices: ot.I("", []int64{2}, 1, 1), Dims: []int{3}}, []float32{0, 0, 5}},
		"no value": {ot.Sparse{Values: ot.F("w", nil, 0), Indices: ot.I("", nil, 0),
			Dims: []int{2}}, []float32{0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			m := must.Get(decode.Decode(ot.Model{Opset: 13, Sparse: []ot.Sparse{c.Sparse}}.Bytes(),
				limits))(t)
			got := m.Graph.Initializers[0]
			elements(t, got.Tensor, c.want...)
			must.Equal(t, got.Name, "w")
			must.EqualSlices(t, got.Tensor.Shape, c.Dims)
		})
	}
}

// TestSparseErrors rejects indices that lie outside and shapes that do not fit, before memory is
// allocated.
func TestSparseErrors(t *testing.T) {
	two := ot.F("w", []float32{5, 7}, 2)
	for name, c := range map[string]ot.Sparse{
		"behind": {Values: two, Indices: ot.I("", []int64{1, 6}, 2), Dims: []int{2, 3}},
		"before": {Values: two, Indices: ot.I("", []int64{1, -1}, 2), Dims: []int{2, 3}},
		"fewer":  {Values: two, Indices: ot.I("", []int64{1}, 1), Dims: []int{2, 3}},
		"a column behind": {Values: two, Indices: ot.I("", []int64{0, 1, 1, 3}, 2, 2),
			Dims: []int{2, 3}},
		"another rank": {Values: two, Indices: ot.I("", []int64{0, 1}, 2, 1), Dims: []int{2, 3}},
		"no indices":   {Values: two, Dims: []int{2, 3}},
		"real indices": {Values: two, Indices: ot.F("", []float32{0, 1}, 2), Dims: []int{2, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := decode.Decode(ot.Model{Opset: 13, Sparse: []ot.Sparse{c}}.Bytes(), limits)
			if !errors.As(err, new(*fault.Format)) && !errors.As(err, new(*fault.Unsupported)) {
				t.Error(err)
			}
		})
	}
	for name, dims := range map[string][]int{"elements": {1 << 15, 1 << 15}, "bytes": {1 << 20}} {
		small := limits
		small.Bytes = 1 << 20
		c := ot.Sparse{Values: two, Indices: ot.I("", []int64{0, 1}, 2), Dims: dims}
		_, err := decode.Decode(ot.Model{Opset: 13, Sparse: []ot.Sparse{c}}.Bytes(), small)
		must.Equal(t, errors.As(err, new(*fault.Limit)), true, name, err)
	}
}
