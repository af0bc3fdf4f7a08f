package suffix_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/masked"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// poolModel encodes instances of three features, pools them by the nodes given, from "h" (k, 4) and
// "a" (k, 2) to "p", and reads two classes from a row of width numbers.
func poolModel(opset int, width int, nodes ...ot.Node) ot.Model {
	weights := func(n int) []float32 {
		return enginetest.Normal(rand.New(rand.NewPCG(uint64(n), 8)), n)
	}
	m := ot.Model{
		Opset: opset,
		Initializers: []ot.Tensor{
			ot.F("W", weights(12), 3, 4), ot.F("V", weights(8), 4, 2), ot.F("head",
				weights(2*width), width, 2), ot.F("bias", weights(2), 2),
			ot.F("1.", []float32{1}), ot.F("two", []float32{2}, 1),
			ot.I("flat", []int64{-1}, 1), ot.I("axis0", []int64{0},
				1), ot.I("axis1", []int64{1}, 1), ot.I("one", []int64{1}, 1),
			ot.I("three", []int64{3}, 1), ot.I("eight", []int64{8}, 1),
			ot.I("scalar0", []int64{0}), ot.I("two64", []int64{2}, 1), ot.I("heads",
				[]int64{-1, 2, 2}, 3),
			ot.F("C", weights(8), 2, 4, 1), ot.F("C3", weights(24), 2, 4, 3),
			ot.F("zeros", make([]float32, 8), 2, 4), ot.F("small", []float32{1e-6}, 1),
			ot.F("two22", []float32{1, 2, 3, 4}, 2, 2),
		},
		Inputs:  []ot.Value{ot.In("bag", "k", 3)},
		Outputs: []ot.Value{ot.In("logits", 2)},
	}
	m.Nodes = append(m.Nodes, ot.Nodes(`g = MatMul(bag, W); h = Tanh(g); a = MatMul(h, V)`)...)
	m.Nodes = append(m.Nodes, nodes...)
	m.Nodes = append(m.Nodes, ot.Nodes(`row = Reshape(p, flat); m = MatMul(row, head)
		b = Add(m, bias); s = Sigmoid(b); logits = Mul(s, b)`)...)
	return m
}

// reduce pools h over the instances.
func reduce(op string, keep int64) []ot.Node {
	return []ot.Node{ot.N(op, []string{"h"}, []string{"p"}, ot.Ints("axes", 0),
		ot.Int("keepdims", keep))}
}

// counted returns nodes that sum h over the instances, "u" (1, 4), and count them, "nf", and then
// other nodes.
func counted(nodes ...ot.Node) []ot.Node {
	return append(ot.Nodes(`u = ReduceSum(h, axis0); hs = Shape(h); n = Gather(hs, scalar0)
		nf = Cast<to=1>(n)`), nodes...)
}

// ones returns nodes that sum h over the instances, "u", and a one for each of them, "n" (1, 1).
func ones() []ot.Node {
	return []ot.Node{
		enginetest.Binary("ReduceSum", "h", "axis0", "u"),
		ot.N("ReduceSum", []string{"h", "axis1"}, []string{"h1"}, ot.Int("keepdims", 1)),
		enginetest.Unary("Shape", "h1", "sides"),
		ot.N("ConstantOfShape", []string{"sides"}, []string{"ones"},
			ot.Dense("value", ot.F("", []float32{1}, 1))),
		enginetest.Binary("ReduceSum", "ones", "axis0", "n"),
	}
}

