package masked

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// sizes compiles a node that computes a list of sizes, and reports whether it is one. Models read
// the shape of instances to reshape pooled values. Most of these lists do not have the number of
// members, or have it in the place of the instances, so that the whole bag's list serves all
// coalitions.
func (c *compiler) sizes(n *graph.Node, in []value) (done bool, err error) {
	if len(n.Out) != 1 {
		return false, nil
	}
	lead, ok := leadOf(in)
	if lead = max(lead, 0); !ok {
		return false, nil
	}
	reads := n.Row.Kind == ops.ReadShape
	for _, v := range in {
		if reads && v.kind == row ||
			!reads && v.kind != constant && v.kind != sizeList {
			return false, nil
		}
	}
	// The axis rule marks multiples of the number of members in a list.
	out := []ops.Place{{Shape: c.Place(n.Out[0]).Shape}}
	n.Row.Axes.Apply(&n.Node, c.Instances+lead, places(in), out)
	if out[0].Sizes == nil {
		return false, nil
	}
	if v := in[0]; v.kind == pairwise {
		other := places(in)
		other[0].Axis = v.pairs.axes[1]
		keys := []ops.Place{{Shape: out[0].Shape}}
		n.Row.Axes.Apply(&n.Node, c.Instances+lead, other, keys)
		for i, d := range keys[0].Sizes {
			out[0].Sizes[i] = min(out[0].Sizes[i], d) // SizeBag is negative
		}
	}
	made, err := c.compute(n, tensors(in))
	if err != nil {
		return false, err
	}
	v := value{place: ops.Place{Shape: made[0].Shape, Type: made[0].Type, Sizes: out[0].Sizes},
		tensor: made[0]}
	if ops.CountsBag(v.place.Sizes) {
		v.kind, v.lead = sizeList, lead
	}
	c.values[n.Out[0]] = v
	return true, nil
}

// varies reports whether the shape of an output depends on the number of members.
func (c *compiler) varies(n *graph.Node) bool {
	return c.Varies != nil && slices.ContainsFunc(n.Out, func(id int) bool {
		if id < 0 {
			return false
		}
		varies, _ := c.Varies(id)
		return slices.Contains(varies, true)
	})
}

// counted turns the lists of sizes that a node reads into rows, for nodes that compute with the
// number of members.
func (c *compiler) counted(n *graph.Node, in []value) {
	for i, v := range in {
		if v.kind == sizeList {
			c.plan.steps = append(c.plan.steps,
				&counts{sizes: v.place.Sizes, lead: v.lead,
					out: c.newRow(n.In[i], v.tensor.Type, v.tensor.Shape)})
			in[i] = c.values[n.In[i]]
		}
	}
}

// average compiles a node that divides a sum over the instances by the number of members, which
// makes the sum a mean, and reports whether it is one: a Div, or a Mul by the reciprocal.
func (c *compiler) average(n *graph.Node, in []value) bool {
	switch {
	case n.Op == "Div":
		return c.isCount(n.In[1]) && c.averaged(n, in[0], 0, 1)
	case n.Op != "Mul":
		return false
	}
	return c.isCount(c.inverse(n.In[1])) && c.averaged(n, in[0], 0, 1) ||
		c.isCount(c.inverse(n.In[0])) && c.averaged(n, in[1], 1, 0)
}

// averaged makes input number of of a node, the sum x, a mean, and reports whether it could. The
// other input, by, is then not read.
func (c *compiler) averaged(n *graph.Node, x value, of, by int) bool {
	if x.kind != row || !slices.Equal(c.Place(n.Out[0]).Shape, x.place.Shape) {
		return false
	}
	s := c.sumOf(x)
	if s == nil || s.mean || s.bias != nil || !c.alone(n.In[of]) {
		return false
	}
	c.forget(n.In[by])
	s.mean, s.of = true, nil
	c.values[n.Out[0]] = x
	for id, v := range c.values {
		if v.kind == row && c.names[id] == "sum" && c.plan.slots[v.slot].of == s.out {
			c.names[id] = "mean"
		}
	}
	return true
}

