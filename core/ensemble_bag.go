package core

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/quota"
)

// An ensembleBag is the evaluator of a bag under an ensemble. All folds evaluate each coalition
// once.
type ensembleBag struct {
	folds []Evaluator
	blend *blend
	task  Task // the task of the mean
	note  string
	// apart says that the classes of each fold follow those of the mean.
	apart bool
}

var (
	_ Attender           = (*ensembleBag)(nil)
	_ Batcher            = (*ensembleBag)(nil)
	_ Calculator         = (*ensembleBag)(nil)
	_ CovariateEvaluator = (*ensembleBag)(nil)
	_ Embedder           = (*ensembleBag)(nil)
	_ HeadsEvaluator     = (*ensembleBag)(nil)
	_ Identifier         = (*ensembleBag)(nil)
	_ InstanceEvaluator  = (*ensembleBag)(nil)
	_ NeighbourEvaluator = (*ensembleBag)(nil)
	_ Noter              = (*ensembleBag)(nil)
	_ Sizer              = (*ensembleBag)(nil)
	_ Extender           = extendableEnsemble{}
)

// joinEvaluators returns the evaluator of the mean of folds, which are bound to one bag. Errors are
// those of their evaluation, a *SettingError for folds whose classes or scales differ, and an
// *EvaluatorError for an evaluator that no model has.
func joinEvaluators(
	ctx context.Context, folds []Evaluator, mean Mean, note string,
) (Evaluator, error) {
	e := &ensembleBag{folds: folds, note: note}
	var err error
	if e.blend, err = newBlend(ctx, folds, mean); err != nil {
		return nil, err
	}
	e.task = folds[0].Task()
	e.task.Scale, e.task.Negative = e.blend.heads[0].Scale, e.blend.heads[0].Negative
	for _, f := range folds[1:] {
		t := f.Task()
		if t.Instances != e.task.Instances {
			return nil, notEvaluator("the models of an ensemble are bound to bags of %d and of %d "+
				"instances", e.task.Instances, t.Instances)
		}
		if t.Why != "" {
			e.task.Why = t.Why
		}
		if step := common(max(e.task.Step, 1), max(t.Step, 1)); step > 1 {
			e.task.Step, e.task.Least = step, step
		} else {
			e.task.Least = max(e.task.Least, t.Least)
		}
	}
	extendable := !slices.ContainsFunc(folds, func(f Evaluator) bool {
		_, ok := f.(Extender)
		return !ok
	})
	if extendable {
		return extendableEnsemble{e, mean}, nil
	}
	return e, nil
}

// common returns the least common multiple of two numbers.
func common(a, b int) int {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}

// Apart returns the evaluator of a bag that scores, if it is that of an ensemble, the classes of
// the mean and then those of each fold; else ev. A game of it explains the classes of the mean, and
// its reports also have what each fold says.
func Apart(ev Evaluator) Evaluator {
	if e, ok := ev.(interface{ scoredApart() Evaluator }); ok {
		return e.scoredApart()
	}
	return ev
}

// scoredApart is Apart.
func (e *ensembleBag) scoredApart() Evaluator {
	of := *e
	of.apart = true
	return &of
}

// alone returns the evaluator of one fold on the scale of the mean.
func (e *ensembleBag) alone(fold int) Evaluator {
	of := *e
	of.folds, of.apart = e.folds[fold:fold+1], false
	of.blend = &blend{e.blend.heads, e.blend.from[fold : fold+1]}
	return &of
}

// Task implements Evaluator.
func (e *ensembleBag) Task() Task {
	t := e.task
	if e.apart {
		t.Classes *= 1 + len(e.folds)
	}
	return t
}

// Heads implements HeadsEvaluator: those of the mean and, if they are apart, those of each fold.
func (e *ensembleBag) Heads() []Head {
	if !e.apart {
		return e.blend.heads
	}
	var all []Head
	for n := range 1 + len(e.folds) {
		for _, h := range e.blend.heads {
			if h.Negative >= 0 {
				h.Negative += n * e.task.Classes
			}
			all = append(all, h)
		}
	}
	return all
}

// mix writes the scores of n bags to dst, (bag, class), from those that score writes for a fold.
func (e *ensembleBag) mix(
	dst []float64, n int, score func(fold Evaluator, dst []float64) error,
) error {
	c, width := e.task.Classes, e.Task().Classes
	scores := make([]float64, n*c)
	clear(dst)
	for j, fold := range e.folds {
		if err := score(fold, scores); err != nil {
			return err
		}
		for i := range n {
			row, to := scores[i*c:(i+1)*c], dst[i*width:(i+1)*width]
			e.blend.turn(j, row)
			linear.AddRow(to[:c], row)
			if e.apart {
				copy(to[(1+j)*c:], row)
			}
		}
	}
	for i := range n {
		linear.Divide(dst[i*width:i*width+c], float64(len(e.folds)))
	}
	return nil
}

// Evaluate implements Evaluator.
func (e *ensembleBag) Evaluate(ctx context.Context, dst []float64, z *Coalitions) error {
	return e.mix(dst, z.Len(), func(fold Evaluator, dst []float64) error {
		return fold.Evaluate(ctx, dst, z)
	})
}

// EvaluateInstances implements InstanceEvaluator. Folds that cannot score by index get masks.
func (e *ensembleBag) EvaluateInstances(
	ctx context.Context, dst []float64, removed bool, lo, hi int,
) error {
	return e.mix(dst, hi-lo, func(fold Evaluator, dst []float64) error {
		if by, ok := fold.(InstanceEvaluator); ok {
			return by.EvaluateInstances(ctx, dst, removed, lo, hi)
		}
		return fold.Evaluate(ctx, dst, InstanceCoalitions(e.task.Instances, removed, lo, hi))
	})
}

