package onnxbackend_test

import (
	"context"
	"fmt"

	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	. "github.com/bagscope/bagscope/onnxbackend"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

const (
	foldFeatures = 5
	foldClasses  = 3
)

// fold returns a network of random weights with attention, whose names begin with a prefix. It ends
// in logits, or in probabilities that are computed in float64.
func fold(prefix string, seed uint64, probabilities bool) ot.Model {
	rng := rand.New(rand.NewPCG(seed, 50))
	weights := func(name string, dims ...int) ot.Tensor {
		values := make([]float32, dims[0]*dims[1])
		for i := range values {
			values[i] = float32(1.5 * rng.NormFloat64())
		}
		return ot.F(prefix+name, values, dims...)
	}
	nodes := `Ps = MatMul(bag, Pa); Pw = Softmax<axis=0>(Ps); Pt = Transpose(Pw)
		Pm = MatMul(Pt, bag); Pl = MatMul(Pm, Pc); Py = Cast<to=11>(Pl)`
	if probabilities {
		nodes = strings.ReplaceAll(nodes, "Py =", "Pd =") + "; Py = Softmax<axis=1>(Pd)"
	}
	out := ot.Value{Name: prefix + "y", Type: 11, Dims: []any{1, foldClasses}}
	return ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("bag", "k", foldFeatures)},
		Outputs: []ot.Value{out},
		Initializers: []ot.Tensor{weights("a", foldFeatures, 1),
			weights("c", foldFeatures, foldClasses)},
		Nodes: ot.Nodes(strings.ReplaceAll(nodes, "P", prefix))}
}

// meanOf returns one graph with all models and the mean of their outputs.
func meanOf(folds []ot.Model) ot.Model {
	all := ot.Model{Opset: 13, Inputs: folds[0].Inputs,
		Outputs: []ot.Value{{Name: "y", Type: 11, Dims: []any{1, foldClasses}}}}
	var outputs []string
	for _, f := range folds {
		all.Nodes = append(all.Nodes, f.Nodes...)
		all.Initializers = append(all.Initializers, f.Initializers...)
		outputs = append(outputs, f.Outputs[0].Name)
	}
	all.Nodes = append(all.Nodes, ot.N("Mean", outputs, []string{"y"}))
	return all
}

// foldBag returns a bag of random instances.
func foldBag(k int) *core.Bag {
	rng := rand.New(rand.NewPCG(uint64(k), 51))
	bag := &core.Bag{Shape: []int{foldFeatures}, Values: make([]float32, k*foldFeatures)}
	for i := range bag.Values {
		bag.Values[i] = float32(rng.NormFloat64())
	}
	return bag
}

// openFolds opens models with a card that states their scale.
func openFolds(t testing.TB, scale core.Scale, o Options, files ...ot.Model) (list []core.Model) {
	t.Helper()
	o.Card = fmt.Appendf(nil, `{"output":%q,"negative":0}`, scale)
	for _, f := range files {
		list = append(list, must.Get(Open(f.Bytes(), o))(t))
	}
	return list
}

// explainFolds explains a bag of 12 by all methods.
func explainFolds(t testing.TB, m core.Model, output core.Output) *core.Report {
	t.Helper()
	ctx := context.Background()
	ev := must.Get(m.Bind(ctx, foldBag(12)))(t)
	all := must.Get(methods.New([]string{"all"}, methods.Options{}))(t)
	return must.Get(core.Explain(ctx, ev, core.Request{Methods: all, SkipMissing: true,
		GameOptions: core.GameOptions{Output: output, Seed: 3}}))(t)
}

// adaptive reports whether the coalitions of a method depend on the model.
func adaptive(method string) bool {
	info, _ := methods.Find(method)
	_, ok := info.New(methods.Options{}).(core.Adaptive)
	return ok
}

