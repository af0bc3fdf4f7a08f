//go:build gpu

package gpu

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// heads is a model of attention over queries q (b, h, m, k), keys k (b, h, k, n) and values v
// (b, h, n, w), which come from nodes on the device. Nodes between compute z from the scores s.
func heads(q, k, v []int, z string, between ...onnxtest.Node) onnxtest.Model {
	n := onnxtest.N
	m := onnxtest.Model{
		Opset: 21, Nodes: []onnxtest.Node{n("Neg", []string{"q"}, []string{"a"}),
			n("Neg", []string{"k"}, []string{"b"}), n("Neg", []string{"v"}, []string{"c"}),
			n("MatMul", []string{"a", "b"}, []string{"s"})},
		Initializers: []onnxtest.Tensor{onnxtest.F("two", []float32{2}),
			onnxtest.F("half", []float32{0.5}, 1)},
		Inputs: []onnxtest.Value{onnxtest.In("q", dims(q)...), onnxtest.In("k", dims(k)...),
			onnxtest.In("v", dims(v)...)},
		Outputs: []onnxtest.Value{onnxtest.In("y")},
	}
	m.Nodes = append(m.Nodes, between...)
	m.Nodes = append(m.Nodes, n("Softmax", []string{z}, []string{"w"}, onnxtest.Int("axis", -1)),
		n("MatMul", []string{"w", "c"}, []string{"y"}))
	return m
}

// TestAttention compares attention with the CPU: scores without a factor, and with those that
// exporters write; places and widths of one, of primes, of a tile and one more; one head and
// several; scores so large that most powers are zero. The work is that of the kernel of attention.
func TestAttention(t *testing.T) {
	p, r, n := processorFor(t), rand.New(rand.NewPCG(21, 21)), onnxtest.N
	for _, c := range []struct{ q, k, v []int }{
		{[]int{1, 1}, []int{1, 1}, []int{1, 1}},
		{[]int{5, 7}, []int{7, 3}, []int{3, 2}},
		{[]int{2, 3, 17, 8}, []int{2, 3, 8, 17}, []int{2, 3, 17, 8}},
		{[]int{2, 65, 33}, []int{2, 33, 129}, []int{2, 129, 64}},
		{[]int{64, 64}, []int{64, 64}, []int{64, 63}},
		{[]int{1, 2, 130, 100}, []int{1, 2, 100, 197}, []int{1, 2, 197, 37}},
	} {
		x := []*tensor.Tensor{normal(r, c.q...), normal(r, c.k...), normal(r, c.v...)}
		scores := elements(c.q) * c.k[len(c.k)-1]
		work := x[0].Len() + x[1].Len() + x[2].Len() +
			scores + scores/c.q[len(c.q)-1]*c.v[len(c.v)-1]
		for _, m := range []onnxtest.Model{
			heads(c.q, c.k, c.v, "s"),
			heads(c.q, c.k, c.v, "z", n("Mul", []string{"half", "s"}, []string{"z"})),
			heads(c.q, c.k, c.v, "z", n("Div", []string{"s", "two"}, []string{"r"}),
				n("Mul", []string{"r", "half"}, []string{"z"})),
		} {
			if cost := both(t, p, m, len(m.Nodes), x...); cost.Work != work {
				t.Errorf("%v: %d multiplications, want %d", c, cost.Work, work)
			}
		}
	}
}

// TestScores reads scores otherwise than attention does: they are computed then. What a dry run
// estimates is what the run takes.
func TestScores(t *testing.T) {
	p, r, n := processorFor(t), rand.New(rand.NewPCG(22, 22)), onnxtest.N
	q, k, v := []int{2, 5, 8}, []int{2, 8, 5}, []int{2, 5, 8}
	models := map[string]onnxtest.Model{
		"mask":    heads(q, k, v, "z", n("Add", []string{"s", "half"}, []string{"z"})),
		"view":    heads(q, k, v, "z", n("Identity", []string{"s"}, []string{"z"})),
		"squared": heads(q, k, v, "z", n("Mul", []string{"s", "s"}, []string{"z"})),
		"inverse": heads(q, k, v, "z", n("Div", []string{"two", "s"}, []string{"z"})),
		"first":   heads(q, k, v, "s"), "weights": heads(q, k, v, "s"), "wide": heads(q, k,
			[]int{2, 5, 65}, "s"), "values": heads(q, k, []int{5, 3}, "s"),
	}
	models["first"].Nodes[4] = n("Softmax", []string{"s"}, []string{"w"}, onnxtest.Int("axis", 1))
	for _, name := range []string{"first", "weights", "mask"} {
		m := models[name]
		m.Outputs = append(m.Outputs, onnxtest.In("w"), onnxtest.In("s"))
		models[name] = m
	}
	for name, m := range models {
		t.Run(name, func(t *testing.T) {
			var x []*tensor.Tensor
			shapes := map[int]*tensor.Tensor{}
			g := must.Get(compile(m.Bytes(), false))(t)
			for i, in := range m.Inputs {
				var shape []int
				for _, d := range in.Dims {
					shape = append(shape, d.(int))
				}
				x = append(x, normal(r, shape...))
				shapes[g.given[i]] = &tensor.Tensor{Type: tensor.Float32, Shape: shape}
			}
			cost := both(t, p, m, len(m.Nodes), x...)
			if dry := g.plan.Try(p.Load().Session(true), bounds, shapes); dry != cost {
				t.Errorf("estimated %+v, took %+v", dry, cost)
			}
		})
	}
}

// TestScoresMemory postpones scores that the device's memory has no room for: the CPU computes the
// run again.
func TestScoresMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 23))
	m := heads([]int{300, 4}, []int{4, 300}, []int{300, 4}, "z",
		onnxtest.N("Identity", []string{"s"}, []string{"z"}))
	g := must.Get(compile(m.Bytes(), false))(t)
	small := narrowed(t, limits{}, 100_000)
	_, err := g.run([]*tensor.Tensor{normal(r, 300, 4), normal(r, 4, 300), normal(r, 300, 4)},
		small.Load().Session(false))
	var back *device.Retreat
	if !errors.As(err, &back) || back.Lost {
		t.Errorf("%v", err)
	}
}
