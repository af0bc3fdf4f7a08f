package ops_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// placedBags are the instances of the bags of TestPlacesHold. The rules know the first bag alone.
var placedBags = [][]int{{1, 3, 5, 7}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {2, 5, 6}, {4, 9},
	{0, 2, 3, 4, 8, 9}}

// A placed value is what the rules say of a value of the first bag, and the value of every bag.
type placed struct {
	ops.Place
	under  []*tensor.Tensor // (bag)
	fixed  ot.Tensor        // a constant of the graph
	varies bool             // it is not the same for all bags
}

// A placedDraft is a random graph, all of whose nodes run for every bag.
type placedDraft struct {
	*rand.Rand
	values []placed
	claims map[string]map[string]int // (operator, claim)
}

// newPlacedDraft returns a graph of a bag with features in some other axes.
func newPlacedDraft(r *rand.Rand, claims map[string]map[string]int) *placedDraft {
	shapes := []struct {
		axis int
		dims []int
	}{{0, []int{0, 4}}, {0, []int{0, 1}}, {1, []int{1, 0, 2}}, {2, []int{1, 2, 0}},
		{0, []int{0, 2, 3}}, {0, []int{0}}}
	s := shapes[r.IntN(len(shapes))]
	all := slices.Clone(s.dims)
	all[s.axis] = 10
	x := tensor.New(tensor.Float32, all...)
	for i := range x.Len() {
		tensor.Of[float32](x)[i] = float32(r.IntN(9) - 4)
	}
	v := placed{varies: true}
	for _, members := range placedBags {
		v.under = append(v.under, gathered(x, s.axis, members))
	}
	v.Place = ops.Place{Class: ops.Instance, Axis: s.axis, Shape: v.under[0].Shape,
		Type: tensor.Float32}
	return &placedDraft{r, []placed{v}, claims}
}

// of returns one of the values that satisfy a condition, -1 if there is none. It prefers those that
// vary.
func (d *placedDraft) of(accepts func(v placed) bool) int {
	var fit []int
	for i, v := range d.values {
		if accepts(v) {
			fit = append(fit, i)
		}
	}
	at := -1
	for range min(3, len(fit)) {
		if at = fit[d.IntN(len(fit))]; d.values[at].varies {
			break
		}
	}
	return at
}

func (d *placedDraft) any() int { return d.of(func(placed) bool { return true }) }

// typed returns a value of a type with least to most axes.
func (d *placedDraft) typed(typ tensor.Type, least, most int) int {
	return d.of(func(v placed) bool {
		return v.Type == typ && len(v.Shape) >= least && len(v.Shape) <= most
	})
}

// hold adds a constant.
func (d *placedDraft) hold(t ot.Tensor) int {
	x := denseTensor(t)
	d.values = append(d.values, placed{fixed: constant(t), Place: ops.Place{Class: ops.Constant,
		Shape: x.Shape, Type: x.Type, Value: x},
		under: slices.Repeat([]*tensor.Tensor{x}, len(placedBags))})
	return len(d.values) - 1
}

// list adds a constant list of integers.
func (d *placedDraft) list(v ...int64) int { return d.hold(ot.I("", v, len(v))) }

// scalar adds a constant integer.
func (d *placedDraft) scalar(v int64) int { return d.hold(ot.I("", []int64{v})) }

// oneOf returns one of some numbers.
func (d *placedDraft) oneOf(v ...int64) int64 { return v[d.IntN(len(v))] }

// sizes returns a list of sizes, one that the graph computes if it has one.
func (d *placedDraft) sizes() int {
	if d.IntN(3) > 0 {
		if at := d.typed(tensor.Int64, 1, 1); at >= 0 {
			return at
		}
	}
	var v []int64
	for range 1 + d.IntN(3) {
		v = append(v, d.oneOf(-1, 0, 1, 2, 4, 8))
	}
	return d.list(v...)
}

