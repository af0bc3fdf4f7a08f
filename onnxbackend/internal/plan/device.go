package plan

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// offload is a device's part in the runs of a Runner.
type offload struct {
	session device.Session // nil for the CPU alone
	cost    device.Cost
}

// Use has a device's session compute what it can of the runs up to Unuse, nil for the CPU alone.
func (r *Runner) Use(s device.Session) { r.offload = offload{session: s} }

// Unuse closes the session.
func (r *Runner) Unuse() {
	if r.session != nil {
		r.cost = r.session.Cost()
		r.session.Close()
		r.session = nil
	}
}

// Cost returns what the runs of the last session took of its device, nothing where there was none.
func (r *Runner) Cost() device.Cost { return r.cost }

// Program returns what the runner runs.
func (r *Runner) Program() *Program { return r.p }

// step computes a step on the device or on the CPU. An error of the session comes as it is.
func (r *Runner) step(i int, s *Step) error {
	if r.session == nil {
		return r.compute(i, s)
	}
	done, err := r.session.Run(r.m, s.Node, r.in[i], r.out[i])
	if err == nil && !done && !s.looksAtShape() {
		err = r.session.Fetch(r.m, r.in[i])
	}
	if err != nil || done {
		r.m.EndNode()
		return err
	}
	return r.compute(i, s)
}

// drop forgets a value wherever it lies.
func (r *Runner) drop(t *tensor.Tensor) {
	if r.session != nil {
		r.session.Drop(t)
	}
	r.m.Release(t)
}

// finish brings back what lies on the device alone.
func (r *Runner) finish() error {
	if r.session == nil {
		return nil
	}
	return r.session.Finish(r.m)
}

// Try runs the program dry: what it would cost a device, as far as the shapes of given values alone
// tell the others. What lies behind a node that the CPU computes is not known.
func (p *Program) Try(
	s device.Session, l machine.Limits, given map[int]*tensor.Tensor,
) device.Cost {
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
