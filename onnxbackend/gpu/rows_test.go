//go:build gpu

package gpu

import (
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestRows compares Softmax and normalisations with the CPU over rows of many lengths: one element,
// as many as fit into registers, one more. The first element is an outlier; the axis is the last
// one and another.
func TestRows(t *testing.T) {
	p, r := processorFor(t), rand.New(rand.NewPCG(20, 20))
	for _, n := range []int{1, 2, 31, 33, 197, 257, 768, 1023, 2047, 2048, 2049} {
		x := normal(r, 3, n, 5)
		for i := range 3 {
			tensor.Of[float32](x)[i*n*5] = 1000
		}
		weights := []onnxtest.Tensor{constant("w", normal(r, n)), constant("b", normal(r, n))}
		for _, node := range []onnxtest.Node{
			onnxtest.N("Softmax", []string{"v"}, []string{"y"}, onnxtest.Int("axis", 1)),
			onnxtest.N("Softmax", []string{"z"}, []string{"y"}, onnxtest.Int("axis", -1)),
			onnxtest.N("LayerNormalization", []string{"z", "w", "b"}, []string{"y"}),
			onnxtest.N("LayerNormalization", []string{"z", "w"}, []string{"y"}),
			onnxtest.N("RMSNormalization", []string{"z", "w"}, []string{"y"}),
		} {
			nodes := 3
			if node.In[0] == "v" {
				nodes = 2
			}
			m := onnxtest.Model{
				Opset: 23, Nodes: []onnxtest.Node{onnxtest.N("Neg", []string{"x"}, []string{"v"}),
					onnxtest.N("Transpose", []string{"v"}, []string{"z"},
						onnxtest.Ints("perm", 0, 2, 1)), node},
				Initializers: weights, Inputs: []onnxtest.Value{onnxtest.In("x", 3, n, 5)},
				Outputs: []onnxtest.Value{onnxtest.In("y")},
			}
			both(t, p, m, nodes, x)
			if t.Failed() {
				t.Fatalf("%s of %d", node.Op, n)
			}
		}
	}
}
