package oip

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// A Bound is a model bound to one bag: core.Evaluator and core.Attender.
type Bound struct {
	m       *Model
	bag     *core.Bag
	encoded *signature.Encoded
	task    core.Task
	classes *signature.ClassOutput
	whole   []onnxbackend.Output
	batched bool // several coalitions of one size can share a request
}

var (
	// Methods look for these interfaces.
	_ core.Evaluator = (*Bound)(nil)
	_ core.Attender  = (*Bound)(nil)
	_ core.Batcher   = (*Bound)(nil)
	_ core.Noter     = (*Bound)(nil)
	_ core.Sizer     = (*Bound)(nil)

	_ core.HeadsEvaluator = (*Bound)(nil)
)

// Bind implements core.Model. It requests the outputs for the whole bag. The first call also tests
// whether a request can hold several coalitions.
func (m *Model) Bind(ctx context.Context, bag *core.Bag) (core.Evaluator, error) {
	encoded, outputs, err := m.run(ctx, bag)
	if err != nil {
		return nil, err
	}
	raw, err := m.scores(outputs)
	if err != nil {
		return nil, err
	}
	classes := m.served.ForBag(raw)
	b := &Bound{m: m, bag: bag, encoded: encoded, task: classes.Task(bag.Len()), classes: classes,
		whole: outputs, batched: m.served.Batched(encoded)}
	if !b.batched {
		return b, nil
	}
	return b, b.testBatches(ctx)
}

// Task implements core.Evaluator.
func (b *Bound) Task() core.Task { return b.task }

// Heads implements core.HeadsEvaluator.
func (b *Bound) Heads() []core.Head { return b.classes.Heads() }

// Identity implements core.Identifier by the values of an instance.
func (b *Bound) Identity(instance int) uint64 { return b.bag.Identity(instance) }

// Notes implements core.Noter.
func (b *Bound) Notes() []string { return b.m.notes(b.bag, b.classes) }

// Bytes implements core.Sizer.
func (b *Bound) Bytes() int64 { return 4*int64(len(b.bag.Values)) + int64(len(b.encoded.Data)) }

// Batch implements core.Batcher. Large batches contain more coalitions of the same size.
func (b *Bound) Batch() int {
	if b.batched && b.m.batching.limit() > 1 {
		return core.BatchUnit
	}
	return 0
}

// Attention implements core.Attender with the output that the card names.
func (b *Bound) Attention(ctx context.Context, class int) ([]float64, error) {
	return b.m.served.Attention(ctx, b.bag, b.whole, class)
}

// Evaluate implements core.Evaluator. It sends requests concurrently. The first failure cancels the
// others.
func (b *Bound) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	if z.Instances() != b.task.Instances || len(dst) != z.Len()*b.task.Classes {
		return fmt.Errorf("coalitions over %d instances with %d results do not match the bag's "+
			"%d instances and the model's %d classes", z.Instances(), len(dst), b.task.Instances,
			b.task.Classes)
	}
	members := make([][]int, z.Len())
	for j := range members {
		if members[j] = z.Members(nil, j); len(members[j]) == 0 {
			return fmt.Errorf("coalition %d is empty, but the model does not accept an empty bag",
				j)
		}
	}
	return b.classes.Read(dst, func(raw []float64) error {
		return b.evaluateParts(ctx, raw, members)
	})
}