// number returns an integer, a list of one or a plain one.
func (d *placedDraft) number() int {
	if d.IntN(3) > 0 {
		if at := d.of(func(v placed) bool {
			return v.Type == tensor.Int64 && v.under[0].Len() == 1
		}); at >= 0 {
			return at
		}
	}
	return d.list(d.oneOf(0, 1, 2, 3, 4, 8))
}

// axis returns an axis, sometimes one that a value lacks.
func (d *placedDraft) axis() int64 { return d.oneOf(-2, -1, 0, 0, 1, 1, 2) }

// numeric returns a float or an integer.
func (d *placedDraft) numeric() int {
	return d.typed([]tensor.Type{tensor.Float32, tensor.Int64}[d.IntN(2)], 0, 4)
}

// placedNodes draw a node and its inputs, -1 for an omitted one, by random numbers and the values
// of the bags alone: a rule that says less does not change the graph.
var placedNodes = []func(d *placedDraft) (ot.Node, []int){
	func(d *placedDraft) (ot.Node, []int) {
		var a []ot.Attribute
		if d.IntN(2) == 0 {
			a = append(a, ot.Int("start", d.oneOf(0, 1, -1, -2)),
				ot.Int("end", d.oneOf(1, 2, 9, -1)))
		}
		return enginetest.Op("Shape", a...), []int{d.any()}
	},
	func(d *placedDraft) (ot.Node, []int) { return enginetest.Op("Size"), []int{d.any()} },
	func(d *placedDraft) (ot.Node, []int) {
		at := d.list(d.oneOf(0, 1, -1))
		if d.IntN(2) == 0 {
			at = d.scalar(d.oneOf(0, 1, -1, 2))
		}
		return enginetest.Op("Gather", ot.Int("axis", d.oneOf(0, 0, 1, -1))),
			[]int{d.of(func(v placed) bool { return len(v.Shape) > 0 }), at}
	},
	func(d *placedDraft) (ot.Node, []int) {
		table := d.hold(ot.F("", []float32{5, 6, 7, 8, 9, 1, 2, 3, 4, 1, 2, 3}, 6, 2))
		return enginetest.Op("Gather", ot.Int("axis", d.oneOf(0, 1))),
			[]int{table, d.typed(tensor.Int64, 0, 2)}
	},
	func(d *placedDraft) (ot.Node, []int) {
		return enginetest.Op("Concat", ot.Int("axis", 0)), []int{d.sizes(), d.sizes()}
	},
	func(d *placedDraft) (ot.Node, []int) {
		x := d.typed(tensor.Float32, 1, 4)
		return enginetest.Op("Concat", ot.Int("axis", d.axis())), []int{x, x}
	},
	drawPair, drawPair, drawPair, drawPair,
	func(d *placedDraft) (ot.Node, []int) { // all sizes of a list with another size
		return enginetest.Op("Equal"), []int{d.sizes(), d.sizes()}
	},
	func(d *placedDraft) (ot.Node, []int) {
		return enginetest.Op("Where"), []int{d.typed(tensor.Bool, 0, 2), d.sizes(), d.sizes()}
	},
	func(d *placedDraft) (ot.Node, []int) { // chooses from a list of sizes by a known list
		x := d.typed(tensor.Int64, 1, 1)
		n := 1
		if x >= 0 {
			n = d.values[x].Shape[0]
		}
		marks, others := make([]int32, n), make([]int64, n)
		for i := range n {
			marks[i], others[i] = int32(d.IntN(2)), d.oneOf(1, 4, -1)
		}
		return enginetest.Op("Where"), []int{d.hold(bools(marks, n)), x, d.list(others...)}
	},
	func(d *placedDraft) (ot.Node, []int) {
		op := []string{"And", "Or"}[d.IntN(2)]
		return enginetest.Op(op), []int{d.typed(tensor.Bool, 0, 3), d.typed(tensor.Bool, 0, 3)}
	},
	func(d *placedDraft) (ot.Node, []int) {
		return enginetest.Op("Not"), []int{d.typed(tensor.Bool, 0, 4)}
	},
	func(d *placedDraft) (ot.Node, []int) {
		op := []string{"Unsqueeze", "Squeeze"}[d.IntN(2)]
		in := []int{d.any(), d.list(d.axis())}
		if op == "Squeeze" && d.IntN(3) == 0 {
			in = in[:1]
		}
		return enginetest.Op(op), in
	},
	func(d *placedDraft) (ot.Node, []int) {
		return enginetest.Op("Cast", ot.Int("to", d.oneOf(1, 7, 9))), []int{d.any()}
	},
	func(d *placedDraft) (ot.Node, []int) { return enginetest.Op("Identity"), []int{d.any()} },
	func(d *placedDraft) (ot.Node, []int) {
		return enginetest.Op("Reshape", ot.Int("allowzero", d.oneOf(0, 0, 1))),
			[]int{d.any(), d.sizes()}
	},
	func(d *placedDraft) (ot.Node, []int) { // sizes of the value itself, which often fit
		x := d.any()
		var v []int64
		for i, size := range d.values[x].Shape {
			v = append(v, d.oneOf(int64(size), int64(size), 0, -1))
			if i > 0 && d.IntN(3) == 0 {
				v = append(v, d.oneOf(1, 2))
			}
		}
		return enginetest.Op("Reshape"), []int{x, d.list(v...)}
	},
	func(d *placedDraft) (ot.Node, []int) {
		return enginetest.Op([]string{"Expand", "Tile"}[d.IntN(2)]), []int{d.any(), d.sizes()}
	},
	func(d *placedDraft) (ot.Node, []int) { // a constant for each instance
		shape := [][]int{{1}, {1, 2}, {2, 1}, {4}}[d.IntN(4)]
		return enginetest.Op([]string{"Expand", "Tile"}[d.IntN(2)]), []int{
			d.hold(ot.F("", []float32{3, 1, 2, 4}[:product(shape)], shape...)), d.sizes()}
	},
	func(d *placedDraft) (ot.Node, []int) {
		return enginetest.Op("ConstantOfShape", ot.Dense("value",
			ot.I("", []int64{d.oneOf(0, 1, 2)}, 1))), []int{d.sizes()}
	},
	func(d *placedDraft) (ot.Node, []int) {
		return enginetest.Op("Range"), []int{d.scalar(d.oneOf(0, 0, 1)),
			d.typed(tensor.Int64, 0, 0), d.scalar(d.oneOf(1, 1, 2))}
	},
	func(d *placedDraft) (ot.Node, []int) {
		return enginetest.Op("CumSum", ot.Int("exclusive", d.oneOf(0, 1))),
			[]int{d.numeric(), d.scalar(d.axis())}
	},
	func(d *placedDraft) (ot.Node, []int) {
		op := []string{"ReduceSum", "ReduceMax", "ReduceMin", "ReduceMean"}[d.IntN(4)]
		axes := []int64{d.axis()}
		if d.IntN(2) == 0 {
			axes = append(axes, d.axis())
		}
		return enginetest.Op(op, ot.Int("keepdims", d.oneOf(0, 1))),
			[]int{d.numeric(), d.list(axes...)}
	},
	func(d *placedDraft) (ot.Node, []int) {
		x := d.of(func(v placed) bool { return len(v.Shape) > 1 })
		var perm []int64
		if x >= 0 {
			for _, a := range d.Perm(len(d.values[x].Shape)) {
				perm = append(perm, int64(a))
			}
		}
		return enginetest.Op("Transpose", ot.Ints("perm", perm...)), []int{x}
	},
	func(d *placedDraft) (ot.Node, []int) {
		return enginetest.Op("Flatten", ot.Int("axis", d.axis())), []int{d.any()}
	},
	func(d *placedDraft) (ot.Node, []int) {
		in := []int{d.of(func(v placed) bool { return len(v.Shape) > 0 }),
			d.list(d.oneOf(0, 0, 1, -1)), d.list(d.oneOf(1, 2, 4, 9, -1)), d.list(d.axis()), -1}
		for i := 1; i < 3; i++ {
			if at := d.of(func(v placed) bool {
				return v.Type == tensor.Int64 && slices.Equal(v.Shape, []int{1})
			}); at >= 0 && d.IntN(2) == 0 {
				in[i] = at
			}
		}
		if d.IntN(2) == 0 {
			in[4] = d.list(d.oneOf(1, 2))
		}
		return enginetest.Op("Slice"), in
	},
	func(d *placedDraft) (ot.Node, []int) {
		x := d.typed(tensor.Float32, 1, 3)
		var pads []int64
		if x >= 0 {
			for range 2 * len(d.values[x].Shape) {
				pads = append(pads, d.oneOf(0, 0, 1))
			}
		}
		if d.IntN(3) > 0 || x < 0 {
			return enginetest.Op("Pad"), []int{x, d.list(pads...)}
		}
		axes := d.list(d.axis())
		if d.IntN(2) == 0 {
			axes = d.typed(tensor.Int64, 1, 1)
		}
		return enginetest.Op("Pad"), []int{x, d.list(pads[:2]...), -1, axes}
	},
	func(d *placedDraft) (ot.Node, []int) {
		return enginetest.Op("Resize"), []int{d.typed(tensor.Float32, 1, 3), -1, -1, d.sizes()}
	},
	func(d *placedDraft) (ot.Node, []int) {
		x := d.typed(tensor.Float32, 1, 3)
		var scales []float32
		if x >= 0 {
			for range d.values[x].Shape {
				scales = append(scales, []float32{1, 1, 2}[d.IntN(3)])
			}
		}
		return enginetest.Op("Resize"), []int{x, -1, d.hold(ot.F("", scales, len(scales)))}
	},
	func(d *placedDraft) (ot.Node, []int) {
		x := d.any()
		var repeats []int64
		if x >= 0 {
			for range d.values[x].Shape {
				repeats = append(repeats, d.oneOf(1, 1, 2))
			}
		}
		return enginetest.Op("Tile"), []int{x, d.list(repeats...)}
	},
	func(d *placedDraft) (ot.Node, []int) {
		x := d.typed(tensor.Float32, 3, 4)
		if x < 0 {
			return enginetest.Op("Conv"), []int{x}
		}
		shape := []int{2, d.values[x].Shape[1]}
		var strides, pads []int64
		for range d.values[x].Shape[2:] {
			shape = append(shape, int(d.oneOf(1, 1, 2)))
			strides, pads = append(strides, d.oneOf(1, 1, 1, 2)), append(pads, d.oneOf(0, 0, 0, 1),
				d.oneOf(0, 0, 0, 1))
		}
		var a []ot.Attribute
		if d.IntN(2) == 0 {
			a = append(a, ot.Ints("strides", strides...), ot.Ints("pads", pads...))
		}
		values := slices.Repeat([]float32{1, -2, 3}, 1+product(shape)/3)[:product(shape)]
		return enginetest.Op("Conv", a...), []int{x, d.hold(ot.F("", values, shape...))}
	},
	func(d *placedDraft) (ot.Node, []int) {
		equation := []string{"ij,jk->ik", "ij,ik->jk", "ij,ij->i", "ijk,ikl->ijl", "ij,kj->ki",
			"ij->i", "ij->j", "ij->ji", "i,ij->j", "ijk->ik"}[d.IntN(10)]
		in := []int{d.typed(tensor.Float32, 1, 3)}
		if strings.Contains(equation, ",") {
			in = append(in, d.typed(tensor.Float32, 1, 3))
		}
		return enginetest.Op("Einsum", ot.Text("equation", equation)), in
	},
	func(d *placedDraft) (ot.Node, []int) { // places of a constant or of the bag
		x := d.numeric()
		at := d.hold(ot.I("", []int64{0, 1, 0, 0}, 2, 2))
		if d.IntN(2) == 0 {
			at = d.typed(tensor.Int64, 1, 3)
		}
		if d.IntN(2) == 0 {
			return enginetest.Op("GatherElements", ot.Int("axis", d.axis())), []int{x, at}
		}
		return enginetest.Op("ScatterElements", ot.Int("axis", d.axis()), ot.Text("reduction",
				[]string{"none", "add"}[d.IntN(2)])), []int{x, at, d.of(func(v placed) bool {
				return x >= 0 && v.Type == d.values[x].Type
			})}
	},
	func(d *placedDraft) (ot.Node, []int) {
		op := []string{"GlobalAveragePool", "LogSoftmax", "Hardmax"}[d.IntN(3)]
		return enginetest.Op(op), []int{d.typed(tensor.Float32, 2, 4)}
	},
	func(d *placedDraft) (ot.Node, []int) {
		op := []string{"Softmax", "ArgMax", "Split"}[d.IntN(3)]
		a := []ot.Attribute{ot.Int("axis", d.axis())}
		switch op {
		case "ArgMax":
			a = append(a, ot.Int("keepdims", d.oneOf(0, 1)))
		case "Split":
			a = append(a, ot.Int("num_outputs", 1))
		}
		return enginetest.Op(op, a...), []int{d.typed(tensor.Float32, 1, 4)}
	},
	func(d *placedDraft) (ot.Node, []int) {
		b := d.hold(ot.F("", []float32{1, -1, 2, 1, 3, -2, 1, 1}, 4, 2))
		if d.IntN(2) == 0 {
			b = d.typed(tensor.Float32, 1, 3)
		}
		return enginetest.Op("MatMul"), []int{d.typed(tensor.Float32, 1, 4), b}
	},
	func(d *placedDraft) (ot.Node, []int) {
		return enginetest.Op("Gemm", ot.Int("transA", d.oneOf(0, 1)), ot.Int("transB",
				d.oneOf(0, 1))), []int{d.typed(tensor.Float32, 2, 2), d.typed(tensor.Float32, 2, 2),
				d.typed(tensor.Float32, 0, 2)}
	},
	func(d *placedDraft) (ot.Node, []int) { // replaces elements at places that may be none
		x := d.numeric()
		return enginetest.Op("ScatterND"), []int{x, d.typed(tensor.Int64, 2, 3),
			d.of(func(v placed) bool { return x >= 0 && v.Type == d.values[x].Type })}
	},
}

