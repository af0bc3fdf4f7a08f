package decode

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Exporters of PyTorch write sequences of tensors for lists in Python: torch.vstack([a, b]) becomes
// SequenceConstruct and ConcatFromSequence. If the graph states how many tensors a sequence has,
// and every index into it, a sequence is only a list of names. Such sequences are followed here
// and their operators replaced, so that the other packages see tensors alone.

// sequenceOpset is the opset of replacements: the last one in which axes and lengths are
// attributes.
const sequenceOpset = 12

// maxIntegers bounds the constants that are read as an index or as lengths, in elements.
const maxIntegers = 1 << 12

// sequences are the sequences and constants that are in scope while nodes are replaced.
type sequences struct {
	items    map[string][]string       // (sequence) names of its tensors
	integers map[string]*tensor.Tensor // constants that can be an index or lengths
	defined  []string                  // names in items and integers, in the order of definition
}

// A sequenceOperator replaces a node that makes or reads a sequence.
type sequenceOperator struct {
	least, most int // number of inputs
	replace     func(in *inliner, n *Node) (nodes []Node, gap string)
}

// sequenceOperators has the operators that make or read a sequence. Their numbers of inputs are
// those of the specification; the others are gaps.
var sequenceOperators = map[string]sequenceOperator{
	"SequenceEmpty":      {0, 0, (*inliner).constructSequence},
	"SequenceConstruct":  {1, maxNames, (*inliner).constructSequence},
	"SequenceInsert":     {2, 3, (*inliner).insertIntoSequence},
	"SequenceErase":      {1, 2, (*inliner).eraseFromSequence},
	"SequenceAt":         {2, 2, (*inliner).elementOfSequence},
	"SequenceLength":     {1, 1, (*inliner).lengthOfSequence},
	"ConcatFromSequence": {1, 1, (*inliner).concatSequence},
	"SplitToSequence":    {1, 2, (*inliner).splitToSequence},
	"SequenceMap":        {1, maxNames, nil}, // mapSequence, which looks up this table itself
}

// enter prepares for the nodes of a graph and returns a function that forgets what they define: two
// branches of an If may define the same name.
func (in *inliner) enter(g *Graph) (leave func()) {
	s := &in.sequences
	from := len(s.defined)
	for _, t := range g.Initializers {
		in.noteIntegers(t.Name, t.Tensor)
	}
	return func() {
		for _, name := range s.defined[from:] {
			delete(s.items, name)
			delete(s.integers, name)
		}
		s.defined = s.defined[:from]
	}
}

// noteIntegers remembers a constant that can be an index or lengths.
func (in *inliner) noteIntegers(name string, t *tensor.Tensor) {
	integral := t != nil && (t.Type == tensor.Int64 || t.Type == tensor.Int32)
	if integral && t.Len() <= maxIntegers {
		in.sequences.integers[name] = t
		in.sequences.defined = append(in.sequences.defined, name)
	}
}

// noteConstant remembers the value of a node Constant.
func (in *inliner) noteConstant(n *Node) {
	for i := range n.Attributes {
		switch a := &n.Attributes[i]; a.Name {
		case "value":
			in.noteIntegers(n.Outputs[0], a.Tensor)
		case "value_int":
			in.noteIntegers(n.Outputs[0], tensor.From(tensor.Int64, []int64{a.Int}))
		case "value_ints":
			in.noteIntegers(n.Outputs[0], tensor.From(tensor.Int64, a.Ints, len(a.Ints)))
		}
	}
}

// define names a sequence.
func (in *inliner) define(name string, items []string) {
	in.bytes += 16 * (len(items) + 1)
	in.sequences.items[name] = items
	in.sequences.defined = append(in.sequences.defined, name)
}

// isSequence reports whether a name is that of a sequence.
func (in *inliner) isSequence(name string) bool {
	_, ok := in.sequences.items[name]
	return ok
}