// evaluateParts fills dst with the scores that the server returns for each coalition.
func (b *Bound) evaluateParts(ctx context.Context, dst []float64, members [][]int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	parts := b.parts(members)
	var started atomic.Int64 // parts that a worker has started
	var workers sync.WaitGroup
	for range min(b.m.client.options.Requests, len(parts)) {
		workers.Go(func() {
			for ctx.Err() == nil {
				n := int(started.Add(1))
				if n > len(parts) {
					return
				}
				if err := b.evaluatePart(ctx, dst, members, parts[n-1]); err != nil {
					cancel(err)
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// parts groups coalitions of one size, as many as fit into one request.
func (b *Bound) parts(members [][]int) [][]int {
	// Coalitions are sorted by size, stably, so that equal calls send equal requests.
	order := make([]int, len(members))
	for j := range order {
		order[j] = j
	}
	// most is the largest number of coalitions in a request.
	most := 1
	if b.batched {
		most = b.m.batching.limit()
		slices.SortStableFunc(order, func(i, j int) int {
			return len(members[i]) - len(
				members[j])
		})
	}
	// instance is the number of bytes of one instance.
	instance := max(1, len(b.encoded.Data)/b.task.Instances)
	var parts [][]int
	for len(order) > 0 {
		size := len(members[order[0]])
		// A request of one coalition is always allowed.
		fits := max(1, min(most, b.m.client.options.Bytes/(size*instance)))
		n := 1
		for n < min(fits, len(order)) && len(members[order[n]]) == size {
			n++
		}
		parts, order = append(parts, order[:n]), order[n:]
	}
	return parts
}

// evaluatePart scores several coalitions of one size in one request. If the server rejects the
// request, the next smaller power of two becomes the new limit: most servers' limits are powers of
// two.
func (b *Bound) evaluatePart(
	ctx context.Context, dst []float64, members [][]int, part []int,
) error {
	if most := b.m.batching.limit(); len(part) > most {
		for some := range slices.Chunk(part, most) {
			if err := b.evaluatePart(ctx, dst, members, some); err != nil {
				return err
			}
		}
		return nil
	}
	// The instance axis has the size of the coalitions, and the batch axis their number.
	shape := slices.Clone(b.encoded.Shape)
	shape[b.encoded.Axis] = len(members[part[0]])
	if b.batched {
		shape[0] = len(part)
	}
	var data []byte
	for _, j := range part {
		data = b.gather(data, members[j])
	}
	// Only the class scores are requested.
	name := b.m.served.Info().Output
	outputs, err := b.m.infer(ctx, shape, data, name)
	var refused *Error
	if errors.As(err, &refused) && refused.Kind == Refused && len(part) > 1 {
		fewer := 1 << (bits.Len(uint(len(part)-1)) - 1) // the largest power of two below the size
		b.m.batching.lower(fewer, "The server accepts one coalition per request.")
		return b.evaluatePart(ctx, dst, members, part)
	}
	if err != nil {
		return err
	}
	c := b.classes.Raw()
	o := outputs[0]
	// A server may ignore the batch axis and return a single result.
	if len(o.Data) != len(part)*c || len(part) > 1 &&
		(len(o.Shape) == 0 || o.Shape[0] != len(part)) {
		return b.m.client.wrong("its response has the output %q of shape %v for %d coalitions, "+
			"but the model has %d scores", name, o.Shape, len(part), c)
	}
	for n, j := range part {
		copy(dst[j*c:(j+1)*c], o.Data[n*c:])
	}
	return nil
}

// gather appends the input bytes of the given instances.
func (b *Bound) gather(data []byte, members []int) []byte {
	k := b.task.Instances
	// outer is the product of the axes before the instance axis.
	outer := 1
	for _, d := range b.encoded.Shape[:b.encoded.Axis] {
		outer *= d
	}
	instance := len(b.encoded.Data) / (outer * k)
	data = slices.Grow(data, outer*len(members)*instance)
	for o := range outer {
		for _, i := range members {
			data = append(data, b.encoded.Data[(o*k+i)*instance:][:instance]...)
		}
	}
	return data
}

// tolerance is the largest allowed difference between scores from a shared request and from
// separate requests.
const tolerance = 1e-4

// testBatches tests, once per model, whether coalitions in one request have the same scores as in
// separate requests.
func (b *Bound) testBatches(ctx context.Context) error {
	s := &b.m.batching
	s.once.Lock()
	defer s.once.Unlock()
	k, c := b.task.Instances, b.classes.Raw()
	// A bag of one instance has only one coalition.
	if s.done || s.limit() < 2 || k < 2 {
		return nil
	}
	// The first half, the second half, the even instances and the odd instances.
	members := make([][]int, 4)
	for i := range k / 2 {
		members[0], members[1] = append(members[0], i), append(members[1], k-1-i)
		members[2], members[3] = append(members[2], 2*i), append(members[3], 2*i+1)
	}
	alone, batched := make([]float64, 4*c), make([]float64, 4*c)
	for j := range members {
		if err := b.evaluatePart(ctx, alone, members, []int{j}); err != nil {
			return err
		}
	}
	err := b.evaluatePart(ctx, batched, members, []int{0, 1, 2, 3})
	var failure *Error
	switch {
	case errors.As(err, &failure) && (failure.Kind == Wrong || failure.Kind == Failed):
		s.lower(1, "A request with several coalitions failed: "+failure.Reason+
			". Every coalition has its own request.")
	case err != nil:
		return err
	}
	for i, v := range alone {
		if s.limit() > 1 && !(math.Abs(v-batched[i]) <= tolerance*(1+math.Abs(v))) {
			s.lower(1, "Coalitions that share a request have other scores than in separate "+
				"requests. Every coalition has its own request.")
		}
	}
	s.done = true
	return nil
}
