package signature

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

// Random bags prove that scores are probabilities: they lie within 0..1 for all of them and, if
// there are several classes, sum to 1. A single score must also differ between bags.
// Log-probabilities are known by their exponentials. Bags are of several magnitudes, so that a
// softplus or a count leaves 0..1 on some. The seeds are fixed: the result is the same each time.

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

// A proof is what random bags show about scores.
type proof struct {
	scale core.Scale // "" if they prove nothing
	sums  bool       // the scores sum to 1
	// they lie within 0..1 and do not sum to 1, as probabilities of several labels
	bounded bool
	words   string // what was seen
}

// proveProbabilities runs random bags of instances that lie in the input as at says. The number of
// instances in at does not count.
func (s *Signature) proveProbabilities(c *ClassOutput, at *Layout, work int) proof {
	if s.graph == nil {
		return proof{words: "the graph is not here to run random bags"}
	}
	if at == nil {
		return proof{words: "the file leaves the shape of an instance open"}
	}
	r := &randomRuns{s: s, work: work}
	var rows [][]float64
	odd := 1.0 // a sum of scores that is not 1
	sums, logs, k := true, c.Classes > 1, 0
	for seed, scale := range randomScales {
		var y []float64
		y, k = r.some(c, at, k, uint64(seed), scale)
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
		if c.Classes > 1 && math.Abs(sum-1) > probability {
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
		return proof{bounded: true, words: fmt.Sprintf("%swithin 0..1, with a sum of %.3g", seen,
			odd)}
	case c.Classes == 1:
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
	s      *Signature
	runner *plan.Runner
	work   int // that is left
	failed error
}

// limits bound one run by what is left, and keep its memory small.
func (r *randomRuns) limits() machine.Limits {
	l := r.s.limits
	l.Work, l.Bytes = min(l.Work, max(r.work, 1)), min(l.Bytes, randomBytes)
	return l
}

// some returns the scores of a bag of n instances or, for n = 0, of the first size that the model
// takes, with that size. The scores are nil if there are none.
func (r *randomRuns) some(
	c *ClassOutput, at *Layout, n int, seed uint64, scale float64,
) ([]float64, int) {
	if n > 0 {
		return r.scores(c, n, at, seed, scale), n
	}
	for _, n := range randomSizes {
		if y := r.scores(c, n, at, seed, scale); y != nil {
			return y, n
		}
	}
	return nil, 0
}

// scores returns the scores of a random bag, or nil if the model does not run on it or they are not
// finite.
func (r *randomRuns) scores(
	c *ClassOutput, n int, at *Layout, seed uint64, scale float64,
) []float64 {
	bag, ok := r.s.randomBag(n, at, seed, scale)
	if !ok || !r.run(bag.Load) {
		return nil
	}
	y, err := r.runner.Value(c.ID).Float64s()
	if err != nil || len(y) != c.Classes {
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
	r.runner = plan.NewRunner(r.s.graph.Program, r.limits())
	r.runner.Begin(context.Background())
	if r.failed = load(r.runner.Machine(), r.runner.Slot(r.s.input.ID)); r.failed == nil {
		r.failed = r.runner.Run(nil)
	}
	r.work -= r.runner.Machine().Spent()
	return r.failed == nil
}

// why says why there are no scores, in words.
func (r *randomRuns) why() string {
	if r.work <= 0 || r.failed == nil {
		return "random bags take too long"
	}
	return "no random bag could be scored"
}

// randomBag returns n random instances that lie in the input as at says, or false if they are too
// large.
func (s *Signature) randomBag(n int, at *Layout, seed uint64, scale float64) (f Fitted, ok bool) {
	shape := slices.Clone(at.Shape)
	shape[at.Axis] = n
	instance := slices.Delete(slices.Clone(shape), at.Axis, at.Axis+1)
	count, ok := tensor.Count(instance)
	if !ok || count < 1 || n > randomValues/count {
		return f, false
	}
	random := rand.New(rand.NewPCG(seed, 0x6261677363))
	bag := &core.Bag{Shape: instance, Values: make([]float32, n*count)}
	least, largest, whole := s.input.Type.Integer()
	for i := range bag.Values {
		v := random.NormFloat64() * scale
		if whole {
			v = max(least, min(largest, math.Abs(math.Round(v))))
		}
		bag.Values[i] = float32(v)
	}
	return Fitted{Layout{at.Axis, shape}, bag, s}, true
}