// replaceSequences returns the nodes that replace a node which makes or reads a sequence. It
// reports false if the node stays; n.Gap is the reason if the engine cannot run it.
func (in *inliner) replaceSequences(n *Node, depth int) (nodes []Node, done bool, err error) {
	op, known := sequenceOperators[n.Op]
	reads := slices.ContainsFunc(n.Inputs, in.isSequence)
	switch {
	case n.Domain == "" && n.Op == "Constant" && len(n.Outputs) == 1:
		in.noteConstant(n)
		return nil, false, nil
	case n.Domain == "" && n.Op == "Identity" && reads:
		op, known = sequenceOperator{1, 1, (*inliner).passSequence}, true
	case n.Domain != "" || !known:
		if reads {
			in.refuseSequence(n)
		}
		return nil, false, nil
	}
	gap := ""
	switch {
	case len(n.Inputs) < op.least || len(n.Inputs) > op.most || len(n.Outputs) == 0:
		gap = fmt.Sprintf("it has %d inputs and %d outputs", len(n.Inputs), len(n.Outputs))
	case n.Op == "SequenceMap":
		nodes, gap, err = in.mapSequence(n, depth)
	default:
		nodes, gap = op.replace(in, n)
	}
	err = cmp.Or(err, in.reserve("bytes of sequences"))
	if gap != "" || err != nil {
		in.refuseSequence(n)
		n.Gap = gap
		return nil, false, err
	}
	for range nodes {
		if err := in.countNode(); err != nil {
			return nil, false, err
		}
	}
	return nodes, true, nil
}

// refuseSequence marks a node that cannot run because it reads a sequence. No tensor has the
// sequence's name any more, so that the node loses this input.
func (in *inliner) refuseSequence(n *Node) {
	n.Gap = "it reads a sequence of tensors, which this engine follows only through operators " +
		"such as SequenceAt and ConcatFromSequence; export the model without lists of tensors"
	n.Inputs = slices.Clone(n.Inputs)
	for i, name := range n.Inputs {
		if in.isSequence(name) {
			n.Inputs[i] = ""
		}
	}
}

// outputsAreTensors returns an error if an output of a graph is a sequence.
func (in *inliner) outputsAreTensors(g *Graph) error {
	for _, v := range g.Outputs {
		if in.isSequence(v.Name) {
			return fault.Unsupportedf("output "+msg.Quoted(v.Name),
				"it is a sequence of tensors; export the model with tensors as outputs")
		}
	}
	return nil
}

// sequence returns the names of a sequence's tensors.
func (in *inliner) sequence(name string) (items []string, gap string) {
	items, ok := in.sequences.items[name]
	if !ok {
		return nil, "the number of tensors in its sequence is known only when the model runs; " +
			"export the model with tensors in place of lists, or with loops of a fixed length"
	}
	return items, ""
}

// index returns the value of a constant index into n places; negative ones count from the end.
func (in *inliner) index(name string, n int) (i int, gap string) {
	t := in.sequences.integers[name]
	if t == nil || t.Len() != 1 {
		return 0, "its index into a sequence is known only when the model runs; export the model " +
			"with tensors in place of lists"
	}
	v, err := t.Float64s()
	if err != nil || v[0] < -float64(n) || v[0] >= float64(n) {
		return 0, fmt.Sprintf("its index is outside of a sequence of %d places", n)
	}
	return (int(v[0]) + n) % n, ""
}

// constructSequence replaces SequenceEmpty and SequenceConstruct, which leave no node.
func (in *inliner) constructSequence(n *Node) ([]Node, string) {
	if slices.ContainsFunc(n.Inputs, in.isSequence) {
		return nil, "it makes a sequence of sequences"
	}
	in.define(n.Outputs[0], n.Inputs)
	return nil, ""
}

// passSequence gives the sequence of the input another name.
func (in *inliner) passSequence(n *Node) ([]Node, string) {
	in.define(n.Outputs[0], in.sequences.items[n.Inputs[0]])
	return nil, ""
}

