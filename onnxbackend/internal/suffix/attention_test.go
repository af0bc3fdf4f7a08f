package suffix_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// attend returns a layer of self-attention with a residual and a tanh, from "from" to "to".
func attend(from, to string) []ot.Node {
	at := func(name string) string { return name + to }
	return []ot.Node{
		ot.N("MatMul", []string{from, "W44"}, []string{at("query")}),
		ot.N("MatMul", []string{from, "V44"}, []string{at("key")}),
		ot.N("Tanh", []string{from}, []string{at("value")}),
		ot.N("Transpose", []string{at("key")}, []string{at("keys")}, ot.Ints("perm", 1, 0)),
		ot.N("MatMul", []string{at("query"), at("keys")}, []string{at("score")}),
		ot.N("Div", []string{at("score"), "two"}, []string{at("scaled")}),
		ot.N("Softmax", []string{at("scaled")}, []string{at("weight")}, ot.Int("axis", -1)),
		ot.N("MatMul", []string{at("weight"), at("value")}, []string{at("mixed")}),
		ot.N("Add", []string{from, at("mixed")}, []string{at("sum")}),
		ot.N("Tanh", []string{at("sum")}, []string{to}),
	}
}

// maskOfKeys returns nodes that compute a number of each instance, (1, k), behind places for tokens
// that the constant pads states, if it is not "".
func maskOfKeys(pads, to string) []ot.Node {
	nodes := []ot.Node{ot.N("ReduceMean", []string{"h"}, []string{to + "mean"}, ot.Ints("axes", 1)),
		ot.N("Transpose", []string{to + "mean"}, []string{to}, ot.Ints("perm", 1, 0))}
	if pads == "" {
		return nodes
	}
	// The mask has places for tokens, as the instances have.
	nodes[1].Out[0] = to + "bare"
	return append(nodes, ot.N("Pad", []string{to + "bare", pads}, []string{to}))
}

// attendMasked is attend with a value of each key that is added to the scores.
func attendMasked(from, to, mask string) []ot.Node {
	nodes := attend(from, to)
	at := slices.IndexFunc(nodes, func(n ot.Node) bool { return n.Op == "Softmax" })
	scaled := nodes[at].In[0]
	nodes[at].In[0] = scaled + "masked"
	return slices.Insert(nodes, at,
		ot.N("Add", []string{scaled, mask}, []string{scaled + "masked"}))
}

// attendHeads is attend with two heads, in which sizes come from the shape of the instances.
func attendHeads(from, to string) []ot.Node {
	at := func(name string) string { return name + to }
	var nodes []ot.Node
	nodes = append(nodes, ot.N("Shape", []string{from}, []string{at("shape")}),
		ot.N("Gather", []string{at("shape"), "axis0"}, []string{at("count")}),
		ot.N("Concat", []string{at("count"), "two64", "two64"}, []string{at("split")},
			ot.Int("axis", 0)))
	for _, x := range []string{"W44", "V44", "U44"} {
		nodes = append(nodes, ot.N("MatMul", []string{from, x}, []string{at("p" + x)}),
			ot.N("Reshape", []string{at("p" + x), at("split")}, []string{at("r" + x)}))
	}
	return append(nodes,
		ot.N("Transpose", []string{at("rW44")}, []string{at("q")}, ot.Ints("perm", 1, 0, 2)),
		ot.N("Transpose", []string{at("rV44")}, []string{at("k")}, ot.Ints("perm", 1, 2, 0)),
		ot.N("Transpose", []string{at("rU44")}, []string{at("v")}, ot.Ints("perm", 1, 0, 2)),
		ot.N("MatMul", []string{at("q"), at("k")}, []string{at("score")}),
		ot.N("Softmax", []string{at("score")}, []string{at("weight")}, ot.Int("axis", -1)),
		ot.N("MatMul", []string{at("weight"), at("v")}, []string{at("mixed")}),
		ot.N("Transpose", []string{at("mixed")}, []string{at("turned")}, ot.Ints("perm", 1, 0, 2)),
		ot.N("Reshape", []string{at("turned"), "back"}, []string{at("joined")}),
		ot.N("Add", []string{from, at("joined")}, []string{to}))
}