// drawPair draws an operator of two numbers or two tensors.
func drawPair(d *placedDraft) (ot.Node, []int) {
	op := enginetest.Op([]string{"Mul", "Mul", "Div", "Add", "Sub", "Equal", "Less", "LessOrEqual",
		"Greater", "GreaterOrEqual", "Min", "Max"}[d.IntN(12)])
	if d.IntN(2) == 0 {
		return op, []int{d.number(), d.number()}
	}
	a := d.numeric()
	return op, []int{a, d.of(func(v placed) bool { return a >= 0 && v.Type == d.values[a].Type })}
}

// grow draws a node, runs it for every bag, and checks what the rules say of its output.
func (d *placedDraft) grow(t *testing.T) {
	before := len(d.values)
	node, in := placedNodes[d.IntN(len(placedNodes))](d)
	under := d.run(t, node, in)
	if under == nil || under[0].Len() > 2000 {
		d.values = d.values[:before]
		return
	}
	v := placed{under: under, varies: slices.ContainsFunc(under, func(x *tensor.Tensor) bool {
		return sameBits(x, under[0]) != nil
	})}
	v.Shape, v.Type = under[0].Shape, under[0].Type
	n := buildGraph(t, d.model(node, in)).Nodes[0]
	places, out, constant := make([]ops.Place, len(in)), []ops.Place{v.Place}, true
	inputs := make([][]*tensor.Tensor, len(in))
	for i, at := range in {
		places[i] = ops.Place{Class: ops.Constant}
		if at >= 0 {
			places[i], inputs[i] = d.values[at].Place, d.values[at].under
		}
		constant = constant && places[i].Class == ops.Constant
	}
	if constant {
		out[0].Class = ops.Constant
	} else {
		n.Row.Axes.Apply(&n.Node, len(placedBags[0]), places, out)
	}
	v.Place = out[0]
	// As the analysis of a model does.
	if v.Class == ops.Whole && v.Sizes != nil && !ops.CountsBag(v.Sizes) {
		v.Class = ops.Constant
	}
	claims := v.claims()
	d.addClaims(claims, &n.Node, places, inputs, v)
	for what, wrong := range claims {
		if d.claims[node.Op] == nil {
			d.claims[node.Op] = map[string]int{}
		}
		d.claims[node.Op][what]++
		must.Equal(t, wrong, "", node.Op, places, what, v.Place)
	}
	if v.Class == ops.Constant {
		v.Value = under[0]
	}
	d.values = append(d.values, v)
}

