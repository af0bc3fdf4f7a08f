package auxinput

import (
	"strconv"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// opset is the version of the operators that are written.
const opset = 13

// A writer makes the nodes in front of a graph.
type writer struct {
	nodes  []decode.Node
	prefix string // prefix of the names of new values
}

// add writes a node and returns its output.
func (w *writer) add(op string, in ...string) string {
	name := w.prefix + "/" + strconv.Itoa(len(w.nodes))
	w.nodes = append(w.nodes, decode.Node{
		Name: name, Op: op, Inputs: in, Outputs: []string{name}, Opset: opset,
	})
	return name
}

// with gives the last node an attribute: a tensor, a list, or else a number.
func (w *writer) with(name string, t *tensor.Tensor, list []int64, n int) {
	a := decode.Attribute{Name: name, Kind: decode.KindInt, Int: int64(n), Ints: list, Tensor: t}
	if list != nil {
		a.Kind = decode.KindInts
	}
	if t != nil {
		a.Kind = decode.KindTensor
	}
	last := &w.nodes[len(w.nodes)-1]
	last.Attributes = append(last.Attributes, a)
}

// sizes writes a list of whole numbers.
func (w *writer) sizes(v ...int64) string {
	name := w.add("Constant")
	w.with("value", tensor.From(tensor.Int64, v, len(v)), nil, 0)
	return name
}

// put replaces input v of the graph by the value from, converted to its type, and puts the nodes in
// front.
func (w *writer) put(g *decode.Graph, v *decode.Value, from string) {
	w.add("Cast", from)
	w.with("to", nil, nil, int(v.Type))
	w.nodes[len(w.nodes)-1].Outputs[0] = v.Name
	g.Nodes = append(w.nodes, g.Nodes...)
	for i := range g.Inputs {
		if g.Inputs[i].Name == v.Name {
			g.Inputs = append(g.Inputs[:i:i], g.Inputs[i+1:]...)
			return
		}
	}
}

// write replaces the auxiliary inputs by nodes.
func (s *resolver) write(chosen []fill) {
	for i := range s.list {
		a, f := &s.list[i], &chosen[i]
		w := &writer{prefix: "auxiliary input " + a.Name}
		shape := w.add("Shape", s.bag.Name)
		// at is the place of each dimension in the shape of the bag, followed by the declared
		// shape.
		at, own := make([]int64, len(a.like)), make([]int64, len(a.like))
		for d, like := range a.like {
			if at[d] = int64(like); like < 0 {
				at[d], own[d] = int64(len(s.bag.Shape)+d), int64(a.Shape[d])
			}
		}
		all := w.add("Concat", shape, w.sizes(own...))
		w.with("axis", nil, nil, 0)
		sizes := w.add("Gather", all, w.sizes(at...))
		var value string
		switch {
		case f.count:
			value = w.add("Gather", shape, w.sizes(int64(s.axis)))
			value = w.add("Reshape", value, w.sizes())
			value = w.add("Expand", value, sizes)
		case f.values != nil:
			value = w.add("Constant")
			w.with("value", tensor.From(tensor.Float64, f.values, a.Shape...), nil, 0)
		default:
			value = w.add("ConstantOfShape", sizes)
			w.with("value", tensor.From(tensor.Float64, []float64{f.real}, 1), nil, 0)
		}
		w.put(s.file.Graph, a.Value, value)
	}
}