// distances returns nodes that compute the squared distance of each pair of places, (k, k).
func distances(from, to string) []ot.Node {
	at := func(name string) string { return name + to }
	return []ot.Node{
		ot.N("Unsqueeze", []string{from, "one"}, []string{at("of")}),
		ot.N("Unsqueeze", []string{from, "axis0"}, []string{at("beside")}),
		ot.N("Sub", []string{at("of"), at("beside")}, []string{at("apart")}),
		ot.N("Mul", []string{at("apart"), at("apart")}, []string{at("square")}),
		ot.N("ReduceMean", []string{at("square")}, []string{to}, ot.Ints("axes", 2),
			ot.Int("keepdims", 0)),
	}
}

// affinities returns a layer of a graph whose edges are the positive products of instances, each
// divided by the sum of an instance's edges.
func affinities(from, to string) []ot.Node {
	at := func(name string) string { return name + to }
	return []ot.Node{
		ot.N("MatMul", []string{from, "V44"}, []string{at("key")}),
		ot.N("Transpose", []string{at("key")}, []string{at("keys")}, ot.Ints("perm", 1, 0)),
		ot.N("MatMul", []string{from, at("keys")}, []string{at("score")}),
		ot.N("Sigmoid", []string{at("score")}, []string{at("edge")}),
		ot.N("ReduceL1", []string{at("edge")}, []string{at("degree")}, ot.Ints("axes", 1)),
		ot.N("Div", []string{at("edge"), at("degree")}, []string{at("weight")}),
		ot.N("MatMul", []string{at("weight"), from}, []string{to}),
	}
}

// attentionModel is memberModel with a class token.
func attentionModel(k, width int, nodes ...ot.Node) ot.Model {
	m := memberModel(k, width, nodes...)
	r := rand.New(rand.NewPCG(3, 4))
	normal := func(n int) []float32 {
		w := make([]float32, n)
		for i := range w {
			w[i] = float32(r.NormFloat64())
		}
		return w
	}
	m.Initializers = append(m.Initializers, ot.F("U44", normal(16), 4, 4),
		ot.F("token", normal(4), 1, 4), ot.F("tokens", normal(8), 2, 4),
		ot.F("placesFixed", normal(k*k), k, k), ot.I("last", []int64{-1}),
		ot.I("scalar1", []int64{1}), ot.I("three64", []int64{3}, 1),
		ot.I("pads1", []int64{0, 1, 0, 0}, 4), ot.I("pads2", []int64{0, 2, 0, 0}, 4),
		ot.I("padsBehind", []int64{0, 0, 0, 1}, 4))
	return m
}

// token returns the Concat of tokens and "h".
func token(tokens, to string) ot.Node {
	return ot.N("Concat", []string{tokens, "h"}, []string{to}, ot.Int("axis", 0))
}

