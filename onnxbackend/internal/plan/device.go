package plan

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// offload is the use of a device in the runs of a Runner.
type offload struct {
	session device.Session // nil for the CPU alone
	shared  bool           // the session outlives the run
	cost    device.Cost
}

// Use sets the session of a device that computes nodes until Unuse. With nil, the CPU computes all
// nodes. Nodes that the session leaves to the CPU run here.
func (r *Runner) Use(s device.Session) { r.offload = offload{session: s} }

// Share sets a session that outlives the next run, which leaves its results on the device. Shed
// ends its use.
func (r *Runner) Share(s device.Session) { r.offload = offload{session: s, shared: true} }

// Shed drops what a run has left on the device of a shared session.
func (r *Runner) Shed() {
	for i := range r.vals {
		r.session.Drop(&r.vals[i])
	}
	for _, t := range r.junk {
		r.session.Drop(t)
	}
	r.offload = offload{}
}

// Fetch returns a value after a run with a shared session, in memory.
func (r *Runner) Fetch(id int) (*tensor.Tensor, error) {
	t := r.at(id)
	return t, r.session.Fetch(r.m, []*tensor.Tensor{t})
}

// Unuse closes the session, if there is one. Cost returns its cost afterwards.
func (r *Runner) Unuse() {
	if r.session != nil {
		r.cost = r.session.Cost()
		r.session.Close()
		r.session = nil
	}
}

// Cost returns the cost of the last closed session, or the zero Cost if there was none.
func (r *Runner) Cost() device.Cost { return r.cost }

// Program returns the program that the runner runs.
func (r *Runner) Program() *Program { return r.p }

// step computes a step on the device or on the CPU. A step on the CPU needs its inputs in memory,
// unless it reads only their shapes. Errors of the session, such as device.Retreat, are not
// wrapped.
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

// drop frees a value in the run's memory and on the device.
func (r *Runner) drop(t *tensor.Tensor) {
	if r.session != nil {
		r.session.Drop(t)
	}
	r.m.Release(t)
}

// finish fetches the values that are only on the device.
func (r *Runner) finish() error {
	if r.session == nil || r.shared {
		return nil
	}
	return r.session.Finish(r.m)
}

// sizesMost is the number of elements up to which a value may be one of sizes.
const sizesMost = 1 << 12

// sizes computes a step that reads shapes or short values in memory, such as the sizes of a
// reshape, and reports whether it has.
func (r *Runner) sizes(i int, s *Step) bool {
	if !s.looksAtShape() {
		for _, t := range r.in[i] {
			if t != nil && (t.Words == nil || t.Len() > sizesMost) {
				return false
			}
		}
	}
	return r.compute(i, s) == nil
}

// Try returns what a run would cost on a device, by a dry run on the shapes of given values. Sizes
// are computed. Other shapes behind a node that the CPU computes are unknown, so that nodes from
// there on do not count.
func (p *Program) Try(
	s device.Session, l machine.Limits, given map[int]*tensor.Tensor,
) device.Cost {
	r := NewRunner(p, l)
	defer r.Close()
	defer s.Close()
	unknown := 0
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
			done = done || r.sizes(i, step)
		} else {
			unknown++
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
	c := s.Cost()
	c.Unknown = unknown
	return c
}
