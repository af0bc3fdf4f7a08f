package onnxbackend

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// sideOpset is the version in which nodes for side inputs are written.
const sideOpset = 13

// A writer makes the nodes in front of a graph.
type writer struct {
	nodes  []decode.Node
	prefix string // of the values made in between
}

// add writes a node and returns its output: the name, or a new one where that is "".
func (w *writer) add(name, op string, in []string, a ...decode.Attribute) string {
	if name == "" {
		name = fmt.Sprintf("%s/%d", w.prefix, len(w.nodes))
	}
	w.nodes = append(w.nodes, decode.Node{Name: name, Op: op, Inputs: in, Outputs: []string{name}, Attributes: a, Opset: sideOpset})
	return name
}

func (w *writer) sizes(v ...int64) string {
	return w.add("", "Constant", nil, decode.Attribute{Name: "value", Kind: decode.KindTensor, Tensor: tensor.From(tensor.Int64, v, len(v))})
}

// cast writes what makes an input of the type that the graph wants.
func (w *writer) cast(name, from string, t tensor.Type) {
	w.add(name, "Cast", []string{from}, decode.Attribute{Name: "to", Kind: decode.KindInt, Int: int64(t)})
}

// put sets the nodes in front of the graph and takes away the inputs that they make.
func (w *writer) put(g *decode.Graph) {
	g.Nodes = slices.Concat(w.nodes, g.Nodes)
	g.Inputs = slices.DeleteFunc(g.Inputs, func(v decode.Value) bool {
		return slices.ContainsFunc(w.nodes, func(n decode.Node) bool { return n.Outputs[0] == v.Name })
	})
}

// write makes side inputs nodes.
func (s *sideInputs) write(chosen []fill) {
	for i, side := range s.list {
		w := &writer{prefix: "side input " + side.Name}
		shape := w.add("", "Shape", []string{s.bag.Name})
		at := make([]int64, len(side.like)) // of each dimension, in the shape of the bag and then of the input
		own := make([]int64, len(side.like))
		for d, like := range side.like {
			if at[d] = int64(like); like < 0 {
				at[d], own[d] = int64(len(s.bag.Shape)+d), int64(side.Shape[d])
			}
		}
		sizes := w.sizes(own...)
		if slices.ContainsFunc(side.like, func(d int) bool { return d >= 0 }) {
			all := w.add("", "Concat", []string{shape, sizes}, decode.Attribute{Name: "axis", Kind: decode.KindInt})
			sizes = w.add("", "Gather", []string{all, w.sizes(at...)})
		}
		var value string
		switch f := chosen[i]; {
		case f.count:
			n := w.add("", "Gather", []string{shape, w.sizes(int64(s.axis))})
			value = w.add("", "Expand", []string{n, sizes})
			if len(side.like) == 0 {
				value = w.add("", "Reshape", []string{n, sizes})
			}
		case f.values != nil:
			v := decode.Attribute{Name: "value", Kind: decode.KindTensor, Tensor: tensor.From(tensor.Float64, f.values, side.Shape...)}
			value = w.add("", "Constant", nil, v)
		default:
			v := decode.Attribute{Name: "value", Kind: decode.KindTensor, Tensor: tensor.From(tensor.Float64, []float64{f.real}, 1)}
			value = w.add("", "ConstantOfShape", []string{sizes}, v)
		}
		w.cast(side.Name, value, side.Type)
		w.put(s.file.Graph)
	}
}

// join makes one input of several that each hold a part of every instance.
func (s *sideInputs) join(parts []decode.Value) error {
	var names []string
	for _, p := range parts {
		names = append(names, p.Name)
	}
	bag := decode.Value{Name: strings.Join(names, "+"), Type: tensor.Float32, Shape: []int{-1, 0}, Names: []string{"", ""}}
	w := &writer{prefix: bag.Name}
	note := ""
	for _, p := range parts {
		axis, open := s.m.instanceAxis(p)
		shape, perm, values, first := []int64{-1}, []int64{}, 1, 1
		if len(open) == 0 {
			return staticError(input{Port: graph.Port{Value: p}})
		}
		for d, n := range p.Shape {
			switch {
			case d == axis:
				perm = append(perm, 0)
				continue
			case n < 0 && (d != open[0] || axis != 1):
				return fault.Unsupportedf("input "+portNames([]decode.Value{p}), "it is one of several that take parts of the instances, %s, and more of its axes are open than that of the instances; export the others with fixed lengths", portNames(parts))
			case n < 0:
				n = 1
			}
			if values *= n; values > s.m.limits.Elements {
				return &fault.Limit{What: "elements of an input", Wanted: uint64(values), Limit: uint64(s.m.limits.Elements)}
			}
			if d < axis {
				first *= n
			}
			shape, perm = append(shape, int64(n)), append(perm, int64(len(shape)))
		}
		from := bag.Shape[1]
		if bag.Shape[1] += values; bag.Shape[1] > s.m.limits.Elements {
			return &fault.Limit{What: "elements of an input", Wanted: uint64(bag.Shape[1]), Limit: uint64(s.m.limits.Elements)}
		}
		x := w.add("", "Slice", []string{bag.Name, w.sizes(int64(from)), w.sizes(int64(bag.Shape[1])), w.sizes(1)})
		if first == 1 { // what lies before the instances has one place
			shape = slices.Insert(shape[1:], axis, -1)
			x = w.add("", "Reshape", []string{x, w.sizes(shape...)})
		} else {
			x = w.add("", "Reshape", []string{x, w.sizes(shape...)})
			x = w.add("", "Transpose", []string{x}, decode.Attribute{Name: "perm", Kind: decode.KindInts, Ints: perm})
		}
		w.cast(p.Name, x, p.Type)
		if bag.Names[0] == "" {
			bag.Names[0] = p.Names[axis]
		}
		note += fmt.Sprintf(", %d for %q %s", values, p.Name, words(graph.Port{Value: p}))
	}
	w.put(s.file.Graph)
	s.file.Graph.Inputs = append([]decode.Value{bag}, s.file.Graph.Inputs...)
	s.bag = bag
	s.m.sideNotes = append(s.m.sideNotes, fmt.Sprintf("The model takes several arrays with a part of every instance: an instance of a bag has %d values, one part after the other%s.", bag.Shape[1], note))
	return nil
}
