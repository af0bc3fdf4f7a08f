package methods

import (
	"context"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/rows"
	"github.com/bagscope/bagscope/core/internal/sampling"
)

// regress fits the surrogate to n coalitions. Without Samples it fits a few first, and if their
// errors are too large as many as the errors call for.
func (r *shapleyRun) regress(ctx context.Context) (*core.Attribution, error) {
	first, last := r.samples(r.g.Instances())
	a, err := r.fitPairs(ctx, first, "first")
	if err != nil || first == last {
		return a, err
	}
	over := excess(a)
	if over <= 1 {
		return a, nil
	}
	return r.fitPairs(ctx, int(min(float64(last), over*over*float64(first))), "last")
}

// fitPairs fits the surrogate of each class to n coalitions.
func (r *shapleyRun) fitPairs(
	ctx context.Context, n int, name string,
) (*core.Attribution, error) {
	k := r.g.Instances()
	pairs, err := sampling.NewPairs(ctx, k, (n+1)/2, r.g.Rand("shapley "+name))
	if err != nil {
		return nil, err
	}
	both := core.NewCoalitions(k, 2*len(pairs.Size))
	for j := range pairs.Size {
		both.Append(pairs.Coalitions.Row(j))
		both.Append(pairs.Coalitions.Row(j))
		rows.Complement(both.Row(2*j+1), k)
	}
	values, err := r.g.Answers(ctx, both)
	if err != nil {
		return nil, err
	}
	answers, kept := answeredPairs(values, r.g.Classes())
	if answers.Most() {
		return nil, r.g.TooFewAnswers(ctx, both, answers)
	}
	if answers.Missing > 0 {
		pairs = pairs.Kept(kept)
		values = pickRows(values, 2*r.g.Classes(), kept, linear.Indices(2*r.g.Classes()))
	}
	d, err := newPairDesign(ctx, r.g.Arithmetic(), pairs)
	if err != nil {
		return nil, err
	}
	a := &core.Attribution{}
	a.AddUnanswered(answers)
	for c, class := range r.classes {
		total := r.full[c] - r.empty[c]
		y := make([]float64, len(pairs.Size))
		for j, size := range pairs.Size {
			at := 2*j*r.g.Classes() + class
			y[j] = (values[at]-values[at+r.g.Classes()])/2 - total*(float64(size)/float64(k)-.5)
		}
		scores, errors, freedom, err := d.fit(ctx, y)
		if err != nil {
			return nil, err
		}
		for i := range scores {
			scores[i] += total / float64(k)
		}
		a.Scores, a.StdErr = append(a.Scores, scores), append(a.StdErr, errors)
		a.Freedom = append(a.Freedom, freedom)
	}
	switch {
	case pairs.Complete():
		a.StdErr, a.Freedom = nil, nil
		if answers.Missing > 0 {
			break
		}
		a.AddNote("all coalitions were evaluated: the scores have no sampling error")
	case d.freedom <= 0:
		a.AddNote(tooFew(both.Len(), k, false))
	}
	return a, nil
}

// answeredPairs counts the pairs of values (pair, first or complement, class) without two answers,
// and returns the numbers of the others.
func answeredPairs(values []float64, classes int) (answers core.Unanswered, kept []int) {
	answers.What = "pairs of a coalition and its complement"
	for at := 0; at < len(values); at += 2 * classes {
		if answers.Of++; math.IsNaN(values[at] + values[at+classes]) {
			answers.Missing++
		} else {
			kept = append(kept, at/(2*classes))
		}
	}
	return answers, kept
}

// A pairDesign is the design of the regression of halved differences of complements on instances.
// All classes share it. With the masks minus the share of their size as the rows of X and the
// Shapley kernel as the weights W, the effects under the constraint that they sum to 0 are
// (Xᵀ W X)⁻¹ Xᵀ W y.
type pairDesign struct {
	*sampling.Pairs
	by      core.Arithmetic
	x       []float64 // (pair, instance) X
	against []float64 // (pair, instance) -W X
	inverse []float64 // (instance, instance) (Xᵀ W X)⁻¹
	effect  []float64 // (pair, instance) W X (Xᵀ W X)⁻¹: the influence of a value on the effects
	scatter []float64 // (pair) how much a residual counts in the errors
	group   []int     // (pair) sizes whose pairs share the terms of the surrogate
	share   []float64 // (group) share of the sizes 1 to k - 1
	members []float64 // (group) number of pairs
	freedom float64   // degrees of freedom of the residuals
}

