// Package masked computes the scores of many coalitions at once from values of the whole bag.
//
// After the cut, every value is one of seven kinds:
//
//	fixed   the same for every coalition
//	held    per instance, known for the whole bag: a coalition keeps the places of its members
//	ratio   something held times numbers of the coalition: a softmax over the instances is divided by the
//	        members' sum of weights, other weights may be by any row
//	shifted something held less a row, to go into an exponential and be a ratio
//	spread  a row that is repeated for each instance
//	row     one small tensor for each coalition: what pooling leaves, and all that follows
//	list    sizes of which one is the number of members, until something is computed with them
//
// A node that pools held values becomes a masked sum, maximum or top-k over a table with a row for
// each instance; a coalition never runs it. A linear layer behind a sum moves into that table. What
// follows runs once for all coalitions where it treats their rows apart, other nodes coalition by
// coalition, both with the operator's own function. A node that combines kinds in any other way has
// no masked form, and [Compile] says which node that is.
package masked

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A Plan computes scores of coalitions. It is safe for concurrent use; each Runner serves one
// caller.
type Plan struct {
	devicePlan
	k        int
	steps    []step
	slots    []slot // of the rows
	result   int    // slot of the scores
	strategy []string

	exponential bool // it sums exponentials
}

// direct returns the sum that is all of the plan, as under a linear head, or nil.
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

// slot is the shape and type of a row, for each coalition.
type slot struct {
	typ   tensor.Type
	shape []int
	// the slot whose memory it has: its own, or that of the row of which it is another shape
	of int
}

// A step makes the rows of one node for all coalitions of a batch.
type step interface {
	run(r *Runner) error
}

// Strategy names the ways in which instances are pooled, in order, such as "attention" or
// "max+mean".
func (p *Plan) Strategy() string { return strings.Join(p.strategy, "+") }

// Exponential reports whether the plan sums exponentials, so that one of logits differs from it.
func (p *Plan) Exponential() bool { return p.exponential }

// RowBytes returns the memory that a coalition takes in a batch.
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

// A Source tells what is known of the whole bag: the place of a value and, for those at the cut,
// the value itself.
type Source struct {
	Instances int
	Place     func(id int) ops.Place
	Value     func(id int) *tensor.Tensor // nil for values behind the cut
	Machine   *machine.Machine            // for what is computed once, now
	// subtract the largest logit of each coalition, at a higher cost
	Logits bool
}

// Compile finds the masked form of a program that ends in the value result. The error names the
// first node that has none.
func Compile(p *plan.Program, s Source, result int) (*Plan, error) {
	c := &compiler{Source: s, plan: &Plan{k: s.Instances}, values: map[int]value{},
		read: map[int]int{result: 1}, summed: map[int]*sums{}, names: map[int]string{},
		made: map[int]*graph.Node{}}
	for _, st := range p.Steps() {
		for _, id := range st.Node.In {
			c.read[id]++
		}
	}
	c.single(p)
	for _, st := range p.Steps() {
		if err := c.node(st.Node); err != nil {
			return nil, err
		}
	}
	v := c.value(result)
	if v.kind != row {
		return nil, fmt.Errorf("the scores do not depend on the coalition")
	}
	c.plan.result = v.slot
	for _, st := range c.plan.steps {
		if s, ok := st.(*sums); ok {
			if s.bias == nil {
				s.bias = make([]float32, s.width)
			}
			s.infinite = slices.ContainsFunc(s.rows, notFinite) ||
				slices.ContainsFunc(s.bias, notFinite)
			if s.infinite && s.logits {
				return nil, fmt.Errorf(
					"some logits, or what their weights multiply, are not finite")
			}
		}
	}
	c.name(p, result)
	return c.plan, nil
}

func notFinite(v float32) bool { return v-v != 0 }

type kind int

const (
	fixed kind = iota
	held
	ratio
	shifted
	spread
	row
	list
)

// value is what the compiler knows of a tensor.
type value struct {
	kind  kind
	place ops.Place // Shape, and of held and ratio the Axis of the instances
	// fixed, held and list: the value for the whole bag; ratio: before it is divided
	tensor *tensor.Tensor
	// ratio: what it is divided by the members' sum of, along weightAxis, or nil
	weights *tensor.Tensor
	weightAxis,
	slot int // row
	// ratio: the weights are logits, and the tensor is what their exponentials multiply
	logits bool
	by     *byRow // ratio: what it is multiplied by, or nil
}

// instances reports whether a value has something of each instance.
func (v *value) instances() bool { return v.kind == held || v.kind == ratio || v.kind == shifted }

type compiler struct {
	Source
	plan   *Plan
	values map[int]value
	read   map[int]int         // how many nodes read a value, and the caller
	summed map[int]*sums       // by slot, the sums whose row that is
	names  map[int]string      // how a value is pooled
	made   map[int]*graph.Node // nodes that only gave a row another shape, by what they made

	singled bool // from float64
}

