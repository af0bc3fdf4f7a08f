package decode

import (
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
)

// Chain puts the nodes of via before those of m, so that an output of via becomes an input of m.
// Names that both files use are changed, except those of via's inputs and of m's outputs. output
// names the output of via; "" takes the only one that fits. link says what was joined. file is the
// name of via's file for messages. Errors are a *fault.Format.
func (m *Model) Chain(via *Model, file, output string) (link string, err error) {
	out, in, err := m.joint(via, file, output)
	if err != nil {
		return "", err
	}
	from, to := via.Graph.Outputs[out].Name, m.Graph.Inputs[in].Name
	if err := m.separate(via, file, to); err != nil {
		return "", err
	}
	bridge, said := bridge(via.Graph.Outputs[out], m.Graph.Inputs[in])
	for _, o := range via.Opsets {
		if o.Domain == "" {
			setOpset(via.Graph, o.Version)
			continue
		}
		sameDomain := func(own Opset) bool { return own.Domain == o.Domain }
		if !slices.ContainsFunc(m.Opsets, sameDomain) {
			m.Opsets = append(m.Opsets, o)
		}
	}
	g := m.Graph
	g.Nodes = slices.Concat(via.Graph.Nodes, bridge, g.Nodes)
	g.Initializers = slices.Concat(via.Graph.Initializers, g.Initializers)
	g.Inputs = slices.Concat(via.Graph.Inputs, slices.Delete(g.Inputs, in, in+1))
	for _, name := range via.External {
		if !slices.Contains(m.External, name) {
			m.External = append(m.External, name)
		}
	}
	return msg.Sprintf("The bag goes through %s, whose output %q is the model's input %q%s.", file,
		from, to, msg.Text(said)), nil
}

// joint returns the output of via and the input of m that are joined.
func (m *Model) joint(via *Model, file, output string) (out, in int, err error) {
	type pair struct{ out, in int }
	var fitting []pair
	var reasons []string
	for i, from := range via.Graph.Outputs {
		if output != "" && from.Name != output {
			continue
		}
		for j, to := range m.Graph.Inputs {
			if m.Graph.constant(to.Name) {
				continue
			}
			if reason := misfit(from, to); reason != "" {
				reasons = append(reasons, reason)
				continue
			}
			fitting = append(fitting, pair{i, j})
		}
	}
	switch {
	case len(fitting) == 1:
		return fitting[0].out, fitting[0].in, nil
	case len(fitting) > 1:
		first, second := fitting[0], fitting[1]
		if first.out != second.out {
			return 0, 0, fault.Formatf("model card", "key \"via\": the outputs %q and %q of %s "+
				"fit the model's input %q: name one as \"via_output\"",
				via.Graph.Outputs[first.out].Name, via.Graph.Outputs[second.out].Name, file,
				m.Graph.Inputs[first.in].Name)
		}
		return 0, 0, fault.Formatf("model card", "key \"via\": the output %q of %s fits the "+
			"inputs %q and %q of the model: export the model with one of them as a constant",
			via.Graph.Outputs[first.out].Name, file, m.Graph.Inputs[first.in].Name,
			m.Graph.Inputs[second.in].Name)
	case len(reasons) == 0 && output != "":
		return 0, 0, fault.Formatf("model card", "key \"via_output\": %s has no output %q, but %s",
			file, output, msg.Text(names(via.Graph.Outputs)))
	case len(reasons) == 0:
		return 0, 0, fault.Formatf("model card", "key \"via\": %s has no output, or the model no "+
			"input, that could be joined", file)
	}
	return 0, 0, fault.Formatf(fault.Chain, "%s does not fit before the model: %s", file,
		msg.Text(reasons[0]))
}

// names lists values for messages.
func names(values []Value) string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = v.Name
	}
	return msg.Sprintf("%q", list)
}

// constant reports whether an initializer gives a value, which files may list as an input.
func (g *Graph) constant(name string) bool {
	return slices.ContainsFunc(g.Initializers, func(n Named) bool { return n.Name == name })
}

// misfit says why an output cannot become an input, or "". Axes in front that have length 1 are
// left out or added, and real numbers are converted. A list of any length, such as the attention of
// instances, is no vector.
func misfit(from, to Value) string {
	wrong := func(why string, args ...any) string {
		return msg.Sprintf("its output %q is %s, and the model's input %q is %s: %s", from.Name,
			from.described(), to.Name, to.described(), msg.Text(msg.Sprintf(why, args...)))
	}
	if from.Type != to.Type && !(from.Type.Float() && to.Type.Float()) {
		return wrong("the types differ")
	}
	if from.Shape == nil || to.Shape == nil {
		return ""
	}
	long, short := from.Shape, to.Shape
	if len(long) < len(short) {
		long, short = short, long
	}
	extra := len(long) - len(short)
	if extra > 1 || extra == 1 && (long[0] > 1 || len(short) == 1 && short[0] < 0 && long[0] != 1) {
		return wrong("the numbers of axes differ")
	}
	for i, n := range long[extra:] {
		if n >= 0 && short[i] >= 0 && n != short[i] {
			return wrong("%d is not %d", from.Shape[len(from.Shape)-len(short)+i],
				to.Shape[len(to.Shape)-len(short)+i])
		}
	}
	return ""
}

