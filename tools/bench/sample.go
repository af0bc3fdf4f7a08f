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

// A recorder is an evaluator that writes down which coalitions it is asked for. Its scores are arbitrary
// but fixed: the sizes of coalitions, which is what a loop's time hangs on, do not depend on scores.
type recorder struct {
	task core.Task
	z    *core.Coalitions
}

func newRecorder(instances, classes int) *recorder {
	return &recorder{
		task: core.Task{Instances: instances, Classes: classes, Scale: core.ScaleLogits, Negative: 0},
		z:    core.NewCoalitions(instances, 0),
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
	if err := perform(ctx, s, task, r); err != nil {
		return nil, err
	}
	return r.z, nil
}

// perform does a task of explaining or judging with a bound bag.
func perform(ctx context.Context, s *Subject, task string, ev core.Evaluator) error {
	o := core.GameOptions{Workers: 1}
	if task == taskAOPCR {
		g, err := core.NewGame(ev, o)
		if err != nil {
			return err
		}
		return aopcr(ctx, g)
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

// aopcr judges a ranking for every class against random ones. The rankings judged are random as well:
// no time is spent on finding them.
func aopcr(ctx context.Context, g *core.Game) error {
	random := g.Rand("bench")
	orders := make([][]int, aopcOrders)
	for i := range orders {
		orders[i] = random.Perm(g.Instances())
	}
	base, err := metric.NewBaseline(ctx, g, orders, false)
	if err != nil {
		return err
	}
	for class := range g.Classes() {
		morf, err := metric.Removal(ctx, g, random.Perm(g.Instances()))
		if err != nil {
			return err
		}
		curve := make([]float64, g.Instances())
		for m := range curve {
			curve[m] = morf[m*g.Classes()+class]
		}
		base.AOPCR(curve, class)
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
