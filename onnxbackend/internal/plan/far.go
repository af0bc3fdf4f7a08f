package plan

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Use has a device's session compute what it can of the next run, nil for the CPU alone.
func (r *Runner) Use(s device.Session) { r.far, r.cost = s, device.Cost{} }

// Far returns what the last run that used a device took of it, nothing when the last run was the CPU's alone.
func (r *Runner) Far() device.Cost { return r.cost }

// Program returns what the runner runs.
func (r *Runner) Program() *Program { return r.p }

// drop forgets a value wherever it lies.
func (r *Runner) drop(t *tensor.Tensor) {
	if r.far != nil {
		r.far.Drop(t)
	}
	r.m.Release(t)
}

// Try runs the program dry: what it would cost a device, as far as the shapes of given values alone tell the others. What lies
// behind a node that the CPU computes is not known.
func (p *Program) Try(s device.Session, l machine.Limits, given map[int]*tensor.Tensor) device.Cost {
	r := NewRunner(p, l)
	defer s.Close()
	known := make([]bool, len(p.g.Values))
	for id, t := range given {
		r.Give(id, t)
		known[id] = true
	}
	at := func(id int) bool { return id < 0 || known[id] || p.g.Values[id].Const != nil }
	for i := range p.steps {
		step, all := &p.steps[i], true
		for _, id := range step.Node.In {
			all = all && at(id)
		}
		done := false
		if all {
			var err error
			if done, err = s.Run(r.m, step.Node, r.in[i], r.out[i]); err != nil {
				break
			}
		}
		for j, id := range step.Node.In {
			if !done && !step.looksAtShape() && id >= 0 && known[id] {
				s.Fetch(r.m, r.in[i][j:j+1])
			}
		}
		for _, id := range step.Node.Out {
			if id >= 0 {
				known[id] = done
			}
		}
		for _, id := range step.free {
			s.Drop(&r.vals[id])
		}
	}
	s.Finish(r.m)
	return s.Cost()
}
