package masked

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Some models write pooling as separate operators: they multiply or divide instances by pooled
// values, such as weights / (sum of weights + 1e-8), or shift the argument of an exponential, as in
// exp(x - max x). Such a factor commutes with the sum over the instances: the sum of r a x is r
// times the sum of a x, where r is a row of the coalition. If g is the largest x of the whole bag,
// exp(x - m) is exp(g - m) exp(x - g), again a row times a value of the whole bag.

// rowFactor is the row that the sums of a ratio are multiplied by.
type rowFactor struct {
	slot int
	// shape is the row's shape beside the ratio's tensor: of the same rank, and 1 for the
	// instances.
	shape []int
	at    []int // (number of the result) element of the row, nil if it has one element
}

// greatest is the largest factor that is trusted. The sums that it multiplies are so small that
// they have lost their digits.
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
		x.kind != perInstance {
		return mixed
	}
	shape, s := x.tensor.Shape, c.plan.slots[r.slot]
	lead := len(shape) - len(s.shape)
	if lead < 0 || !slices.Equal(c.Place(n.Out[0]).Shape, shape) ||
		x.tensor.Type != tensor.Float32 || s.typ != tensor.Float32 {
		return mixed
	}
	// The row must broadcast to the instances' shape, with size 1 in their axis.
	by := &rowFactor{shape: append(ones(lead), s.shape...)}
	if by.shape[x.place.Axis] != 1 {
		return mixed
	}
	// A ratio that has a factor already gets the product of both. One of them may be a scalar.
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
	// A shift subtracts the whole bag's largest numbers now; the factor corrects it in each run.
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

// ones returns n times 1.
func ones(n int) []int { return slices.Repeat([]int{1}, n) }

// beside returns the factor beside a tensor of a rank. It reports false if the rank is smaller than
// the factor's.
func (b *rowFactor) beside(rank int) (*rowFactor, bool) {
	if b == nil || rank < len(b.shape) {
		return nil, b == nil
	}
	out := *b
	out.shape = append(ones(rank-len(b.shape)), b.shape...)
	return &out, true
}

// moved returns the factor beside the result of a node that moves the elements of the ratio's
// tensor. It reports false unless the factor has one element, or the node is a Transpose that keeps
// the order of the factor's elements.
func (b *rowFactor) moved(n *graph.Node, rank int) (*rowFactor, bool) {
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
	return &out, n.Op == "Transpose" && isLine(b.shape)
}

// along returns the factor for each number of the result of a sum over the instances of x.
func (b *rowFactor) along(x value) *rowFactor {
	out := *b
	if count, _ := tensor.Count(b.shape); count != 1 {
		out.at = divisorOf(value{tensor: x.tensor, place: x.place,
			weights: &tensor.Tensor{Shape: b.shape}, weightAxis: x.place.Axis})
	}
	return &out
}

// of returns the factor for each number of the result of a product, whose term j is element at[j]
// of an instance of v.
func (b *rowFactor) of(at []int, v value) *rowFactor {
	out := *b
	if count, _ := tensor.Count(b.shape); count != 1 {
		index := broadcastIndex(v.tensor.Shape, b.shape)
		for _, i := range at {
			out.at = append(out.at, index(i))
		}
	}
	return &out
}

// shiftBy subtracts the largest of the elements that share an element of a row from these elements
// of x, and returns the largest ones.
func shiftBy(x *tensor.Tensor, by *rowFactor) []float32 {
	count, _ := tensor.Count(by.shape)
	v := tensor.Of[float32](x)
	index := broadcastIndex(x.Shape, by.shape)
	top := slices.Repeat([]float32{float32(math.Inf(-1))}, count)
	for i, e := range v {
		top[index(i)] = max(top[index(i)], e)
	}
	for i, g := range top {
		top[i] = float32(finiteOrZero(float64(g)))
	}
	for i := range v {
		v[i] -= top[index(i)]
	}
	return top
}

// broadcastIndex returns the function that maps an element of a shape to the element of a tensor
// that broadcasting puts there. Both have the same rank.
func broadcastIndex(shape, from []int) func(i int) int {
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

// exponential compiles an Exp of a shifted value.
func (c *compiler) exponential(n *graph.Node, x value) error {
	out, err := c.compute(n, []*tensor.Tensor{x.tensor})
	if err != nil {
		return err
	}
	x.kind, x.tensor = ratio, out[0]
	c.values[n.Out[0]] = x
	return nil
}

// factor is the step that computes the row that sums are multiplied by.
type factor struct {
	before   int // slot of the factor of earlier nodes, -1 for none
	row, out int
	op       string    // Mul, Div or Sub
	shift    []float32 // Sub: the numbers of the whole bag that were subtracted instead
}

// run computes the factors in float64. Those that are too large mark the coalition as in doubt.
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
