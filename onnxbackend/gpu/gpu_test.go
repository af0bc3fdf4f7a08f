//go:build gpu

package gpu

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/passes"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// tolerance is the largest difference between device and CPU, relative to the largest element.
const tolerance = 1e-4

var (
	bounds = machine.Limits{Elements: 1 << 28, Bytes: 2 << 30, Trips: 1000, Work: 1 << 44}
	shared = sync.OnceValues(func() (*processor, error) {
		return openProcessor(Options{Least: -1})
	})
)

// processorFor returns the adapter of this machine, to which every node goes that can.
func processorFor(t testing.TB) *processor {
	t.Helper()
	p, err := shared()
	if err != nil {
		t.Skip(err)
	}
	return p
}

// A program is a graph that runs on the CPU and on a device.
type program struct {
	g      *graph.Graph
	plan   *plan.Program
	given  []int
	wanted []int
}

func compile(file []byte, rewritten bool) (*program, error) {
	m, err := decode.Decode(file, decode.Limits{Elements: 1 << 28, Bytes: 2 << 30, Nodes: 100000,
		Depth: 16})
	if err != nil {
		return nil, err
	}
	p := &program{}
	if p.g, err = graph.New(m, bounds); err != nil {
		return nil, err
	}
	if rewritten {
		passes.Run(p.g)
	}
	for _, in := range p.g.Inputs {
		p.given = append(p.given, in.ID)
	}
	for _, out := range p.g.Outputs {
		p.wanted = append(p.wanted, out.ID)
	}
	p.plan, _ = plan.New(p.g, p.given, p.wanted)
	return p, nil
}

// run returns the outputs for given inputs, computed with a session or without.
func (p *program) run(in []*tensor.Tensor, s device.Session) ([]*tensor.Tensor, error) {
	r := plan.NewRunner(p.plan, bounds)
	r.Begin(context.Background())
	for i, id := range p.given {
		r.Give(id, in[i])
	}
	r.Use(s)
	err := r.Run(nil)
	r.Unuse()
	if err != nil {
		return nil, err
	}
	var out []*tensor.Tensor
	for _, id := range p.wanted {
		out = append(out, r.Value(id).Clone())
	}
	return out, nil
}

// both runs a model on the CPU and on the device, and wants the same from both, and so many nodes
// on the device.
func both(
	t *testing.T, p *processor, m onnxtest.Model, nodes int, in ...*tensor.Tensor,
) device.Cost {
	t.Helper()
	g := must.Get(compile(m.Bytes(), false))(t)
	want := must.Get(g.run(in, nil))(t)
	s := p.Load().Session(false)
	got := must.Get(g.run(in, s))(t)
	for i := range want {
		if d := distance(got[i], want[i]); !(d <= tolerance) {
			t.Errorf("output %d is off by %g of the largest element", i, d)
		}
	}
	cost := s.Cost()
	if cost.Nodes != nodes {
		t.Errorf("%d nodes ran on the device, want %d", cost.Nodes, nodes)
	}
	return cost
}

// distance is the largest difference of two tensors of float32, relative to the largest element
// that is wanted; other types and shapes have to be equal.
func distance(got, want *tensor.Tensor) float64 {
	if got.Type != want.Type || len(got.Shape) != len(want.Shape) || got.Len() != want.Len() {
		return math.Inf(1)
	}
	for i, d := range want.Shape {
		if got.Shape[i] != d {
			return math.Inf(1)
		}
	}
	if want.Type != tensor.Float32 {
		x, y := tensor.View[byte](got.Words, got.Len()*got.Type.Size()),
			tensor.View[byte](want.Words, want.Len()*want.Type.Size())
		if string(x) != string(y) {
			return math.Inf(1)
		}
		return 0
	}
	scale, worst := 1e-30, 0.0
	x, y := tensor.Of[float32](got), tensor.Of[float32](want)
	for _, v := range y {
		if a := math.Abs(float64(v)); !math.IsInf(a, 0) && !math.IsNaN(a) {
			scale = max(scale, a)
		}
	}
	for i, v := range y {
		a, b := float64(x[i]), float64(v)
		if a == b || math.IsNaN(a) && math.IsNaN(b) {
			continue
		}
		if d := math.Abs(a-b) / scale; !(d <= worst) {
			worst = d
		}
	}
	return worst
}

// normal returns a tensor of normally distributed elements.
func normal(r *rand.Rand, shape ...int) *tensor.Tensor {
	t := tensor.New(tensor.Float32, shape...)
	v := tensor.Of[float32](t)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return t
}

// constant writes a tensor into a model.
func constant(name string, t *tensor.Tensor) onnxtest.Tensor {
	return onnxtest.F(name, tensor.Of[float32](t), t.Shape...)
}

// openBoth opens a model for the CPU and for a device that computes all it can.
func openBoth(t *testing.T, p *processor, data []byte) (cpu, gpu *onnxbackend.Model) {
	t.Helper()
	var err error
	if cpu, err = onnxbackend.Open(data, onnxbackend.Options{}); err != nil {
		t.Fatal(err)
	}
	if gpu, err = onnxbackend.Open(data, onnxbackend.Options{Device: p,
		DeviceAlways: true}); err != nil {
		t.Fatal(err)
	}
	return cpu, gpu
}

// apart is distance for numbers.
func apart(got, want []float64) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	scale, worst := 1e-30, 0.0
	for _, v := range want {
		if !math.IsInf(v, 0) && !math.IsNaN(v) {
			scale = max(scale, math.Abs(v))
		}
	}
	for i, v := range want {
		if got[i] != v && !(math.IsNaN(got[i]) && math.IsNaN(v)) {
			worst = max(worst, math.Abs(got[i]-v)/scale)
		}
	}
	return worst
}