// insertIntoSequence replaces SequenceInsert. Without an index, the tensor comes last.
func (in *inliner) insertIntoSequence(n *Node) ([]Node, string) {
	items, gap := in.sequence(n.Inputs[0])
	if gap != "" {
		return nil, gap
	}
	at := len(items)
	if len(n.Inputs) == 3 && n.Inputs[2] != "" {
		if at, gap = in.index(n.Inputs[2], len(items)+1); gap != "" {
			return nil, gap
		}
	}
	in.define(n.Outputs[0], slices.Insert(slices.Clone(items), at, n.Inputs[1]))
	return nil, ""
}

// eraseFromSequence replaces SequenceErase. Without an index, it removes the last tensor.
func (in *inliner) eraseFromSequence(n *Node) ([]Node, string) {
	items, gap := in.sequence(n.Inputs[0])
	if gap != "" {
		return nil, gap
	}
	if len(items) == 0 {
		return nil, "it takes a tensor out of an empty sequence"
	}
	at := len(items) - 1
	if len(n.Inputs) == 2 && n.Inputs[1] != "" {
		if at, gap = in.index(n.Inputs[1], len(items)); gap != "" {
			return nil, gap
		}
	}
	in.define(n.Outputs[0], slices.Delete(slices.Clone(items), at, at+1))
	return nil, ""
}

// elementOfSequence replaces SequenceAt by an Identity of the tensor.
func (in *inliner) elementOfSequence(n *Node) ([]Node, string) {
	items, gap := in.sequence(n.Inputs[0])
	if gap != "" {
		return nil, gap
	}
	at, gap := in.index(n.Inputs[1], len(items))
	if gap != "" {
		return nil, gap
	}
	return []Node{{Name: n.Name, Op: "Identity", Inputs: []string{items[at]}, Outputs: n.Outputs,
		Offset: n.Offset}}, ""
}

// lengthOfSequence replaces SequenceLength by a constant, which later indices may be computed from.
func (in *inliner) lengthOfSequence(n *Node) ([]Node, string) {
	items, gap := in.sequence(n.Inputs[0])
	if gap != "" {
		return nil, gap
	}
	length := tensor.From(tensor.Int64, []int64{int64(len(items))})
	in.noteIntegers(n.Outputs[0], length)
	value := Attribute{Name: "value", Kind: KindTensor, Tensor: length}
	return []Node{{Name: n.Name, Op: "Constant", Outputs: n.Outputs, Offset: n.Offset,
		Attributes: []Attribute{value}}}, ""
}

// concatSequence replaces ConcatFromSequence. With new_axis, which exporters write for torch.stack,
// each tensor gets the axis first.
func (in *inliner) concatSequence(n *Node) ([]Node, string) {
	items, gap := in.sequence(n.Inputs[0])
	if gap != "" {
		return nil, gap
	}
	if len(items) == 0 {
		return nil, "it joins an empty sequence"
	}
	axis := intOf(n, "axis", 0)
	var nodes []Node
	if intOf(n, "new_axis", 0) == 1 {
		items = slices.Clone(items)
		for i, name := range items {
			items[i] = in.fresh(n.Name, strconv.Itoa(i))
			nodes = append(nodes, Node{Name: items[i], Op: "Unsqueeze", Opset: sequenceOpset,
				Inputs: []string{name}, Outputs: items[i : i+1], Offset: n.Offset,
				Attributes: []Attribute{{Name: "axes", Kind: KindInts, Ints: []int64{axis}}}})
		}
	}
	return append(nodes, Node{Name: n.Name, Op: "Concat", Opset: sequenceOpset, Inputs: items,
		Outputs: n.Outputs, Offset: n.Offset,
		Attributes: []Attribute{{Name: "axis", Kind: KindInt, Int: axis}}}), ""
}

