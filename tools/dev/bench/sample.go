package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
)

// A recorder is an evaluator that writes down which coalitions it is asked for. Its scores are
// arbitrary but fixed: the sizes of coalitions, which is what a loop's time hangs on, do not depend
// on scores.
type recorder struct {
	task core.Task
	z    *core.Coalitions
}

func newRecorder(instances, classes int) *recorder {
	return &recorder{
		task: core.Task{Instances: instances, Classes: classes, Scale: core.ScaleLogits,
			Negative: 0},
		z: core.NewCoalitions(instances, 0),
	}
}

func (r *recorder) Task() core.Task { return r.task }

func (r *recorder) Evaluate(_ context.Context, dst []float64, z *core.Coalitions) error {
	for j := range z.Len() {
		r.z.Append(z.Row(j))
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

// loopOf returns every coalition that a task asks a model for.
func loopOf(ctx context.Context, s *Subject, task string) (*core.Coalitions, error) {
	r := newRecorder(s.Instances, s.Classes)
	switch task {
	case taskForward:
		r.z.AppendWithout()
		return r.z, nil
	case taskCoalitions:
		task = taskSHAP
	}
	blank := &core.Bag{Shape: []int{1}, Values: make([]float32, s.Instances)}
	if err := perform(ctx, s, task, blank, r); err != nil {
		return nil, err
	}
	return r.z, nil
}

// perform does a task of explaining or judging with a bag and its evaluator.
func perform(ctx context.Context, s *Subject, task string, bag *core.Bag, ev core.Evaluator) error {
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
	shapSamples = 1000
	aopcOrders  = 10
)

func method(s *Subject, task string) (core.Method, error) {
	if task == taskConsensus {
		return core.Consensus{}, nil
	}
	set, err := core.Settings(s.Settings)
	if err != nil {
		return nil, err
	}
	o := set.Options
	switch task {
	case taskSHAP:
		return core.RandomSHAP{Sampling: core.Sampling{Samples: shapSamples}}, nil
	case taskMILLI:
		o.Rank = core.RankNegative
	case taskMILLIExplained:
		o.Rank = core.RankExplained
	default:
		return nil, fmt.Errorf("%q is no task of explaining", task)
	}
	methods, err := core.NewMethods([]string{"milli"}, o)
	if err != nil {
		return nil, err
	}
	return methods[0], nil
}

// aopcr judges a ranking for every class against random ones. The rankings judged are random as
// well: no time is spent on finding them.
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

// sample returns the members of n coalitions that stand for all of z: from the middle of n equal
// parts of the coalitions in order of size. With n of them all it is the whole loop.
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
