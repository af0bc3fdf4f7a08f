package methods

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/sampling"
	"github.com/bagscope/bagscope/core/internal/surrogate"
)

// A fitter fits the surrogates of a method.
type fitter struct {
	Sampling
	method     string
	efficiency EmptyValue
}

// random draws coalitions that contain each instance with probability 1/2, and fits the surrogate.
func (f fitter) random(
	ctx context.Context, g *core.Game, classes []int,
	kernel func(*core.Coalitions) surrogate.LogKernel,
) (*core.Attribution, error) {
	if done, a, err := f.start(ctx, g, classes); done {
		return a, err
	}
	k := g.Instances()
	drawn, err := f.draw(ctx, g, sampling.FairCoin(k, g.Rand("random")))
	if err != nil {
		return nil, err
	}
	return f.fit(ctx, g, classes, drawn, kernel(drawn.Coalitions))
}

// guided lists the first coalitions in the order of a guided sampler, and fits the surrogate.
func (f fitter) guided(
	ctx context.Context, g *core.Game, classes []int,
	order func(s sampling.Sampler, rng *rand.Rand, lexicographic bool) sampling.Sample,
	kernel func(*core.Coalitions) surrogate.LogKernel,
) (*core.Attribution, error) {
	if done, a, err := f.start(ctx, g, classes); done {
		return a, err
	}
	drawn := sampling.Sample{Coalitions: f.Coalitions}
	if f.Coalitions == nil {
		drawn = order(f.sampler(g), g.Rand(f.method), f.Preset == PresetReference)
	}
	return f.fit(ctx, g, classes, drawn, kernel(drawn.Coalitions))
}

// start returns done and the attribution for a bag of one instance, which has no proper coalition,
// or done and an error for a bag of which the model takes no part.
func (f fitter) start(
	ctx context.Context, g *core.Game, classes []int,
) (done bool, a *core.Attribution, err error) {
	if g.Instances() == 1 && f.Coalitions == nil {
		a, err := g.Alone(ctx, classes)
		if err == nil {
			a.R2 = slices.Repeat([]float64{1}, len(classes))
		}
		return true, a, err
	}
	err = g.Reducible(f.method)
	return err != nil, nil, err
}

// maxUnknowns bounds the size of a surrogate's system of equations. Its three matrices take 1.6 GB
// at the bound.
const maxUnknowns = 1 << 13

// checkSystem returns a *SettingError if the system of equations exceeds maxUnknowns.
func (f fitter) checkSystem(k int) error {
	if f.Preset == PresetReference && k > maxUnknowns {
		return &core.SettingError{Method: f.method, Setting: "preset",
			Reason: fmt.Sprintf(
				"the preset reference solves a system of %d by %d for this bag; explain "+
					"at most %d instances, or omit the preset", k, k, maxUnknowns)}
	}
	if n := f.Evaluations(k, 1); min(n, k) > maxUnknowns {
		return &core.SettingError{Method: f.method, Setting: "samples",
			Reason: fmt.Sprintf(
				"%d coalitions of %d instances need a system of %d equations; use at "+
					"most %d coalitions", n, k, min(n, k), maxUnknowns)}
	}
	return nil
}

// validate returns a *SettingError for a setting that is unknown, or that the game does not
// support. A bag without proper coalitions needs no valid sampler.
func (f fitter) validate(g *core.Game) error {
	if err := checkWord(f.method, "preset", string(f.Preset)); err != nil {
		return err
	}
	if _, err := f.emptyValue(g); err != nil {
		return err
	}
	if k := g.Instances(); k == 1 && f.Coalitions == nil || g.Reducible(f.method) != nil {
		return nil
	}
	if err := f.Sampling.validate(f.method, g); err != nil {
		return err
	}
	return f.checkSystem(g.Instances())
}

// emptyValue returns the value of the empty bag (class) for the efficiency setting, or nil without
// a constraint.
func (f fitter) emptyValue(g *core.Game) ([]float64, error) {
	n := g.Classes()
	switch f.efficiency {
	case EmptyNone:
		return nil, nil
	case EmptyZero:
		return make([]float64, n), nil
	case EmptyUniform:
		first, end := g.Columns()
		return slices.Repeat([]float64{1 / float64(end-first)}, n), nil
	case EmptyGame:
		if v, ok := g.EmptyValue(); ok {
			return v, nil
		}
		return nil, &core.SettingError{Method: f.method, Setting: "efficiency",
			Reason: "the model has no value for an empty bag; use uniform or zero"}
	}
	return nil, checkWord(f.method, "efficiency", string(f.efficiency))
}

