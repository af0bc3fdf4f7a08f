package suffix_test

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
)

func TestZooEqualsWholeGraph(t *testing.T) {
	enginetest.EachZooBag(t, func(t *testing.T, m *onnxbackend.Model, _, _ string, bag *core.Bag) {
		equalsWholeGraph(t, m, bag)
	})
}

// equalsWholeGraph binds a bag and compares the scores of random coalitions with runs of the whole
// graph on their members alone. Single instances, neighbours and encoding in blocks follow.
func equalsWholeGraph(t *testing.T, m *onnxbackend.Model, bag *core.Bag) {
	t.Helper()
	b := enginetest.Bind(t, m, bag, nil)
	must.Equal(t, b.Strategy() != onnxbackend.StrategyPlain, true, b.Strategy(), b.Notes())
	k := bag.Len()
	z := core.NewCoalitions(k, 8)
	r := rand.New(rand.NewPCG(7, uint64(k)))
	for range 7 {
		z.AppendMembers(r.Perm(k)[:1+r.IntN(k)]...)
	}
	z.AppendWithout()
	enginetest.CheckParts(t, m, b, bag, z, tolerance.For(1))
	instancesEqualMasks(t, b)
	neighboursEqualPlain(t, b)
	blocksEqualWhole(t, m, b, bag)
}

func TestTrainedModelsEqualWholeGraph(t *testing.T) {
	for _, c := range []struct{ model, bags string }{
		{"testdata/models/mnist/mi_attn.onnx", "digits"},
		{"testdata/models/mnist/mi_net_embedding.onnx", "digits"},
		{"examples/tissue/model.onnx", "tissue"},
		{"examples/tissue/networks/mi-net-instance.onnx", "tissue"},
	} {
		t.Run(c.model, func(t *testing.T) {
			data := must.Get(os.ReadFile(enginetest.RepositoryFile(t,
				"examples/"+c.bags+"/bags.npz")))(t)
			set := must.Get(bagio.Read(c.bags, data, bagio.Options{}))(t)
			bag := must.Get(set.Bag(0))(t)
			equalsWholeGraph(t, enginetest.OpenRepositoryFile(t, onnxbackend.Options{}, c.model),
				bag.Select([]int{0, 5, 2, 9, 11, 3, 20}))
		})
	}
}

func TestPrefixFollowsReshapes(t *testing.T) {
	for _, c := range []struct {
		how  string
		held []string
	}{{"shape", []string{"h"}}, {"product", []string{"h"}}, {"rest", []string{"h"}}, {"mix",
		[]string{"a"}}} {
		t.Run(c.how, func(t *testing.T) {
			for _, k := range []int{2, 4, 5} {
				m := enginetest.ReshapeModel(c.how)
				bag := enginetest.ShapedBag(k, 2, 2)
				opened := enginetest.Open(t, m.Bytes(), onnxbackend.Options{})
				b := enginetest.Bind(t, opened, bag, nil)
				must.EqualSlices(t, gatheredValues(b), c.held, c.how, k)
				equalsWholeGraph(t, opened, bag)
			}
		})
	}
}

func TestPlainOption(t *testing.T) {
	b := enginetest.OpenAndBind(t, enginetest.AttentionModel().Bytes(),
		onnxbackend.Options{Plain: true}, enginetest.SmallBag(4, 2))
	must.Equal(t, b.Strategy(), onnxbackend.StrategyPlain)
	must.EqualSlices(t, gatheredValues(b), []string{"bag"})
	g := enginetest.OpenAndBind(t, enginetest.AttentionModel().Bytes(), onnxbackend.Options{},
		enginetest.SmallBag(4, 2))
	must.Equal(t, g.Strategy(), "attention")
	must.EqualSlices(t, gatheredValues(g), []string{"s", "t"})
}

// misjudged opens the attention model with a wrong rule for the instance axis of Softmax.
func misjudged(t *testing.T) *onnxbackend.Model {
	t.Helper()
	m := enginetest.Open(t, enginetest.AttentionModel().Bytes(), onnxbackend.Options{})
	for i, n := range enginetest.EncoderOf(m).Graph.Nodes {
		if n.Op == "Softmax" {
			row := *n.Row
			row.Axes = ops.Lookup("", "Tanh").Axes
			enginetest.EncoderOf(m).Graph.Nodes[i].Row = &row
		}
	}
	return m
}

