package onnxbackend

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
)

// A way computes the scores of coalitions.
type way interface {
	evaluate(ctx context.Context, b *Bound, dst []float64, z *core.Coalitions) error
}

// provingSizes are the sizes of the random coalitions of the proof. They are small because each of their instances
// is encoded again for the first bag of a route: 8 beside the 30 of a bag of digits.
var provingSizes = [3]int{1, 2, 5}

// deviceTolerance is the least tolerance where a device encoded the bag or pools its coalitions and the CPU computes the plain scores: sums
// of float32 in another order.
const deviceTolerance = 1e-4

// errDeviates says that the CPU computes other scores than the device.
var errDeviates = errors.New("the CPU computes other scores than it on random coalitions")

// prove compares a fast way with a slow one on random coalitions, of half the bag where the model takes none of the
// small ones, and on the whole bag where its run has scored it. It returns what the fast way does wrong when they differ, or when nothing
// could be compared, as words that follow its name.
//
// The slow way is the plain one, until the route of the cut is proved: that running the instances of a coalition
// by themselves gives what is gathered at the cut. The claim is about operators and shapes, which bags of a route have
// in common. From the next bag on the slow way is to gather, which encodes nothing. What depends on
// the numbers of a bag, such as what underflows in a weighted sum of all its instances, lies behind the cut and is looked at for every bag.
func (b *Bound) prove(ctx context.Context, fast way, c, plain *cut) (string, error) {
	slow, proved, within := plain, &c.proved[0], tolerance.For
	if b.onDevice {
		proved = &c.proved[1]
	}
	onDevice := b.usesDevice(fast)
	if onDevice {
		within = func(n int) float64 { return max(deviceTolerance, tolerance.For(n)) }
	}
	if proved.Load() {
		if slow = c; fast == way(c) {
			return "", nil
		}
	}
	z, y, err := b.examples(ctx, slow)
	if err != nil {
		return "", err
	}
	if len(y) == 0 {
		return "could not be compared with the whole graph", nil
	}
	compared := len(y)
	if fast != way(c) { // what is gathered for the whole bag is that run itself
		z.AppendWithout()
		all, err := b.whole[b.scores.ID].Float64s()
		if err != nil {
			return "", err
		}
		y = append(y, all...)
	}
	x := make([]float64, len(y))
	if err := fast.evaluate(ctx, b, x, z); err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return fmt.Sprintf("fails on this model (%v)", err), nil
	}
	some, whole := tolerance.Within(x[:compared], y[:compared], within(largestSize(z, compared/b.task.Classes))), tolerance.Within(x[compared:], y[compared:], within(b.task.Instances))
	if onDevice && !(some && whole) { // the CPU, which is to encode the bag then, tells whether it is the way
		return "", errDeviates
	}
	if !some {
		return fmt.Sprintf("changes the scores of this model (%v instead of %v on random coalitions)", x[:compared], y[:compared]), nil
	}
	if x, y := x[compared:], y[compared:]; !whole {
		return fmt.Sprintf("changes the scores of this bag (%v instead of %v)", x, y), nil
	}
	if slow == plain && telling(y[:compared], b.task.Classes) {
		proved.Store(true)
	}
	return "", nil
}

// usesDevice reports whether the device has a part in what a way computes.
func (b *Bound) usesDevice(w way) bool {
	m, ok := w.(*maskedWay)
	return b.onDevice || ok && m.device.Used()
}

// examples returns the coalitions of the proof that the model takes, with their scores the slow way.
func (b *Bound) examples(ctx context.Context, slow way) (z *core.Coalitions, y []float64, err error) {
	k := b.task.Instances
	random := rand.New(rand.NewPCG(uint64(k), 0x6261677363))
	z = core.NewCoalitions(k, len(provingSizes)+1)
	row := make([]float64, b.task.Classes)
	for _, size := range append(provingSizes[:], (k+1)/2, k) {
		if size > provingSizes[2] && len(y) > 0 {
			break
		}
		one := core.NewCoalitions(k, 1)
		one.AppendMembers(random.Perm(k)[:min(size, k)]...)
		err := slow.evaluate(ctx, b, row, one)
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		if err == nil { // else the model takes no bag of this size, whichever way
			z.Append(one.Row(0))
			y = append(y, row...)
		}
	}
	return z, y, nil
}

// telling reports whether agreement on the scores, shaped (coalition, class), says anything about other bags. On a bag
// of equal instances all coalitions have the same scores, and a wrong cut would not show.
func telling(y []float64, classes int) bool {
	for _, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return !tolerance.Agree(y[classes:], y[:len(y)-classes], 1)
}

// largestSize returns the size of the largest among the first n coalitions.
func largestSize(z *core.Coalitions, n int) int {
	size := 0
	for j := range n {
		size = max(size, z.Size(j))
	}
	return size
}
