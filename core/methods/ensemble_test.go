package methods_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/internal/must"
)

const (
	hiddenFeatures = 12
	hiddenBag      = 20
)

// A hiddenTask draws bags of vectors. A bag is positive if instances of a hidden direction are in
// it.
type hiddenTask struct {
	rng       *rand.Rand
	direction []float64
}

func newHiddenTask(seed uint64) *hiddenTask {
	t := &hiddenTask{rng: rand.New(rand.NewPCG(seed, 7)),
		direction: make([]float64, hiddenFeatures)}
	for d := range t.direction {
		t.direction[d] = t.rng.NormFloat64() / math.Sqrt(hiddenFeatures)
	}
	return t
}

// bag draws a bag with the labels of its instances; every other one is positive.
func (h *hiddenTask) bag(n int) (bag [][]float64, labels []int) {
	for i := range hiddenBag {
		x, label := make([]float64, hiddenFeatures), 0
		if n%2 == 1 && i < 3 {
			label = 1
		}
		for d := range x {
			x[d] = h.rng.NormFloat64() + 2.2*float64(label)*h.direction[d]
		}
		bag, labels = append(bag, x), append(labels, label)
	}
	return bag, labels
}

// A hiddenKind is what networks compute and what they learn.
type hiddenKind struct {
	attention  bool // the mean of linear scores by attention, else the log of the mean exponential
	regression bool // a number, 0 for negative bags and 1 to 3 for positive ones, else the class
}

// A hiddenNet scores a bag by pooled linear scores w of its instances, plus a bias.
type hiddenNet struct {
	hiddenKind
	w, u []float64 // u are the weights of the attention
	bias float64
}

// pool returns the score of instances and the weight of each in it.
func (m *hiddenNet) pool(bag [][]float64) (score float64, weights []float64) {
	by := m.w
	if m.attention {
		by = m.u
	}
	weights, sum := make([]float64, len(bag)), 0.0
	for i, x := range bag {
		weights[i] = math.Exp(dot(by, x))
		sum += weights[i]
	}
	if !m.attention {
		score = math.Log(sum / float64(len(bag)))
	}
	for i, x := range bag {
		if weights[i] /= sum; m.attention {
			score += weights[i] * dot(m.w, x)
		}
	}
	return score + m.bias, weights
}

// train fits a network to four fifths of the bags from a start of its own.
func (h *hiddenTask) train(kind hiddenKind, bags [][][]float64, labels []float64) *hiddenNet {
	net := &hiddenNet{hiddenKind: kind, w: make([]float64, hiddenFeatures),
		u: make([]float64, hiddenFeatures)}
	for d := range net.w {
		net.w[d], net.u[d] = .3*h.rng.NormFloat64(), .3*h.rng.NormFloat64()
	}
	part := h.rng.Perm(len(bags))[:len(bags)*4/5]
	for range 60 {
		for _, n := range part {
			score, weights := net.pool(bags[n])
			step := .05 * (labels[n] - 1/(1+math.Exp(-score)))
			if kind.regression {
				step = .01 * max(-3, min(3, labels[n]-score))
			}
			w, u := make([]float64, hiddenFeatures), make([]float64, hiddenFeatures)
			for i, x := range bags[n] {
				add := weights[i] * (dot(net.w, x) + net.bias - score)
				for d, v := range x {
					w[d] += weights[i] * v
					u[d] += add * v
				}
			}
			net.bias += step
			for d := range w {
				net.w[d] += step*w[d] - 2e-4*net.w[d]
				net.u[d] += step*u[d] - 2e-4*net.u[d]
			}
		}
	}
	return net
}

func dot(a, b []float64) (sum float64) {
	for d, v := range a {
		sum += v * b[d]
	}
	return sum
}

// A hiddenModel is a network with a bag of values in float64.
type hiddenModel struct {
	*hiddenNet
	bag [][]float64
}

func (m hiddenModel) Info() core.ModelInfo {
	return core.ModelInfo{Name: "net", Scale: m.Task().Scale, Negative: -1}
}

func (m hiddenModel) Bind(context.Context, *core.Bag) (core.Evaluator, error) { return m, nil }

func (m hiddenModel) Task() core.Task {
	t := core.Task{Instances: len(m.bag), Classes: 1, Scale: core.ScaleLogits, Negative: -1}
	if m.regression {
		t.Scale = core.ScaleRaw
	}
	return t
}

func (m hiddenModel) Evaluate(_ context.Context, dst []float64, z *core.Coalitions) error {
	for j := range z.Len() {
		var of [][]float64
		for _, i := range z.Members(nil, j) {
			of = append(of, m.bag[i])
		}
		dst[j], _ = m.pool(of)
	}
	return nil
}

// hiddenModels trains networks on parts of the same 30 bags, and returns them with the labels of a
// bag that none has seen.
func hiddenModels(seed uint64, kind hiddenKind, nets int) ([]core.Model, []int) {
	h := newHiddenTask(seed)
	var bags [][][]float64
	var labels []float64
	for n := range 30 {
		bag, _ := h.bag(n)
		label := float64(n % 2)
		if kind.regression {
			label *= 1 + 2*h.rng.Float64()
		}
		bags, labels = append(bags, bag), append(labels, label)
	}
	var all []*hiddenNet
	for range nets {
		all = append(all, h.train(kind, bags, labels))
	}
	bag, keys := h.bag(1)
	var list []core.Model
	for _, net := range all {
		list = append(list, hiddenModel{net, bag})
	}
	return list, keys
}

