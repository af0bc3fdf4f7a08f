package onnxbackend

import (
	"context"
	"math/rand/v2"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
)

const orderedNote = "The model's scores depend on the order of the instances: every coalition keeps its instances in the order of the bag."

// Ordered reports whether the scores of some instances of the bag depend on the order in which they come, as in recurrent networks and those
// with codes of positions. Where coalitions are pooled all at once, they cannot.
func (b *Bound) Ordered() bool { return b.ordered }

// lookAtOrder scores the same few instances in the bag's order and in another, or half the bag where the model takes no few. It needs a
// proper part of the bag, of two instances at least: the whole bag is not gathered.
func (b *Bound) lookAtOrder(ctx context.Context) error {
	k, classes := b.task.Instances, b.task.Classes
	if b.masked != nil || k < 3 {
		return nil
	}
	w := b.cut.take(b.m)
	defer b.cut.put(w)
	random := rand.New(rand.NewPCG(uint64(k), 0x6f72646572))
	for _, size := range []int{provingSizes[2], (k + 1) / 2, k - 1} {
		size = min(max(size, 2), k-1)
		z := core.NewCoalitions(k, 1)
		z.AppendMembers(random.Perm(k)[:size]...)
		x, y := make([]float64, classes), make([]float64, classes)
		w.members = z.Members(w.members[:0], 0)
		err := b.evaluate(ctx, b.cut, w, x)
		if err == nil {
			shift := 1 + random.IntN(size-1) // a random order might be the bag's
			for i, m := range z.Members(nil, 0) {
				w.members[(i+shift)%size] = m
			}
			err = b.evaluate(ctx, b.cut, w, y)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			continue // the model takes no bag of this size
		}
		if !tolerance.Agree(x, y, size) {
			b.ordered = true
			b.notes = append(b.notes, orderedNote)
		}
		return nil
	}
	return nil
}