// newPairDesign returns the design of a sample.
func newPairDesign(
	ctx context.Context, by core.Arithmetic, pairs *sampling.Pairs,
) (*pairDesign, error) {
	k, m := pairs.Coalitions.Instances(), len(pairs.Size)
	d := &pairDesign{Pairs: pairs, by: by, x: make([]float64, m*k), against: make([]float64, m*k),
		effect: make([]float64, m*k), scatter: make([]float64, m)}
	d.setGroups()
	d.freedom = float64(m - (k - 1) - 2*len(d.members))
	sum := linear.Total(d.Weight)
	for j, size := range d.Size {
		d.Weight[j] /= sum
		for i := range k {
			v := -float64(size) / float64(k)
			if d.Coalitions.Has(j, i) {
				v++
			}
			d.x[j*k+i], d.against[j*k+i] = v, -d.Weight[j]*v
		}
	}
	gram := linear.NewSymmetric(k)
	if err := d.subtract(ctx, gram.Values, d.against, 1, k, d.x, k, m); err != nil {
		return nil, err
	}
	scale := gram.MeanDiagonal()
	for i := range gram.Values { // the sum of the effects, which no pair determines, is 0
		gram.Values[i] += scale / float64(k)
	}
	chol, err := linear.Factorize(ctx, gram, by)
	if err != nil {
		return nil, err
	}
	if chol == nil || chol.Condition() > worstPairs {
		d.freedom = 0
		gram.AddRidge(pairRidge * scale)
		if chol, err = linear.Factorize(ctx, gram, by); err != nil {
			return nil, err
		}
	}
	if d.inverse, err = chol.Inverse(ctx); err != nil {
		return nil, err
	}
	if err := d.subtract(ctx, d.effect, d.against, k, 1, d.inverse, m, k); err != nil {
		return nil, err
	}
	d.setScatter()
	return d, nil
}

const (
	worstPairs = 1e10 // condition number from which on a design counts as singular
	pairRidge  = 1e-9 // ridge of a singular design, relative to the mean diagonal
)

// subtract computes C -= A B for C (m, k), A (m, inner), whose element (i, p) is a[i row + p
// column], and B (inner, k). It returns the cause if ctx ends.
func (d *pairDesign) subtract(
	ctx context.Context, c, a []float64, row, column int, b []float64, m, inner int,
) error {
	const step = 32 // rows between two checks of the context
	k := d.Coalitions.Instances()
	for i := 0; i < m; i += step {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		d.by.Subtract(c[i*k:], k, a[i*row:], row, column, b, k, min(step, m-i), k, inner)
	}
	return nil
}

// setScatter sets how much the residual of a pair counts: the root of the probability that another
// sample lacks the pair, over the share of the variance that the fit leaves of its value (see
// surrogate.draws, whose shares these are), and n / (n - 1) for the mean of a group.
func (d *pairDesign) setScatter() {
	k := d.Coalitions.Instances()
	leverage := make([]float64, len(d.Size))
	weight, all := 0.0, 0.0
	for j := range leverage {
		for i := range k {
			leverage[j] += d.effect[j*k+i] * d.x[j*k+i]
		}
		leverage[j] = min(1, max(0, leverage[j]))
		free := leverage[j] * (1 - leverage[j])
		weight += free * d.Weight[j]
		all += free
	}
	for j, h := range leverage {
		left := (1 - h) * (1 - h)
		if all > 0 {
			left += (1 - h) * h * weight / all / d.Weight[j]
		}
		n := d.members[d.group[j]]
		d.scatter[j] = math.Sqrt(d.Missed[j] / max(left, leastLeft) * n / max(n-1, 1))
	}
}

// leastLeft is the share of the variance that a fit leaves at least.
const leastLeft = 1e-6

// fewestInGroup is the number of pairs for which the surrogate has terms of their own.
const fewestInGroup = 5

// setGroups joins consecutive sizes until they have fewestInGroup pairs. Listed sizes are alone,
// and so is k/2.
func (d *pairDesign) setGroups() {
	k := d.Coalitions.Instances()
	d.group = make([]int, len(d.Size))
	of := make([]int, k/2+1) // (size)
	for j, size := range d.Size {
		at := len(d.members) - 1
		if j == 0 || size != d.Size[j-1] && (d.members[at] >= fewestInGroup ||
			d.Missed[j] == 0 || d.Missed[j-1] == 0 || 2*size == k) {
			d.members = append(d.members, 0)
			at++
		}
		d.members[at]++
		d.group[j], of[size] = at, at
	}
	d.share = make([]float64, len(d.members))
	for size := 1; size < k; size++ {
		small := min(size, k-size)
		of[small] = max(of[small], of[small-1]) // sizes without pairs join the one below
		d.share[of[small]] += 1 / float64(k-1)
	}
}
