package auxinput

import (
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// opset is the version of the operators that are written. It does not depend on the model's,
// because each node states its own.
const opset = 13

// A writer makes nodes that run before those of a graph.
type writer struct {
	nodes  []decode.Node
	prefix string // prefix of the names of new values
}

// add writes a node and returns its output.
func (w *writer) add(op string, a []decode.Attribute, in ...string) string {
	name := w.prefix + "/" + strconv.Itoa(len(w.nodes))
	w.nodes = append(w.nodes, decode.Node{
		Name: name, Op: op, Inputs: in, Outputs: []string{name}, Attributes: a, Opset: opset,
	})
	return name
}

// tensorAttribute returns an attribute list with one tensor.
func tensorAttribute(t *tensor.Tensor) []decode.Attribute {
	return []decode.Attribute{{Name: "value", Kind: decode.KindTensor, Tensor: t}}
}

// intAttribute returns an attribute list with one integer.
func intAttribute(name string, n int) []decode.Attribute {
	return []decode.Attribute{{Name: name, Kind: decode.KindInt, Int: int64(n)}}
}

// sizes writes a list of integers.
func (w *writer) sizes(v ...int64) string {
	return w.add("Constant", tensorAttribute(tensor.From(tensor.Int64, v, len(v))))
}

// put replaces input v of the graph by the value from, converted to the input's type, and puts the
// nodes before those of the graph.
func (w *writer) put(g *decode.Graph, v *decode.Value, from string) {
	name := v.Name
	w.add("Cast", intAttribute("to", int(v.Type)), from)
	w.nodes[len(w.nodes)-1].Outputs[0] = name
	g.Nodes = append(w.nodes, g.Nodes...)
	i := slices.IndexFunc(g.Inputs, func(in decode.Value) bool { return in.Name == name })
	g.Inputs = slices.Concat(g.Inputs[:i], g.Inputs[i+1:]) // a copy: others point into the list
}

// write replaces the auxiliary inputs by nodes that compute what each takes from the shape of the
// bag, so that a coalition gets values of its size.
func (s *resolver) write(chosen []fill) {
	for i := range s.list {
		a, f := &s.list[i], &chosen[i]
		w := &writer{prefix: "auxiliary input " + a.Name}
		shape := w.add("Shape", nil, s.bag.Name)
		// The lengths of the input are gathered from the shape of the bag followed by the declared
		// shape: at has the place of each.
		at, declared := make([]int64, len(a.like)), make([]int64, len(a.like))
		for d, like := range a.like {
			if at[d] = int64(like); like < 0 {
				at[d], declared[d] = int64(len(s.bag.Shape)+d), int64(a.Shape[d])
			}
		}
		all := w.add("Concat", intAttribute("axis", 0), shape, w.sizes(declared...))
		sizes := w.add("Gather", nil, all, w.sizes(at...))
		// A value of the right shape. For masks it has no padding: a bag contains instances only.
		var value string
		switch {
		case f.count:
			count := w.add("Gather", nil, shape, w.sizes(int64(s.axis)))
			// A list of the shape of ones stays a list of sizes, which an Expand would not.
			value = w.add("Reshape", nil, count, w.sizes(slices.Repeat([]int64{1}, len(at))...))
			if slices.ContainsFunc(a.Shape, func(d int) bool { return d != 1 }) {
				value = w.add("Expand", nil, value, sizes)
			}
		case f.values != nil:
			t := tensor.From(tensor.Float64, f.values, a.Shape...)
			value = w.add("Constant", tensorAttribute(t))
		default:
			t := tensor.From(tensor.Float64, []float64{f.real}, 1)
			value = w.add("ConstantOfShape", tensorAttribute(t), sizes)
		}
		w.put(s.file.Graph, a.Value, value)
	}
}