// TestMaskedStrategies checks the strategy of each kind of pooling, and compares its scores with
// those of the whole graph.
func TestMaskedStrategies(t *testing.T) {
	transposed := ot.Nodes(`at = Transpose<perm=[1, 0]>(a); w = Softmax<axis=1>(at)`)
	weighted := ot.Nodes(`a1 = ReduceSum<keepdims=1>(a, axis1); w = Softmax<axis=0>(a1)`)
	for _, c := range []struct {
		name, strategy string
		opset, width   int
		nodes          []ot.Node
	}{
		{"mean", "mean", 12, 4, reduce("ReduceMean", 0)},
		{"mean, dimension kept", "mean", 12, 4, reduce("ReduceMean", 1)},
		{"sum", "sum", 12, 4, reduce("ReduceSum", 0)},
		{"L1", "sum", 12, 4, reduce("ReduceL1", 0)},
		{"L2", "sum", 12, 4, reduce("ReduceL2", 1)},
		{"sum of squares", "sum", 12, 4, reduce("ReduceSumSquare", 0)},
		{"log-sum-exp", "logsumexp", 12, 4, reduce("ReduceLogSumExp", 0)},
		{"max", "max", 12, 4, reduce("ReduceMax", 0)},
		{"min", "min", 12, 4, reduce("ReduceMin", 1)},
		{"product of signed numbers", onnxbackend.StrategyGathered, 12, 4, reduce("ReduceProd", 0)},
		{"product of probabilities", "product", 12, 4,
			append([]ot.Node{ot.N("Sigmoid", []string{"h"}, []string{"s0"})},
				ot.N("ReduceProd", []string{"s0"}, []string{"p"}, ot.Ints("axes", 0)))},
		{"product with zeros", "product", 12, 4,
			append([]ot.Node{ot.N("Relu", []string{"h"}, []string{"s0"})},
				ot.N("ReduceProd", []string{"s0"}, []string{"p"}, ot.Ints("axes", 0)))},
		{"sum divided by the number of instances", "mean", 13, 4, ot.Nodes(`u = ReduceSum(h, axis0)
			hs = Shape(h); n = Gather(hs, scalar0); nf = Cast<to=1>(n); p = Div(u, nf)`)},
		{"sum times the reciprocal of the number of instances", "mean", 13, 4, counted(
			enginetest.Unary("Reciprocal", "nf", "r"), enginetest.Binary("Mul", "u", "r", "p"))},
		{"one divided by the number of instances, times the sum", "mean", 13, 4, counted(
			enginetest.Binary("Div", "1.", "nf", "r"), enginetest.Binary("Unsqueeze", "r", "axis0",
				"r1"), enginetest.Binary("Mul", "r1", "u", "p"))},
		{"two divided by the number of instances, times the sum", "sum", 13, 4, counted(
			enginetest.Binary("Div", "two", "nf", "r"), enginetest.Binary("Mul", "u", "r", "p"))},
		{"reciprocal that is read again", "mean", 13, 4, counted(
			enginetest.Unary("Reciprocal", "nf", "r"), enginetest.Binary("Mul", "u", "r", "mean"),
			enginetest.Binary("Add", "mean", "r", "p"))},
		{"sum divided by a sum of ones", "mean", 13, 4, append(ones(), enginetest.Binary("Div",
			"u", "n", "p"))},
		{"sum times the reciprocal of a sum of ones", "mean", 13, 4, append(ones(),
			enginetest.Unary("Reciprocal", "n", "r"), enginetest.Binary("Mul", "r", "u", "p"))},
		{"sum divided by a sum of numbers", "sum", 13, 4, ot.Nodes(`u = ReduceSum(h, axis0)
			a1 = ReduceSum<keepdims=1>(a, axis1); some = Sigmoid(a1); n = ReduceSum(some, axis0)
			p = Div(u, n)`)},
		{"sum divided by the number of instances, and read again", "sum", 13, 4, ot.Nodes(`
			u = ReduceSum(h, axis0); hs = Shape(h); n = Gather(hs, scalar0); nf = Cast<to=1>(n)
			average = Div(u, nf); p = Add(average, u)`)},
		{"sum divided by the number of masks", "mean", 13, 4, ot.Nodes(`u = ReduceSum(h, axis0)
			mask = ReduceSum<keepdims=1>(h, axis1); n = Size(mask); nf = Cast<to=1>(n)
			nf1 = Unsqueeze(nf, axis0); nf2 = Unsqueeze(nf1, axis0); p = Div(u, nf2)`)},
		{"sum divided by the number of values", "sum", 13, 4, ot.Nodes(`u = ReduceSum(h, axis0)
			n = Size(h); nf = Cast<to=1>(n); p = Div(u, nf)`)},
		{"number of instances, cast before it is picked", "sum", 15, 4, ot.Nodes(`
			u = ReduceSum(h, axis0); hs = Shape<start=-2, end=1>(h); i32 = Cast<to=6>(hs)
			nf = Cast<to=1>(i32); l = Log(nf); p = Sub(u, l)`)},
		{"pool of all places", "max+mean", 13, 8, ot.Nodes(`ht = Transpose(h)
			x = Unsqueeze(ht, axis0); u = GlobalAveragePool(x); v = GlobalMaxPool(x)
			p = Concat<axis=1>(u, v)`)},
		{"pool of an instance's places", "mean", 13, 1, ot.Nodes(`x = Unsqueeze(h, axis0)
			u = GlobalAveragePool(x); p = ReduceMean<axes=[1]>(u)`)},
		{"layer by a convolution over the instances", "max", 13, 2, ot.Nodes(`ht = Transpose(h)
			x = Unsqueeze(ht, axis0); c = Conv(x, C); r0 = Relu(c); p = GlobalMaxPool(r0)`)},
		{"convolution that sees its neighbours", onnxbackend.StrategyGathered, 13, 2, ot.Nodes(`
			ht = Transpose(h); x = Unsqueeze(ht, axis0); c = Conv<pads=[1, 1]>(x, C3)
			p = GlobalMaxPool(c)`)},
		{"attention by einsum", "attention", 13, 8, ot.Nodes(`w = Softmax<axis=0>(a)
			p = Einsum<equation="kh,kd->dh">(w, h)`)},
		{"heads summed by einsum", onnxbackend.StrategyGathered, 13, 4, ot.Nodes(`
			w = Softmax<axis=0>(a); p = Einsum<equation="kh,kd->d">(w, h)`)},
		// The instances become (2, k, 2), and their attention (2, 1, k).
		{"heads in front", "attention", 13, 4, ot.Nodes(`h3 = Reshape(h, heads)
			v = Transpose<perm=[1, 0, 2]>(h3); at = Transpose(a); s3 = Unsqueeze(at, axis1)
			w = Softmax<axis=-1>(s3); p = MatMul(w, v)`)},
		{"softmax in steps", "attention", 13, 8, ot.Nodes(`e = Exp(a); z = ReduceSum(e, axis0)
			w = Div(e, z); wt = Transpose(w); p = MatMul(wt, h)`)},
		{"divided by a sum that is read elsewhere too", "attention+sum", 13, 10, ot.Nodes(`
			e = Exp(a); z = ReduceSum(e, axis0); w = Div(e, z); wt = Transpose(w)
			q = MatMul(wt, h); q1 = Reshape(q, flat); z1 = Reshape(z, flat)
			p = Concat<axis=0>(q1, z1)`)},
		{"weights shaped by their own shape", "attention", 13, 8, ot.Nodes(`w = Softmax<axis=0>(a)
			ws = Shape(w); n = Gather(ws, axis0); c = Gather(ws, one)
			to = Concat<axis=0>(n, one, c); w3 = Reshape(w, to); h3 = Unsqueeze(h, two64)
			q = Mul(w3, h3); p = ReduceSum(q, axis0)`)},
		{"ones for every instance", "sum", 13, 4, ot.Nodes(`hs = Shape(h); n = Gather(hs, axis0)
			to = Concat<axis=0>(one, n); twos = Expand(two, to); p = MatMul(twos, h)`)},
		{"attention, weights times values", "attention", 13, 8,
			append(slices.Clone(transposed), ot.N("MatMul", []string{"w", "h"}, []string{"p"}))},
		{"attention, values times weights", "attention", 13, 8, ot.Nodes(`w = Softmax<axis=0>(a)
			ht = Transpose(h); p = MatMul(ht, w)`)},
		{"attention by Gemm", "attention", 13, 8, append(slices.Clone(transposed),
			ot.N("Gemm", []string{"w", "h", "zeros"}, []string{"p"}, ot.Float("alpha", .5)))},
		{"attention by Gemm, transposed", "attention", 13, 8, ot.Nodes(`w = Softmax<axis=0>(a)
			p = Gemm<transA=1, beta=3.0>(w, h, zeros)`)},
		{"attention by product and sum", "attention", 13, 4, append(slices.Clone(weighted),
			ot.Nodes(`q = Mul(w, h); p = ReduceSum<keepdims=0>(q, axis0)`)...)},
		{"attention by product and mean, divided", "attention", 13, 4,
			append(slices.Clone(weighted),
				ot.Nodes(`q = Mul(h, w); r = Div(q, two); p = ReduceMean<axes=[0]>(r)`)...)},
		{"attention of a vector", "attention", 13, 4, append(slices.Clone(weighted),
			ot.Nodes(`v = Squeeze(w, axis1); p = MatMul(v, h)`)...)},
		{"one of two attentions", "attention", 13, 4, append(slices.Clone(transposed),
			ot.Nodes(`u = Slice(w, axis0, one, axis0); p = MatMul(u, h)`)...)},
		{"attention before version 13", "attention", 12, 8,
			append(slices.Clone(transposed), ot.N("MatMul", []string{"w", "h"}, []string{"p"}))},
		{"softmax in steps, shifted by the largest", "attention", 13, 8, ot.Nodes(`
			top = ReduceMax<axes=[0]>(a); d = Sub(a, top); e = Exp(d); z = ReduceSum(e, axis0)
			w = Div(e, z); wt = Transpose(w); p = MatMul(wt, h)`)},
		{"softmax in steps, with an epsilon, by einsum", "attention", 13, 8, ot.Nodes(`
			a0 = Slice(a, axis0, one, axis1); top = ReduceMax<keepdims=0>(a0); d = Sub(a, top)
			e = Exp(d); z = ReduceSum<keepdims=0>(e, axis0); y = Add(z, small); w = Div(e, y)
			p = Einsum<equation="kd,kh->dh">(h, w)`)},
		{"exponential less what is no maximum", "attention", 13, 4, ot.Nodes(`
			u = ReduceMean<axes=[0]>(h); d = Sub(h, u); e = Exp(d)
			p = ReduceMean<axes=[0], keepdims=0>(e)`)},
		{"sum divided by a sum and an epsilon", "sum", 13, 4, ot.Nodes(`g0 = Sigmoid(h)
			gh = Mul(g0, h); s0 = ReduceSum(gh, axis0); s1 = ReduceSum(g0, axis0)
			s2 = Add(s1, small); p = Div(s0, s2)`)},
		{"weights divided by their norm, repeated for each", "attention", 13, 4,
			append(slices.Clone(weighted[:1]),
				ot.Nodes(`r0 = Relu(a1); n0 = ReduceL1<axes=[0]>(r0); n1 = Max(n0, small)
					rs = Shape(r0); n2 = Expand(n1, rs); w = Div(r0, n2); q = Mul(w, h)
					p = ReduceSum(q, axis0)`)...)},
		{"softmax, weighted and divided again", "attention", 13, 4, append(slices.Clone(weighted),
			ot.Nodes(`g0 = Sigmoid(a1); v = Mul(w, g0); s0 = ReduceSum(v, axis0)
				s1 = Add(s0, small); u = Div(v, s1); ut = Transpose(u); p = MatMul(ut, h)`)...)},
		{"instances scaled by a mean, twice", "attention", 13, 4, ot.Nodes(`
			u = ReduceMean<axes=[0]>(h); q = Mul(u, h); a0 = Slice(a, axis0, one, axis1)
			v = ReduceMax<keepdims=0>(a0); r0 = Div(q, v); p = ReduceSum<keepdims=0>(r0, axis0)`)},
		{"heads scaled in another order than they are summed", onnxbackend.StrategyMembers, 13, 8,
			ot.Nodes(`h3 = Reshape(h, heads); u = ReduceMean<axes=[0]>(h3); q = Mul(h3, u)
				qt = Transpose<perm=[0, 2, 1]>(q); r0 = MatMul(two22, qt); v = ReduceSum(r0, axis0)
				p = Concat<axis=0>(v, v)`)},
		{"maximum of scaled instances", onnxbackend.StrategyMembers, 13, 4, ot.Nodes(`
			u = ReduceMean<axes=[0]>(h); q = Mul(h, u); p = ReduceMax<axes=[0]>(q)`)},
		{"sum by einsum", "sum", 13, 4, ot.Nodes(`p = Einsum<equation="kd->d">(h)`)},
		{"sum and turn by einsum", onnxbackend.StrategyGathered, 13, 4, ot.Nodes(`
			h3 = Reshape(h, heads); p = Einsum<equation="kab->ba">(h3)`)},
		{"sum by a product with ones", "sum", 13, 4, []ot.Node{
			ot.N("Shape", []string{"h"}, []string{"hs"}), ot.N("Gather", []string{"hs", "axis0"},
				[]string{"n"}), ot.N("ConstantOfShape", []string{"n"}, []string{"ones"},
				ot.Dense("value", ot.F("", []float32{1}, 1))),
			ot.N("MatMul", []string{"ones", "h"}, []string{"p"})}},
		{"gated sum", "sum", 13, 8, ot.Nodes(`w = Sigmoid(a); wt = Transpose(w)
			p = MatMul(wt, h)`)},
		{"top three", "topk", 13, 12, ot.Nodes(`p,  = TopK<axis=0>(h, three)`)},
		{"eight largest of all", "topk", 13, 32,
			[]ot.Node{ot.N("TopK", []string{"h", "eight"}, []string{"p", ""}, ot.Int("axis", 0))}},
		{"least one", "topk", 13, 4, ot.Nodes(`p,  = TopK<axis=0, largest=0>(h, one)`)},
		{"mean and max", "max+mean", 12, 8, ot.Nodes(`u = ReduceMean<axes=[0]>(h)
			v = ReduceMax<axes=[0]>(h); p = Concat<axis=1>(u, v)`)},
		{"softmax over features", "mean", 13, 4, ot.Nodes(`w = Softmax<axis=1>(h)
			p = ReduceMean<axes=[0]>(w)`)},
		{"second layer after attention", onnxbackend.StrategyMembers, 13, 4,
			append(slices.Clone(weighted),
				ot.Nodes(`q = Mul(w, h); r = Tanh(q); p = ReduceMean<axes=[0]>(r)`)...)},
		{"distance from the mean", onnxbackend.StrategyMembers, 12, 4, ot.Nodes(`
			u = ReduceMean<axes=[0]>(h); d = Sub(h, u); p = ReduceMax<axes=[0]>(d)`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, k := range []int{1, 3, 4, 70} {
				if c.width > 8 && k < c.width/4 {
					continue // more are taken than there are
				}
				bag, model := enginetest.SmallBag(k, 3), poolModel(c.opset, c.width,
					c.nodes...).Bytes()
				b := enginetest.OpenAndBind(t, model, onnxbackend.Options{}, bag)
				if b.Strategy() != c.strategy && k > 3 {
					t.Errorf("k=%d: strategy %s, want %s (%s; %q)", k, b.Strategy(), c.strategy,
						enginetest.EvaluatorOf(b).WhyNot, b.Notes())
				}
				enginetest.CheckStrategyEqualsPlain(t, b, model, bag)
				sameWithDevice(t, b, model, bag)
				if k == 70 && c.width < 12 {
					instancesEqualMasks(t, b)
					neighboursEqualPlain(t, b)
				}
			}
			double, ok := doubled(poolModel(c.opset, c.width, c.nodes...))
			if bag := enginetest.SmallBag(40, 3); ok {
				b := enginetest.OpenAndBind(t, double.Bytes(), onnxbackend.Options{}, bag)
				must.Equal(t, b.Strategy(), c.strategy)
				enginetest.CheckStrategyEqualsPlain(t, b, double.Bytes(), bag)
			}
		})
	}
}