// addClaims adds what rows say of a node beside the places of its output.
// under has the values of the inputs for every bag.
func (d *placedDraft) addClaims(claims map[string]string, n *ops.Node, in []ops.Place,
	under [][]*tensor.Tensor, v placed) {
	var facts []ops.Fact
	for _, p := range in {
		facts = append(facts, ops.Fact{Type: p.Type, Ranked: p.Shape != nil, Shape: p.Shape,
			Value: p.Value, Omitted: p.Type == tensor.Undefined})
	}
	for i, of := range facts { // sizes that differ between bags are not known
		facts[i].Shape = slices.Clone(of.Shape)
		for _, x := range under[i] {
			for axis, size := range of.Shape {
				if len(x.Shape) != len(of.Shape) {
					facts[i].Ranked, facts[i].Shape = false, nil
				} else if x.Shape[axis] != size {
					facts[i].Shape[axis] = ops.Unknown
				}
			}
		}
	}
	if n.Row.Fact != nil {
		f := n.Row.Fact(n, facts)
		for _, size := range f.Shape {
			if size != ops.Unknown {
				claims["a size"] = ""
			}
		}
		for _, x := range v.under {
			if !factHolds(f, x) {
				claims["a size"] = fmt.Sprintf("%+v, and there is a shape %v", f, x.Shape)
			}
		}
	}
	if n.Row.NoOp != nil && n.Row.NoOp(n, facts) {
		claims["same"] = ""
		if !slices.Equal(v.Shape, in[0].Shape) {
			claims["same"] = "the shape differs from that of the input"
		}
	}
	if in[0].Class == ops.Instance && n.PoolsAlong(in) {
		claims["pools"] = ""
	}
	if n.Overwrites(func(input int) ops.Place { return in[input] }) {
		claims["overwrites"] = ""
	}
	if len(in) < 2 {
		return
	}
	if p, ok := n.Product(in[0].Shape, in[1].Shape); ok {
		claims["product"] = ""
		sizes := map[rune]int{}
		for side, labels := range p.Terms {
			for i, label := range labels {
				if d, known := sizes[label]; !known || d == 1 { // else it is broadcast
					sizes[label] = in[side].Shape[i]
				}
			}
		}
		var shape []int
		for _, label := range p.Result {
			shape = append(shape, sizes[label])
		}
		if !slices.Equal(shape, v.Shape) {
			claims["product"] = fmt.Sprintf("%q and %q give %q", p.Terms[0], p.Terms[1], p.Result)
		}
	}
}

