package plan

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
)

// NewStackRunner returns a runner that computes several coalitions of one size at once. The given
// values named by stacked differ between coalitions: they have one more axis, the first, along
// which the coalitions lie. So have the values that depend on them.
func NewStackRunner(p *Program, l machine.Limits, stacked []int) *Runner {
	r := NewRunner(p, l)
	r.vmaps = make([]*ops.Vmap, len(p.steps))
	is := make([]bool, len(p.g.Values))
	for _, id := range stacked {
		is[id] = true
	}
	for i, s := range p.steps {
		in, any := make([]bool, len(s.Node.In)), false
		for j, id := range s.Node.In {
			in[j] = id >= 0 && is[id] && p.g.Values[id].Const == nil
			any = any || in[j]
		}
		if !any {
			continue
		}
		v, made := ops.NewVmap(&s.Node.Node, s.Node.Func, in)
		r.vmaps[i] = v
		for _, id := range s.Node.Out {
			if id >= 0 {
				is[id] = made
			}
		}
	}
	r.stacked = is
	return r
}

// Stack sets the number of coalitions of the given values.
func (r *Runner) Stack(count int) { r.count = count }

// Stacked reports whether a value has an axis of coalitions.
func (r *Runner) Stacked(id int) bool { return r.stacked[id] }