// TestEnsembleIsOneGraph compares an ensemble with the slow twin: one graph with all models and the
// mean of their outputs, which is run for each coalition. The same coalitions are drawn, so that
// all methods agree.
func TestEnsembleIsOneGraph(t *testing.T) {
	for _, c := range []struct {
		mean          core.Mean
		scale         core.Scale
		output        core.Output
		probabilities bool
	}{
		{core.MeanLogOdds, core.ScaleLogits, core.OutputProbability, false},
		{core.MeanLogOdds, core.ScaleLogits, core.OutputLogit, false},
		{core.MeanProb, core.ScaleProbabilities, core.OutputProbability, true},
	} {
		t.Run(fmt.Sprintf("%s as %s", c.mean, c.output), func(t *testing.T) {
			files := []ot.Model{fold("a", 1, c.probabilities), fold("b", 2, c.probabilities),
				fold("c", 3, c.probabilities)}
			twin := openFolds(t, c.scale, Options{Plain: true}, meanOf(files))[0]
			want := explainFolds(t, twin, c.output)
			for _, plain := range []bool{true, false} {
				folds := openFolds(t, c.scale, Options{Plain: plain}, files...)
				got := explainFolds(t, must.Get(core.NewEnsemble(folds, c.mean))(t), c.output)
				tolerance := 1e-9
				if !plain {
					tolerance = 1e-3 // float32 in another order
				}
				must.Equal(t, len(got.Explanations), len(want.Explanations))
				for n, e := range want.Explanations {
					if plain && !adaptive(e.Method) {
						must.Equal(t, got.Explanations[n].Evaluations, e.Evaluations)
					}
					if !plain && e.Method == "shapley" {
						continue // it draws others from a model that pools
					}
					for i, v := range e.Scores {
						coretest.Near(t, fmt.Sprintf("%s, plain %v", e.Method, plain),
							got.Explanations[n].Scores[i], v, tolerance)
					}
				}
			}
		})
	}
}

// TestFoldsOfEnsemble compares the scores of each fold with those of the model alone, and the mean,
// by methods whose coalitions do not depend on the model, with the mean of those of logits.
func TestFoldsOfEnsemble(t *testing.T) {
	files := []ot.Model{fold("a", 1, false), fold("b", 2, false), fold("c", 3, false)}
	folds := openFolds(t, core.ScaleLogits, Options{}, files...)
	all := must.Get(core.NewEnsemble(folds, ""))(t)
	for _, output := range []core.Output{core.OutputProbability, core.OutputLogit} {
		got := explainFolds(t, all, output)
		must.Equal(t, len(got.Folds), len(folds))
		for j, m := range folds {
			want := explainFolds(t, m, output)
			for c, v := range want.Prediction {
				coretest.Near(t, "prediction", got.Folds[j][c], v, 1e-12)
			}
			for n, e := range got.Explanations {
				for i, v := range want.Explanations[n].Scores {
					coretest.Near(t, e.Method, e.Folds.Scores[j][i], v, 1e-9)
				}
			}
		}
		for _, e := range got.Explanations {
			for i, v := range e.Scores {
				if adaptive(e.Method) || output == core.OutputProbability {
					continue
				}
				mean := 0.0
				for _, scores := range e.Folds.Scores {
					mean += scores[i] / float64(len(folds))
				}
				coretest.Near(t, e.Method+" of the mean", v, mean, 1e-9)
			}
		}
	}
}

// TestDifferentModelsAreNoEnsemble checks the errors of models that do not belong together.
func TestDifferentModelsAreNoEnsemble(t *testing.T) {
	a := openFolds(t, core.ScaleLogits, Options{}, fold("a", 1, false))
	raw := openFolds(t, core.ScaleRaw, Options{}, fold("b", 2, false))
	_, err := core.NewEnsemble(a, "")
	must.Fail(t, err, "2 to 256 models, not 1")
	_, err = core.NewEnsemble(append(a, raw...), "median")
	must.Fail(t, err, "log-odds", "prob")
	two := must.Get(core.NewEnsemble(append(a, raw...), ""))(t)
	_, err = two.Bind(context.Background(), foldBag(3))
	must.Fail(t, err, "logits", "raw", "the mean prob")
	other := must.Get(Open(fold("c", 3, false).Bytes(),
		Options{Card: []byte(`{"classes":["x","y","z"]}`)}))(t)
	named := must.Get(Open(fold("c", 3, false).Bytes(),
		Options{Card: []byte(`{"classes":["x","y","w"]}`)}))(t)
	_, err = core.NewEnsemble([]core.Model{other, named}, "")
	must.Fail(t, err, `x, y, z`, "one task")
	_, err = core.NewEnsemble([]core.Model{other, vectorModel{}}, "")
	must.Fail(t, err, `has the classes x, y, z, and "vector" has 768 outputs`)
}

// A vectorModel returns a vector, whose numbers are listed by nobody.
type vectorModel struct{ core.Model }

func (vectorModel) Info() core.ModelInfo {
	return core.ModelInfo{Name: "vector", Classes: make([]string, 768)}
}
