// Package games has evaluators made of functions, for tests of core and its methods. Those with
// known Shapley values are in coretest.
package games

import (
	"context"
	"math"
	"sync/atomic"
	"testing"

	"github.com/bagscope/bagscope/core"
)

// Fake is an evaluator made of a function of the members of a coalition.
type Fake struct {
	Shape core.Task
	Value func(members []int) []float64
}

func (f *Fake) Task() core.Task { return f.Shape }

func (f *Fake) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	for j := range z.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		copy(dst[j*f.Shape.Classes:], f.Value(z.Members(nil, j)))
	}
	return nil
}

// Logits is a game of three classes on logits whose first class is the negative one.
func Logits(k int) *Fake {
	return &Fake{
		core.Task{Instances: k, Classes: 3, Scale: core.ScaleLogits, Negative: 0, Least: 0},
		func(members []int) []float64 {
			a, b := 0.0, 0.0
			for _, i := range members {
				a += float64(i%3) / 2
				b += float64(i%5) / 4
			}
			n := float64(len(members))
			return []float64{1, a / n, b / n}
		},
	}
}

// Sharing is a fake that evaluates neighbours one by one and counts them.
type Sharing struct {
	*Fake
	Scored atomic.Int64
}

func (s *Sharing) HasNeighbours() bool { return true }

func (s *Sharing) EvaluateNeighbours(ctx context.Context, dst []float64, z []uint64) error {
	c, all := s.Shape.Classes, core.NeighbourCoalitions(s.Shape.Instances, z)
	for i := range all.Len() {
		row, one := dst[i*c:(i+1)*c], all.Slice(i, i+1)
		if one.Size(0) < s.Shape.LeastBag() {
			for n := range row {
				row[n] = math.NaN()
			}
			continue
		}
		if err := s.Evaluate(ctx, row, one); err != nil {
			return err
		}
		s.Scored.Add(1)
	}
	return nil
}

// Steep is a game of two classes in which few instances matter and act together.
func Steep(k int) *Fake {
	return &Fake{
		core.Task{Instances: k, Classes: 2, Scale: core.ScaleLogits, Negative: 0, Least: 0},
		func(members []int) []float64 {
			key, sum := 0, 0.0
			for _, i := range members {
				if i%5 == 1 {
					key++
				}
				sum += math.Sin(float64(3*i + 1))
			}
			return []float64{0, 4*math.Tanh(float64(key)-1) + sum/float64(len(members))}
		},
	}
}

// Saturated is a game whose output depends on the strongest key instance alone, so that in large
// contexts one more instance rarely changes it.
func Saturated(k int) *Fake {
	return &Fake{
		core.Task{Instances: k, Classes: 2, Scale: core.ScaleLogits, Negative: 0, Least: 0},
		func(members []int) []float64 {
			out := -3.0
			for _, i := range members {
				if i%2 == 0 {
					out = max(out, 2+.3*float64(i))
				}
			}
			return []float64{0, out}
		},
	}
}

// AtLeast returns a fake that panics on a bag smaller than least.
func AtLeast(f *Fake, least int) *Fake {
	small := *f
	small.Shape.Least = least
	small.Value = func(members []int) []float64 {
		if len(members) < least {
			panic("a coalition is too small")
		}
		return f.Value(members)
	}
	return &small
}

// New returns a game with a fixed seed.
func New(t testing.TB, ev core.Evaluator) *core.Game {
	t.Helper()
	g, err := core.NewGame(ev, core.GameOptions{Seed: 6})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Ending is a context that ends when it has been looked at a number of times.
type Ending struct {
	context.Context
	Looks int
}

func (e *Ending) Err() error {
	if e.Looks--; e.Looks < 0 {
		return context.Canceled
	}
	return nil
}

// A Thrifty game has one class and allocates no memory.
type Thrifty struct{ Players int }

func (g Thrifty) Task() core.Task {
	return core.Task{Instances: g.Players, Classes: 1, Scale: core.ScaleRaw, Negative: -1, Least: 0}
}

func (Thrifty) Evaluate(_ context.Context, dst []float64, z *core.Coalitions) error {
	for j := range dst {
		first := 0
		for !z.Has(j, first) {
			first++
		}
		dst[j] = 1 / float64(z.Size(j)+first)
	}
	return nil
}
