package oip

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// A Bound is a model bound to one bag: core.Evaluator and core.Attender.
type Bound struct {
	m      *Model
	bag    *core.Bag
	laid   *signature.Encoded
	task   core.Task
	whole  []onnxbackend.Output
	beside bool // coalitions of one size may stand in one request
}

var (
	_ core.Evaluator = (*Bound)(nil)
	_ core.Attender  = (*Bound)(nil)
	_ core.Batcher   = (*Bound)(nil)
	_ core.Noter     = (*Bound)(nil)
	_ core.Sizer     = (*Bound)(nil)
)

// Bind implements core.Model: it asks about the whole bag, and the first time whether coalitions may stand side by side.
func (m *Model) Bind(ctx context.Context, bag *core.Bag) (core.Evaluator, error) {
	laid, outputs, err := m.run(ctx, bag)
	if err != nil {
		return nil, err
	}
	b := &Bound{m: m, bag: bag, laid: laid, task: m.served.Task(bag), whole: outputs, beside: m.served.Batched(laid)}
	if _, err := m.scores(b.task, outputs); err != nil {
		return nil, err
	}
	if !b.beside {
		return b, nil
	}
	return b, b.prove(ctx)
}

// Task implements core.Evaluator.
func (b *Bound) Task() core.Task { return b.task }

// Notes implements core.Noter.
func (b *Bound) Notes() []string { return b.m.notes(b.bag) }

// Bytes implements core.Sizer.
func (b *Bound) Bytes() int64 { return 4*int64(len(b.bag.Values)) + int64(len(b.laid.Data)) }

// Batch implements core.Batcher: of many coalitions more have the same size.
func (b *Bound) Batch() int {
	if b.beside && b.m.side.limit() > 1 {
		return core.BatchUnit
	}
	return 0
}

// Attention implements core.Attender, for the output that the card names.
func (b *Bound) Attention(ctx context.Context, class int) ([]float64, error) {
	return b.m.served.Attention(ctx, b.bag, b.whole, class)
}

// Evaluate implements core.Evaluator. Requests are under way side by side, and the first to fail ends the others.
func (b *Bound) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	if z.Instances() != b.task.Instances || len(dst) != z.Len()*b.task.Classes {
		return fmt.Errorf("coalitions of %d instances and %d results do not fit %d instances and %d classes", z.Instances(), len(dst), b.task.Instances, b.task.Classes)
	}
	members := make([][]int, z.Len())
	for j := range members {
		if members[j] = z.Members(nil, j); len(members[j]) == 0 {
			return fmt.Errorf("coalition %d is empty, and the model takes no empty bag", j)
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan []int)
	var workers sync.WaitGroup
	parts := b.parts(members)
	for range min(b.m.client.options.Requests, len(parts)) {
		workers.Go(func() {
			for part := range next {
				if err := b.together(ctx, dst, members, part); err != nil {
					cancel(err)
				}
			}
		})
	}
feed:
	for _, part := range parts {
		select {
		case next <- part:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}

// parts puts coalitions of one size together, as many as one request takes.
func (b *Bound) parts(members [][]int) [][]int {
	order := make([]int, len(members))
	for j := range order {
		order[j] = j
	}
	most := 1
	if b.beside {
		most = b.m.side.limit()
		slices.SortStableFunc(order, func(i, j int) int { return len(members[i]) - len(members[j]) })
	}
	instance := max(1, len(b.laid.Data)/b.task.Instances)
	var parts [][]int
	for len(order) > 0 {
		size := len(members[order[0]])
		fits := max(1, min(most, b.m.client.options.Bytes/(size*instance)))
		n := 1
		for n < min(fits, len(order)) && len(members[order[n]]) == size {
			n++
		}
		parts, order = append(parts, order[:n]), order[n:]
	}
	return parts
}

// together scores some coalitions of one size in one request. A server that refuses so many is asked for the next smaller power
// of two, which bounds of servers mostly are, and from then on for no more.
func (b *Bound) together(ctx context.Context, dst []float64, members [][]int, part []int) error {
	if most := b.m.side.limit(); len(part) > most {
		for some := range slices.Chunk(part, most) {
			if err := b.together(ctx, dst, members, some); err != nil {
				return err
			}
		}
		return nil
	}
	shape := slices.Clone(b.laid.Shape)
	shape[b.laid.Axis] = len(members[part[0]])
	if b.beside {
		shape[0] = len(part)
	}
	var data []byte
	for _, j := range part {
		data = b.gather(data, members[j])
	}
	name := b.m.served.Info().Output
	outputs, err := b.m.infer(ctx, shape, data, name)
	var refused *Error
	if errors.As(err, &refused) && refused.Kind == Refused && len(part) > 1 {
		fewer := 1
		for 2*fewer < len(part) {
			fewer *= 2
		}
		b.m.side.lower(fewer, "The server takes one coalition in a request.")
		return b.together(ctx, dst, members, part)
	}
	if err != nil {
		return err
	}
	c := b.task.Classes
	o := outputs[0]
	if len(o.Data) != len(part)*c || len(part) > 1 && (len(o.Shape) == 0 || o.Shape[0] != len(part)) {
		return b.m.client.wrong("its answer has output %q of shape %v for %d coalitions, and there are %d classes", said(name), o.Shape, len(part), c)
	}
	for n, j := range part {
		copy(dst[j*c:(j+1)*c], o.Data[n*c:])
	}
	return nil
}

// gather appends the input's bytes for some instances.
func (b *Bound) gather(data []byte, members []int) []byte {
	k := b.task.Instances
	outer := 1
	for _, d := range b.laid.Shape[:b.laid.Axis] {
		outer *= d
	}
	instance := len(b.laid.Data) / (outer * k)
	data = slices.Grow(data, outer*len(members)*instance)
	for o := range outer {
		for _, i := range members {
			data = append(data, b.laid.Data[(o*k+i)*instance:][:instance]...)
		}
	}
	return data
}

// loose is how far scores of coalitions side by side may be from those one by one.
const loose = 1e-4

// prove tries, once for a model, whether coalitions side by side have the scores that they have one by one.
func (b *Bound) prove(ctx context.Context) error {
	s := &b.m.side
	s.once.Lock()
	defer s.once.Unlock()
	k, c := b.task.Instances, b.task.Classes
	if s.done || s.limit() < 2 || k < 2 {
		return nil
	}
	// The first half, the last, and every other instance from the first and from the second.
	members := make([][]int, 4)
	for i := range k / 2 {
		members[0], members[1] = append(members[0], i), append(members[1], k-1-i)
		members[2], members[3] = append(members[2], 2*i), append(members[3], 2*i+1)
	}
	alone, beside := make([]float64, 4*c), make([]float64, 4*c)
	for j := range members {
		if err := b.together(ctx, alone, members, []int{j}); err != nil {
			return err
		}
	}
	err := b.together(ctx, beside, members, []int{0, 1, 2, 3})
	var failure *Error
	switch {
	case errors.As(err, &failure) && (failure.Kind == Wrong || failure.Kind == Failed):
		s.lower(1, "The server was asked for several coalitions in one request, and "+failure.Reason+": each has a request of its own.")
	case err != nil:
		return err
	}
	for i, v := range alone {
		if s.limit() > 1 && !(math.Abs(v-beside[i]) <= loose*(1+math.Abs(v))) {
			s.lower(1, "Several coalitions in one request have other scores than alone: each has a request of its own.")
		}
	}
	s.done = true
	return nil
}
