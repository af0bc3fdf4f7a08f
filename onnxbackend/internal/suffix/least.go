package suffix

import (
	"context"
	"errors"
	"math/rand/v2"
	"sort"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
)

// Models that pool the m highest scores, or look at m neighbours, take no bag below m instances.
// The least size is found by runs, once for a model: sizes 1, 2, 4 and so on, then by bisection, on
// the assumption that a model which takes n instances takes n + 1. If it does not take one more
// than the least, sizes may be multiples of a part of this bag's. A model takes a size if it runs
// on it and the scores are finite for some of the instances tried.

// leastTries is how many sets of instances of one size are tried, if scores are not finite.
const leastTries = 3

// findLeast finds the least size of a bag that the model takes, and sets it in the task.
func (e *Evaluator) findLeast(ctx context.Context, c *Cache) error {
	k := e.Task.Instances
	if known := c.sizes.Load(); known != nil {
		e.Task.Least, e.Task.Step, e.Task.Why = min(known.least, k), known.step, known.why
		return nil
	}
	random := rand.New(rand.NewPCG(uint64(k), 0x6c65617374))
	certain := true // no result depended on the numbers of this bag
	var refused *fault.Run
	var scored []int // the smallest set of instances with scores that are finite
	// scores reports whether a set of instances runs, and whether its scores are finite.
	scores := func(set []int) (runs, finite bool) {
		row, z := make([]float64, e.Task.Classes), core.NewCoalitions(k, 1)
		z.AppendMembers(set...)
		if err := e.Suffix.evaluate(ctx, row, z); err != nil {
			errors.As(err, &refused)
			return false, false
		}
		finite = tolerance.NonFinite(row) < 0
		certain = certain && finite
		if finite && (scored == nil || len(set) < len(scored)) {
			scored = set
		}
		return true, finite
	}
	takes := func(n int) bool {
		for range leastTries {
			if runs, finite := scores(random.Perm(k)[:n]); finite || !runs {
				return finite
			}
		}
		return false
	}
	// A run on one instance counts only with one on two: a single row broadcasts to the rows of a
	// constant, whatever their number.
	low, high := 1, 1 // the least size lies between them
	for high < k && !(takes(high) && (high > 1 || k == 2 || takes(2))) {
		low, high = high+1, min(2*high, k)
	}
	e.Task.Least = low + sort.Search(high-low, func(i int) bool { return takes(low + i) })
	if !certain && len(scored) > 0 {
		// The model may have selected none of the instances that were tried: halve a set that it
		// scored, and use the smallest if the model runs on two instances, too.
		for halved := true; halved && len(scored) > 1; {
			set, half := scored, len(scored)/2
			if _, halved = scores(set[:half]); !halved {
				_, halved = scores(set[half:])
			}
		}
		if runs, _ := scores(random.Perm(k)[:min(2, k)]); runs {
			e.Task.Least = min(e.Task.Least, len(scored))
		}
	}
	if least := e.Task.Least; least > 1 && certain && (least == k || !takes(least+1)) {
		if step := stepOf(k, takes); step > 0 {
			e.Task.Least, e.Task.Step = step, step
			if takes(step + 1); refused != nil {
				e.Task.Why = refused.Error()
			}
		} else if least == k {
			e.Task.Why = e.Fitted.OnlySize()
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx) // takes has returned false for sizes that it did not run
	}
	if certain && e.Task.Least < k || k == 1 {
		c.sizes.Store(&sizes{e.Task.Least, e.Task.Step, e.Task.Why})
	}
	return nil
}

// sizes are the numbers of instances that a model takes, as a core.Task has them.
type sizes struct {
	least, step int
	why         string
}

// stepOf returns the smallest part of k instances of which the model takes the multiples, as a
// model of pseudo-bags does, or 0. The model takes k.
func stepOf(k int, takes func(n int) bool) int {
	for step := 2; 2*step <= k; step++ {
		if k%step == 0 && takes(step) && takes(k-step) && !takes(step+1) {
			return step
		}
	}
	return 0
}