// model returns the graph of one node.
func (d *placedDraft) model(node ot.Node, in []int) []byte {
	var given []ot.Tensor
	for _, at := range in {
		switch {
		case at < 0:
			given = append(given, omitted)
		case d.values[at].fixed.Type != 0:
			given = append(given, d.values[at].fixed)
		default:
			given = append(given, ot.Tensor{Type: int(d.values[at].Type)})
		}
	}
	data, _ := operatorModel(18, node, given, 1)
	return data
}

// run returns the first output of a node for every bag, nil if it does not run for all of them or
// if no input varies.
func (d *placedDraft) run(t *testing.T, node ot.Node, in []int) []*tensor.Tensor {
	if in[0] < 0 || !slices.ContainsFunc(in, func(at int) bool {
		return at >= 0 && d.values[at].varies
	}) {
		return nil
	}
	g := buildGraph(t, d.model(node, in))
	if g == nil {
		return nil
	}
	var out []*tensor.Tensor
	for bag := range placedBags {
		var given []*tensor.Tensor
		for _, at := range in {
			if at >= 0 && d.values[at].fixed.Type == 0 {
				given = append(given, d.values[at].under[bag])
			}
		}
		made, err := runGraph(g, given)
		if err != nil {
			return nil
		}
		out = append(out, made[0])
	}
	return out
}