// TestAttention checks transformers: that their coalitions run together, have the scores of the
// whole graph, and the same bits whatever coalitions are beside them.
func TestAttention(t *testing.T) {
	mean := ot.N("ReduceMean", []string{"x"}, []string{"p"}, ot.Ints("axes", 0))
	first := ot.N("Gather", []string{"x", "scalar0"}, []string{"p"}, ot.Int("axis", 0))
	both := ot.N("Slice", []string{"x", "axis0", "one", "axis0"}, []string{"p"})
	ahead := ot.N("Slice", []string{"x", "axis0", "one"}, []string{"p"})
	for name, nodes := range map[string][]ot.Node{
		"mean":             append(attend("h", "x"), mean),
		"mean, two layers": slices.Concat(attend("h", "y"), attend("y", "x"), []ot.Node{mean}),
		"mean, heads":      slices.Concat(attendHeads("h", "y"), attendHeads("y", "x"), []ot.Node{mean}),
		"token":            slices.Concat([]ot.Node{token("token", "t")}, attend("t", "x"), []ot.Node{first}),
		"token, two layers": slices.Concat([]ot.Node{token("token", "t")}, attend("t", "y"),
			attend("y", "x"), []ot.Node{both}),
		"token, slice without axes": slices.Concat([]ot.Node{token("token", "t")},
			attend("t", "y"), attend("y", "x"), []ot.Node{ahead}),
		"token, heads": slices.Concat([]ot.Node{token("token", "t")}, attendHeads("t", "y"),
			attendHeads("y", "x"), []ot.Node{first}),
		"two tokens": slices.Concat([]ot.Node{token("tokens", "t")}, attendHeads("t", "y"),
			attend("y", "x"), ot.Nodes(`p = Gather<axis=0>(x, scalar1)`)),
		"token, mean": slices.Concat([]ot.Node{token("token", "t")}, attend("t", "x"),
			[]ot.Node{mean}),
		"mask of keys, two layers": slices.Concat(maskOfKeys("", "mask"),
			attendMasked("h", "y", "mask"), attendMasked("y", "x", "mask"), []ot.Node{mean}),
		"token, mask of keys": slices.Concat([]ot.Node{token("token", "t")},
			maskOfKeys("pads1", "mask"), attendMasked("t", "y", "mask"),
			attendMasked("y", "x", "mask"), []ot.Node{first}),
		"mask of ones": slices.Concat(attend("h", "y"), []ot.Node{
			ot.N("Shape", []string{"y"}, []string{"sizes"}),
			ot.N("ConstantOfShape", []string{"sizes"}, []string{"zero"}),
			ot.N("Exp", []string{"zero"}, []string{"ones"}),
			ot.N("Mul", []string{"y", "ones"}, []string{"x"}), mean}),
		"weights without NaN": slices.Concat([]ot.Node{token("token", "t")}, ot.Nodes(`
			tt = Transpose<perm=[1, 0]>(t); score = MatMul(t, tt); w = Softmax<axis=1>(score)
			nan = IsNaN(w); safe = Where(nan, two, w); x = MatMul(safe, t)`), []ot.Node{first}),
		"distance of each pair": slices.Concat(distances("h", "far"),
			attendMasked("h", "y", "far"), attendMasked("y", "x", "far"), []ot.Node{mean}),
		"distance of each pair, token": slices.Concat([]ot.Node{token("token", "t")},
			distances("t", "far"), attendMasked("t", "y", "far"), distances("y", "farther"),
			attendMasked("y", "x", "farther"), []ot.Node{first}),
		"largest difference to another": {
			ot.N("Unsqueeze", []string{"h", "one"}, []string{"of"}),
			ot.N("Unsqueeze", []string{"h", "axis0"}, []string{"beside"}),
			ot.N("Sub", []string{"of", "beside"}, []string{"apart"}),
			ot.N("ReduceMax", []string{"apart"}, []string{"x"}, ot.Ints("axes", 1),
				ot.Int("keepdims", 0)), mean},
		"graph of affinities": slices.Concat(affinities("h", "y"), affinities("y", "x"),
			[]ot.Node{mean}),
		"nearest neighbours, token": slices.Concat([]ot.Node{token("tokens", "t")},
			distances("t", "far"), ot.Nodes(`, near = TopK(far, one); of = Gather<axis=0>(t, near)
				x = ReduceMean<axes=[1], keepdims=0>(of)`), []ot.Node{first}),
		"scores shaped by their own shape": slices.Concat([]ot.Node{
			ot.N("Transpose", []string{"h"}, []string{"keys"}, ot.Ints("perm", 1, 0)),
			ot.N("MatMul", []string{"h", "keys"}, []string{"score"}),
			ot.N("Shape", []string{"score"}, []string{"sizes"}),
			ot.N("Concat", []string{"one", "sizes"}, []string{"withHead"}, ot.Int("axis", 0)),
			ot.N("Reshape", []string{"score", "withHead"}, []string{"split"}),
			ot.N("Softmax", []string{"split"}, []string{"w"}, ot.Int("axis", 2)),
			ot.N("Reshape", []string{"w", "sizes"}, []string{"weights"}),
			ot.N("MatMul", []string{"weights", "h"}, []string{"x"}), mean}),
		"softmax over queries": {
			ot.N("Transpose", []string{"h"}, []string{"keys"}, ot.Ints("perm", 1, 0)),
			ot.N("MatMul", []string{"h", "keys"}, []string{"score"}),
			ot.N("Softmax", []string{"score"}, []string{"w"}, ot.Int("axis", 0)),
			ot.N("MatMul", []string{"w", "h"}, []string{"x"}), mean},
		"mean of all pairs": append(distances("h", "far"),
			ot.Nodes(`x = ReduceMean<axes=[0, 1]>(far); r = Tanh(x); v = Add(h, r)
				p = ReduceMean<axes=[0]>(v)`)...),
		"mean tiled for each": slices.Concat(ot.Nodes(`u = ReduceMean<axes=[0]>(h)
			sizes = Shape(h); count = Gather(sizes, axis0); times = Concat<axis=0>(count, one)
			us = Tile(u, times); c = Concat<axis=1>(h, us); x = MatMul(c, W84)`), []ot.Node{mean}),
	} {
		t.Run(name, func(t *testing.T) {
			for _, k := range []int{1, 2, 3, 70} {
				bag, model := enginetest.SmallBag(k, 3), attentionModel(k, 4, nodes...).Bytes()
				b := enginetest.OpenAndBind(t, model, onnxbackend.Options{}, bag)
				if b.Strategy() != onnxbackend.StrategyMembers && k > 1 {
					t.Errorf("k=%d: strategy %s (%s; %q)", k, b.Strategy(),
						enginetest.EvaluatorOf(b).WhyNot, b.Notes())
				}
				enginetest.CheckStrategyEqualsPlain(t, b, model, bag)
				sameAlone(t, b)
			}
		})
	}
}

