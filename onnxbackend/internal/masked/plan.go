package masked

import (
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A Plan is a compiled suffix that computes scores of coalitions. It is safe for concurrent use by
// several Runners.
type Plan struct {
	devicePlan
	k       int
	steps   []step
	slots   []slot
	members []memberSlot
	free    [][]int // (step) slots of members that no later step reads

	withMembers bool // some steps work on members
	lead        int  // constant places before the members, such as a class token
	kept        int  // number of values in block.kept
	wide        bool // some values are computed for all members, not for constant places alone
	result      int  // slot of the scores
	strategy    []string

	exponential bool // a step sums exponentials
}

// direct returns the sum that is the only step of the plan, as for a linear head, or nil.
func (p *Plan) direct() *sums {
	if len(p.steps) != 1 {
		return nil
	}
	s, ok := p.steps[0].(*sums)
	if !ok || p.slots[p.result].of != p.slots[s.out].of {
		return nil
	}
	return s
}

// slot is the shape and type of a row of each coalition.
type slot struct {
	typ   tensor.Type
	shape []int
	of    int // the slot with its memory: its own number, or that of the row that it reshapes
}

// A step computes the rows of one node for all coalitions of a batch.
type step interface {
	run(r *Runner) error
}

// Strategy names the kinds of pooling in alphabetical order, such as "attention" or "max+mean".
func (p *Plan) Strategy() string {
	if p.Members() {
		return Members
	}
	return strings.Join(p.strategy, "+")
}

// Members is the strategy of a plan with values of each member of a coalition.
const Members = "members"

// Members reports whether the plan has values of each member of a coalition. A coalition then costs
// as much as its members, and its neighbours cost as much as other coalitions.
func (p *Plan) Members() bool { return p.withMembers }

// Exponential reports whether the plan sums exponentials. Only then does a plan with Source.Logits
// compute anything differently.
func (p *Plan) Exponential() bool { return p.exponential }

// RowBytes returns the memory of one coalition in a batch, in bytes.
func (p *Plan) RowBytes() int {
	words := 0
	for i, s := range p.slots {
		if s.of == i {
			n, _ := tensor.Count(s.shape)
			words += tensor.WordsFor(s.typ, n)
		}
	}
	return 8 * words
}
