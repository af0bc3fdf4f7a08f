package onnxbackend

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Models that pool the m highest scores, or look at m neighbours, take no bag below m instances. The least size is found
// by runs, once for a model: sizes 1, 2, 4 and so on, then by halves, on the assumption that a model which takes n
// instances takes n + 1. A model takes a size if it runs on it and the scores are finite for some of the instances tried.

const (
	leastTries = 3       // sets of instances of a size, where scores are not finite
	sizesWork  = 1 << 30 // of the runs that say why a bag's size fails
	sizesMost  = 64      // up to which every size is tried
)

// oneNumber is what an error of a node says where its own constants tell that the file takes bags of one size.
const oneNumber = "exported for one number of instances"

// findLeast finds the least size of a bag that the model takes.
func (b *Bound) findLeast(ctx context.Context) error {
	k := b.task.Instances
	if known := int(b.m.least.Load()); known > 0 {
		b.task.Least = min(known, k)
		return nil
	}
	random := rand.New(rand.NewPCG(uint64(k), 0x6c65617374))
	certain := true // no answer hangs on the numbers of this bag
	takes := func(n int) (bool, error) {
		for range leastTries {
			row, z := make([]float64, b.task.Classes), core.NewCoalitions(k, 1)
			z.AppendMembers(random.Perm(k)[:n]...)
			err := b.cut.evaluate(ctx, b, row, z)
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
		if ok && fits == 1 && k > 2 { // one row goes with any number of rows that a file holds as a constant
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
	b.task.Least = fits
	if certain && fits < k || k == 1 && fits == 1 {
		b.m.least.Store(int32(fits))
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

// sizeError says of a bag on which a node fails whether the model takes bags of other sizes, found by runs on the bag's
// instances, left out or repeated. Where it takes none, or the failure is another one, err is returned as it is.
func (m *Model) sizeError(ctx context.Context, bag *core.Bag, err error) error {
	var run *RunError
	if !errors.As(err, &run) || ctx.Err() != nil || strings.Contains(run.Reason, oneNumber) {
		return err
	}
	k, r := bag.Len(), &randomRuns{m: m, work: sizesWork}
	takesOf := func(n, different int) bool {
		instances := make([]int, n)
		for i := range instances {
			instances[i] = i % different
		}
		other := bag.Select(instances)
		at, err := m.input.fit(other)
		return err == nil && r.run(func(mc *machine.Machine, dst *tensor.Tensor) error { return m.load(mc, dst, other, at) })
	}
	takes := func(n int) bool { return takesOf(n, k) }
	repeats := func(n int) bool { return takesOf(n, 1) } // so that it is not the size that fails, but some instance
	var taken []int
	for n := 1; n <= sizesMost && r.work > 0; n++ {
		if n != k && takes(n) {
			taken = append(taken, n)
		}
	}
	if len(taken) == 0 {
		for n := 2 * sizesMost; n <= 1<<12 && r.work > 0; n *= 2 {
			if n > k && takes(n) {
				return tooSmall(bag, halved(max(k, n/2), n, takes))
			}
		}
		return err
	}
	if len(taken) == 2 && taken[0] == 1 {
		taken = taken[1:] // one row goes with any number of rows
	}
	switch first := taken[0]; {
	case len(taken) == 1 && first < sizesMost && !repeats(k):
		return &core.BagError{Bag: bag.Name, Reason: fmt.Sprintf("it has %d instances, and the model runs on bags of %d instances alone: the file was exported for one number of instances; "+
			"export it with that axis dynamic (%s)", k, first, run)}
	case first > k:
		return tooSmall(bag, first)
	}
	return err
}

// halved returns the smallest size above fails that the model takes, which is at most fits.
func halved(fails, fits int, takes func(n int) bool) int {
	for fits-fails > 1 {
		if n := (fails + fits) / 2; takes(n) {
			fits = n
		} else {
			fails = n
		}
	}
	return fits
}

func tooSmall(bag *core.Bag, least int) error {
	return &core.BagError{Bag: bag.Name, Reason: fmt.Sprintf("it has %d instances, and the model takes bags of at least %d", bag.Len(), least)}
}
