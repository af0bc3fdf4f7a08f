// Package plan selects the nodes of a graph that a result needs, finds out when each value can be
// freed, and runs them.
package plan

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A Program computes some values of a graph, the results, from others that are given. It is
// immutable and safe for concurrent use; each Runner runs it for one caller at a time.
type Program struct {
	g     *graph.Graph
	steps []Step
	read  []Reading // (value)
}

// Steps returns the steps in order.
func (p *Program) Steps() []Step { return p.steps }

// Reading says which part of a value the steps of a program read.
type Reading int

// Kinds of reading.
const (
	ReadsNothing Reading = iota
	ReadsShape           // only operators that read the shape
	ReadsAll
)

// A Step runs one node.
type Step struct {
	Node *graph.Node
	free []int // values that no later step reads
}

// looksAtShape reports whether a step reads the shape of its input but no elements. Such an input
// may stay on a device.
func (s *Step) looksAtShape() bool { return s.Node.Row.Kind == ops.ReadShape }

// New plans the computation of wanted values from given ones and the graph's constants. It reports
// false if they also depend on an input that is not given.
func New(g *graph.Graph, given, wanted []int) (*Program, bool) {
	need := make([]bool, len(g.Values))
	have := make([]bool, len(g.Values))
	for _, id := range given {
		have[id] = true
	}
	for _, id := range wanted {
		need[id] = true
	}
	used := make([]bool, len(g.Nodes))
	for i := len(g.Nodes) - 1; i >= 0; i-- { // nodes are in order: readers come later
		n := &g.Nodes[i]
		for _, id := range n.Out {
			if id >= 0 && need[id] && !have[id] && g.Values[id].Const == nil {
				used[i] = true
			}
		}
		if !used[i] {
			continue
		}
		for _, id := range n.In {
			if id >= 0 {
				need[id] = true
			}
		}
	}
	// Nodes whose outputs are given or constant are not needed, nor are nodes only they need.
	p := &Program{g: g, read: make([]Reading, len(g.Values))}
	for i := range g.Nodes {
		if used[i] {
			p.steps = append(p.steps, Step{Node: &g.Nodes[i]})
		}
	}
	for id, n := range need {
		if n && !have[id] && g.Values[id].Const == nil && g.Values[id].Producer < 0 {
			return nil, false
		}
	}
	p.schedule(need, wanted)
	return p, true
}

// schedule finds the last step that reads each value, after which it is freed, and sets which part
// of values is read. Wanted values are never freed: the caller reads them.
func (p *Program) schedule(need []bool, wanted []int) {
	last := slices.Repeat([]int{-1}, len(p.g.Values))
	for i, s := range p.steps {
		for _, id := range s.Node.Out {
			if id >= 0 {
				last[id] = i
			}
		}
		for _, id := range s.Node.In {
			if id >= 0 && p.g.Values[id].Const == nil {
				last[id] = i
			}
		}
	}
	for _, id := range wanted {
		last[id] = -1
	}
	for id, i := range last {
		if i >= 0 {
			p.steps[i].free = append(p.steps[i].free, id)
		}
	}
	for id := range p.read {
		if need[id] {
			p.read[id] = ReadsShape
		}
	}
	for _, s := range p.steps {
		for _, id := range s.Node.In {
			if id >= 0 && !s.looksAtShape() {
				p.read[id] = ReadsAll
			}
		}
	}
	for _, id := range wanted {
		p.read[id] = ReadsAll
	}
}

// Reads returns which part of a value the steps or the caller read.
func (p *Program) Reads(id int) Reading { return p.read[id] }

// An Observer follows a run. After is called after each step with its inputs and outputs. Keep is
// called before a value is freed; if it returns true, the value stays. Its type and shape stay
// anyway.
type Observer interface {
	After(s *Step, in, out []*tensor.Tensor)
	Keep(id int) bool
}

// A Runner holds the memory of one run at a time.
type Runner struct {
	p    *Program
	m    *machine.Machine
	vals []tensor.Tensor
	in   [][]*tensor.Tensor // (step, input)
	out  [][]*tensor.Tensor // (step, output)
	junk []*tensor.Tensor   // unread outputs, which operators compute all the same

	vmaps   []*ops.Vmap // (step) batching rules; nil if no input is stacked
	stacked []bool      // (value)
	count   int         // number of coalitions in stacked values

	offload
}