// doubled returns a model with float64 in place of float32, and whether no node names the type
// itself.
func doubled(m ot.Model) (ot.Model, bool) {
	for i, w := range m.Initializers {
		if w.Type == ot.Float32 {
			d := ot.Tensor{Name: w.Name, Type: ot.Float64, Dims: w.Dims}
			for _, v := range w.Floats {
				d.Doubles = append(d.Doubles, float64(v))
			}
			m.Initializers[i] = d
		}
	}
	m.Inputs[0].Type, m.Outputs[0].Type = ot.Float64, ot.Float64
	return m, !slices.ContainsFunc(m.Nodes, func(n ot.Node) bool {
		return n.Op == "Cast" || n.Op == "ConstantOfShape"
	})
}

// TestMaskedUnderflow scores coalitions whose weights vanish beside the largest of the bag: each
// must be computed alone.
func TestMaskedUnderflow(t *testing.T) {
	nodes := map[string][]ot.Node{
		"attention": ot.Nodes(`x = Mul(bag, W1); xt = Transpose(x); w = Softmax<axis=1>(xt)
			logits = MatMul(w, bag)`),
		"attention in steps": ot.Nodes(`x = Mul(bag, W1); top = ReduceMax<axes=[0]>(x)
			d = Sub(x, top); e = Exp(d); z = ReduceSum(e, axis0); w = Div(e, z); wb = Mul(w, bag)
			logits = ReduceSum(wb, axis0)`),
		"logsumexp": ot.Nodes(`x = Mul(bag, W1); logits = ReduceLogSumExp<axes=[0]>(x)`),
	}
	for name, n := range nodes {
		strategy, _, _ := strings.Cut(name, " ")
		m := ot.Model{
			Opset: 13, Initializers: []ot.Tensor{ot.F("W1", []float32{1, 1}, 1, 2),
				ot.I("axis0", []int64{0}, 1)}, Nodes: n,
			Inputs: []ot.Value{ot.In("bag", "k", 2)}, Outputs: []ot.Value{ot.In("logits", 1, 2)},
		}
		if name == "attention" {
			m.Outputs = []ot.Value{ot.In("logits", 2, 2)}
			m.Nodes[3].Out = []string{"both"}
			m.Nodes = append(m.Nodes, ot.Nodes(`logits = ReduceMean<axes=[0]>(both)`)...)
			m.Outputs = []ot.Value{ot.In("logits", 1, 2)}
		}
		bag := &core.Bag{Shape: []int{2}, Values: []float32{500, 300, 1, 2, 3, 1, -400, -80}}
		b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{}, bag)
		must.Equal(t, b.Strategy(), strategy)
		enginetest.CheckStrategyEqualsPlain(t, b, m.Bytes(), bag)
		z := core.NewCoalitions(4, 1)
		z.AppendMembers(1, 2)
		doubt, err := masked.NewRunner(enginetest.EvaluatorOf(b).Pooled.Plan(),
			enginetest.EvaluatorOf(b).Limits).Run(context.Background(), make([]float64, 2),
			masked.Set{Z: z})
		must.Do(t, err, name)
		must.Equal(t, doubt[0], true, name)
	}
}

