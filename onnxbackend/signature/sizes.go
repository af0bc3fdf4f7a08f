package signature

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
)

// Bounds of the runs that find why a bag's size fails.
const (
	sizesWork = 1 << 30 // multiplications, or elements touched
	sizesMost = 64      // every size up to this one is tried, and beyond it powers of two
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
	// takesOf runs the graph on n instances, of which the first few repeat.
	takesOf := func(n, different int) bool {
		instances := make([]int, n)
		for i := range instances {
			instances[i] = i % different
		}
		return r.run(f.Select(instances).Give)
	}
	takes := func(n int) bool { return takesOf(n, k) }
	// Try small sizes one by one: a file for one size takes that one alone.
	var taken []int
	for n := 1; n <= sizesMost && r.work > 0; n++ {
		if n != k && takes(n) {
			taken = append(taken, n)
		}
	}
	// None is small: search the least size between powers of two.
	if len(taken) == 0 {
		for n := 2 * sizesMost; n <= 1<<12 && r.work > 0; n *= 2 {
			if n > k && takes(n) {
				above := max(k, n/2) + 1 // the model takes none of the sizes below
				return tooSmall(f.Bag, above+sort.Search(n-above, func(i int) bool {
					return takes(above + i)
				}))
			}
		}
		return err
	}
	if len(taken) == 2 && taken[0] == 1 {
		taken = taken[1:] // a constant of one row broadcasts to any number of rows
	}
	switch first := taken[0]; {
	// If k copies of one instance run, another instance fails, and not the size.
	case len(taken) == 1 && first < sizesMost && !takesOf(k, 1):
		return bagError(f.Bag, "it has %s, and the model runs on bags of %s alone: the file was "+
			"%s; export it with that axis dynamic (%s)", counted(k), counted(first), oneNumber, run)
	case first > 1 && first <= sizesMost/2 && multiples(taken, first, k):
		return bagError(f.Bag, "it has %s, and the model takes multiples of %d: %s", counted(k),
			first, run)
	case first > k:
		return tooSmall(f.Bag, first)
	}
	return err
}

// OnlySize returns why the model takes bags of this bag's size alone, in words, or "" if it takes
// larger ones or a limit ends their runs. The graph must not run on smaller ones.
func (f Fitted) OnlySize() string {
	r := &randomRuns{s: f.s, work: sizesWork}
	var node *fault.Run
	for _, n := range []int{2 * f.Len(), f.Len() + 1} {
		instances := make([]int, n)
		for i := range instances {
			instances[i] = i % f.Len()
		}
		if r.run(f.Select(instances).Give) || !errors.As(r.err, &node) {
			return ""
		}
	}
	return constantCause(node)
}

// multiples reports whether sizes are all multiples of step up to sizesMost, but k.
func multiples(sizes []int, step, k int) bool {
	n := sizesMost / step
	if k%step == 0 && k <= sizesMost {
		n--
	}
	return len(sizes) == n && !slices.ContainsFunc(sizes, func(s int) bool { return s%step != 0 })
}

// tooSmall returns a *core.BagError that states the smallest bag that the model takes.
func tooSmall(bag *core.Bag, least int) error {
	return bagError(bag, "it has %s, and the model takes bags of at least %d; use a larger bag",
		counted(bag.Len()), least)
}

// counted returns a number of instances in words.
func counted(n int) string {
	if n == 1 {
		return "1 instance"
	}
	return fmt.Sprintf("%d instances", n)
}