// HasNeighbours implements NeighbourEvaluator: all folds have them.
func (e *ensembleBag) HasNeighbours() bool {
	return !slices.ContainsFunc(e.folds, func(fold Evaluator) bool {
		by, ok := fold.(NeighbourEvaluator)
		return !ok || !by.HasNeighbours()
	})
}

// EvaluateNeighbours implements NeighbourEvaluator.
func (e *ensembleBag) EvaluateNeighbours(ctx context.Context, dst []float64, z []uint64) error {
	return e.mix(dst, e.task.Instances+1, func(fold Evaluator, dst []float64) error {
		return fold.(NeighbourEvaluator).EvaluateNeighbours(ctx, dst, z)
	})
}

// EvaluateCovariates implements CovariateEvaluator.
func (e *ensembleBag) EvaluateCovariates(
	ctx context.Context, dst []float64, list []Covariate,
) (all bool, err error) {
	all = true
	err = e.mix(dst, 1, func(fold Evaluator, dst []float64) error {
		by, ok := fold.(CovariateEvaluator)
		if ok {
			ok, err = by.EvaluateCovariates(ctx, dst, list)
		}
		all = all && ok
		return err
	})
	return all, err
}

// Attention implements Attender by the mean of the folds' scores, or those of the fold that a class
// belongs to.
func (e *ensembleBag) Attention(ctx context.Context, class int) ([]float64, error) {
	of, class := class/e.task.Classes, class%e.task.Classes
	mean := make([]float64, e.task.Instances)
	folds := e.folds
	if of > 0 {
		folds = folds[of-1 : of]
	}
	for _, fold := range folds {
		by, ok := fold.(Attender)
		if !ok {
			return nil, &UnavailableError{Method: "inherent",
				Reason: "a model of the ensemble has no output of instance scores"}
		}
		scores, err := by.Attention(ctx, class)
		if err == nil {
			err = checkInherent(scores, class, len(mean))
		}
		if err != nil {
			return nil, err
		}
		linear.AddRow(mean, scores)
	}
	linear.Divide(mean, float64(len(folds)))
	return mean, nil
}

// Batch implements Batcher by the smallest of the folds' batches.
func (e *ensembleBag) Batch() int {
	least := 0
	for j, fold := range e.folds {
		by, ok := fold.(Batcher)
		if !ok {
			return 0
		}
		if n := by.Batch(); j == 0 || n < least {
			least = n
		}
	}
	return least
}

// Arithmetic implements Calculator by the first fold that does.
func (e *ensembleBag) Arithmetic() Arithmetic {
	for _, fold := range e.folds {
		if by, ok := fold.(Calculator); ok {
			return by.Arithmetic()
		}
	}
	return nil
}

// Identity implements Identifier by the first fold that does. Without one, all instances of equal
// scores are identical, as in games of evaluators that are none.
func (e *ensembleBag) Identity(instance int) uint64 {
	for _, fold := range e.folds {
		if by, ok := fold.(Identifier); ok {
			return by.Identity(instance)
		}
	}
	return 0
}

// Embeddings implements Embedder: the values of all folds, one after another for each instance.
func (e *ensembleBag) Embeddings(ctx context.Context) (values []float32, width int, err error) {
	memory := quota.MemoryOf(ctx)
	for _, fold := range e.folds {
		by, ok := fold.(Embedder)
		if !ok {
			err = &UnavailableError{
				Reason: "a model of the ensemble returns no embeddings of instances"}
		}
		var of []float32
		var n int
		if err == nil {
			of, n, err = by.Embeddings(ctx)
		}
		if err == nil {
			err = memory.Reserve(4*int64(len(values)+len(of)), "embeddings")
		}
		memory.Release(4 * int64(len(values)+len(of)))
		if err != nil {
			return nil, 0, err
		}
		values, width = besideEach(values, width, of, n), width+n
	}
	return values, width, nil
}

// besideEach returns the rows of a, of width n, each with the row of b, of width m, after it.
func besideEach(a []float32, n int, b []float32, m int) []float32 {
	out := make([]float32, 0, len(a)+len(b))
	for i := range len(b) / m {
		out = append(out, a[i*n:(i+1)*n]...)
		out = append(out, b[i*m:(i+1)*m]...)
	}
	return out
}

// Notes implements Noter.
func (e *ensembleBag) Notes() []string {
	notes := []string{e.note}
	for _, fold := range e.folds {
		if by, ok := fold.(Noter); ok {
			notes = appendNew(notes, by.Notes())
		}
	}
	return notes
}

// Bytes implements Sizer.
func (e *ensembleBag) Bytes() (sum int64) {
	for _, fold := range e.folds {
		if by, ok := fold.(Sizer); ok {
			sum += by.Bytes()
		}
	}
	return sum
}

// An extendableEnsemble is an ensembleBag of folds that are all Extenders.
type extendableEnsemble struct {
	*ensembleBag
	mean Mean
}

// Extend implements Extender.
func (e extendableEnsemble) Extend(ctx context.Context, more *Bag) (Evaluator, error) {
	longer := make([]Evaluator, len(e.folds))
	for j, fold := range e.folds {
		var err error
		if longer[j], err = fold.(Extender).Extend(ctx, more); err != nil {
			return nil, err
		}
	}
	return joinEvaluators(ctx, longer, e.mean, e.note)
}
