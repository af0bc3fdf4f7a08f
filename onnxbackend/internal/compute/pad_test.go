package compute

import (
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// padEach is the slow twin of pad: each element of the result is looked up by itself.
func padEach(x *tensor.Tensor, shape, pads []int, mode string, filler float32) []float32 {
	n, _ := tensor.Count(shape)
	out, place := make([]float32, n), make([]int, len(shape))
	for at := range out {
		p, inside := 0, true
		for i, j := range place {
			q, _ := padSource(j-pads[i], x.Shape[i], mode)
			p, inside = p*x.Shape[i]+q, inside && q >= 0
		}
		if out[at] = filler; inside {
			out[at] = tensor.Of[float32](x)[p]
		}
		advance(place, shape)
	}
	return out
}

// TestPadEqualsElements pads random tensors, also by negative numbers and by none, and compares
// them with the slow twin.
func TestPadEqualsElements(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 33))
	m := machine.New(machine.Limits{Elements: 1 << 20, Bytes: 1 << 24})
	for trial := range 2000 {
		mode := []string{"constant", "edge", "reflect", "wrap"}[r.IntN(4)]
		rank := 1 + r.IntN(4)
		in, shape, pads := make([]int, rank), make([]int, rank), make([]int, 2*rank)
		for i := range in {
			in[i] = 1 + r.IntN(6)
			if trial%8 > 0 {
				pads[i], pads[rank+i] = r.IntN(6)-2, r.IntN(6)-2
			}
			if shape[i] = in[i] + pads[i] + pads[rank+i]; shape[i] < 0 {
				pads[i], pads[rank+i], shape[i] = 0, 0, in[i]
			}
		}
		x, out := randomTensor(r, in...), &tensor.Tensor{}
		filler := tensor.From(tensor.Float32, []float32{7})
		must.Do(t, pad(m, out, x, pads, mode, filler.Bytes()))
		want := padEach(x, shape, pads, mode, 7)
		must.EqualSlices(t, out.Shape, shape, mode, in, pads)
		must.EqualSlices(t, tensor.Of[float32](out), want, mode, in, pads)
		m.EndNode()
	}
}