// claims returns what the rules say of a value, and what is wrong about it, "" if nothing is.
func (v placed) claims() map[string]string {
	all := map[string]string{}
	check := func(what string, holds func(bag int, x *tensor.Tensor) bool) {
		all[what] = ""
		for bag, x := range v.under {
			if !holds(bag, x) {
				all[what] = fmt.Sprintf("not so for %d instances: shape %v", len(placedBags[bag]),
					x.Shape)
			}
		}
	}
	if v.Sizes != nil {
		check("sizes", func(bag int, x *tensor.Tensor) bool {
			got, err := x.Float64s()
			return err == nil && slices.EqualFunc(got, v.Sizes, func(got float64, size int) bool {
				if times := ops.BagTimes(size); times > 0 {
					size = times * len(placedBags[bag])
				}
				return got == float64(size)
			})
		})
	}
	if b := v.Bounds; b != nil {
		check("bounds", func(bag int, x *tensor.Tensor) bool {
			of := func(l ops.Line) float64 { return l.Times*float64(len(placedBags[bag])) + l.Plus }
			got, err := x.Float64s()
			return err == nil && !slices.ContainsFunc(got, func(e float64) bool {
				return !(e >= of(b.Low) && e <= of(b.High))
			})
		})
	}
	along := func(shape []int, axis, places int) bool {
		want := slices.Clone(v.Shape)
		want[axis] = places
		return slices.Equal(shape, want)
	}
	switch v.Class {
	case ops.Constant:
		check("constant", func(_ int, x *tensor.Tensor) bool {
			return sameBits(x, v.under[0]) == nil
		})
	case ops.Instance:
		outer, inner := v.Factors()
		check("instances", func(bag int, x *tensor.Tensor) bool {
			if !along(x.Shape, v.Axis, outer*len(placedBags[bag])*inner) {
				return false
			}
			var places []int
			for o := range outer {
				for _, i := range placedBags[bag] {
					for j := range inner {
						places = append(places, (o*10+i)*inner+j)
					}
				}
			}
			return sameBits(x, gathered(v.under[1], v.Axis, places)) == nil
		})
	case ops.Whole:
		switch v.Counted {
		case 1: // a fixed shape
			check("fixed", func(_ int, x *tensor.Tensor) bool {
				return slices.Equal(x.Shape, v.Shape)
			})
		case 2: // a place for each instance
			check("along", func(bag int, x *tensor.Tensor) bool {
				return along(x.Shape, v.Axis, len(placedBags[bag]))
			})
		case 3: // no elements
			check("empty", func(_ int, x *tensor.Tensor) bool { return x.Len() == 0 })
		}
	}
	return all
}

// placesFile has how often the rules of each operator say something in TestPlacesHold. The program
// wrote it: the test checks what they say.
const placesFile = "testdata/places.txt"

// TestPlacesHold draws random graphs, in which sizes of the bag become lists, shapes, masks and
// places, and checks what the rules say from one bag against the values of bags of other sizes and
// other instances. Nothing that the rules say may be lost.
func TestPlacesHold(t *testing.T) {
	claims := map[string]map[string]int{}
	for seed := range uint64(200) {
		d := newPlacedDraft(rand.New(rand.NewPCG(seed, 77)), claims)
		for range 60 {
			d.grow(t)
		}
		must.Equal(t, t.Failed(), false, seed)
	}
	var lines strings.Builder
	for _, op := range slices.Sorted(maps.Keys(claims)) {
		fmt.Fprintf(&lines, "%s:", op)
		for _, what := range slices.Sorted(maps.Keys(claims[op])) {
			fmt.Fprintf(&lines, " %s %d", what, claims[op][what])
		}
		lines.WriteString("\n")
	}
	checkLines(t, placesFile, lines.String())
}