// Fit evaluates the sample and fits one surrogate for each of the classes. Coalitions without an
// answer are left out; more than half of the sample is a *NonFiniteError.
func (f fitter) fit(
	ctx context.Context, g *core.Game, classes []int, drawn sampling.Sample,
	kernel surrogate.LogKernel,
) (*core.Attribution, error) {
	if drawn.Coalitions.Len() == 0 {
		return nil, &core.SettingError{Method: f.method, Setting: "samples",
			Reason: "every coalition drawn was empty or full; choose an alpha nearer to 0.5"}
	}
	values, err := g.Answers(ctx, drawn.Coalitions)
	if err != nil {
		return nil, err
	}
	answers, kept := answered(values, g.Classes())
	if answers.Most() {
		return nil, g.TooFewAnswers(ctx, drawn.Coalitions, answers)
	}
	if answers.Missing > 0 {
		drawn = drawn.Kept(kept)
		values = pickRows(values, g.Classes(), kept, linear.Indices(g.Classes()))
		all := kernel
		kernel = func(j int) float64 { return all(kept[j]) }
	}
	s, y, err := f.system(ctx, g, classes, drawn, values, kernel)
	if err != nil {
		return nil, err
	}
	fits, err := s.Solve(ctx, y)
	if err != nil {
		return nil, err
	}
	rare := rarest(drawn.Coalitions)
	if !drawn.Complete {
		for n := range fits {
			if drawn.Chosen || rare < fewestDraws {
				fits[n].StdErr = nil
			}
			fits[n].SetUnknown()
		}
	}
	a := gather(fits, drawn.Notes)
	a.AddUnanswered(answers)
	switch {
	case drawn.Chosen:
		a.AddNote(chosenNote)
	case !drawn.Complete && rare < fewestDraws:
		a.AddNote(fmt.Sprintf("only %d of the coalitions have some instance, or lack it: errors "+
			"need %d; set n (samples) higher", rare, fewestDraws))
	}
	if n, k := s.Coalitions.Len(), g.Instances(); n < s.Unknowns() {
		a.AddNote(tooFew(n, k, drawn.Complete ||
			n == f.sampler(g).Subsets(n+1)))
	}
	return a, nil
}

// answered counts values (coalition, class) that are NaN, and returns the rows of the others.
func answered(values []float64, classes int) (answers core.Unanswered, kept []int) {
	answers.What = "coalitions"
	for at := 0; at < len(values); at += classes {
		if answers.Of++; math.IsNaN(values[at]) {
			answers.Missing++
		} else {
			kept = append(kept, at/classes)
		}
	}
	return answers, kept
}

// fewestDraws is the number of coalitions that must have each instance, and lack it, before errors
// are estimated: where the effect of an instance was seen once or twice, no residual is left.
const fewestDraws = 3

// rarest returns the smallest number of coalitions that have the same instance, or lack it.
func rarest(z *core.Coalitions) int {
	have := make([]int, z.Instances())
	var members []int
	for j := range z.Len() {
		members = z.Members(members[:0], j)
		for _, i := range members {
			have[i]++
		}
	}
	return min(slices.Min(have), z.Len()-slices.Max(have))
}

// chosenNote says why the standard errors of guided methods are unknown.
const chosenNote = "the coalitions are chosen by their sizes, not drawn: how much the scores " +
	"miss without the others is unknown, so that they have no standard errors and none is " +
	"claimed to stand out; Random SHAP, Random LIME, MILLI and Shapley have errors"

// tooFew returns the note that n coalitions do not determine the scores of k instances. all means
// that the bag has no more than n coalitions.
func tooFew(n, k int, all bool) string {
	text := fmt.Sprintf("%d coalitions are too few for %d instances: ", n, k)
	switch {
	case all:
		return text + "the bag has no more coalitions"
	case k > maxUnknowns:
		return text + fmt.Sprintf("more than %d take too much memory; explain a part of the bag, "+
			"or use a method without samples", maxUnknowns)
	}
	return text + fmt.Sprintf("at least %d are needed, %d are better; set n (samples)", k+1, 4*k)
}

// system returns the surrogate to solve for a sample with values (coalition, class of the model),
// and those of its distinct coalitions y (coalition, class). All classes share the coalitions and
// weights, and therefore one factorisation.
func (f fitter) system(
	ctx context.Context, g *core.Game, classes []int, drawn sampling.Sample, values []float64,
	kernel surrogate.LogKernel,
) (s *surrogate.Surrogate, y []float64, err error) {
	empty, err := f.emptyValue(g)
	if err != nil {
		return nil, nil, err
	}
	weigh := surrogate.Weighting{Kernel: kernel, Scale: f.Preset != PresetReference}
	design, first, err := surrogate.NewDesign(ctx, g.Arithmetic(), drawn.Coalitions, weigh,
		empty == nil)
	if err != nil {
		return nil, nil, err
	}
	s = &surrogate.Surrogate{
		Design:  design,
		Classes: len(classes),
		Raw:     f.Preset == PresetReference,
	}
	if !drawn.Complete && !drawn.Chosen {
		s.Drawn = &surrogate.Drawn{Paired: drawn.Paired, Missed: drawn.Missed}
	}
	if empty != nil {
		full, err := g.Full(ctx)
		if err != nil {
			return nil, nil, err
		}
		s.Empty, s.Full = pick(nil, empty, classes), pick(nil, full, classes)
	}
	return s, pickRows(values, g.Classes(), first, classes), nil
}

// gather returns the attribution with the fits of all classes.
func gather(fits []surrogate.Fit, notes []string) *core.Attribution {
	a := &core.Attribution{Notes: notes}
	short := false
	for _, f := range fits {
		a.Scores = append(a.Scores, f.Phi)
		a.R2 = append(a.R2, f.R2)
		a.StdErr = append(a.StdErr, f.StdErr)
		a.Freedom = append(a.Freedom, f.Freedom)
		short = short || f.Truncated || f.Short
	}
	if short {
		a.AddNote(
			"the coalitions do not determine every score: the smallest scores that fit were " +
				"taken, and R² is optimistic",
		)
	}
	return a
}

// pickRows returns the given rows and classes of values (row, class) with
// `all` classes.
func pickRows(values []float64, all int, rows, classes []int) []float64 {
	out := make([]float64, 0, len(rows)*len(classes))
	for _, row := range rows {
		out = pick(out, values[row*all:(row+1)*all], classes)
	}
	return out
}

// pick appends the values of the given classes to dst.
func pick(dst, row []float64, classes []int) []float64 {
	for _, c := range classes {
		dst = append(dst, row[c])
	}
	return dst
}
