package suffix_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/masked"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// exponentialPools pool "h", (k, 4), to "p" by exponentials of "a", (k, 2), of which one head
// reads the first column "s".
var exponentialPools = map[string][]ot.Node{
	"one head": ot.Nodes(`st = Transpose(s); w = Softmax<axis=1>(st); p = MatMul(w, h)`),
	"two heads": ot.Nodes(`at = Transpose(a); w = Softmax<axis=1>(at); heads = MatMul(w, h)
		p = Reshape(heads, line)`),
	"mean":      ot.Nodes(`w = Softmax<axis=0>(s); q = Mul(w, h); p = ReduceMean<axes=[0]>(q)`),
	"sum":       ot.Nodes(`w = Softmax<axis=0>(s); q = Mul(h, w); p = ReduceSum(q, axis)`),
	"logsumexp": {ot.N("ReduceLogSumExp", []string{"a"}, []string{"p"}, ot.Ints("axes", 0))},
}

// exponentialModel pools a bag whose first two features are logits, and ends in one layer or two.
func exponentialModel(how string, layers, features int) ot.Model {
	random := rand.New(rand.NewPCG(9, 9))
	matrix := func(name string, rows, columns int) ot.Tensor {
		return enginetest.RandomTensor(random, name, rows, columns)
	}
	values := matrix("values", features, 4)
	clear(values.Floats[:8])
	logits, first := make([]float32, 2*features), make([]float32, features)
	logits[0], logits[3], first[0] = 1, 1, 1
	width := map[string]int{"two heads": 8, "logsumexp": 2}[how]
	if width == 0 {
		width = 4
	}
	nodes := append(ot.Nodes(`a = MatMul(bag, logits); s = MatMul(bag, first)
		h = MatMul(bag, values)`), exponentialPools[how]...)
	if layers == 1 {
		nodes = append(nodes, ot.N("MatMul", []string{"p", "U"}, []string{"scores"}))
	} else {
		nodes = append(nodes, ot.Nodes(`v = MatMul(p, V); r = Relu(v); scores = MatMul(r, W)`)...)
	}
	return ot.Model{
		Opset: 13,
		Initializers: []ot.Tensor{
			ot.F("logits", logits, features, 2), ot.F("first", first, features, 1), values,
			ot.I("axis", []int64{0}, 1), ot.I("line", []int64{1, 8}, 2),
			matrix("U", width, 2), matrix("V", width, 5), matrix("W", 5, 2),
		},
		Nodes:   nodes,
		Inputs:  []ot.Value{ot.In("bag", "k", features)},
		Outputs: []ot.Value{ot.In("scores", 1, 2)},
	}
}

// logitBag is a bag whose first feature has a range of so many nats. The second feature has a
// range of 3.
func logitBag(k, features int, nats float64) *core.Bag {
	random := rand.New(rand.NewPCG(uint64(k), 4))
	bag := &core.Bag{Shape: []int{features}, Values: make([]float32, features*k)}
	for i, place := range random.Perm(k) {
		for c := range features {
			bag.Values[i*features+c] = float32(random.NormFloat64())
		}
		bag.Values[i*features] = float32(nats * float64(place) / float64(k-1))
		bag.Values[i*features+1] = 3 * random.Float32()
	}
	return bag
}

// inDoubt returns how many neighbours of a coalition are in doubt when pooled from weights, and
// how many stay so.
func inDoubt(t *testing.T, b *onnxbackend.Bound, set masked.Set) (weights, logits int) {
	t.Helper()
	dst := make([]float64, set.Len()*b.Task().Classes)
	doubt := must.Get(enginetest.EvaluatorOf(b).Pooled.Pool(t.Context(), dst, set))(t)
	count := func() (n int) {
		for j, is := range doubt {
			if is && set.Size(j) > 0 {
				n++
			}
		}
		return n
	}
	weights = count()
	must.Do(t, enginetest.EvaluatorOf(b).Pooled.PoolLogits(t.Context(), dst, set, doubt))
	return weights, count()
}

// TestNeighboursWithoutHeavyInstances pools logits of ranges up to 1,000 nats. The neighbours of
// coalitions with and without the instances that have most of the weight score as in plain runs,
// and none is gathered.
func TestNeighboursWithoutHeavyInstances(t *testing.T) {
	for how := range exponentialPools {
		for _, layers := range []int{1, 2} {
			for _, nats := range []float64{10, 60, 200, 1000} {
				t.Run(fmt.Sprintf("%s/%d layers/%v nats", how, layers, nats), func(t *testing.T) {
					neighboursOfLogits(t, how, layers, nats)
				})
			}
		}
	}
}

