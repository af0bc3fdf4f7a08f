package onnxbackend

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
)

// Strategies of a Bound that do not pool all coalitions at once. Those that do are named by how the model pools:
// mean, sum, max, min, attention, logsumexp, topk, joined by + where it pools in several ways.
const (
	StrategyGathered = "gathered" // instances are encoded once, a coalition gathers theirs
	StrategyPlain    = "plain"    // the whole graph runs for every coalition
)

// Bind encodes a bag. The evaluator is a *Bound. It returns a *core.BagError when the bag does not fit
// the model, a *RunError when a node cannot compute and the cause when ctx ends.
func (m *Model) Bind(ctx context.Context, bag *core.Bag) (ev core.Evaluator, err error) {
	defer rescue(&err)
	b, err := m.bind(ctx, bag, nil)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// BindWith is Bind with helpers that share the encoding. Its result is the same.
func (m *Model) BindWith(ctx context.Context, bag *core.Bag, crew *Crew) (b *Bound, err error) {
	defer rescue(&err)
	return m.bind(ctx, bag, crew)
}

func (m *Model) bind(ctx context.Context, bag *core.Bag, crew *Crew) (*Bound, error) {
	at, err := m.input.fit(bag)
	if err != nil {
		return nil, err
	}
	r, a, err := m.encoded(ctx, bag, at, crew)
	if err != nil {
		return nil, err
	}
	s, err := m.scoresFor(ctx, r, bag, at)
	if err != nil {
		return nil, err
	}
	b := &Bound{m: m, scores: s, strategy: StrategyPlain, full: r, places: a.places, key: rand.Uint64() >> 1}
	b.task = core.Task{Instances: bag.Len(), Classes: s.classes, Scale: s.scale, Negative: s.negative}
	b.notes = slices.Concat(m.info.Notes, s.notes, m.pixelNotes(bag))
	plain, err := b.newCut([]int{m.input.ID}, at.axis)
	if err != nil {
		return nil, err
	}
	b.cut = plain
	if !m.plain {
		if err := b.encodeOnce(ctx, a, plain); err != nil {
			return nil, err
		}
	}
	b.drop()
	return b, nil
}

// encodeOnce moves to the fastest strategy that exists and that random coalitions prove equal to the plain
// one: masked, else gathered.
func (b *Bound) encodeOnce(ctx context.Context, a *analysis, plain *cut) error {
	c, err := b.newCut(a.cut(), -1)
	if err != nil {
		return err
	}
	if len(c.held) == 1 && c.held[0].id == b.m.input.ID {
		c = plain // nothing is computed before instances meet
	}
	way, strategy, whyNot := b.maskedWay(c)
	if way != nil {
		note, err := b.prove(ctx, way, plain)
		if err != nil {
			return err
		}
		if note == "" {
			b.cut, b.masked, b.strategy = c, way, strategy
			return nil
		}
		whyNot = note
	}
	b.whyNot = whyNot
	if c == plain {
		b.notes = append(b.notes, "No operator treats instances alone: the whole graph runs for every coalition.")
		return nil
	}
	note, err := b.prove(ctx, c, plain)
	if err != nil {
		return err
	}
	if note != "" {
		b.notes = append(b.notes, note)
		return nil
	}
	b.cut, b.strategy = c, StrategyGathered
	return nil
}

// A way computes the scores of coalitions.
type way interface {
	evaluate(ctx context.Context, b *Bound, dst []float64, z *core.Coalitions) error
}

// provingSizes are the sizes of the random coalitions of the proof. They are small because each of their instances
// is encoded again: 8 beside the 30 of a bag of digits.
var provingSizes = [3]int{1, 2, 5}

// proofTolerance is how far gathered and plain scores may differ, relative to the largest
// score of all proving coalitions: scores near zero are differences of larger numbers.
const proofTolerance = 1e-5

// prove compares both ways on random coalitions, of half the bag where the model takes none of the small
// ones. It returns a note when they differ, or when nothing could be compared.
func (b *Bound) prove(ctx context.Context, fast, plain way) (string, error) {
	k := b.task.Instances
	random := rand.New(rand.NewPCG(uint64(k), 0x6261677363))
	var x, y []float64
	row := make([]float64, b.task.Classes)
	for _, size := range append(provingSizes[:], (k+1)/2, k) {
		if size > provingSizes[2] && len(y) > 0 {
			break
		}
		z := core.NewCoalitions(k, 1)
		z.AppendMembers(random.Perm(k)[:min(size, k)]...)
		errPlain := plain.evaluate(ctx, b, row, z)
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if errPlain != nil {
			continue // the model takes no bag of this size, whichever way
		}
		y = append(y, row...)
		if err := fast.evaluate(ctx, b, row, z); err != nil {
			if ctx.Err() != nil {
				return "", context.Cause(ctx)
			}
			return fmt.Sprintf("Encoding instances once fails on this model (%v): the whole graph runs for every coalition.", err), nil
		}
		x = append(x, row...)
	}
	switch {
	case len(y) == 0:
		return "Encoding instances once could not be compared with the whole graph, which runs for every coalition.", nil
	case !agree(x, y):
		return fmt.Sprintf("Encoding instances once changes the scores of this model (%v instead of %v on random coalitions): the whole graph runs for every coalition.", x, y), nil
	}
	return "", nil
}

func agree(x, y []float64) bool {
	scale := math.SmallestNonzeroFloat64
	for _, v := range y {
		if !math.IsInf(v, 0) {
			scale = max(scale, math.Abs(v))
		}
	}
	for i, v := range x {
		if v != y[i] && !(math.Abs(v-y[i]) <= proofTolerance*scale) && !(math.IsNaN(v) && math.IsNaN(y[i])) {
			return false
		}
	}
	return true
}

// newCut plans the computation of the scores from boundary values, which the full run holds. With an
// axis of -1 the analysis says along which axis each lies.
func (b *Bound) newCut(ids []int, axis int) (*cut, error) {
	p, ok := plan.New(b.m.g, ids, []int{b.scores.ID})
	if !ok {
		return nil, fmt.Errorf("the scores cannot be computed from the boundary; this is a defect of the engine")
	}
	c := &cut{program: p}
	for _, id := range ids {
		if p.Reads(id) == plan.ReadsNothing {
			continue
		}
		place := b.places[id]
		h := held{id: id, axis: place.Axis, fixed: place.Class == ops.Constant, value: b.full.Value(id), sizes: p.Reads(id) == plan.ReadsShape}
		if axis >= 0 {
			h.axis = axis
		}
		c.held = append(c.held, h)
	}
	return c, nil
}

// drop gives back what the full run holds and the chosen cut does not read.
func (b *Bound) drop() {
	keep := map[int]bool{}
	for _, h := range b.cut.held {
		keep[h.id] = true
	}
	for _, p := range b.m.g.Outputs {
		keep[p.ID] = true
	}
	b.full.Drop(func(id int) bool { return keep[id] })
}