// explainHidden explains an ensemble, or a model alone.
func explainHidden(t *testing.T, m core.Model) []core.Explanation {
	t.Helper()
	ev := must.Get(m.Bind(t.Context(), nil))(t)
	return must.Get(core.Explain(t.Context(), ev, core.Request{Methods: []core.Method{
		methods.Consensus{}, methods.OneRemoved{}, methods.RandomSHAP{}}}))(t).Explanations
}

// TestEnsemblesFindKeyInstances checks that the map of five networks finds the key instances better
// than the mean map of one of the five, by more than two standard errors.
func TestEnsemblesFindKeyInstances(t *testing.T) {
	const tasks, folds = 60, 5
	ties := rand.New(rand.NewPCG(1, 1)).Perm(hiddenBag)
	var sum, squares float64
	for seed := range tasks {
		list, labels := hiddenModels(uint64(9000+seed), hiddenKind{}, folds)
		rel := make([]metric.Relevance, len(labels))
		for i, label := range labels {
			rel[i] = metric.Relevance(label)
		}
		ndcg := func(scores []float64) float64 {
			v, ok := metric.NDCG(metric.Order(scores, ties), rel)
			must.Equal(t, ok, true)
			return v
		}
		e := explainHidden(t, must.Get(core.NewEnsemble(list, ""))(t))[0]
		gain := ndcg(e.Scores)
		for _, scores := range e.Folds.Scores {
			gain -= ndcg(scores) / folds
		}
		sum, squares = sum+gain, squares+gain*gain
	}
	mean := sum / tasks
	stdErr := math.Sqrt((squares/tasks - mean*mean) / (tasks - 1))
	t.Logf("NDCG@n gains %.4f ± %.4f", mean, stdErr)
	if !(mean > 2*stdErr) {
		t.Errorf("the ensemble's NDCG@n is above that of a model by %.4f ± %.4f", mean, stdErr)
	}
}

// TestIntervalsOfOneMoreModel checks that the interval of one more model holds 90 to 97 % of the
// scores of a network that was not used.
func TestIntervalsOfOneMoreModel(t *testing.T) {
	const tasks = 12
	for _, folds := range []int{3, 5, 10} {
		t.Run(fmt.Sprintf("%d folds", folds), func(t *testing.T) {
			held, all := map[string]float64{}, 0.0
			for _, kind := range []hiddenKind{{false, false}, {false, true}, {true, false},
				{true, true}} {
				for seed := range tasks {
					list, _ := hiddenModels(uint64(9100+seed), kind, folds+1)
					got := explainHidden(t, must.Get(core.NewEnsemble(list[:folds], ""))(t))
					for n, one := range explainHidden(t, list[folds]) {
						for i, v := range one.Scores {
							if f := got[n].Folds; v >= f.Low[i] && v <= f.High[i] {
								held[one.Method]++
							}
						}
					}
					all += hiddenBag
				}
			}
			for method, n := range held {
				t.Logf("%s: %.3f", method, n/all)
				if share := n / all; !(share >= .9 && share <= .97) {
					t.Errorf("by %s, the interval holds %.3f of the scores", method, share)
				}
			}
		})
	}
}

// TestBudgetOfFolds checks that the error of a fold states the budget of the whole.
func TestBudgetOfFolds(t *testing.T) {
	list, _ := hiddenModels(1, hiddenKind{}, 3)
	ev := must.Get(must.Get(core.NewEnsemble(list, ""))(t).Bind(t.Context(), nil))(t)
	for budget := 10; ; budget += 10 {
		_, err := core.Explain(t.Context(), ev, core.Request{Methods: []core.Method{
			methods.Consensus{}}, GameOptions: core.GameOptions{Budget: budget}})
		if err == nil {
			must.Equal(t, budget > 20, true)
			return
		}
		var short *core.BudgetError
		must.As(t, err, &short)
		must.Equal(t, short.Budget, budget)
		must.Equal(t, short.Used+short.Needed > budget, true, short.Used, short.Needed)
	}
}

// TestEvidenceOfFoldsThatLearnedNothing checks that few scores of networks with random weights are
// evidence: the expectation of each is 0. The score of the mean is not the mean of the scores: a
// network that is sure alone has probabilities that hardly move.
func TestEvidenceOfFoldsThatLearnedNothing(t *testing.T) {
	const tasks, folds = 40, 5
	evident := map[string]float64{}
	for seed := range tasks {
		h := newHiddenTask(uint64(9300 + seed))
		bag, _ := h.bag(0)
		var list []core.Model
		for range folds {
			net := &hiddenNet{hiddenKind: hiddenKind{attention: true}}
			for range hiddenFeatures {
				net.w = append(net.w, 4*h.rng.NormFloat64())
				net.u = append(net.u, .5*h.rng.NormFloat64())
			}
			list = append(list, hiddenModel{net, bag})
		}
		ev := must.Get(must.Get(core.NewEnsemble(list, ""))(t).Bind(t.Context(), nil))(t)
		report := must.Get(core.Explain(t.Context(), ev, core.Request{
			GameOptions: core.GameOptions{Output: core.OutputProbability},
			Methods: []core.Method{methods.Consensus{}, methods.OneRemoved{}, methods.RandomSHAP{},
				methods.MILLI{}}}))(t)
		for _, e := range report.Explanations {
			evident[e.Method] += float64(len(e.Scores) - e.Unclear())
		}
	}
	for method, n := range evident {
		t.Logf("%s: %.3f", method, n/tasks/hiddenBag)
		if share := n / tasks / hiddenBag; share > .06 {
			t.Errorf("by %s, %.3f of scores around 0 are evidence", method, share)
		}
	}
}
