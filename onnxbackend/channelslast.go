package onnxbackend

import (
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
)

// takeChannelsFirst makes a graph that takes pictures (k, row, column, channel), as Keras writes
// them, take (k, channel, row, column): everything that cuts, reads and shows pictures has their
// channels first. It returns a note, or "" if the graph is unchanged. The input of an encoder holds
// pictures; that of another model is known to if the graph itself transposes it.
func takeChannelsFirst(g *decode.Graph, isEncoder bool) (note string) {
	given := slices.IndexFunc(g.Inputs, func(v decode.Value) bool {
		return !slices.ContainsFunc(g.Initializers,
			func(t decode.Named) bool { return t.Name == v.Name })
	})
	if given < 0 {
		return ""
	}
	v := &g.Inputs[given]
	s := v.Shape
	if len(s) != 4 || s[1] == 1 || s[1] == 3 || s[3] != 3 && (s[3] != 1 || !isEncoder) ||
		!isEncoder && !transposed(g, v.Name) {
		return ""
	}
	note = msg.Sprintf("Input %q takes pictures (rows, columns, channels): they are given with "+
		"their channels first, and the engine transposes them.", v.Name)
	last := v.Name + "/channels_last"
	renameUses(g, v.Name, last)
	v.Shape = []int{s[0], s[3], s[1], s[2]}
	if n := v.Names; len(n) == 4 {
		v.Names = []string{n[0], n[3], n[1], n[2]}
	}
	g.Nodes = slices.Insert(g.Nodes, 0, decode.Node{Name: last, Op: "Transpose",
		Inputs: []string{v.Name}, Outputs: []string{last}, Offset: -1,
		Attributes: []decode.Attribute{{Name: "perm", Kind: decode.KindInts,
			Ints: []int64{0, 2, 3, 1}}}})
	return note
}

// transposed reports whether a graph transposes its input from channels last to channels first,
// perhaps after it has prepared the pixels.
func transposed(g *decode.Graph, input string) bool {
	pixels := map[string]bool{input: true}
	for _, n := range g.Nodes {
		if !slices.ContainsFunc(n.Inputs, func(in string) bool { return pixels[in] }) {
			continue
		}
		switch n.Op {
		case "Cast", "Identity", "Add", "Sub", "Mul", "Div", "Clip":
			pixels[n.Outputs[0]] = true
		case "Transpose":
			if slices.ContainsFunc(n.Attributes, func(a decode.Attribute) bool {
				return a.Name == "perm" && slices.Equal(a.Ints, []int64{0, 3, 1, 2})
			}) {
				return true
			}
		}
	}
	return false
}

// renameUses makes all nodes of a graph, and of graphs inside of them, read another value.
func renameUses(g *decode.Graph, from, to string) {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		n.Inputs = slices.Clone(n.Inputs)
		for j, in := range n.Inputs {
			if in == from {
				n.Inputs[j] = to
			}
		}
		for _, a := range n.Attributes {
			if a.Graph != nil {
				renameUses(a.Graph, from, to)
			}
		}
	}
}
