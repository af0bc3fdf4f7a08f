package masked

import (
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A Source describes the values of the whole bag.
type Source struct {
	Instances int
	Place     func(id int) ops.Place      // axis of instances, shape and type of a value
	Value     func(id int) *tensor.Tensor // boundary values and constants, nil for other values
	// Matrix returns a value of each pair of instances, and the first of its two axes of instances,
	// which are neighbours; nil for other values.
	Matrix  func(id int) (*tensor.Tensor, int)
	Machine *machine.Machine // memory of what Compile computes
	// Varies says which dimensions of a value depend on the number of instances, and false if that
	// is unknown. Nil leaves values of members out.
	Varies func(id int) ([]bool, bool)
	// Logits plans subtract the largest logit of each coalition, at a higher cost. Their softmax
	// does not underflow.
	Logits bool
	// Wide plans of one sum compute it as float64 does, see wide.go.
	Wide bool
}

// Compile compiles a program that ends in the value result. The error names the first node that has
// no masked form.
func Compile(p *plan.Program, s Source, result int) (*Plan, error) {
	c := &compiler{Source: s, plan: &Plan{k: s.Instances}, values: map[int]value{},
		read: map[int]int{result: 1}, summed: map[int]*sums{}, names: map[int]string{},
		reshaped: map[int]*graph.Node{}, producers: map[int]*graph.Node{},
		unread: map[int]*sums{}}
	for _, st := range p.Steps() {
		for _, id := range st.Node.In {
			c.read[id]++
		}
		for _, id := range st.Node.Out {
			c.producers[id] = st.Node
		}
	}
	c.toFloat32(p)
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
	if err := c.finishSums(); err != nil {
		return nil, err
	}
	c.name(p, result)
	// Steps for single coalitions alone gain nothing: gathered coalitions of one size run together.
	if c.plan.withMembers && !slices.ContainsFunc(c.plan.steps, shares) {
		return nil, c.refusal
	}
	if s := c.plan.direct(); s != nil && c.Wide {
		if err := s.widen(c); err != nil {
			return nil, err
		}
	}
	c.plan.narrow()
	c.plan.keepPairs()
	c.plan.lives()
	return c.plan, nil
}

// finishSums completes the sums of the plan, when fold has made its last change to their rows and
// biases.
func (c *compiler) finishSums() error {
	for _, st := range c.plan.steps {
		s, ok := st.(*sums)
		if !ok {
			continue
		}
		if s.bias == nil {
			s.bias = make([]float32, s.width)
		}
		s.infinite = slices.ContainsFunc(s.rows, notFinite) ||
			slices.ContainsFunc(s.bias, notFinite)
		if s.infinite && s.logits {
			return fmt.Errorf("some logits, or what their weights multiply, are not finite")
		}
	}
	return nil
}

// notFinite reports whether v is NaN or infinite.
func notFinite(v float32) bool { return v-v != 0 }

// A compiler compiles one program.
type compiler struct {
	Source
	plan     *Plan
	values   map[int]value
	read     map[int]int         // number of readers of a value, including the caller
	summed   map[int]*sums       // the sums that write a slot
	names    map[int]string      // name of the pooling that computes a value
	reshaped map[int]*graph.Node // nodes that only reshape a row, by their output

	producers map[int]*graph.Node // nodes of the program, by their outputs
	unread    map[int]*sums       // sums whose steps were removed, by their slots
	refusal   error               // why the first node of members does not pool

	converts bool // float64 values are converted to float32
}

// value returns the description of a value of the graph: as compiled so far, else from the source.
func (c *compiler) value(id int) value {
	if v, ok := c.values[id]; ok {
		return v
	}
	v := value{place: c.Place(id), tensor: c.Value(id)}
	if v.place.Class == ops.Instance {
		v.kind = perInstance
	}
	if t, axis := c.Matrix(id); t != nil {
		if c.converts {
			t = as32(t)
		}
		v = matrix(t, axis)
		c.values[id] = v
	}
	return v
}

// node compiles one node of the program: to pooling if it has such a form, else to steps on
// members.
func (c *compiler) node(n *graph.Node) error {
	err := c.pooling(n)
	if isRefused(err) && c.members(n) == nil {
		if c.plan.withMembers = true; c.refusal == nil {
			c.refusal = err
		}
		return nil
	}
	return err
}

// pooling compiles a node of instances, rows and constants.
func (c *compiler) pooling(n *graph.Node) error {
	in, err := c.inputs(n)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(in, value.ofMembers) {
		if n.Row.Kind == ops.ReadShape {
			if done, err := c.sizes(n, in); done || err != nil {
				return err
			}
		}
		return mixes(n)
	}
	if c.average(n, in) {
		return nil
	}
	lists := slices.ContainsFunc(in, value.isSizes)
	// An Expand to a list with the number of members repeats a row for each instance.
	if lists && n.Op == "Expand" && in[0].kind == row {
		c.values[n.Out[0]] = value{kind: repeated, place: in[0].place, slot: in[0].slot}
		return nil
	}
	// Beside instances, a repeated row broadcasts like the row itself.
	instances := slices.ContainsFunc(in, value.instances)
	for i := range in {
		if in[i].kind == repeated {
			if in[i].kind = row; !instances {
				return refusal(n, "mixes a value that is repeated for each instance")
			}
		}
	}
	if lists || n.Row.Kind == ops.ReadShape {
		if done, err := c.sizes(n, in); done || err != nil {
			return err
		}
		if !instances {
			if c.ahead(n, in) {
				return nil
			}
			if c.varies(n) {
				return refusal(n, countsMembers)
			}
			c.counted(n, in)
		}
	}
	return c.combine(n, in)
}

// inputs returns the values that a node reads. It refuses a value without numbers that is not a
// row.
func (c *compiler) inputs(n *graph.Node) ([]value, error) {
	in := make([]value, len(n.In))
	for i, id := range n.In {
		if id < 0 {
			continue
		}
		in[i] = c.value(id)
		if in[i].kind != row && in[i].kind != repeated && in[i].tensor == nil {
			return nil, refusal(n, "reads a value that the prefix does not compute")
		}
	}
	return in, nil
}

// combine compiles a node by the kinds of values that it combines: instances, rows and constants.
func (c *compiler) combine(n *graph.Node, in []value) error {
	instances, rows := slices.ContainsFunc(in, value.instances),
		slices.ContainsFunc(in, value.isRow)
	switch {
	case instances && rows:
		return c.divide(n, in)
	case instances:
		return c.pool(n, in)
	case rows:
		if (n.Row.Kind == ops.Create || n.Row.Kind == ops.Copy) && c.varies(n) {
			return refusal(n, countsMembers)
		}
		return c.row(n, in)
	}
	return c.once(n, in)
}

// once computes a node of constant inputs at compile time.
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

// compute runs a node at compile time and returns its outputs.
func (c *compiler) compute(n *graph.Node, in []*tensor.Tensor) ([]*tensor.Tensor, error) {
	return c.call(n.Func, in, len(n.Out))
}

// call runs a function at compile time. Its outputs outlive the machine's run.
func (c *compiler) call(
	f compute.Func, in []*tensor.Tensor, outputs int,
) ([]*tensor.Tensor, error) {
	out := tensor.Empty(outputs)
	err := f(c.Machine, in, out)
	c.Machine.EndNode()
	for i, t := range out {
		if err == nil {
			if out[i] = c.Machine.Keep(t); c.converts {
				out[i] = as32(out[i])
			}
		} else {
			c.Machine.Release(t)
		}
	}
	return out, err
}

// newRow makes a value of the graph a row with a new slot, which it returns.
func (c *compiler) newRow(id int, t tensor.Type, shape []int) int {
	at := len(c.plan.slots)
	c.plan.slots = append(c.plan.slots, slot{t, slices.Clone(shape), at})
	c.values[id] = value{kind: row, place: ops.Place{Shape: shape}, slot: at}
	return at
}

// pools adds the step that computes a value of the graph by pooling.
func (c *compiler) pools(id int, strategy string, s step) {
	c.names[id] = strategy
	c.plan.steps = append(c.plan.steps, s)
	if s, ok := s.(*sums); ok {
		c.summed[s.out] = s
	}
}

// unpool removes a step whose result is not read.
func (c *compiler) unpool(s *sums) {
	c.plan.steps = slices.DeleteFunc(c.plan.steps, func(st step) bool { return st == step(s) })
	c.unread[s.out] = s
}

// name collects the names of pooling, from the result backwards. Pooled values that only divide or
// shift instances do not count: they are parts of another pooling, such as a softmax in steps.
func (c *compiler) name(p *plan.Program, result int) {
	reached := map[int]bool{result: true} // values that lead to the result
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
		made := c.values[n.Out[0]].kind
		for _, id := range n.In {
			v := c.values[id]
			scales := (v.kind == row || v.kind == repeated) && (made == ratio || made == shifted)
			if id >= 0 && !scales {
				reached[id] = true
			}
		}
	}
	slices.Sort(c.plan.strategy)
	c.plan.strategy = slices.Compact(c.plan.strategy)
}
