package masked

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Pooling that is written out by hand multiplies or divides instances by what has been pooled
// before, and shifts the argument of an exponential by it: weights / (their sum + 1e-8), exp(x -
// max x). A sum over the instances takes such a factor out: the sum of r a x is r times the sum of
// a x, where r is a row of the coalition. With g the largest x of the whole bag, exp(x - m) is
// exp(g - m) exp(x - g), again a row times something held.

// byRow is what sums of a ratio are multiplied by.
type byRow struct {
	slot int
	// of the row beside the held tensor: with as many dimensions, and one place for the instances
	shape []int
	at    []int // (number of the result) which element of the row, nil where it has one
}

// greatest is the largest factor that is trusted: beyond it what it multiplies has lost its digits.
const greatest = 1e20

// times compiles a node that multiplies, divides or shifts instances by a row.
func (c *compiler) times(n *graph.Node, in []value) error {
	mixed := refusal(n, "combines single instances with the whole bag")
	if len(in) != 2 {
		return mixed
	}
	x, r := in[0], in[1]
	if x.kind == row && n.Op == "Mul" {
		x, r = r, x
	}
	shift := n.Op == "Sub"
	if r.kind != row || !x.instances() || !shift && n.Op != "Mul" && n.Op != "Div" || shift &&
		x.kind != held {
		return mixed
	}
	shape, s := x.tensor.Shape, c.plan.slots[r.slot]
	lead := len(shape) - len(s.shape)
	if lead < 0 || !slices.Equal(c.Place(n.Out[0]).Shape, shape) ||
		x.tensor.Type != tensor.Float32 || s.typ != tensor.Float32 {
		return mixed
	}
	by := &byRow{shape: append(ones(lead), s.shape...)}
	if by.shape[x.place.Axis] != 1 {
		return mixed
	}
	f := &factor{row: r.slot, before: -1, op: n.Op}
	if x.by != nil {
		f.before = x.by.slot
		a, _ := tensor.Count(x.by.shape)
		b, _ := tensor.Count(by.shape)
		switch {
		case b == 1:
			by.shape = x.by.shape
		case a != 1 && !slices.Equal(x.by.shape, by.shape):
			return mixed
		}
	}
	out := value{kind: ratio, place: x.place, tensor: x.tensor, weights: x.weights,
		weightAxis: x.weightAxis, logits: x.logits}
	if shift {
		out.kind, out.tensor = shifted, x.tensor.Clone()
		f.shift = shiftBy(out.tensor, by)
	}
	count, _ := tensor.Count(by.shape)
	by.slot = len(c.plan.slots)
	c.plan.slots = append(c.plan.slots, slot{tensor.Float32, []int{count}, by.slot})
	f.out = by.slot
	c.plan.steps = append(c.plan.steps, f)
	out.by = by
	c.values[n.Out[0]] = out
	return nil
}

func ones(n int) []int {
	out := make([]int, n)
	for d := range out {
		out[d] = 1
	}
	return out
}

// beside returns the factor beside a tensor of as many dimensions or more, and whether it can be.
func (b *byRow) beside(rank int) (*byRow, bool) {
	if b == nil || rank < len(b.shape) {
		return nil, b == nil
	}
	out := *b
	out.shape = append(ones(rank-len(b.shape)), b.shape...)
	return &out, true
}

// moved returns the factor beside what a node has made of the held tensor. Only a transposition
// moves one of several numbers along.
func (b *byRow) moved(n *graph.Node, rank int) (*byRow, bool) {
	if b == nil {
		return nil, true
	}
	out := *b
	if count, _ := tensor.Count(b.shape); count == 1 {
		out.shape = ones(rank)
		return &out, true
	}
	perm := n.Ints("perm")
	out.shape = nil
	for d := range b.shape {
		from := len(b.shape) - 1 - d
		if len(perm) == len(b.shape) {
			from = perm[d]
		}
		out.shape = append(out.shape, b.shape[from])
	}
	return &out, n.Op == "Transpose" && isLine(b.shape) // else its numbers would change places
}

// along returns the factor of each number that a sum over the instances of a value leaves.
func (b *byRow) along(x value) *byRow {
	out := *b
	if count, _ := tensor.Count(b.shape); count != 1 {
		out.at = divisorOf(value{tensor: x.tensor, place: x.place,
			weights: &tensor.Tensor{Shape: b.shape}, weightAxis: x.place.Axis})
	}
	return &out
}

// of returns the factor of each number of a product, given the places of the value that go into it.
func (b *byRow) of(at []int, v value) *byRow {
	out := *b
	if count, _ := tensor.Count(b.shape); count != 1 {
		meets := meeting(v.tensor.Shape, b.shape)
		for _, i := range at {
			out.at = append(out.at, meets(i))
		}
	}
	return &out
}

// shiftBy subtracts from a tensor the largest number that meets each element of a row, and returns
// those.
func shiftBy(x *tensor.Tensor, by *byRow) []float32 {
	count, _ := tensor.Count(by.shape)
	v := tensor.Of[float32](x)
	meets := meeting(x.Shape, by.shape)
	top := make([]float32, count)
	for i := range top {
		top[i] = float32(math.Inf(-1))
	}
	for i, e := range v {
		top[meets(i)] = max(top[meets(i)], e)
	}
	for i, g := range top {
		if math.IsInf(float64(g), 0) {
			top[i] = 0
		}
	}
	for i := range v {
		v[i] -= top[meets(i)]
	}
	return top
}

// meeting returns which element of a tensor that is broadcast to a shape of as many dimensions
// meets element i of it.
func meeting(shape, from []int) func(i int) int {
	to, strides := tensor.Strides(shape), tensor.Strides(from)
	return func(i int) (at int) {
		for d, n := range from {
			if n != 1 {
				at += i / to[d] % shape[d] * strides[d]
			}
		}
		return at
	}
}

// exponential compiles an Exp of what was shifted.
func (c *compiler) exponential(n *graph.Node, x value) error {
	out, err := c.compute(n, []*tensor.Tensor{x.tensor})
	if err != nil {
		return err
	}
	x.kind, x.tensor = ratio, out[0]
	c.values[n.Out[0]] = x
	return nil
}

// factor makes the row that sums are multiplied by.
type factor struct {
	before   int // slot of the factor so far, -1 for none
	row, out int
	op       string    // Mul, Div or Sub
	shift    []float32 // Sub: what was subtracted instead
}

func (f *factor) run(r *Runner) error {
	out := &r.stacks[f.out]
	for j := range r.Len() {
		y, x := view[float32](out, j), view[float32](&r.stacks[f.row], j)
		for i := range y {
			v := float64(x[i%len(x)])
			switch f.op {
			case "Div":
				v = 1 / v
			case "Sub":
				v = math.Exp(float64(f.shift[i]) - v)
			}
			if f.before >= 0 {
				b := view[float32](&r.stacks[f.before], j)
				v *= float64(b[i%len(b)])
			}
			r.doubt[j] = r.doubt[j] || !(math.Abs(v) <= greatest)
			y[i] = float32(v)
		}
	}
	return r.m.Tick(16 * r.Len() * out.count)
}
