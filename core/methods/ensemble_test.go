package methods_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
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

// A hiddenNet scores a bag by the log of the mean exponential of linear scores, plus a bias.
type hiddenNet struct {
	w    []float64
	bias float64
}

// train fits a network to four fifths of the bags from a start of its own.
func (h *hiddenTask) train(bags [][][]float64) *hiddenNet {
	net := &hiddenNet{w: make([]float64, hiddenFeatures)}
	for d := range net.w {
		net.w[d] = .3 * h.rng.NormFloat64()
	}
	part := h.rng.Perm(len(bags))[:len(bags)*4/5]
	for range 60 {
		for _, n := range part {
			total, mean := 0.0, make([]float64, hiddenFeatures)
			for _, x := range bags[n] {
				e := math.Exp(dot(net.w, x))
				total += e
				for d, v := range x {
					mean[d] += e * v
				}
			}
			logit := math.Log(total/hiddenBag) + net.bias
			step := .05 * (float64(n%2) - 1/(1+math.Exp(-logit)))
			net.bias += step
			for d := range net.w {
				net.w[d] += step*mean[d]/total - 2e-4*net.w[d]
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
	return core.ModelInfo{Name: "net", Scale: core.ScaleLogits, Negative: -1}
}

func (m hiddenModel) Bind(context.Context, *core.Bag) (core.Evaluator, error) { return m, nil }

func (m hiddenModel) Task() core.Task {
	return core.Task{Instances: len(m.bag), Classes: 1, Scale: core.ScaleLogits, Negative: -1}
}

func (m hiddenModel) Evaluate(_ context.Context, dst []float64, z *core.Coalitions) error {
	for j := range z.Len() {
		members, sum := z.Members(nil, j), 0.0
		for _, i := range members {
			sum += math.Exp(dot(m.w, m.bag[i]))
		}
		dst[j] = math.Log(sum/float64(len(members))) + m.bias
	}
	return nil
}

// TestEnsemblesOfHiddenNetworks trains six networks on parts of the same bags, for each of many
// tasks, and explains bags that none has seen. The map of five of them finds the key instances
// better than the mean map of one of the five, and the interval of one more model holds the scores
// of the sixth.
func TestEnsemblesOfHiddenNetworks(t *testing.T) {
	const tasks, folds, trained, tests = 30, 5, 30, 4
	ctx := context.Background()
	ties := rand.New(rand.NewPCG(1, 1)).Perm(hiddenBag)
	var gain []float64
	held, ownHeld, all := 0, 0, 0
	for seed := range tasks {
		h := newHiddenTask(uint64(seed))
		var bags [][][]float64
		for n := range trained {
			b, _ := h.bag(n)
			bags = append(bags, b)
		}
		var nets []*hiddenNet
		for range folds + 1 {
			nets = append(nets, h.train(bags))
		}
		for range tests {
			bag, labels := h.bag(1)
			var list []core.Model
			for _, net := range nets {
				list = append(list, hiddenModel{net, bag})
			}
			ev := must.Get(must.Get(core.NewEnsemble(list[:folds], ""))(t).Bind(ctx, nil))(t)
			report := must.Get(core.Explain(ctx, ev,
				core.Request{Methods: []core.Method{methods.Consensus{}}}))(t)
			e := report.Explanations[0]
			rel := make([]metric.Relevance, len(labels))
			for i, label := range labels {
				rel[i] = metric.Relevance(label)
			}
			ndcg := func(scores []float64) float64 {
				v, ok := metric.NDCG(metric.Order(scores, ties), rel)
				must.Equal(t, ok, true)
				return v
			}
			mean := 0.0
			for _, scores := range e.Folds.Scores {
				mean += ndcg(scores) / folds
			}
			gain = append(gain, ndcg(e.Scores)-mean)
			request := core.Request{Methods: []core.Method{methods.OneRemoved{},
				methods.RandomSHAP{}}} // methods whose coalitions do not depend on the model
			report = must.Get(core.Explain(ctx, ev, request))(t)
			sixth := must.Get(core.Explain(ctx, list[folds].(core.Evaluator), request))(t)
			for m, one := range sixth.Explanations {
				f := report.Explanations[m].Folds
				for i, v := range one.Scores {
					all++
					if v >= f.Low[i] && v <= f.High[i] {
						held++
					}
				}
			}
			own := coretest.Explain(t, list[folds].(core.Evaluator), methods.Consensus{},
				core.GameOptions{})[0]
			for i, v := range own {
				if v >= e.Folds.Low[i] && v <= e.Folds.High[i] {
					ownHeld++
				}
			}
		}
	}
	sum, squares := 0.0, 0.0
	for _, g := range gain {
		sum += g
		squares += g * g
	}
	n := float64(len(gain))
	mean := sum / n
	stdErr := math.Sqrt((squares/n - mean*mean) / (n - 1))
	share := float64(held) / float64(all)
	t.Logf("NDCG@n gains %.4f ± %.4f; the interval of one more model holds %.3f", mean, stdErr,
		share)
	t.Logf("that of Consensus, whose coalitions depend on the model, holds %.3f",
		2*float64(ownHeld)/float64(all))
	if !(mean > 2*stdErr) {
		t.Errorf("the ensemble's NDCG@n is above that of a model by %.4f ± %.4f", mean, stdErr)
	}
	if !(share >= .9 && share <= .97) {
		t.Errorf("the interval of one more model holds %.3f of its scores", share)
	}
}