func neighboursOfLogits(t *testing.T, how string, layers int, nats float64) {
	const k, features = 24, 6
	model, bag := exponentialModel(how, layers, features).Bytes(), logitBag(k, features, nats)
	b, plain := enginetest.OpenAndBind(t, model, onnxbackend.Options{}, bag),
		enginetest.OpenAndBind(t, model, onnxbackend.Options{Plain: true}, bag)
	must.Equal(t, b.HasNeighbours(), true, enginetest.EvaluatorOf(b).WhyNot)
	order := make([]int, k) // the heaviest first
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return -cmp.Compare(bag.Values[i*features], bag.Values[j*features])
	})
	weights := 0
	for _, members := range [][]int{
		order, order[1:], order[:1], order[k/2:], order[k-1:], {order[0], order[k-1]},
		{order[3], order[k-2], order[k-1]}, {order[k-2], order[9]},
	} {
		z := core.NewCoalitions(k, 1)
		z.AppendMembers(members...)
		scoresNeighbours(t, b, plain, z)
		base := masked.NewBase(k, z.Row(0))
		n, left := inDoubt(t, b, masked.Set{Base: base, Count: k + 1})
		if weights += n; left > 0 {
			t.Errorf("%d neighbours of %v are gathered", left, members)
		}
	}
	if nats > 50 && weights == 0 {
		t.Error("no neighbour was in doubt, so that the test shows nothing")
	}
	neighboursEqualPlain(t, b)
	instancesEqualMasks(t, b)
	enginetest.CheckStrategyEqualsPlain(t, b, model, bag)
}

// scoresNeighbours compares the neighbours of a coalition with runs of the whole graph for each
// of them.
func scoresNeighbours(t *testing.T, b, plain *onnxbackend.Bound, z *core.Coalitions) {
	t.Helper()
	k := b.Task().Instances
	neighboursEqual(t, b, z, tolerance.For(k), func(dst []float64, members []int) error {
		one := core.NewCoalitions(k, 1)
		one.AppendMembers(members...)
		err := plain.Evaluate(t.Context(), dst, one)
		if err != nil {
			t.Error(err)
		}
		return err
	})
}

// TestCoalitionsWithoutHeavyInstances evaluates masks of instances that have no weight in the
// whole bag: none is gathered.
func TestCoalitionsWithoutHeavyInstances(t *testing.T) {
	const k, features = 24, 6
	for how := range exponentialPools {
		model := exponentialModel(how, 2, features).Bytes()
		b := enginetest.OpenAndBind(t, model, onnxbackend.Options{}, logitBag(k, features, 1000))
		z := core.NewCoalitions(k, k)
		for i := range k {
			z.AppendMembers(i)
		}
		weights, left := inDoubt(t, b, masked.Set{Z: z})
		must.Equal(t, weights >= k/2, true, how, k, weights, left)
		must.Equal(t, left <= 0, true, how, k, weights, left)
	}
}

// TestProductOfManyZeros multiplies 100,000 factors of which none, one, two or all are 0:
// without the only zero, the product is that of the others to all digits of float32.
func TestProductOfManyZeros(t *testing.T) {
	const k = 100_000
	m := ot.Model{
		Opset:        13,
		Initializers: []ot.Tensor{ot.F("one", []float32{1})},
		Inputs:       []ot.Value{ot.In("bag", "k", 2)},
		Outputs:      []ot.Value{ot.In("scores", 2)},
		Nodes: ot.Nodes(`miss = Sub(one, bag)
			scores = ReduceProd<axes=[0], keepdims=0>(miss)`),
	}
	for _, zeros := range []int{0, 1, 2, k - 1, k} {
		bag := &core.Bag{Shape: []int{2}, Values: make([]float32, 2*k)}
		for i := range bag.Values {
			bag.Values[i] = 1.5e-5
			if i/2 < zeros {
				bag.Values[i] = 1
			}
		}
		b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{}, bag)
		must.Equal(t, b.Strategy(), "product")
		z := core.NewCoalitions(k, 1)
		z.AppendWithout(k - 1)
		got := make([]float64, 2*(k+1))
		must.Do(t, b.EvaluateNeighbours(t.Context(), got, z.Row(0)))
		set := masked.Set{Base: masked.NewBase(k, z.Row(0)), Count: k + 1}
		for _, j := range []int{0, 1, 2, k / 2, k - 2, k - 1, k} {
			want := 1.0
			for _, i := range set.Members(nil, j) {
				want *= float64(1 - bag.Values[2*i])
			}
			if !(math.Abs(got[2*j]-want) <= 1e-6*want) {
				t.Errorf("%d zeros: neighbour %d scores %v, want %v", zeros, j, got[2*j], want)
			}
		}
	}
}

// BenchmarkNeighboursInDoubt evaluates the neighbours of the lightest third of a bag of 10,000
// instances: with logits of a range of 10 nats, and of 100 nats, from logits and by gathering.
func BenchmarkNeighboursInDoubt(b *testing.B) {
	const k, features = 10_000, 64
	for _, how := range []string{"one head", "two heads"} {
		for name, nats := range map[string]float64{"trusted": 10, "logits": 100} {
			bag := logitBag(k, features, nats)
			bound := enginetest.OpenAndBind(b, exponentialModel(how, 2, features).Bytes(),
				onnxbackend.Options{}, bag)
			z := core.NewCoalitions(k, 1)
			row := z.AppendEmpty()
			for i := range k {
				if float64(bag.Values[i*features]) < nats/3 {
					row[i>>6] |= 1 << (i & 63)
				}
			}
			b.Run(how+"/"+name, func(b *testing.B) {
				dst := make([]float64, (k+1)*2)
				for b.Loop() {
					err := bound.EvaluateNeighbours(context.Background(), dst, z.Row(0))
					must.Do(b, err)
				}
			})
		}
	}
}
