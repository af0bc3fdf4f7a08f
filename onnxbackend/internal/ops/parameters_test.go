package ops_test

import (
	"errors"
	"testing"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestParametersOfNormalisationsMustBroadcast checks scales and biases with the right number of
// elements, in shapes that broadcast to the data (2, 2, 3) and in others.
func TestParametersOfNormalisationsMustBroadcast(t *testing.T) {
	shaped := func(typ int, dims ...int) ot.Tensor {
		x := ot.Tensor{Type: typ, Dims: dims}
		for i := range tensor.New(tensor.Type(typ), dims...).Len() {
			x.Floats, x.Doubles = append(x.Floats, float32(i)), append(x.Doubles, float64(i))
		}
		return x
	}
	for _, c := range []struct {
		name  string
		dims  []int
		valid bool
	}{
		{"as the rows", []int{2, 3}, true},
		{"with the batch", []int{1, 2, 3}, true},
		{"flat", []int{6}, false},
		{"transposed", []int{3, 2}, false},
		{"with a further dimension", []int{2, 3, 1}, false},
	} {
		for name, typ := range map[string]int{"float32": ot.Float32, "float64": ot.Float64} {
			t.Run(c.name+" in "+name, func(t *testing.T) {
				x, p, rows := shaped(typ, 2, 2, 3), shaped(typ, c.dims...), shaped(typ, 2, 3)
				for part, in := range map[string][]ot.Tensor{
					"scale": {x, p, rows}, "bias": {x, rows, p},
				} {
					_, err := runOperator(17,
						enginetest.Op("LayerNormalization", ot.Int("axis", 1)), in, 1)
					var run *onnxbackend.RunError
					if c.valid && err != nil || !c.valid && !errors.As(err, &run) {
						t.Errorf("%s of shape %v: error %v", part, c.dims, err)
					}
				}
			})
		}
	}
}
