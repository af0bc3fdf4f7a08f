package metric

import (
	"context"
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/core"
)

// maxInstances bounds k of a curve of removal. Its k coalitions of k bits are remembered by the game:
// 32 MiB a ranking at the bound.
const maxInstances = 1 << 14

// Removal returns what the game is worth while a ranking's instances are taken away from the front,
// shaped (m, class): row m is the value without the first m, for m = 0..k-1. The empty bag is not
// part of it, as MIL models take none; where a model takes only bags of at least l instances the curve ends at
// m = k-l. With the ranking by descending score this is the MoRF curve,
// most relevant first; with the reversed ranking LeRF, least relevant first.
//
// It costs k evaluations at most: those that the game knows are free, and all classes come at once.
func Removal(ctx context.Context, g *core.Game, order []int) ([]float64, error) {
	return removal(ctx, g, order, g.Instances()-g.LeastBag()+1, func(m int) int { return m })
}

// removal is Removal in points steps, of which step s takes away the first size(s) instances.
// Sizes must not fall and must stay below k.
func removal(ctx context.Context, g *core.Game, order []int, points int, size func(s int) int) ([]float64, error) {
	k := g.Instances()
	if float64(k)*float64(points) > maxInstances*maxInstances {
		return nil, &core.BagError{Reason: fmt.Sprintf("a removal curve of its %d instances needs too much memory; removal curves take at most %d instances", k, maxInstances)}
	}
	z := core.NewCoalitions(k, points)
	removed := 0
	for s := range points {
		if s == 0 {
			z.AppendWithout()
		} else {
			z.Append(z.Row(s - 1))
		}
		row := z.Row(s)
		for ; removed < min(size(s), k-g.LeastBag()); removed++ {
			i := order[removed]
			row[i/64] &^= 1 << (i % 64)
		}
	}
	return g.Values(ctx, z)
}

// column returns the curve of one class out of values shaped (m, class).
func column(values []float64, classes, class int) []float64 {
	out := make([]float64, 0, len(values)/classes)
	for at := class; at < len(values); at += classes {
		out = append(out, values[at])
	}
	return out
}

// AOPC returns the area over a curve of removal (m = 0..k-1): the mean over m = 1..k-1 of
// curve[0] - curve[m]. byK divides the sum by k, as the paper's code does, where the paper prints
// k-1. It is not defined for fewer than two instances: ok is false.
func AOPC(curve []float64, byK bool) (value float64, ok bool) {
	if len(curve) < 2 {
		return 0, false
	}
	sum := 0.0
	for _, v := range curve[1:] {
		sum += curve[0] - v
	}
	if byK {
		return sum / float64(len(curve)), true
	}
	return sum / float64(len(curve)-1), true
}

// SRG returns the symmetric relevance gain, the mean over m = 1..k-1 of LeRF minus MoRF: how much
// better the bag keeps its value when it loses its least relevant instances than when it loses its
// most relevant ones (Blücher, Vielhaben and Strodthoff, Decoupling Pixel Flipping and Occlusion
// Strategy for Consistent XAI Benchmarks, 2024). It needs no random orders. For fewer than two
// instances, or curves of different lengths, ok is false.
func SRG(morf, lerf []float64) (value float64, ok bool) {
	if len(morf) < 2 || len(lerf) != len(morf) {
		return 0, false
	}
	sum := 0.0
	for m := 1; m < len(morf); m++ {
		sum += lerf[m] - morf[m]
	}
	return sum / float64(len(morf)-1), true
}

// Deletion returns the area under a MoRF curve by the trapezoidal rule, with the k bags from the full
// one to that of a single instance spread evenly over [0, 1]. Lower is better. (Petsiuk, Das and
// Saenko, RISE, 2018, less its empty picture.) For fewer than two instances ok is false.
func Deletion(morf []float64) (value float64, ok bool) { return trapezoid(morf) }

// Insertion returns the area under the curve of instances put in one by one, most relevant first,
// from a single instance to the full bag. Higher is better. The bag that has lost its least
// relevant m is the one that has gained its most relevant k-m, so that it takes the LeRF curve.
// For fewer than two instances ok is false.
func Insertion(lerf []float64) (value float64, ok bool) {
	inserted := slices.Clone(lerf)
	slices.Reverse(inserted)
	return trapezoid(inserted)
}

// trapezoid returns the area under points spread evenly over [0, 1].
func trapezoid(curve []float64) (float64, bool) {
	n := len(curve)
	if n < 2 {
		return 0, false
	}
	sum := (curve[0] + curve[n-1]) / 2
	for _, v := range curve[1 : n-1] {
		sum += v
	}
	return sum / float64(n-1), true
}