// TestVerificationCatchesWrongPrefix gives the analysis a wrong answer and expects the proof to
// find it.
func TestVerificationCatchesWrongPrefix(t *testing.T) {
	m := misjudged(t)
	ev := must.Get(m.Bind(context.Background(), enginetest.SmallBag(6, 2)))(t)
	b := ev.(*onnxbackend.Bound)
	must.Equal(t, b.Strategy(), onnxbackend.StrategyPlain, b.Notes())
	must.Equal(t, strings.Contains(strings.Join(b.Notes(), " "), "changes the scores"), true,
		b.Strategy(), b.Notes())
	boundEqualsWholeGraph(t, b, m, enginetest.SmallBag(6, 2))
}

func boundEqualsWholeGraph(
	t *testing.T, b *onnxbackend.Bound, m *onnxbackend.Model, bag *core.Bag,
) {
	z := core.NewCoalitions(bag.Len(), 1)
	z.AppendMembers(0, bag.Len()-1)
	got := make([]float64, b.Task().Classes)
	must.Do(t, b.Evaluate(context.Background(), got, z))
	p := must.Get(m.Predict(context.Background(), bag.Select([]int{0, bag.Len() - 1})))(t)
	enginetest.CheckNear(t, "scores", got, p.Scores, tolerance.For(2))
}

// gatheredValues returns the names of the boundary values, from which a coalition gathers.
func gatheredValues(b *onnxbackend.Bound) []string {
	var names []string
	for _, h := range enginetest.EvaluatorOf(b).Suffix.Boundary {
		names = append(names, enginetest.EvaluatorOf(b).Graph.Values[h.ID].Name)
	}
	slices.Sort(names)
	return names
}

// blocksEqualWhole binds and predicts a bag again, three instances at a time, and compares with the
// results for the bag at once.
func blocksEqualWhole(t *testing.T, m *onnxbackend.Model, whole *onnxbackend.Bound, bag *core.Bag) {
	t.Helper()
	ctx := context.Background()
	before := enginetest.EncoderOf(m).BlockValues
	defer func() { enginetest.EncoderOf(m).BlockValues = before }()
	predicted := must.Get(m.Predict(ctx, bag))(t)
	enginetest.EncoderOf(m).BlockValues = 3 * bag.Stride()
	again := must.Get(m.Predict(ctx, bag))(t)
	for i, o := range predicted.Outputs {
		if !slices.Equal(again.Outputs[i].Shape, o.Shape) {
			t.Errorf("output %s has shape %v in blocks, %v at once", o.Name, again.Outputs[i].Shape,
				o.Shape)
			continue
		}
		enginetest.CheckNear(t, "output "+o.Name+" in blocks", again.Outputs[i].Data, o.Data,
			tolerance.For(bag.Len()))
	}
	b := enginetest.Bind(t, m, bag, nil)
	must.Equal(t, b.Strategy(), whole.Strategy())
	must.EqualSlices(t, gatheredValues(b), gatheredValues(whole))
	k := bag.Len()
	z := core.InstanceCoalitions(k, true, 0, min(k, 4)*min(1, k-1))
	z.AppendWithout()
	if b.Task().Least <= 2 {
		z.AppendMembers(k-1, 0)
	}
	got, want := make([]float64, z.Len()*b.Task().Classes), make([]float64,
		z.Len()*b.Task().Classes)
	for _, s := range []struct {
		b  *onnxbackend.Bound
		to []float64
	}{{b, got}, {whole, want}} {
		must.Do(t, s.b.Evaluate(ctx, s.to, z))
	}
	enginetest.CheckNear(t, "scores in blocks", got, want, tolerance.For(bag.Len()))
	for i, n := range whole.Nodes() {
		for j, v := range n.Outputs {
			if w := b.Nodes()[i].Outputs[j]; w.Depends != v.Depends ||
				!slices.Equal(w.Shape, v.Shape) {
				t.Errorf("value %s is %v in blocks, %v at once", v.Name, w, v)
			}
		}
	}
}
