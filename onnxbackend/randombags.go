package onnxbackend

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Random bags prove that scores are probabilities: they lie within 0..1 for all of them and, where there are several classes,
// sum to 1; a single score must also differ between bags. Log-probabilities are known by their exponentials. Bags are of
// several magnitudes, so that a softplus or a count leaves 0..1 on some. The seeds are fixed: the answer is the same each time.

// randomScales are the standard deviations of the values of each bag.
var randomScales = [...]float64{1, 10, .1, 3, 1, 30, .3, 3}

// randomSizes are the numbers of instances to try until the model takes one.
var randomSizes = [...]int{4, 17, 65, 130}

const (
	leastProof   = 4       // bags
	randomBytes  = 1 << 28 // of one run
	randomValues = 1 << 22 // of a bag
	probability  = 1e-4    // tolerance for sums and bounds
)

// A proof is what random bags say of scores.
type proof struct {
	scale   core.Scale // "" when they prove nothing
	sums    bool       // to 1
	bounded bool       // they lie within 0..1 and do not sum to 1, as probabilities of several labels
	words   string     // what was seen
}

// proveProbabilities runs random bags of instances that lie in the input as at says; its number of instances does not count.
func (m *Model) proveProbabilities(s *scores, at *place, work int) proof {
	if m.forward == nil {
		return proof{words: "the graph is not here to run random bags"}
	}
	if at == nil {
		return proof{words: "the file leaves the shape of an instance open"}
	}
	r := &randomRuns{m: m, work: work}
	var rows [][]float64
	odd := 1.0 // a sum of scores that is not 1
	sums, logs, k := true, s.classes > 1, 0
	for seed, scale := range randomScales {
		var y []float64
		y, k = r.some(s, at, k, uint64(seed), scale)
		if k == 0 {
			return proof{words: r.why()}
		}
		if y == nil {
			continue
		}
		within, sum, logSum := true, 0.0, 0.0
		for _, v := range y {
			within = within && v >= -probability && v <= 1+probability
			logs = logs && v <= probability
			sum += v
			logSum += math.Exp(v)
		}
		if logs = logs && math.Abs(logSum-1) <= probability; !logs && !within {
			return proof{words: fmt.Sprintf("a random bag has %s", scoresFrom(y))}
		}
		if s.classes > 1 && math.Abs(sum-1) > probability {
			sums, odd = false, sum
		}
		rows = append(rows, y)
	}
	seen := fmt.Sprintf("%d random bags: ", len(rows))
	switch {
	case len(rows) < leastProof:
		return proof{words: "too few random bags have finite scores"}
	case !differ(rows):
		return proof{words: "all random bags have the same scores"}
	case logs:
		return proof{scale: core.ScaleLogProbabilities, words: seen + "exponentials sum to 1"}
	case !sums:
		return proof{bounded: true, words: fmt.Sprintf("%swithin 0..1, with a sum of %.3g", seen, odd)}
	case s.classes == 1:
		return proof{scale: core.ScaleProbabilities, words: seen + "within 0..1"}
	}
	return proof{scale: core.ScaleProbabilities, sums: true, words: seen + "within 0..1, sum 1"}
}

// scoresFrom names the range of scores.
func scoresFrom(y []float64) string {
	if len(y) == 1 {
		return fmt.Sprintf("the score %.3g", y[0])
	}
	return fmt.Sprintf("scores from %.3g to %.3g", slices.Min(y), slices.Max(y))
}

// differ reports whether some score is not the same in all rows.
func differ(rows [][]float64) bool {
	for _, row := range rows[1:] {
		for c, v := range row {
			if math.Abs(v-rows[0][c]) > probability {
				return true
			}
		}
	}
	return false
}

// randomRuns run random bags within some work.
type randomRuns struct {
	m      *Model
	runner *plan.Runner
	work   int // that is left
	failed error
}

// limits bound one run by what is left, and keep its memory small.
func (r *randomRuns) limits() machine.Limits {
	l := r.m.limits.run()
	l.Work, l.Bytes = min(l.Work, max(r.work, 1)), min(l.Bytes, randomBytes)
	return l
}

// some returns the scores of a bag of n instances, or, for n = 0, of the first size that the model takes, with that size. The
// scores are nil when there are none.
func (r *randomRuns) some(s *scores, at *place, n int, seed uint64, scale float64) ([]float64, int) {
	if n > 0 {
		bag, at := r.m.randomBag(n, at, seed, scale)
		return r.scores(s, bag, at), n
	}
	for _, n := range randomSizes {
		bag, at := r.m.randomBag(n, at, seed, scale)
		if y := r.scores(s, bag, at); y != nil {
			return y, n
		}
	}
	return nil, 0
}

// scores returns the scores of a bag, or nil when the model does not run on it or they are not finite.
func (r *randomRuns) scores(s *scores, bag *core.Bag, at place) []float64 {
	if bag == nil || !r.run(func(mc *machine.Machine, dst *tensor.Tensor) error { return r.m.load(mc, dst, bag, at) }) {
		return nil
	}
	y, err := r.runner.Value(s.ID).Float64s()
	if err != nil || len(y) != s.classes {
		r.failed = fmt.Errorf("it has %d scores for a random bag", len(y))
		return nil
	}
	for _, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			r.failed = fmt.Errorf("its score for a random bag is %v", v)
			return nil
		}
	}
	return y
}

// run runs the graph on an input that load makes, and reports whether it did.
func (r *randomRuns) run(load func(mc *machine.Machine, dst *tensor.Tensor) error) bool {
	if r.work <= 0 {
		return false
	}
	r.runner = plan.NewRunner(r.m.forward, r.limits())
	r.runner.Begin(context.Background())
	if r.failed = load(r.runner.Machine(), r.runner.Slot(r.m.input.ID)); r.failed == nil {
		r.failed = r.runner.Run(nil)
	}
	r.work -= r.runner.Machine().Spent()
	return r.failed == nil
}

// why says why there are no scores.
func (r *randomRuns) why() string {
	if r.work <= 0 || r.failed == nil {
		return "random bags take too long"
	}
	return "no random bag could be scored"
}

// randomBag returns n instances that lie in the input as at says, and how they do; nil where they are too large.
func (m *Model) randomBag(n int, at *place, seed uint64, scale float64) (*core.Bag, place) {
	shape := slices.Clone(at.shape)
	shape[at.axis] = n
	instance := slices.Delete(slices.Clone(shape), at.axis, at.axis+1)
	count, ok := tensor.Count(instance)
	if !ok || count < 1 || n > randomValues/count {
		return nil, place{}
	}
	random := rand.New(rand.NewPCG(seed, 0x6261677363))
	bag := &core.Bag{Shape: instance, Values: make([]float32, n*count)}
	least, largest, whole := m.input.Type.Integer()
	for i := range bag.Values {
		v := random.NormFloat64() * scale
		if whole {
			v = max(least, min(largest, math.Abs(math.Round(v))))
		}
		bag.Values[i] = float32(v)
	}
	return bag, place{at.axis, shape}
}