// NewRunner returns a runner of the program.
func NewRunner(p *Program, l machine.Limits) *Runner {
	r := &Runner{p: p, m: machine.New(l), vals: make([]tensor.Tensor, len(p.g.Values))}
	for _, s := range p.steps {
		in, out := make([]*tensor.Tensor, len(s.Node.In)), make([]*tensor.Tensor, len(s.Node.Out))
		for i, id := range s.Node.In {
			if id >= 0 {
				in[i] = r.at(id)
			}
		}
		for i, id := range s.Node.Out {
			if id >= 0 {
				out[i] = &r.vals[id]
				continue
			}
			out[i] = &tensor.Tensor{}
			r.junk = append(r.junk, out[i])
		}
		r.in, r.out = append(r.in, in), append(r.out, out)
	}
	return r
}

// at returns the tensor that holds a value in a run.
func (r *Runner) at(id int) *tensor.Tensor {
	if c := r.p.g.Values[id].Const; c != nil {
		return c
	}
	return &r.vals[id]
}

// Value returns a wanted or given value after a run, until the next Begin.
func (r *Runner) Value(id int) *tensor.Tensor { return r.at(id) }

// Machine returns the memory for given values, which the caller allocates between Begin and Run.
func (r *Runner) Machine() *machine.Machine { return r.m }

// Begin frees the values of an earlier run and starts a new run, which ends with ctx.
func (r *Runner) Begin(ctx context.Context) {
	for i := range r.vals {
		if r.vals[i].Words != nil {
			r.m.Release(&r.vals[i])
		}
	}
	for _, t := range r.junk {
		r.m.Release(t)
	}
	r.m.Begin(ctx)
}

// Give sets a given value to a tensor of the caller, which must not change during the run. The
// runner does not free it.
func (r *Runner) Give(id int, t *tensor.Tensor) {
	v := &r.vals[id]
	v.Type, v.Words, v.Block = t.Type, t.Words, nil
	v.Shape = append(v.Shape[:0], t.Shape...)
}

// Slot returns the tensor of a given value. The caller allocates it in the memory of Machine.
func (r *Runner) Slot(id int) *tensor.Tensor { return &r.vals[id] }

// Leave makes the caller the owner of the memory of a wanted or given value: the runner neither
// frees nor reuses it.
func (r *Runner) Leave(id int) {
	r.m.Leave(&r.vals[id])
	r.vals[id] = tensor.Tensor{}
}

// Rest frees the values of the last run, and memory beyond what an idle runner keeps, see
// [machine.Machine.Rest].
func (r *Runner) Rest() {
	r.Begin(context.Background())
	r.m.Rest()
}

// Close frees the values of the last run and all memory.
func (r *Runner) Close() {
	r.Begin(context.Background())
	r.m.Trim()
}

// Run computes the wanted values. The observer may be nil. Errors name the node, except for those
// that concern the run as a whole.
func (r *Runner) Run(o Observer) error {
	for i := range r.p.steps {
		s := &r.p.steps[i]
		if err := r.step(i, s); err != nil {
			return err
		}
		if o != nil {
			o.After(s, r.in[i], r.out[i])
		}
		for _, id := range s.free {
			if o == nil || !o.Keep(id) {
				r.drop(&r.vals[id])
			}
		}
	}
	return r.finish()
}

// compute computes a step on the CPU, by its batching rule if an input is stacked.
func (r *Runner) compute(i int, s *Step) error {
	var err error
	if r.vmaps != nil && r.vmaps[i] != nil {
		err = r.vmaps[i].Run(r.m, r.in[i], r.out[i], r.count)
	} else {
		err = s.Node.Func(r.m, r.in[i], r.out[i])
	}
	r.m.EndNode()
	if err != nil {
		return Wrap(r.m, s.Node, err)
	}
	return nil
}

// Wrap returns an error of a node's function with the node's name. If the run was cancelled, it
// returns the cause instead.
func Wrap(m *machine.Machine, n *graph.Node, err error) error {
	if cause := m.Cause(); cause != nil {
		return cause
	}
	return fault.InNode(n.Name, n.Op, err)
}