// splitToSequence replaces SplitToSequence by Split if the lengths of all parts are stated. With
// one length for all parts, or none, their number depends on a shape.
func (in *inliner) splitToSequence(n *Node) ([]Node, string) {
	var lengths *tensor.Tensor
	if len(n.Inputs) == 2 {
		lengths = in.sequences.integers[n.Inputs[1]]
	}
	if lengths == nil || lengths.Rank() != 1 || lengths.Len() == 0 {
		return nil, "the number of tensors that it splits into depends on a shape; export the " +
			"model with split lengths, or with tensors in place of lists"
	}
	values, err := lengths.Float64s()
	if err != nil {
		return nil, err.Error()
	}
	parts, names := make([]int64, len(values)), make([]string, len(values))
	for i, v := range values {
		parts[i], names[i] = int64(v), in.fresh(n.Name, strconv.Itoa(i))
	}
	in.define(n.Outputs[0], names)
	return []Node{{Name: n.Name, Op: "Split", Opset: sequenceOpset, Inputs: n.Inputs[:1],
		Outputs: names, Offset: n.Offset, Attributes: []Attribute{
			{Name: "axis", Kind: KindInt, Int: intOf(n, "axis", 0)},
			{Name: "split", Kind: KindInts, Ints: parts}}}}, ""
}

// mapSequence replaces SequenceMap by a copy of its body for each element of its first input. Other
// inputs are sequences of the same length, or tensors that all copies read.
func (in *inliner) mapSequence(n *Node, depth int) (nodes []Node, gap string, err error) {
	items, gap := in.sequence(n.Inputs[0])
	if gap != "" {
		return nil, gap, nil
	}
	fn := bodyOf(n)
	if fn == nil || len(fn.inputs) != len(n.Inputs) || len(fn.outputs) < len(n.Outputs) {
		return nil, "its body does not have the node's inputs and outputs", nil
	}
	results := make([][]string, len(n.Outputs))
	for i := range items {
		call := Node{Name: n.Name + "/" + strconv.Itoa(i), Offset: n.Offset}
		for _, name := range n.Inputs {
			if list, ok := in.sequences.items[name]; ok {
				if len(list) != len(items) {
					return nil, fmt.Sprintf("its sequences have %d and %d tensors", len(items),
						len(list)), nil
				}
				name = list[i]
			}
			call.Inputs = append(call.Inputs, name)
		}
		for j := range n.Outputs {
			name := in.fresh(call.Name, fn.outputs[j])
			call.Outputs = append(call.Outputs, name)
			results[j] = append(results[j], name)
		}
		body, err := in.call(fn, &call)
		if err != nil {
			return nil, "", err
		}
		if body, err = in.nodes(body, depth); err != nil {
			return nil, "", err
		}
		nodes = append(nodes, body...)
	}
	for j, name := range n.Outputs {
		in.define(name, results[j])
	}
	return nodes, "", nil
}

// bodyOf returns the body of a SequenceMap as a function whose nodes may read outer values, or nil
// if the node has none.
func bodyOf(n *Node) *function {
	for _, a := range n.Attributes {
		if a.Name != "body" || a.Graph == nil {
			continue
		}
		fn := &function{defined: map[string]bool{}, offset: n.Offset}
		fn.key.name = n.Name
		collectNames(a.Graph, fn.defined)
		for _, v := range a.Graph.Inputs {
			fn.inputs = append(fn.inputs, v.Name)
		}
		for _, v := range a.Graph.Outputs {
			fn.outputs = append(fn.outputs, v.Name)
		}
		for _, t := range a.Graph.Initializers {
			value := Attribute{Name: "value", Kind: KindTensor, Tensor: t.Tensor}
			fn.nodes = append(fn.nodes, Node{Op: "Constant", Outputs: []string{t.Name},
				Attributes: []Attribute{value}, Offset: n.Offset})
		}
		fn.nodes = append(fn.nodes, a.Graph.Nodes...)
		return fn
	}
	return nil
}

// intOf returns an integer attribute of a node, or a default.
func intOf(n *Node, name string, absent int64) int64 {
	for _, a := range n.Attributes {
		if a.Name == name && a.Kind == KindInt {
			return a.Int
		}
	}
	return absent
}