// forget removes the steps that compute a row for one reader, which no longer needs it, and those
// before them that compute for these steps alone.
func (c *compiler) forget(id int) {
	for id >= 0 && c.alone(id) && c.value(id).kind == row {
		for c.reshaped[id] != nil {
			id = c.reshaped[id].In[0]
		}
		v, n := c.values[id], c.producers[id]
		if s := c.sumOf(v); s != nil {
			c.unpool(s)
			delete(c.names, id) // it does not pool
			return
		}
		at := c.plan.slots[v.slot].of
		c.plan.steps = slices.DeleteFunc(c.plan.steps, func(st step) bool {
			switch s := st.(type) {
			case *counts:
				return s.out == at
			case *batch:
				return len(s.out) == 1 && s.out[0] == at
			case *each:
				return len(s.out) == 1 && s.out[0] == at
			}
			return false
		})
		id = -1
		for _, from := range n.In {
			if from >= 0 && c.value(from).kind == row {
				id = from
			}
		}
	}
}

// sumOf returns the plain sum that a row is or reshapes, or nil.
func (c *compiler) sumOf(v value) *sums {
	if v.kind != row {
		return nil
	}
	if s := c.summed[c.plan.slots[v.slot].of]; s != nil && s.of != nil {
		return s
	}
	return nil
}

// inverse returns the value of which a value is the reciprocal or reshapes it, or -1.
func (c *compiler) inverse(id int) int {
	for c.reshaped[id] != nil {
		id = c.reshaped[id].In[0]
	}
	n := c.producers[id]
	switch {
	case n == nil:
	case n.Op == "Reciprocal":
		return n.In[0]
	case n.Op == "Div" && n.Const[0] != nil && allOnes(n.Const[0]):
		return n.In[1]
	}
	return -1
}

// isCount reports whether a value is the number of members alone: a list of sizes, a sum of ones,
// or a row that reshapes one.
func (c *compiler) isCount(id int) bool {
	if id < 0 {
		return false
	}
	v := c.value(id)
	if v.kind == sizeList {
		return len(v.place.Sizes) == 1 && ops.BagTimes(v.place.Sizes[0]) == 1 && v.lead == 0
	}
	if s := c.sumOf(v); s != nil {
		return !s.mean && s.bias == nil && allOnes(s.of.tensor)
	}
	return v.kind == row && slices.ContainsFunc(c.plan.steps, func(st step) bool {
		s, ok := st.(*counts)
		return ok && s.out == c.plan.slots[v.slot].of && s.lead == 0 && len(s.sizes) == 1 &&
			ops.BagTimes(s.sizes[0]) == 1
	})
}

// allOnes reports whether all elements of a tensor of numbers are 1.
func allOnes(t *tensor.Tensor) bool {
	switch t.Type {
	case tensor.Float32:
		return !slices.ContainsFunc(tensor.Of[float32](t), func(v float32) bool { return v != 1 })
	case tensor.Float64:
		return !slices.ContainsFunc(tensor.Of[float64](t), func(v float64) bool { return v != 1 })
	}
	return false
}

// counts is the step that writes a list of sizes for every coalition.
type counts struct {
	sizes []int // as ops.Place.Sizes
	lead  int   // constant places beside the members
	out   int
}

// run writes the sizes in the type of the list, which may have been cast.
func (s *counts) run(r *Runner) error {
	out := &r.stacks[s.out]
	var t tensor.Tensor
	for j := range r.Len() {
		out.at(&t, j)
		writeSizes(&t, s.sizes, r.Size(j)+s.lead)
	}
	return r.m.Tick(r.Len() * len(s.sizes))
}

// writeSizes writes a list of sizes, as ops.Place.Sizes, for a number of members.
func writeSizes(t *tensor.Tensor, sizes []int, members int) {
	for i, d := range sizes {
		if times := ops.BagTimes(d); times > 0 {
			d = times * members
		}
		switch t.Type {
		case tensor.Int64:
			tensor.Of[int64](t)[i] = int64(d)
		case tensor.Int32:
			tensor.Of[int32](t)[i] = int32(d)
		case tensor.Float32:
			tensor.Of[float32](t)[i] = float32(d)
		case tensor.Float64:
			tensor.Of[float64](t)[i] = float64(d)
		}
	}
}
