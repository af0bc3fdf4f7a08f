package suffix

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/bagscope/bagscope/core"
)

// Models that pool the m highest scores, or look at m neighbours, take no bag below m instances.
// The least size is found by runs, once for a model: sizes 1, 2, 4 and so on, then by bisection, on
// the assumption that a model which takes n instances takes n + 1. A model takes a size if it runs
// on it and the scores are finite for some of the instances tried.

const (
	leastTries = 3 // sets of instances of a size, if scores are not finite
)

// findLeast finds the least size of a bag that the model takes, and sets it in the task.
func (e *Evaluator) findLeast(ctx context.Context, c *Cache) error {
	k := e.Task.Instances
	if known := int(c.least.Load()); known > 0 {
		e.Task.Least = min(known, k)
		return nil
	}
	random := rand.New(rand.NewPCG(uint64(k), 0x6c65617374))
	certain := true // no answer hangs on the numbers of this bag
	takes := func(n int) (bool, error) {
		for range leastTries {
			row, z := make([]float64, e.Task.Classes), core.NewCoalitions(k, 1)
			z.AppendMembers(random.Perm(k)[:n]...)
			err := e.Suffix.evaluate(ctx, row, z)
			switch {
			case ctx.Err() != nil:
				return false, context.Cause(ctx)
			case err != nil:
				return false, nil
			case finite(row):
				return true, nil
			}
			certain = false
		}
		return false, nil
	}
	fails, fits := 0, 1
	for ; fits < k; fails, fits = fits, min(2*fits, k) {
		ok, err := takes(fits)
		if err != nil {
			return err
		}
		if ok && fits == 1 && k > 2 { // one row broadcasts to any number of constant rows
			if ok, err = takes(2); err != nil {
				return err
			}
		}
		if ok {
			break
		}
	}
	for fits-fails > 1 {
		n := (fails + fits) / 2
		ok, err := takes(n)
		if err != nil {
			return err
		}
		if ok {
			fits = n
		} else {
			fails = n
		}
	}
	e.Task.Least = fits
	if certain && fits < k || k == 1 && fits == 1 {
		c.least.Store(int32(fits))
	}
	return nil
}

func finite(row []float64) bool {
	for _, v := range row {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