// described returns the type and the shape, such as float32 (n, 768).
func (v *Value) described() msg.Text {
	if v.Shape == nil {
		return msg.Text(v.Type.String() + " of any shape")
	}
	text := ""
	for i, n := range v.Shape {
		if i > 0 {
			text += ", "
		}
		switch {
		case n >= 0:
			text += strconv.Itoa(n)
		case i < len(v.Names) && v.Names[i] != "":
			text += msg.Sprintf("%s", v.Names[i])
		default:
			text += "?"
		}
	}
	return msg.Text(v.Type.String() + " (" + text + ")")
}

// bridge returns the nodes from an output to an input, and what they do in words.
func bridge(from, to Value) (nodes []Node, said string) {
	name := from.Name
	add := func(op string, attributes []Attribute, opset int64, out string) {
		nodes = append(nodes, Node{Name: out, Op: op, Inputs: []string{name},
			Outputs: []string{out}, Attributes: attributes, Opset: opset})
		name = out
	}
	const axes = 11 // the last version in which axes are an attribute
	first := []Attribute{{Name: "axes", Kind: KindInts, Ints: []int64{0}}}
	if from.Type != to.Type {
		add("Cast", []Attribute{{Name: "to", Kind: KindInt, Int: int64(to.Type)}}, 13,
			to.Name+"/cast")
		said += ", as " + to.Type.String()
	}
	switch known := from.Shape != nil && to.Shape != nil; {
	case known && len(from.Shape) > len(to.Shape):
		add("Squeeze", first, axes, to.Name+"/squeezed")
		said += ", without its first axis"
	case known && len(from.Shape) < len(to.Shape):
		add("Unsqueeze", first, axes, to.Name+"/unsqueezed")
		said += ", with an axis of length 1 in front"
	}
	add("Identity", nil, 13, to.Name)
	return nodes, said
}

// separate changes the names that both models use, except joined, the input of m that via gives.
func (m *Model) separate(via *Model, file, joined string) error {
	own, others := map[string]bool{}, map[string]bool{}
	collectNames(m.Graph, own)
	collectNames(via.Graph, others)
	for _, suffix := range []string{"/cast", "/squeezed", "/unsqueezed"} { // names of the bridge
		own[joined+suffix] = true
	}
	isInput := map[string]bool{}
	for _, v := range via.Graph.Inputs {
		isInput[v.Name] = true
	}
	fixed := map[string]bool{}
	for _, v := range m.Graph.Outputs {
		fixed[v.Name] = true
	}
	inOwn, inOthers := map[string]string{}, map[string]string{}
	for name := range others {
		switch {
		case !own[name]:
		case isInput[name] && fixed[name]:
			return fault.Formatf("model card", "key \"via\": %q is an input of %s and an output "+
				"of the model: export one of them under another name", name, file)
		case isInput[name]:
			inOwn[name] = fresh(name, own, others)
		default:
			inOthers[name] = fresh(name, own, others)
		}
	}
	m.Graph.rename(inOwn)
	via.Graph.rename(inOthers)
	return nil
}

// fresh returns a name that neither set has, and adds it to both.
func fresh(name string, a, b map[string]bool) string {
	for {
		name += "'"
		if !a[name] && !b[name] {
			a[name], b[name] = true, true
			return name
		}
	}
}

// rename changes the names of values in a graph and in the graphs inside of its nodes.
func (g *Graph) rename(to map[string]string) {
	if len(to) == 0 {
		return
	}
	change := func(name *string) {
		if other, ok := to[*name]; ok {
			*name = other
		}
	}
	for i := range g.Initializers {
		change(&g.Initializers[i].Name)
	}
	for _, values := range [][]Value{g.Inputs, g.Outputs} {
		for i := range values {
			change(&values[i].Name)
		}
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		for _, list := range [][]string{n.Inputs, n.Outputs} {
			for j := range list {
				change(&list[j])
			}
		}
		for _, a := range n.Attributes {
			if a.Graph != nil {
				a.Graph.rename(to)
			}
		}
	}
}

// setOpset states the version of the default domain at the nodes that do not state one.
func setOpset(g *Graph, version int64) {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Domain == "" && n.Opset == 0 {
			n.Opset = version
		}
		for _, a := range n.Attributes {
			if a.Graph != nil {
				setOpset(a.Graph, version)
			}
		}
	}
}