// TestMoreScoresThanDeclared binds a model that declares one score and makes two: the error says so
// before anything is explained.
func TestMoreScoresThanDeclared(t *testing.T) {
	m := ot.Model{
		Opset:   13,
		Inputs:  []ot.Value{ot.In("bag", "k", 2)},
		Outputs: []ot.Value{ot.In("scores", 1)},
		Nodes:   ot.Nodes(`scores = ReduceMean<axes=[0], keepdims=0>(bag)`),
	}
	o := enginetest.Open(t, m.Bytes(), onnxbackend.Options{})
	_, err := o.Bind(context.Background(), enginetest.SmallBag(3, 2))
	var gap *onnxbackend.UnsupportedError
	must.As(t, err, &gap, "declares 1 scores, and for a bag of 3 instances")
	must.As(t, must.Err(o.Predict(context.Background(), enginetest.SmallBag(3, 2))), &gap)
}

// TestWideRows checks that the rows of a batch count as memory of a run: if it holds too few,
// coalitions run one by one.
func TestWideRows(t *testing.T) {
	const width = 1 << 14
	m := enginetest.AttentionModel()
	m.Initializers[3] = ot.F("o", make([]float32, 3*width), 3, width)
	m.Outputs[0].Dims = []any{width}
	m.Metadata = nil
	for _, c := range []struct {
		bytes, batch int
		strategy     string
	}{
		{1 << 30, 1024, "attention"},
		{1 << 25, 255, "attention"}, // rows of 64 kB and the few values before them
		{1 << 20, 1, onnxbackend.StrategyGathered},
	} {
		b := enginetest.OpenAndBind(t, m.Bytes(),
			onnxbackend.Options{Limits: onnxbackend.Limits{RunBytes: c.bytes}},
			enginetest.SmallBag(5, 2))
		must.Equal(t, b.Strategy(), c.strategy, c.bytes)
		must.Equal(t, b.Batch(), c.batch, c.bytes)
		z := core.NewCoalitions(5, b.Batch()+1)
		for i := range b.Batch() {
			z.AppendMembers(i % 5)
		}
		must.Do(t, b.Evaluate(context.Background(), make([]float64, z.Len()*width), z), c.bytes)
	}
}

