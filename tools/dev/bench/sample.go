package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
)

// A recorder is an evaluator that records the coalitions of a method. Its scores are arbitrary but
// fixed. The sizes of coalitions, which determine the time of a loop, do not depend on scores.
type recorder struct {
	task core.Task
	z    *core.Coalitions
}

// newRecorder returns a recorder for a bag and a model of the given sizes.
func newRecorder(instances, classes int) *recorder {
	return &recorder{
		task: core.Task{Instances: instances, Classes: classes, Scale: core.ScaleLogits,
			Negative: 0},
		z: core.NewCoalitions(instances, 0),
	}
}

// Task implements core.Evaluator.
func (r *recorder) Task() core.Task { return r.task }

// Evaluate implements core.Evaluator. Each score is a normal number with the members as its seed.
func (r *recorder) Evaluate(_ context.Context, dst []float64, z *core.Coalitions) error {
	for j := range z.Len() {
		r.z.Append(z.Row(j))
		// A linear congruential step for each word mixes all members into the seed.
		h := uint64(1)
		for _, word := range z.Row(j) {
			h = h*6364136223846793005 + word
		}
		for c := range r.task.Classes {
			dst[j*r.task.Classes+c] = rand.New(rand.NewPCG(h, uint64(c))).NormFloat64()
		}
	}
	return nil
}

// coalitionsOf returns all coalitions that a task evaluates, in their order.
func coalitionsOf(ctx context.Context, s *Subject, task string) (*core.Coalitions, error) {
	r := newRecorder(s.Instances, s.Classes)
	switch task {
	case taskForward:
		r.z.AppendWithout()
		return r.z, nil
	case taskCoalitions:
		task = taskSHAP
	}
	// The recorder does not read the bag, but methods need its size.
	blank := &core.Bag{Shape: []int{1}, Values: make([]float32, s.Instances)}
	if err := runTask(ctx, s, task, blank, r); err != nil {
		return nil, err
	}
	return r.z, nil
}

// runTask runs a task that explains or judges a bag.
func runTask(ctx context.Context, s *Subject, task string, bag *core.Bag, ev core.Evaluator) error {
	o := core.GameOptions{Workers: 1}
	if task == taskAOPCR {
		g, err := core.NewGame(ev, o)
		if err != nil {
			return err
		}
		return aopcr(ctx, g, bag)
	}
	m, err := method(s, task)
	if err != nil {
		return err
	}
	_, err = core.Explain(ctx, ev, core.Request{Methods: []core.Method{m}, GameOptions: o})
	return err
}

const (
	shapSamples = 1000 // coalitions of RandomSHAP
	aopcOrders  = 10   // random orders that AOPC-R compares with
)

// method returns the method of a task.
func method(s *Subject, task string) (core.Method, error) {
	if task == taskConsensus {
		return methods.Consensus{}, nil
	}
	set, err := methods.Settings(s.Settings)
	if err != nil {
		return nil, err
	}
	o := set.Options
	switch task {
	case taskSHAP:
		return methods.RandomSHAP{Sampling: methods.Sampling{Samples: shapSamples}}, nil
	case taskMILLI:
		o.Rank = methods.RankNegative
	case taskMILLIExplained:
		o.Rank = methods.RankExplained
	default:
		return nil, fmt.Errorf("the task %q does not explain", task)
	}
	methods, err := methods.New([]string{"milli"}, o)
	if err != nil {
		return nil, err
	}
	return methods[0], nil
}

// aopcr judges one ranking for each class against random orders. The ranking is random too, so that
// the time does not include a method.
func aopcr(ctx context.Context, g *core.Game, bag *core.Bag) error {
	j, err := metric.NewBagMetrics(ctx, g, bag, nil,
		metric.Options{Metrics: []string{metric.NameAOPCR}, Orders: aopcOrders})
	if err != nil {
		return err
	}
	for class := range g.Classes() {
		scores := make([]float64, g.Instances())
		for i, place := range g.Rand(fmt.Sprint("bench ", class)).Perm(len(scores)) {
			scores[i] = float64(place)
		}
		if _, err := j.Row(ctx, core.Explanation{Class: class, Scores: scores}); err != nil {
			return err
		}
	}
	return nil
}

// sample returns the members of n coalitions that represent all of z. It sorts coalitions by size,
// divides them into n equal parts and chooses the middle of each. If n is at least z.Len(), it
// returns all.
func sample(z *core.Coalitions, n int) [][]int {
	order := make([]int, z.Len())
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(z.Size(a), z.Size(b)) })
	n = min(n, z.Len())
	out := make([][]int, n)
	for i := range out {
		out[i] = z.Members([]int{}, order[(2*i+1)*z.Len()/(2*n)])
	}
	return out
}
