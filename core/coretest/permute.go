package coretest

import (
	"context"

	"github.com/bagscope/bagscope/core"
)

// Permuted is an evaluator with permuted instances: instance i of the new bag is instance Order[i]
// of the old bag.
type Permuted struct {
	core.Evaluator
	Order []int
}

// Evaluate implements core.Evaluator.
func (p *Permuted) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	return p.Evaluator.Evaluate(ctx, dst, p.Original(z))
}

// Original converts coalitions of the new bag to coalitions of the old bag.
func (p *Permuted) Original(z *core.Coalitions) *core.Coalitions {
	out := core.NewCoalitions(z.Instances(), z.Len())
	var members []int
	for j := range z.Len() { // a coalition may be empty, and stays so
		members = z.Members(members[:0], j)
		for n, i := range members {
			members[n] = p.Order[i]
		}
		out.AppendMembers(members...)
	}
	return out
}