// TestRunBytes passes more coalitions to one run than its memory holds: the error names the limit.
func TestRunBytes(t *testing.T) {
	const width, limit = 1 << 14, 1 << 25
	m := enginetest.AttentionModel()
	m.Initializers[3] = ot.F("o", make([]float32, 3*width), 3, width)
	m.Outputs[0].Dims = []any{width}
	m.Metadata = nil
	b := enginetest.OpenAndBind(t, m.Bytes(),
		onnxbackend.Options{Limits: onnxbackend.Limits{RunBytes: limit}}, enginetest.SmallBag(5, 2))
	z := enginetest.RandomCoalitions(5, 2*b.Batch())
	err := b.Evaluate(t.Context(), make([]float64, z.Len()*width), z)
	var e *fault.Limit
	if !errors.As(err, &e) || e.Setting != "runBytes" || e.Limit != limit || e.Wanted <= limit {
		t.Errorf("%d coalitions: error %v", z.Len(), err)
	}
}

// BenchmarkMeans evaluates 1000 coalitions under means that a graph computes in several ways.
func BenchmarkMeans(b *testing.B) {
	for name, nodes := range map[string][]ot.Node{
		"reduced": reduce("ReduceMean", 1),
		"divided": counted(enginetest.Binary("Div", "u", "nf", "p")),
		"times reciprocal": counted(enginetest.Unary("Reciprocal", "nf", "r"),
			enginetest.Binary("Mul", "u", "r", "p")),
		"times one divided": counted(enginetest.Binary("Div", "1.", "nf", "r"),
			enginetest.Binary("Mul", "u", "r", "p")),
		"divided by ones": append(ones(), enginetest.Binary("Div", "u", "n", "p")),
	} {
		b.Run(name, func(b *testing.B) {
			ev := enginetest.OpenAndBind(b, poolModel(13, 4, nodes...).Bytes(),
				onnxbackend.Options{}, enginetest.SmallBag(264, 3))
			z := enginetest.RandomCoalitions(264, 1000)
			dst := make([]float64, 1000*ev.Task().Classes)
			for b.Loop() {
				must.Do(b, ev.Evaluate(context.Background(), dst, z))
			}
		})
	}
}
