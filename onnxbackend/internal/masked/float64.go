package masked

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Instances of float64 are pooled in float32, and so are the nodes behind them. Then tables,
// kernels and layers exist once. Scores agree with those of whole runs to about 1e-7 of the
// largest; verification requires 1e-5. The prefix stays in float64.

// toFloat32 converts all float64 values of a program that pools float64 instances.
func (c *compiler) toFloat32(p *plan.Program) {
	place, value := c.Place, c.Value
	for _, s := range p.Steps() {
		for _, id := range s.Node.In {
			c.converts = c.converts || id >= 0 && place(id).Class == ops.Instance &&
				place(id).Type == tensor.Float64
		}
	}
	if !c.converts {
		return
	}
	// From here on the compiler sees the program as if it were of float32.
	known := map[int]*tensor.Tensor{}
	c.Place = func(id int) ops.Place {
		at := place(id)
		if at.Type == tensor.Float64 {
			at.Type = tensor.Float32
		}
		return at
	}
	c.Value = func(id int) *tensor.Tensor {
		if known[id] == nil {
			known[id] = as32(value(id))
		}
		return known[id]
	}
}

// as32 returns a tensor of float64 converted to float32, and any other tensor unchanged.
func as32(t *tensor.Tensor) *tensor.Tensor {
	if t == nil || t.Type != tensor.Float64 {
		return t
	}
	out := tensor.New(tensor.Float32, t.Shape...)
	to := tensor.Of[float32](out)
	for i, v := range tensor.Of[float64](t) {
		to[i] = float32(v)
	}
	return out
}
