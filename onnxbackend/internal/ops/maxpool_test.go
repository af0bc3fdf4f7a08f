package ops_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestMaxPlanesEqualPlain compares maxima over planes with those by the table of places, which a
// node uses if its second output is read.
func TestMaxPlanesEqualPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, c := range []struct{ height, width, ky, kx, sy, sx int64 }{
		{6, 8, 2, 2, 2, 2}, {7, 9, 2, 2, 2, 2}, {5, 5, 3, 3, 1, 1}, {9, 4, 3, 2, 2, 1}, {6, 6, 1, 1,
			2, 3}, {4, 7, 4, 7, 1, 1}, {8, 8, 2, 2, 3, 3},
	} {
		values := make([]float32, 2*3*c.height*c.width)
		for i := range values {
			values[i] = float32(r.NormFloat64())
			switch r.IntN(40) {
			case 0:
				values[i] = float32(math.NaN())
			case 1:
				values[i] = float32(math.Inf(-1))
			}
		}
		node := ot.N("MaxPool", nil, nil, ot.Ints("kernel_shape", c.ky, c.kx),
			ot.Ints("strides", c.sy, c.sx))
		in := []ot.Tensor{ot.F("", values, 2, 3, int(c.height), int(c.width))}
		fast := must.Get(runOperator(13, node, in, 1))(t)
		slow := must.Get(runOperator(13, node, in, 2))(t)
		want := tensor.Of[float32](slow[0])
		for i, v := range tensor.Of[float32](fast[0]) {
			if v != want[i] && !(v != v && want[i] != want[i]) {
				t.Fatalf("%+v, element %d: %v, want %v", c, i, v, want[i])
			}
		}
	}
}
