package suffix

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
)

// OrderedNote is the note of a bag whose scores depend on the order of its instances.
const OrderedNote = "The model's scores depend on the order of the instances: every coalition " +
	"keeps its instances in the order of the bag."

// OrderNotes returns the notes of a bag whose scores depend on the order, with causes that are
// known; nil for other bags.
func (e *Evaluator) OrderNotes() []string {
	if !e.Ordered {
		return nil
	}
	return append([]string{OrderedNote}, e.Overwrites()...)
}

// Overwrites returns a sentence for each node of the suffix in which one instance may overwrite
// another, see ops.Node.Overwrites.
func (e *Evaluator) Overwrites() []string {
	var out []string
	for _, s := range e.Suffix.Steps() {
		n := s.Node
		if n.Overwrites(func(input int) ops.Place { return e.Places[n.In[input]] }) {
			out = append(out, msg.Sprintf("%s %q has no reduction: where several indices are "+
				"equal, the last instance of the bag counts; if that is not meant, export it "+
				"with reduction add, max or min.", n.Op, n.Name))
		}
	}
	return out
}

// checkOrder sets Ordered if scores depend on the order of the instances, as in recurrent networks
// and with positional encodings. It scores the same few instances in the bag's order and in another
// one, or half the bag if the model takes no few. Where one instance may overwrite another, it
// takes as many as it can, so that some do. Sums over members have no order. It needs a proper part
// of the bag, of at least two instances, because the whole bag is not gathered.
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
	sizes := []int{verifySizes[2], (k + 1) / 2, k - 1}
	overwrites := e.Overwrites() != nil
	if overwrites {
		slices.Reverse(sizes)
	}
	for _, size := range sizes {
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
				to := (i + shift) % size
				if overwrites {
					to = size - 1 - i // the last instance of a place becomes the first
				}
				w.members[to] = m
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
			e.Notes = append(e.Notes, e.OrderNotes()...)
		}
		return nil
	}
	return nil
}