// TestAttentionOperator checks transformers with the operator Attention.
func TestAttentionOperator(t *testing.T) {
	heads := []ot.Attribute{ot.Int("q_num_heads", 2), ot.Int("kv_num_heads", 2)}
	for name, more := range map[string][]ot.Attribute{
		"all keys": heads, "earlier keys": append(heads, ot.Int("is_causal", 1)),
	} {
		t.Run(name, func(t *testing.T) {
			nodes := []ot.Node{token("token", "t"),
				ot.N("Unsqueeze", []string{"t", "axis0"}, []string{"t0"})}
			for i := range 2 {
				from, to := fmt.Sprint("t", i), fmt.Sprint("t", i+1)
				nodes = append(nodes, ot.N("MatMul", []string{from, "W44"}, []string{"q" + to}),
					ot.N("MatMul", []string{from, "V44"}, []string{"k" + to}),
					ot.N("Attention", []string{"q" + to, "k" + to, from}, []string{"y" + to},
						more...),
					ot.N("Add", []string{from, "y" + to}, []string{to}))
			}
			nodes = append(nodes,
				ot.N("Gather", []string{"t2", "scalar0"}, []string{"p"}, ot.Int("axis", 1)))
			for _, k := range []int{2, 70} {
				m := attentionModel(k, 4, nodes...)
				m.Opset = 23
				bag, model := enginetest.SmallBag(k, 3), m.Bytes()
				b := enginetest.OpenAndBind(t, model, onnxbackend.Options{}, bag)
				if b.Strategy() != onnxbackend.StrategyMembers {
					t.Errorf("k=%d: strategy %s (%s; %q)", k, b.Strategy(),
						enginetest.EvaluatorOf(b).WhyNot, b.Notes())
				}
				enginetest.CheckStrategyEqualsPlain(t, b, model, bag)
				sameAlone(t, b)
			}
		})
	}
}

// sameAlone fails if a coalition has other bits alone than beside others.
func sameAlone(t *testing.T, b *onnxbackend.Bound) {
	t.Helper()
	z := enginetest.RandomCoalitions(b.Task().Instances, 40)
	classes := b.Task().Classes
	all, one := make([]float64, z.Len()*classes), make([]float64, classes)
	must.Do(t, b.Evaluate(context.Background(), all, z))
	for j := range z.Len() {
		must.Do(t, b.Evaluate(context.Background(), one, z.Slice(j, j+1)))
		if !slices.Equal(one, all[j*classes:(j+1)*classes]) {
			t.Fatalf("coalition %s: %v alone, %v beside others", z.String(j), one,
				all[j*classes:(j+1)*classes])
		}
	}
}

