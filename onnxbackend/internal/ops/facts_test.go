package ops_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// factsFile has how many sizes are inferred of each case. The program wrote it: TestFactsHold
// checks the sizes themselves.
const factsFile = "testdata/facts.txt"

// TestFactsHold infers the output of every case from what is known of its inputs: their shapes,
// their ranks or nothing. What is inferred must hold of the output that the case computes. From
// known shapes, operators that work element by element must infer the shape and the type. No size
// that was inferred may be lost: passes would then find less to do.
func TestFactsHold(t *testing.T) {
	var lines strings.Builder
	eachCase(t, func(t *testing.T, name string, c operatorCase) {
		data, in := operatorModel(c.opset, enginetest.Op(name, c.attrs...), c.in, 1)
		g := buildGraph(t, data)
		if g == nil || g.Nodes[0].Out[0] < 0 {
			return
		}
		out, err := runGraph(g, in)
		if err != nil {
			return
		}
		n, y := &g.Nodes[0], out[0]
		known := inputFacts(g, in)
		inferred := ""
		for _, from := range []struct {
			what  string
			facts []ops.Fact
		}{{"shapes", known}, {"ranks", withoutSizes(known)}, {"nothing", withoutShapes(known)}} {
			what, facts := from.what, from.facts
			if n.Row.NoOp != nil && n.Row.NoOp(&n.Node, facts) {
				must.Do(t, sameBits(firstInput(g, in), y), what)
			}
			if n.Row.Fact == nil {
				continue
			}
			f := n.Row.Fact(&n.Node, facts)
			if !factHolds(f, y) {
				t.Errorf("from %s: %+v, the output is %v %v", what, f, y.Type, y.Shape)
			}
			if f.Ranked {
				inferred += fmt.Sprintf(" %d of %d from %s", len(f.Shape)-countOf(f.Shape,
					ops.Unknown), len(f.Shape), what)
			}
		}
		if inferred != "" {
			fmt.Fprintf(&lines, "%s, %s:%s\n", name, c.name, inferred)
		}
		switch n.Row.Kind {
		case ops.Elementwise, ops.PassThrough, ops.Broadcast:
			f := n.Row.Fact(&n.Node, known)
			if f.Type != y.Type || !f.Ranked || !slices.Equal(f.Shape, y.Shape) {
				t.Errorf("from shapes: only %+v, the output is %v %v", f, y.Type, y.Shape)
			}
		}
	})
	checkLines(t, factsFile, lines.String())
}

// TestFactsOfBrokenPermutations: nothing is known of the shape behind a Transpose whose attribute
// is no permutation of the axes, which fails when it runs.
func TestFactsOfBrokenPermutations(t *testing.T) {
	x := ot.F("", make([]float32, 6), 2, 3)
	for _, perm := range [][]int64{{0, 2}, {-1, 0}, {0}, {0, 1, 2}, {1, 0}} {
		data, in := operatorModel(13, enginetest.Op("Transpose", ot.Ints("perm", perm...)),
			[]ot.Tensor{x}, 1)
		g := buildGraph(t, data)
		must.Equal(t, g != nil, true, perm)
		f := g.Nodes[0].Row.Fact(&g.Nodes[0].Node, inputFacts(g, in))
		if valid := slices.Equal(perm, []int64{1, 0}); f.Ranked != valid ||
			valid && !slices.Equal(f.Shape, []int{3, 2}) {
			t.Errorf("%v: %+v", perm, f)
		}
	}
}

// TestFactsOfUnfitInputs infers from shapes that no run would accept: facts come before any run,
// and a graph that fails then must not end the program.
func TestFactsOfUnfitInputs(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	eachCase(t, func(t *testing.T, name string, c operatorCase) {
		data, in := operatorModel(c.opset, enginetest.Op(name, c.attrs...), c.in, 1)
		g := buildGraph(t, data)
		if g == nil {
			return
		}
		for range 40 {
			facts := inputFacts(g, in)
			for i := range facts {
				f := &facts[i]
				if f.Value != nil && r.IntN(2) == 0 {
					continue
				}
				f.Value, f.Ranked, f.Shape = nil, r.IntN(4) > 0, nil
				for range r.IntN(4) {
					f.Shape = append(f.Shape, r.IntN(4)-1)
				}
			}
			n := &g.Nodes[0]
			if n.Row.Fact != nil {
				n.Row.Fact(&n.Node, facts)
			}
			if n.Row.NoOp != nil {
				n.Row.NoOp(&n.Node, facts)
			}
		}
	})
}

// countOf returns how often v is in a list.
func countOf(list []int, v int) (n int) {
	for _, d := range list {
		if d == v {
			n++
		}
	}
	return n
}

// inputFacts returns what passes know of a node's inputs when the graph's inputs have fixed shapes.
func inputFacts(g *graph.Graph, in []*tensor.Tensor) []ops.Fact {
	var facts []ops.Fact
	for _, id := range g.Nodes[0].In {
		f := ops.Fact{Omitted: id < 0}
		if id >= 0 && g.Values[id].Const != nil {
			c := g.Values[id].Const
			f = ops.Fact{Type: c.Type, Ranked: true, Shape: c.Shape, Value: c}
		}
		for i, p := range g.Inputs {
			if p.ID == id {
				f = ops.Fact{Type: in[i].Type, Ranked: true, Shape: in[i].Shape}
			}
		}
		facts = append(facts, f)
	}
	return facts
}

// withoutSizes returns facts of the same ranks, in which only constants have known sizes.
func withoutSizes(facts []ops.Fact) []ops.Fact {
	facts = slices.Clone(facts)
	for i := range facts {
		if f := &facts[i]; f.Value == nil {
			f.Shape = slices.Repeat([]int{ops.Unknown}, len(f.Shape))
		}
	}
	return facts
}

// withoutShapes returns facts that only say which inputs are omitted and which are constants.
func withoutShapes(facts []ops.Fact) []ops.Fact {
	facts = slices.Clone(facts)
	for i, f := range facts {
		if f.Value == nil {
			facts[i] = ops.Fact{Omitted: f.Omitted}
		}
	}
	return facts
}

// firstInput returns the value of the node's first input.
func firstInput(g *graph.Graph, in []*tensor.Tensor) *tensor.Tensor {
	id := g.Nodes[0].In[0]
	for i, p := range g.Inputs {
		if p.ID == id {
			return in[i]
		}
	}
	return g.Values[id].Const
}

// factHolds reports whether a fact is true of a tensor.
func factHolds(f ops.Fact, x *tensor.Tensor) bool {
	if f.Type != tensor.Undefined && f.Type != x.Type {
		return false
	}
	return !f.Ranked || slices.EqualFunc(f.Shape, x.Shape, func(size, real int) bool {
		return size == ops.Unknown || size == real
	})
}
