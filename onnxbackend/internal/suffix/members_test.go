package suffix_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// message returns a layer of a graph network over the complete graph: the output of each instance
// is relu(W x + V mean(x)), from "from" to "to".
func message(from, to string) []ot.Node {
	return layer(`mean_ = ReduceMean<axes=[0]>(IN); row_ = MatMul(mean_, W44)
		own_ = MatMul(IN, V44); sum_ = Add(own_, row_); OUT = Relu(sum_)`, from, to)
}

// memberModel is poolModel with square weights for layers between instances.
func memberModel(k, width int, nodes ...ot.Node) ot.Model {
	m := poolModel(13, width, nodes...)
	r := rand.New(rand.NewPCG(11, 12))
	m.Initializers = append(m.Initializers, enginetest.RandomTensor(r, "W44", 4, 4),
		enginetest.RandomTensor(r, "V44", 4, 4), enginetest.RandomTensor(r, "W84", 8, 4),
		enginetest.RandomTensor(r, "line", 4),
		enginetest.RandomTensor(r, "fixed", k, 4), enginetest.RandomTensor(r, "column", k, 1),
		enginetest.RandomTensor(r, "adjacency", k, k), ot.I("half", []int64{-1, 2}, 2),
		ot.I("first2", []int64{2}, 1), ot.I("back", []int64{-1, 4}, 2))
	return m
}

// TestMembers checks graph networks and their like: that their coalitions run together, and have
// the scores of the whole graph.
func TestMembers(t *testing.T) {
	mean := ot.N("ReduceMean", []string{"x"}, []string{"p"}, ot.Ints("axes", 0))
	layers := append(message("h", "y"), message("y", "x")...)
	for name, nodes := range map[string][]ot.Node{
		"one layer":  append(message("h", "x"), mean),
		"two layers": append(slices.Clone(layers), mean),
		"two layers and a sum": append(slices.Clone(layers),
			ot.N("ReduceSum", []string{"x", "axis0"}, []string{"p"})),
		"two layers and a maximum": append(slices.Clone(layers),
			ot.N("ReduceMax", []string{"x"}, []string{"p"}, ot.Ints("axes", 0))),
		"clustering weights": append(slices.Clone(layers),
			ot.Nodes(`logit = MatMul(x, line); w = Softmax<axis=0>(logit); p = MatMul(w, x)`)...),
		"mean beside each instance": ot.Nodes(`u = ReduceMean<axes=[0]>(h); hs = Shape(h)
			us = Expand(u, hs); c = Concat<axis=1>(h, us); d = MatMul(c, W84); x = Tanh(d)
			p = ReduceMean<axes=[0]>(x)`),
		"gate by the mean": ot.Nodes(`u = ReduceMean<axes=[0]>(h); d = Sub(u, h); g0 = Sigmoid(d)
			x = Mul(g0, h); p = ReduceMean<axes=[0]>(x)`),
		"normalised over the bag": ot.Nodes(`u = ReduceMean<axes=[0]>(h); d = Sub(h, u)
			q = Mul(d, d); v = ReduceMean<axes=[0]>(q); v2 = Add(v, two); sd = Sqrt(v2)
			z = Div(d, sd); x = Tanh(z); p = ReduceMean<axes=[0]>(x)`),
	} {
		t.Run(name, func(t *testing.T) {
			for _, k := range []int{1, 2, 3, 70} {
				bag, model := enginetest.SmallBag(k, 3), memberModel(k, 4, nodes...).Bytes()
				b := enginetest.OpenAndBind(t, model, onnxbackend.Options{}, bag)
				if b.Strategy() != onnxbackend.StrategyMembers && k > 1 {
					t.Errorf("k=%d: strategy %s (%s; %q)", k, b.Strategy(),
						enginetest.EvaluatorOf(b).WhyNot, b.Notes())
				}
				enginetest.CheckStrategyEqualsPlain(t, b, model, bag)
				if b.HasNeighbours() && k > 1 {
					t.Error("neighbours cost as much as other coalitions")
				}
			}
		})
	}
}

