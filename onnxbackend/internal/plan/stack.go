package plan

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
)

// NewStackRunner returns a runner that computes several coalitions of one size at once. The given
// values in stacked differ between coalitions: they have one more axis, the first, for coalitions.
// Values that depend on them have this axis too. Nodes that read no such value run once.
func NewStackRunner(p *Program, l machine.Limits, stacked []int) *Runner {
	r := NewRunner(p, l)
	r.vmaps = make([]*ops.Vmap, len(p.steps))
	r.stacked = make([]bool, len(p.g.Values))
	for _, id := range stacked {
		r.stacked[id] = true
	}
	for i, s := range p.steps {
		in := make([]bool, len(s.Node.In))
		for j, id := range s.Node.In {
			in[j] = id >= 0 && r.stacked[id] && p.g.Values[id].Const == nil
		}
		if !slices.Contains(in, true) {
			continue
		}
		v, made := ops.NewVmap(&s.Node.Node, s.Node.Func, in)
		r.vmaps[i] = v
		for _, id := range s.Node.Out {
			if id >= 0 {
				r.stacked[id] = made
			}
		}
	}
	return r
}

// Stack sets the number of coalitions in the given values of the next run.
func (r *Runner) Stack(count int) { r.count = count }

// Stacked reports whether a value has an axis of coalitions.
func (r *Runner) Stacked(id int) bool { return r.stacked[id] }
