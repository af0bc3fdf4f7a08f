package onnxbackend

import (
	"fmt"
	"strconv"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// sideOpset is the version in which nodes for side inputs are written.
const sideOpset = 13

// A writer makes the nodes in front of a graph.
type writer struct {
	nodes  []decode.Node
	prefix string // of the values made in between
}

// add writes a node and returns its output.
//
//go:noinline
func (w *writer) add(op string, in ...string) string {
	name := w.prefix + "/" + strconv.Itoa(len(w.nodes))
	w.nodes = append(w.nodes, decode.Node{Name: name, Op: op, Inputs: in, Outputs: []string{name}, Opset: sideOpset})
	return name
}

// with gives the node that was written last an attribute: a tensor, a list or else a number.
//
//go:noinline
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
//
//go:noinline
func (w *writer) sizes(v ...int64) string {
	name := w.add("Constant")
	w.with("value", tensor.From(tensor.Int64, v, len(v)), nil, 0)
	return name
}

// put makes the last value an input of the graph, in its type, and sets the nodes in front.
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

// write makes side inputs nodes.
func (s *sideInputs) write(chosen []fill) {
	for i := range s.list {
		side, f := &s.list[i], &chosen[i]
		w := &writer{prefix: "side input " + side.Name}
		shape := w.add("Shape", s.bag.Name)
		at := make([]int64, len(side.like)) // of each dimension, in the shape of the bag and then of the input
		own := make([]int64, len(side.like))
		for d, like := range side.like {
			if at[d] = int64(like); like < 0 {
				at[d], own[d] = int64(len(s.bag.Shape)+d), int64(side.Shape[d])
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
			w.with("value", tensor.From(tensor.Float64, f.values, side.Shape...), nil, 0)
		default:
			value = w.add("ConstantOfShape", sizes)
			w.with("value", tensor.From(tensor.Float64, []float64{f.real}, 1), nil, 0)
		}
		w.put(s.file.Graph, side.Value, value)
	}
}

// join makes one input of several that each hold a part of every instance.
func (s *sideInputs) join(parts []*decode.Value) (*decode.Value, error) {
	bag := &decode.Value{Type: tensor.Float32, Shape: []int{-1, 0}, Names: []string{"", ""}}
	for _, p := range parts {
		bag.Name += "+" + p.Name
	}
	bag.Name = bag.Name[1:]
	note := ""
	for _, p := range parts {
		axis, open := s.m.instanceAxis(p)
		if len(open) == 0 {
			return nil, staticError(p)
		}
		rest, perm := []int64{-1}, []int64{} // the instances first, and where they go then
		values, first := 1, true
		for d, n := range p.Shape {
			if d == axis {
				perm = append(perm, 0)
				continue
			}
			if n < 0 && d == 0 && axis == 1 {
				n = 1 // a batch
			}
			if values *= max(n, 0); values == 0 || bag.Shape[1]+values > s.m.limits.Elements {
				return nil, fault.Unsupportedf("input "+portNames([]*decode.Value{p}), "it is one of %s, which take parts of every instance, and must have fixed lengths, of at most %d elements, beside its axis of the instances", portNames(parts), s.m.limits.Elements)
			}
			first = first && (d > axis || n == 1)
			perm = append(perm, int64(len(rest)))
			rest = append(rest, int64(n))
		}
		w := &writer{prefix: "part " + p.Name}
		from := int64(bag.Shape[1])
		bag.Shape[1] += values
		x := w.add("Slice", bag.Name, w.sizes(from), w.sizes(int64(bag.Shape[1])), w.sizes(1))
		if first { // nothing lies before the instances
			copy(rest, rest[1:axis+1])
			rest[axis] = -1
			perm = nil
		}
		if x = w.add("Reshape", x, w.sizes(rest...)); perm != nil {
			x = w.add("Transpose", x)
			w.with("perm", nil, perm, 0)
		}
		w.put(s.file.Graph, p, x)
		if bag.Names[0] == "" {
			bag.Names[0] = p.Names[axis]
		}
		note += fmt.Sprintf(", %d for %q %s", values, p.Name, words(p))
	}
	s.file.Graph.Inputs = append([]decode.Value{*bag}, s.file.Graph.Inputs...)
	s.m.sideNotes = append(s.m.sideNotes, fmt.Sprintf("The model takes several arrays with a part of every instance: an instance of a bag has %d values, one part after the other%s.", bag.Shape[1], note))
	return bag, nil
}