// attentionNodes returns a random transformer, from "h" to "p". Some fool an analysis: scores that
// a softmax divides along the wrong axis, biases of each pair of places, masks with other places
// than the instances, tokens behind the instances or of instances themselves, places counted from
// the end.
func attentionNodes(r *rand.Rand) (nodes []ot.Node) {
	x, names := "h", 0
	add := func(op string, in []string, attributes ...ot.Attribute) string {
		names++
		out := fmt.Sprintf("n%d", names)
		nodes = append(nodes, ot.N(op, in, []string{out}, attributes...))
		return out
	}
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	join := func() {
		switch r.IntN(6) {
		case 0:
			x = add("Concat", []string{x, "token"}, ot.Int("axis", 0))
		case 1:
			own := add("Slice", []string{"h", "axis0", "one", "axis0"})
			x = add("Concat", []string{own, x}, ot.Int("axis", 0))
		case 2:
			x = add("Concat", []string{"token", "tokens", x}, ot.Int("axis", 0))
		default:
			x = add("Concat", []string{pick("token", "tokens"), x}, ot.Int("axis", 0))
		}
	}
	if r.IntN(3) > 0 {
		join()
	}
	mask := pick("two", "two", "pads1", "pads2", "padsBehind", "")
	if mask != "two" {
		nodes, mask = append(nodes, maskOfKeys(mask, "mask")...), "mask"
	}
	for range 1 + r.IntN(3) {
		sources := slices.Repeat([]string{x, add("MatMul", []string{x, "W44"})}, 7)
		sources = append(sources, "h")
		query, key, value := pick(sources...), pick(sources...), pick(sources...)
		keys := add("Transpose", []string{key}, ot.Ints("perm", 1, 0))
		w := add("MatMul", []string{query, keys})
		for range r.IntN(3) {
			switch r.IntN(11) {
			case 0:
				w = add("Add",
					[]string{w, pick("two", mask, mask, "placesFixed", "column", "line")})
			case 1:
				w = add("Add", []string{w, w})
			case 2:
				nodes = append(nodes, distances(x, w+"far")...)
				w = add("Add", []string{w, w + "far"})
			case 3:
				w = add("Transpose", []string{w}, ot.Ints("perm", 1, 0))
			case 4:
				sum := add("ReduceL1", []string{w}, ot.Ints("axes", int64(r.IntN(2))))
				w = add("Div", []string{w, add("Add", []string{sum, "two"})})
			default:
				w = add(pick("Tanh", "Sigmoid", "Relu"), []string{w})
			}
		}
		axis := int64(1)
		if r.IntN(6) == 0 {
			axis = 0
		}
		weights := w
		if r.IntN(6) > 0 {
			weights = add("Softmax", []string{w}, ot.Int("axis", axis))
		}
		if r.IntN(5) == 0 {
			weights = add("Mul", []string{weights, pick(w, weights, "two")})
		}
		mixed := add("MatMul", []string{weights, value})
		if r.IntN(2) == 0 {
			mixed = add("Tanh", []string{mixed})
		}
		x = add("Add", []string{mixed, pick(x, x, x, x, x, "line", "line", "h")})
		if r.IntN(8) == 0 {
			join()
		}
		if r.IntN(8) == 0 {
			x = add("Slice", []string{x, "axis0", "three64", "axis0"})
		}
	}
	switch r.IntN(4) {
	case 0:
		return append(nodes, ot.N("ReduceMean", []string{x}, []string{"p"}, ot.Ints("axes", 0)))
	case 1:
		return append(nodes, ot.N("Slice", []string{x, "axis0", "one", "axis0"}, []string{"p"}))
	}
	return append(nodes, ot.N("Gather",
		[]string{x, pick("scalar0", "scalar0", "scalar0", "scalar1", "last")}, []string{"p"},
		ot.Int("axis", 0)))
}

// checkAttentionNodes compares a random transformer with its whole graph, and returns its strategy,
// or "" if it runs on no bag.
func checkAttentionNodes(t *testing.T, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 78))
	nodes := attentionNodes(r)
	k := []int{2, 3, 4, 9}[r.IntN(4)]
	bag, model := enginetest.SmallBag(k, 3), attentionModel(k, 4, nodes...).Bytes()
	// To explain why a model does not run on the bag, the engine runs it on bags of other sizes.
	// With this limit, that does not take most of the time.
	limits := onnxbackend.Limits{Elements: 1 << 12} // a block of members needs half of it
	m, err := onnxbackend.Open(model, onnxbackend.Options{Limits: limits})
	if err != nil {
		return ""
	}
	ev, err := m.Bind(context.Background(), bag)
	if err != nil {
		return ""
	}
	b := ev.(*onnxbackend.Bound)
	enginetest.CheckStrategyEqualsPlain(t, b, model, bag)
	return b.Strategy()
}

// TestRandomAttention compares random transformers with their whole graph. Most must run together,
// so that the comparison says something.
func TestRandomAttention(t *testing.T) {
	strategies := map[string]int{}
	const models = 120
	for seed := range uint64(models) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { strategies[checkAttentionNodes(t, seed)]++ })
	}
	if strategies[onnxbackend.StrategyMembers] < models/5 || strategies[""] > models/2 {
		t.Errorf("strategies %v, want members for a fifth of %d models", strategies, models)
	}
}

// FuzzAttention is TestRandomAttention for any seed.
func FuzzAttention(f *testing.F) {
	f.Fuzz(func(t *testing.T, seed uint64) { checkAttentionNodes(t, seed) })
}
