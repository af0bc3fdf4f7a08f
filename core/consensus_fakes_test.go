package core

import (
	"context"
	"math"
	"sync/atomic"
	"testing"
)

// sharing is a fake that evaluates neighbours one by one and counts them.
type sharing struct {
	*fake
	neighbours atomic.Int64
}

func (s *sharing) HasNeighbours() bool { return true }

func (s *sharing) EvaluateNeighbours(ctx context.Context, dst []float64, z []uint64) error {
	c, all := s.task.Classes, NeighbourCoalitions(s.task.Instances, z)
	for i := range all.Len() {
		row, one := dst[i*c:(i+1)*c], all.Slice(i, i+1)
		if one.Size(0) < s.task.LeastBag() {
			for n := range row {
				row[n] = math.NaN()
			}
			continue
		}
		if err := s.Evaluate(ctx, row, one); err != nil {
			return err
		}
		s.neighbours.Add(1)
	}
	return nil
}

// steep is a game of two classes in which few instances matter and act together.
func steep(k int) *fake {
	return &fake{Task{k, 2, ScaleLogits, 0, 0}, func(members []int) []float64 {
		key, sum := 0, 0.0
		for _, i := range members {
			if i%5 == 1 {
				key++
			}
			sum += math.Sin(float64(3*i + 1))
		}
		return []float64{0, 4*math.Tanh(float64(key)-1) + sum/float64(len(members))}
	}}
}

// saturated is a game whose output depends on the strongest key instance alone, so that in large
// contexts one more instance rarely changes it.
func saturated(k int) *fake {
	return &fake{Task{k, 2, ScaleLogits, 0, 0}, func(members []int) []float64 {
		out := -3.0
		for _, i := range members {
			if i%2 == 0 {
				out = max(out, 2+.3*float64(i))
			}
		}
		return []float64{0, out}
	}}
}

// atLeast returns a fake that panics on a bag smaller than least.
func atLeast(f *fake, least int) *fake {
	small := *f
	small.task.Least = least
	small.value = func(members []int) []float64 {
		if len(members) < least {
			panic("a coalition is too small")
		}
		return f.value(members)
	}
	return &small
}

// gameOf returns a game with a fixed seed.
func gameOf(t *testing.T, ev Evaluator) *Game {
	t.Helper()
	g, err := NewGame(ev, GameOptions{Seed: 6})
	if err != nil {
		t.Fatal(err)
	}
	return g
}
