package signature

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
)

// Random bags prove that scores are probabilities: they lie within 0..1 for all of them and, if
// there are several classes, sum to 1. A single score must also differ between bags.
// Log-probabilities are known by their exponentials. Bags are of several magnitudes, so that a
// softplus or a count leaves 0..1 on some. The seeds are fixed: the result is the same each time.

// randomScales are the standard deviations of the values of each bag.
var randomScales = [...]float64{1, 10, .1, 3, 1, 30, .3, 3}

// randomSizes are the numbers of instances to try until the model takes one.
var randomSizes = [...]int{4, 17, 65, 130}

// Bounds of random bags, and what they prove.
const (
	leastProof   = 4       // bags with finite scores that a proof needs
	randomBytes  = 1 << 28 // memory of one run
	randomValues = 1 << 22 // values of a bag
	probability  = 1e-4    // tolerance for sums and bounds

	// randomStream is the second half of each seed. Random bags and the decisions that follow from
	// them are the same each time.
	randomStream = 0x6261677363
)

// noGraph is the words of a proof about a served model, see ClassOutput.ofServer.
const noGraph = "there is no graph to run random bags on"

// A proof is what random bags show about scores.
type proof struct {
	scale   core.Scale // "" if they prove nothing
	sums    bool       // the scores sum to 1
	bounded bool       // scores lie within 0..1 and do not sum to 1, as with several labels
	percent bool       // scores lie within 0..100 and sum to 100
	words   string     // what the runs showed, for ClassOutput.From and for notes
}

// proveProbabilities runs random bags of instances that lie in the input as at says, at most for
// some work. The number of instances in at does not matter. One bag with a score outside of 0..1
// disproves probabilities, so that it ends the runs.
func (s *Signature) proveProbabilities(c *ClassOutput, at *Layout, work int) proof {
	if s.graph == nil {
		return proof{words: noGraph}
	}
	if at == nil {
		return proof{words: "the file leaves the shape of an instance open"}
	}
	r := &randomRuns{s: s, work: work}
	var rows [][]float64 // (bag, class)
	odd := 1.0           // a sum of scores that is not 1
	sums, logs, percent, k := true, c.Classes > 1, c.Classes > 1, 0
	for seed, scale := range randomScales {
		var y []float64
		if y, k = r.some(c, at, k, uint64(seed), scale); k == 0 {
			return proof{words: r.why()}
		}
		if y == nil {
			continue
		}
		sum, logSum := 0.0, 0.0
		for _, v := range y {
			sum += v
			logSum += math.Exp(v)
		}
		within := slices.Min(y) >= -probability && slices.Max(y) <= 1+probability
		logs = logs && slices.Max(y) <= probability && math.Abs(logSum-1) <= probability
		percent = percent && ofHundred(y, probability)
		if !logs && !within && !percent {
			return proof{words: msg.Sprintf("a random bag has %s", scoresFrom(y))}
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
	case percent:
		return proof{percent: true, words: seen + "within 0..100, sum 100"}
	case !sums:
		return proof{bounded: true, words: msg.Sprintf("%swithin 0..1, with a sum of %.3g", seen,
			odd)}
	case c.Classes == 1:
		return proof{scale: core.ScaleProbabilities, words: seen + "within 0..1"}
	}
	return proof{scale: core.ScaleProbabilities, sums: true, words: seen + "within 0..1, sum 1"}
}

// ofHundred reports whether scores are parts of 100, up to a relative error.
func ofHundred(y []float64, tolerance float64) bool {
	sum := 0.0
	for _, v := range y {
		sum += v
	}
	return slices.Min(y) >= -100*tolerance && math.Abs(sum-100) <= 100*tolerance
}

// scoresFrom names the range of scores.
func scoresFrom(y []float64) string {
	if len(y) == 1 {
		return fmt.Sprintf("the score %.3g", y[0])
	}
	return fmt.Sprintf("scores from %.3g to %.3g", slices.Min(y), slices.Max(y))
}

// differ reports whether some score is not the same in all rows. Constant scores within 0..1 prove
// nothing, because any function may be constant on random bags.
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

// randomRuns run random bags within some work, so that a costly or hostile graph does not keep Open
// busy. Runs that fail count as bags that the model does not take.
type randomRuns struct {
	s      *Signature
	runner *plan.Runner // holds the outputs of the last run
	work   int          // work that is left: multiplications, or elements touched
	failed bool         // a run failed, or its scores were not finite
	err    error        // error of the last run, or nil
}

// limits bound one run by the work that is left, and keep its memory small.
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
	if !ok || !r.run(bag.Give) {
		return nil
	}
	y, err := r.runner.Value(c.ID).Float64s()
	if err != nil || len(y) != c.Classes || tolerance.NonFinite(y) >= 0 {
		r.failed = true
		return nil
	}
	return y
}

// run runs the graph on inputs that load writes, and reports whether the run succeeded.
func (r *randomRuns) run(load func(to *plan.Runner) error) bool {
	if r.work <= 0 {
		r.err = nil
		return false
	}
	if r.runner != nil {
		r.runner.Close()
	}
	r.runner = plan.NewRunner(r.s.graph.Program, r.limits())
	r.runner.Begin(context.Background())
	if r.err = load(r.runner); r.err == nil {
		r.err = r.runner.Run(nil)
	}
	r.failed = r.err != nil
	r.work -= r.runner.Machine().Spent()
	return !r.failed
}

// why returns the reason why no bag has scores, in words.
func (r *randomRuns) why() string {
	if r.work <= 0 || !r.failed {
		return "random bags take too long"
	}
	return "no random bag could be scored"
}

// randomBag returns n random instances that lie in the input as at says, or false if they are too
// large. Values are normal with standard deviation scale.
func (s *Signature) randomBag(n int, at *Layout, seed uint64, scale float64) (f Fitted, ok bool) {
	shape := slices.Clone(at.Shape)
	shape[at.Axis] = n
	instance := slices.Delete(slices.Clone(shape), at.Axis, at.Axis+1)
	count, ok := tensor.Count(instance)
	if !ok || count < 1 || n > randomValues/count {
		return f, false
	}
	random := rand.New(rand.NewPCG(seed, randomStream))
	bag := &core.Bag{Shape: instance, Values: make([]float32, n*count)}
	for i := range bag.Values {
		bag.Values[i] = float32(s.input.number(random.NormFloat64() * scale))
	}
	f = Fitted{Layout: Layout{at.Axis, shape}, Bag: bag, s: s, covariates: s.usualCovariates()}
	if len(s.relations) > 0 {
		f.relations = s.ring(n)
	}
	return f, true
}

// number returns the number nearest to v that the input can hold. Integer inputs get no negative
// ones, because integers are mostly indices and counts.
func (in *Input) number(v float64) float64 {
	least, largest, whole := in.Type.Integer()
	if !whole {
		return v
	}
	return max(least, min(largest, math.Abs(math.Round(v))))
}