// randomNodes returns nodes from "h" to a value of the instances, "x". Some fool an analysis of
// axes: constants of as many places as the bag has instances, reductions and softmaxes along either
// axis, shapes that merge instances, places in the bag, products of instances with each other.
func randomNodes(r *rand.Rand) (nodes []ot.Node) {
	x := "h"
	names := 0
	add := func(op string, in []string, attributes ...ot.Attribute) string {
		names++
		out := fmt.Sprintf("n%d", names)
		nodes = append(nodes, ot.N(op, in, []string{out}, attributes...))
		return out
	}
	pool := func(v string) string {
		op := []string{"ReduceMean", "ReduceMax", "ReduceL2", "ReduceMin"}[r.IntN(4)]
		axis := int64(0)
		if r.IntN(4) == 0 {
			axis = 1 // a number for each instance instead of a row
		}
		return add(op, []string{v}, ot.Ints("axes", axis))
	}
	rows := []string{"line", pool("h")}
	for range 2 + r.IntN(6) {
		switch r.IntN(14) {
		case 0, 1, 2:
			op := []string{"Add", "Sub", "Mul", "Max"}[r.IntN(4)]
			in := []string{x, rows[r.IntN(len(rows))]}
			if r.IntN(3) == 0 {
				slices.Reverse(in)
			}
			x = add(op, in)
		case 3:
			x = add([]string{"Relu", "Tanh", "Sigmoid"}[r.IntN(3)], []string{x})
		case 4, 5:
			x = add("MatMul", []string{x, "V44"})
		case 6:
			rows = append(rows, pool(x))
		case 7:
			x = add("Softmax", []string{x}, ot.Int("axis", int64(r.IntN(2))))
		case 8: // relations of the instances with each other
			turned := add("Transpose", []string{x}, ot.Ints("perm", 1, 0))
			scores := add("MatMul", []string{x, turned})
			weights := add("Softmax", []string{scores}, ot.Int("axis", int64(r.IntN(2))))
			x = add("MatMul", []string{weights, "h"})
		case 9:
			x = add("CumSum", []string{x, "scalar0"})
		case 10:
			part := add("Reshape", []string{x, "half"})
			part = add("Softmax", []string{part}, ot.Int("axis", 1))
			x = add("Reshape", []string{part, "back"})
		case 11:
			rows = append(rows, add("Slice", []string{x, "axis0", "one", "axis0"}))
		case 12:
			if fixed := []string{"fixed", "column"}[r.IntN(2)]; r.IntN(4) == 0 {
				x = add("Add", []string{x, fixed})
			}
		case 13:
			if r.IntN(4) == 0 {
				x = add("MatMul", []string{"adjacency", x})
			}
		}
	}
	nodes = append(nodes, ot.N("Identity", []string{x}, []string{"x"}))
	last := []string{"ReduceMean", "ReduceMax", "ReduceL2"}[r.IntN(3)]
	return append(nodes, ot.N(last, []string{"x"}, []string{"p"}, ot.Ints("axes", 0)))
}

// checkRandomNodes compares the scores of a random model with those of its whole graph, and returns
// its strategy.
func checkRandomNodes(t *testing.T, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 77))
	nodes := randomNodes(r)
	k := []int{2, 3, 4, 9}[r.IntN(4)]
	bag, model := enginetest.SmallBag(k, 3), memberModel(k, 4, nodes...).Bytes()
	b := enginetest.OpenAndBind(t, model, onnxbackend.Options{}, bag)
	enginetest.CheckStrategyEqualsPlain(t, b, model, bag)
	return b.Strategy()
}

// TestRandomMembers compares random models with their whole graph. Most must run together, so that
// the comparison says something.
func TestRandomMembers(t *testing.T) {
	strategies := map[string]int{}
	const models = 150
	for seed := range uint64(models) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { strategies[checkRandomNodes(t, seed)]++ })
	}
	must.Equal(t, strategies[onnxbackend.StrategyMembers] >= models/5, true, strategies, models)
}

// FuzzMembers is TestRandomMembers for any seed.
func FuzzMembers(f *testing.F) {
	f.Fuzz(func(t *testing.T, seed uint64) { checkRandomNodes(t, seed) })
}
