package metric

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/stats"
)

// maxInstances bounds k of a removal curve. The game caches its k coalitions of k bits: 32 MiB for
// each ranking at the bound.
const maxInstances = 1 << 14

// Removal returns the removal curve of a ranking, shaped (m, class): row m is the value without the
// first m instances, for m = 0..k-1. It does not contain the empty bag, because MIL models take
// none. If the model takes only bags of at least l instances, the curve ends at m = k-l. The
// ranking by descending score gives the MoRF curve (most relevant first), the reversed ranking the
// LeRF curve (least relevant first).
//
// Bags that have no answer, or a size that the model does not take, lie on the straight line
// between the bags before and after them.
//
// Cost: at most k evaluations for all classes; cached values are free. Errors are a *core.BagError
// for a bag that is too large, those of (*core.Game).Answers, and a *core.NonFiniteError if more
// than half of the bags have no answer.
func Removal(ctx context.Context, g *core.Game, order []int) ([]float64, error) {
	return removal(ctx, g, order, g.Instances()-g.LeastBag()+1, func(m int) int { return m })
}

// removal is Removal with the given number of points; point s is the value without the first
// size(s) instances. Sizes must not decrease and must be below k.
func removal(
	ctx context.Context, g *core.Game, order []int, points int, size func(s int) int,
) ([]float64, error) {
	k := g.Instances()
	if float64(k)*float64(points) > maxInstances*maxInstances {
		return nil, &core.BagError{Reason: fmt.Sprintf("a removal curve of its %d instances "+
			"needs too much memory; removal curves take at most %d instances", k, maxInstances)}
	}
	z := core.NewCoalitions(k, points)
	at := make([]int, points) // (point) its coalition, or -1
	removed := 0
	for s := range points {
		n := min(size(s), k-g.LeastBag())
		if at[s] = -1; !g.Takes(k - n) {
			continue
		}
		if at[s] = z.Len(); at[s] == 0 {
			z.AppendWithout()
		} else {
			z.Append(z.Row(at[s] - 1))
		}
		row := z.Row(at[s])
		for ; removed < n; removed++ {
			i := order[removed]
			row[i/64] &^= 1 << (i % 64)
		}
	}
	return bridged(ctx, g, z, at)
}

// bridged returns the curve (point, class) of the coalitions at points, -1 for none. Points between
// those with an answer lie on straight lines. If more than half of the coalitions have no answer,
// or the whole bag has none, it returns a *core.NonFiniteError.
func bridged(ctx context.Context, g *core.Game, z *core.Coalitions, at []int) ([]float64, error) {
	values, err := g.Answers(ctx, z)
	if err != nil {
		return nil, err
	}
	answers := core.Unanswered{Of: z.Len(), What: "bags of a removal curve"}
	for j := range z.Len() {
		if math.IsNaN(values[j*g.Classes()]) {
			answers.Missing++
		}
	}
	if answers.Most() || answers.Missing > 0 && math.IsNaN(values[0]) {
		return nil, g.TooFewAnswers(ctx, z, answers)
	}
	if answers.Missing == 0 && z.Len() == len(at) {
		return values, nil
	}
	out := make([]float64, len(at)*g.Classes())
	for class := range g.Classes() {
		curve := make([]float64, len(at))
		for s, j := range at {
			if curve[s] = math.NaN(); j >= 0 {
				curve[s] = values[j*g.Classes()+class]
			}
		}
		for s, v := range stats.Bridge(curve) {
			out[s*g.Classes()+class] = v
		}
	}
	return out, nil
}

// column returns the curve of one class from values shaped (m, class).
func column(values []float64, classes, class int) []float64 {
	out := make([]float64, 0, len(values)/classes)
	for at := class; at < len(values); at += classes {
		out = append(out, values[at])
	}
	return out
}

// AOPC returns the area over a removal curve (m = 0..k-1): the mean of curve[0] - curve[m] over m =
// 1..k-1. byK divides the sum by k, as the paper's code does, instead of k-1 as in the paper's
// text. For fewer than two instances, ok is false.
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
// instances or curves of different lengths, ok is false.
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

// Deletion returns the area under a MoRF curve by the trapezoidal rule. Its k points, from the full
// bag to a single instance, are equidistant in [0, 1]. Lower is better. (Petsiuk, Das and Saenko,
// RISE, 2018, without the empty picture.) For fewer than two instances, ok is false.
func Deletion(morf []float64) (value float64, ok bool) { return trapezoid(morf) }

// Insertion returns the area under the curve when instances are added one by one, most relevant
// first, from a single instance to the full bag. Higher is better. A bag without its m least
// relevant instances contains its k-m most relevant ones, so that the argument is the LeRF curve.
// For fewer than two instances, ok is false.
func Insertion(lerf []float64) (value float64, ok bool) {
	inserted := slices.Clone(lerf)
	slices.Reverse(inserted)
	return trapezoid(inserted)
}

// trapezoid returns the area under equidistant points in [0, 1].
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
