package suffix

import (
	"context"
	"math/rand/v2"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
)

// OrderedNote is the note of a bag whose scores depend on the order of its instances.
const OrderedNote = "The model's scores depend on the order of the instances: every coalition " +
	"keeps its instances in the order of the bag."

// checkOrder sets Ordered if scores depend on the order of the instances, as in recurrent networks
// and with positional encodings. It scores the same few instances in the bag's order and in another
// one, or half the bag if the model takes no few. Sums over members have no order. It needs a
// proper part of the bag, of at least two instances, because the whole bag is not gathered.
func (e *Evaluator) checkOrder(ctx context.Context) error {
	k, classes := e.Task.Instances, e.Task.Classes
	if e.Pooled.Neighbours() || k < 3 {
		return nil
	}
	// Coalitions have the order of the bag by construction, so that the worker gets its members
	// directly.
	w := e.Suffix.getWorker()
	defer e.Suffix.putWorker(w)
	random := rand.New(rand.NewPCG(uint64(k), 0x6f72646572))
	for _, size := range []int{verifySizes[2], (k + 1) / 2, k - 1} {
		size = min(max(size, 2), k-1)
		z := core.NewCoalitions(k, 1)
		z.AppendMembers(random.Perm(k)[:size]...)
		x, y := make([]float64, classes), make([]float64, classes)
		w.members = z.Members(w.members[:0], 0)
		err := e.Suffix.run(ctx, w, x)
		if err == nil {
			// Shifting changes the order for certain. A random order might be that of the bag.
			shift := 1 + random.IntN(size-1)
			for i, m := range z.Members(nil, 0) {
				w.members[(i+shift)%size] = m
			}
			err = e.Suffix.run(ctx, w, y)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			continue // the model takes no bag of this size
		}
		if !tolerance.Agree(x, y, size) {
			e.Ordered = true
			e.note(OrderedNote)
		}
		return nil
	}
	return nil
}
