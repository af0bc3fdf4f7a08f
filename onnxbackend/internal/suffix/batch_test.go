package suffix_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// gatheredModels are files whose coalitions run one by one from the cut on, beside the transformer
// of the shared zoo.
var gatheredModels = []string{
	"additive/dynamo-18", "dsmil/dynamo-18", "graph_affinity/dynamo-18", "graph_sage/dynamo-18",
	"lstm/dynamo-18", "moments/dynamo-18", "set_transformer/dynamo-18", "transmil/dynamo-18",
	"set_transformer/dynamo-21", "additive/legacy-17",
}

// openGathered opens one of them.
func openGathered(t testing.TB, name string, o onnxbackend.Options) *onnxbackend.Model {
	t.Helper()
	return enginetest.OpenRepositoryFile(t, o, "onnxbackend/testdata/zoo/"+name+".onnx")
}

// bagFor returns a bag of k instances that fits a model.
func bagFor(m *onnxbackend.Model, k int) *core.Bag {
	shape := slices.Clone(enginetest.EncoderOf(m).Signature.Input().Shape)
	shape = slices.Delete(shape, enginetest.EncoderOf(m).Signature.Input().Axis,
		enginetest.EncoderOf(m).Signature.Input().Axis+1)
	for len(shape) > 0 && shape[0] <= 1 {
		shape = shape[1:]
	}
	r := rand.New(rand.NewPCG(3, uint64(k)))
	bag := &core.Bag{Shape: shape}
	bag.Values = enginetest.Normal(r, k*bag.Stride())
	return bag
}

func BenchmarkGathered(b *testing.B) {
	for _, name := range append([]string{"transformer_cls"}, gatheredModels...) {
		var m *onnxbackend.Model
		if name == "transformer_cls" {
			m = enginetest.OpenTestFile(b, onnxbackend.Options{}, "models/zoo/"+name+"/model.onnx")
		} else {
			m = openGathered(b, name, onnxbackend.Options{})
		}
		bag := bagFor(m, 35)
		b.Run(name+"/forward", func(b *testing.B) {
			for b.Loop() {
				must.Get(m.Predict(context.Background(), bag))(b)
			}
		})
		ev, err := m.Bind(context.Background(), bag)
		must.Do(b, err)
		z := enginetest.RandomCoalitions(35, 256)
		dst := make([]float64, z.Len()*ev.Task().Classes)
		b.Run(name+"/256 coalitions", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				must.Do(b, ev.Evaluate(context.Background(), dst, z))
			}
		})
	}
}

// TestBatchEqualsSingleCoalitions compares coalitions of one batch with each alone, bit for bit.
func TestBatchEqualsSingleCoalitions(t *testing.T) {
	together := func(t *testing.T, m *onnxbackend.Model, bag *core.Bag) {
		b := bindTo(t, m, bag)
		if enginetest.EvaluatorOf(b).Pooled != nil || bag.Len() < 3 {
			return
		}
		if !enginetest.EvaluatorOf(b).Suffix.Batchable() {
			if b.Strategy() == onnxbackend.StrategyGathered {
				t.Errorf("coalitions of %d instances do not go together", bag.Len())
			}
			return
		}
		k, classes := bag.Len(), b.Task().Classes
		z := enginetest.RandomCoalitions(k, 300)
		got, want := make([]float64, 300*classes), make([]float64, 300*classes)
		err := enginetest.EvaluatorOf(b).Suffix.EvaluateBatches(context.Background(), got, z)
		must.Equal(t, err == nil,
			enginetest.EvaluatorOf(b).Suffix.EvaluateEach(context.Background(), want, z.Members,
				nil) == nil)
		if err == nil && !slices.Equal(got, want) {
			t.Errorf("together %v, alone %v", got, want)
		}
	}
	for _, name := range exportedFiles(t) {
		m := openGathered(t, name, onnxbackend.Options{})
		t.Run(name, func(t *testing.T) {
			if fixedSize[name+".onnx"] {
				return // no coalition of another size than the whole bag runs
			}
			for _, k := range []int{7, 12} {
				together(t, m, bagFor(m, k))
			}
		})
	}
	enginetest.EachZooBag(t, func(t *testing.T, m *onnxbackend.Model, _, _ string, bag *core.Bag) {
		together(t, m, bag)
	})
}

// exportedFiles names the files of the zoo without their ending.
func exportedFiles(t testing.TB) (names []string) {
	files, err := filepath.Glob(enginetest.RepositoryFile(t, "onnxbackend/testdata/zoo") +
		"/*/*.onnx")
	must.Do(t, err, "no models")
	must.Equal(t, len(files) != 0, true, "no models")
	for _, f := range files {
		names = append(names, filepath.Base(filepath.Dir(f))+"/"+
			strings.TrimSuffix(filepath.Base(f), ".onnx"))
	}
	return names
}

// TestGatheredAllocations checks that allocations do not grow with the number of coalitions, once
// there is memory for the largest batch.
func TestGatheredAllocations(t *testing.T) {
	enginetest.KeepPools(t)
	allocations := func(t *testing.T, m *onnxbackend.Model) {
		b := bindTo(t, m, bagFor(m, 35))
		count := func(n int) float64 {
			z := enginetest.RandomCoalitions(35, n)
			dst := make([]float64, n*b.Task().Classes)
			evaluate := func() { must.Do(t, b.Evaluate(context.Background(), dst, z)) }
			evaluate()
			return testing.AllocsPerRun(3, evaluate)
		}
		if few, many := count(100), count(1000); many > few+100 {
			t.Errorf("%v allocations for 1000 coalitions and %v for 100", many, few)
		}
	}
	for _, name := range []string{"additive/dynamo-18", "additive/legacy-17",
		"graph_sage/dynamo-18", "moments/dynamo-18", "set_transformer/dynamo-18"} {
		t.Run(name, func(t *testing.T) {
			allocations(t, openGathered(t, name, onnxbackend.Options{}))
		})
	}
	t.Run("transformer_cls", func(t *testing.T) {
		allocations(t, enginetest.OpenTestFile(t, onnxbackend.Options{},
			"models/zoo/transformer_cls/model.onnx"))
	})
}