// value returns what is known of a value of the graph.
func (c *compiler) value(id int) value {
	if v, ok := c.values[id]; ok {
		return v
	}
	v := value{place: c.Place(id), tensor: c.Value(id)}
	if v.place.Class == ops.Instance {
		v.kind = held
	}
	return v
}

// node compiles one node of the program.
func (c *compiler) node(n *graph.Node) error {
	in := make([]value, len(n.In))
	instances, lists := false, false
	for i, id := range n.In {
		if id < 0 {
			continue
		}
		in[i] = c.value(id)
		if in[i].kind != row && in[i].kind != spread && in[i].tensor == nil {
			return refusal(n, "reads a value that the cut does not hold")
		}
		instances = instances || in[i].instances()
		lists = lists || in[i].kind == list
	}
	if lists && n.Op == "Expand" && in[0].kind == row {
		c.values[n.Out[0]] = value{kind: spread, place: in[0].place, slot: in[0].slot}
		return nil
	}
	for i := range in {
		if in[i].kind == spread {
			if in[i].kind = row; !instances {
				return refusal(n, "mixes what is repeated for each instance")
			}
		}
	}
	if lists || n.Op == "Shape" {
		if done, err := c.sizes(n, in); done || err != nil {
			return err
		}
		if !instances {
			c.counted(n, in)
		}
	}
	rows := slices.ContainsFunc(in, func(v value) bool { return v.kind == row })
	switch {
	case instances && rows:
		return c.divide(n, in)
	case instances:
		return c.pool(n, in)
	case rows:
		return c.row(n, in)
	}
	return c.once(n, in)
}

// once computes a node of fixed inputs now.
func (c *compiler) once(n *graph.Node, in []value) error {
	out, err := c.compute(n, tensors(in))
	if err != nil {
		return err
	}
	for i, id := range n.Out {
		if id >= 0 {
			c.values[id] = value{place: c.Place(id), tensor: out[i]}
		}
	}
	return nil
}

// compute runs a node now and returns its outputs, which the machine does not hold.
func (c *compiler) compute(n *graph.Node, in []*tensor.Tensor) ([]*tensor.Tensor, error) {
	return c.call(n.Func, in, len(n.Out))
}

func (c *compiler) call(f ops.Func, in []*tensor.Tensor, outputs int) ([]*tensor.Tensor, error) {
	out := make([]*tensor.Tensor, outputs)
	for i := range out {
		out[i] = &tensor.Tensor{}
	}
	err := f(c.Machine, in, out)
	c.Machine.EndNode()
	for i, t := range out {
		if err == nil {
			if out[i] = c.Machine.Keep(t); c.singled {
				out[i] = as32(out[i])
			}
		} else {
			c.Machine.Release(t)
		}
	}
	return out, err
}

// newRow gives a value of the graph a slot.
func (c *compiler) newRow(id int, t tensor.Type, shape []int) int {
	at := len(c.plan.slots)
	c.plan.slots = append(c.plan.slots, slot{t, slices.Clone(shape), at})
	c.values[id] = value{kind: row, place: ops.Place{Shape: shape}, slot: at}
	return at
}

// pools adds the step that pools what a value of the graph is.
func (c *compiler) pools(id int, strategy string, s step) {
	c.names[id] = strategy
	c.plan.steps = append(c.plan.steps, s)
	if s, ok := s.(*sums); ok {
		c.summed[s.out] = s
	}
}

// unpool takes a step out that nobody needs.
func (c *compiler) unpool(s *sums) {
	for i, st := range c.plan.steps {
		if st == step(s) {
			c.plan.steps = slices.Delete(c.plan.steps, i, i+1)
		}
	}
}

// name collects the ways in which instances are pooled. What instances are only divided or shifted
// by is part of one.
func (c *compiler) name(p *plan.Program, result int) {
	reached := map[int]bool{result: true}
	for i := len(p.Steps()) - 1; i >= 0; i-- {
		n, leads := p.Steps()[i].Node, false
		for _, id := range n.Out {
			if leads = leads || reached[id]; reached[id] && c.names[id] != "" {
				c.plan.strategy = append(c.plan.strategy, c.names[id])
			}
		}
		if !leads {
			continue
		}
		kept := c.values[n.Out[0]].kind
		for _, id := range n.In {
			if v := c.values[id]; id >= 0 && (v.kind != row && v.kind != spread || kept != ratio &&
				kept != shifted) {
				reached[id] = true
			}
		}
	}
	slices.Sort(c.plan.strategy)
	c.plan.strategy = slices.Compact(c.plan.strategy)
}

func tensors(in []value) []*tensor.Tensor {
	out := make([]*tensor.Tensor, len(in))
	for i, v := range in {
		out[i] = v.tensor
	}
	return out
}

func refusal(n *graph.Node, why string) error {
	return fmt.Errorf("node %q (%s) %s", n.Name, n.Op, why)
}
