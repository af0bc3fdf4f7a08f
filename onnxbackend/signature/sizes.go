package signature

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
)

const (
	sizesWork = 1 << 30 // work of the runs that find why a bag's size fails
	sizesMost = 64      // every size up to this one is tried
)

// oneNumber is in the error of a node whose constants show that the file takes bags of one size.
const oneNumber = "exported for one number of instances"

// SizeError explains an error of a node on a bag. If runs on other numbers of the bag's instances
// show that the bag's size causes it, the result is a *core.BagError that states the sizes that the
// model takes. Any other error is returned unchanged.
func (f Fitted) SizeError(ctx context.Context, err error) error {
	var run *fault.Run
	if !errors.As(err, &run) || ctx.Err() != nil || strings.Contains(run.Reason, oneNumber) {
		return err
	}
	k, r := f.Len(), &randomRuns{s: f.s, work: sizesWork}
	takesOf := func(n, different int) bool {
		instances := make([]int, n)
		for i := range instances {
			instances[i] = i % different
		}
		return r.run(f.Select(instances).Load)
	}
	takes := func(n int) bool { return takesOf(n, k) }
	// repeats shows that an instance fails, and not the size.
	repeats := func(n int) bool { return takesOf(n, 1) }
	var taken []int
	for n := 1; n <= sizesMost && r.work > 0; n++ {
		if n != k && takes(n) {
			taken = append(taken, n)
		}
	}
	if len(taken) == 0 {
		for n := 2 * sizesMost; n <= 1<<12 && r.work > 0; n *= 2 {
			if n > k && takes(n) {
				return tooSmall(f.Bag, bisect(max(k, n/2), n, takes))
			}
		}
		return err
	}
	if len(taken) == 2 && taken[0] == 1 {
		taken = taken[1:] // a constant of one row broadcasts to any number of rows
	}
	switch first := taken[0]; {
	case len(taken) == 1 && first < sizesMost && !repeats(k):
		return &core.BagError{Bag: f.Bag.Name, Reason: fmt.Sprintf("it has %d instances, and the "+
			"model runs on bags of %d instances alone: the file was exported for one number of "+
			"instances; export it with that axis dynamic (%s)", k, first, run)}
	case first > k:
		return tooSmall(f.Bag, first)
	}
	return err
}

// bisect returns the smallest size above fails that the model takes, which is at most fits.
func bisect(fails, fits int, takes func(n int) bool) int {
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
	return &core.BagError{Bag: bag.Name, Reason: fmt.Sprintf("it has %d instances, and the model "+
		"takes bags of at least %d", bag.Len(), least)}
}
