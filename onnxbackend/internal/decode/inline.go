package decode

import (
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
)

// Calls of model-local functions, and nodes that are short for others, are replaced by the
// functions' nodes, so that nobody else need know of functions. Names inside a function get the
// call's name in front, and are told from all others of the file.

// maxCalls bounds functions that call functions; ONNX forbids those that call themselves.
const maxCalls = 32

// maxNames bounds the bytes of all names and lists that inlining makes.
const maxNames = 1 << 27

// inliner replaces calls in one model.
type inliner struct {
	*decoder
	taken     map[string]bool // every name of a value in the file or made since
	bytes     int             // of names and lists made so far
	made      int             // how many names had to be told from others
	texts     []string        // outputs of replaced nodes that would hold text
	regressor string          // operator of a replaced node, "" for none
}

// inline replaces the calls in a model's graph.
func (d *decoder) inline(m *Model) error {
	if d.functions == nil && !d.foreign {
		return nil
	}
	in := &inliner{decoder: d, taken: map[string]bool{}}
	in.take(m.Graph)
	if err := in.graph(m.Graph, 0); err != nil {
		return err
	}
	in.drop(m)
	return nil
}

// take notes the names of a graph.
func (in *inliner) take(g *Graph) {
	for _, t := range g.Initializers {
		in.taken[t.Name] = true
	}
	for _, v := range g.Inputs {
		in.taken[v.Name] = true
	}
	for i := range g.Nodes {
		for _, name := range g.Nodes[i].Outputs {
			in.taken[name] = true
		}
		for _, a := range g.Nodes[i].Attributes {
			if a.Graph != nil {
				in.take(a.Graph)
			}
		}
	}
}

// graph replaces the calls in a graph and in those inside of it.
func (in *inliner) graph(g *Graph, depth int) error {
	nodes, err := in.nodes(g.Nodes, depth)
	g.Nodes = nodes
	return err
}

func (in *inliner) nodes(nodes []Node, depth int) ([]Node, error) {
	var out []Node
	for i, n := range nodes {
		if n.Name == "" {
			n.Name = fmt.Sprintf("#%d", i)
		}
		for _, a := range n.Attributes {
			if a.Graph != nil {
				if err := in.graph(a.Graph, depth); err != nil {
					return nil, err
				}
			}
		}
		fn := in.functions[functionKey{n.Domain, n.Op, n.overload}]
		if fn == nil && n.Domain != "" {
			fn, n.Gap = in.replace(&n)
		}
		if fn == nil {
			out = append(out, n)
			continue
		}
		if depth == maxCalls {
			return nil, fn.fault(fmt.Sprintf("functions call each other more than %d deep",
				maxCalls))
		}
		body, err := in.call(fn, &n)
		if err != nil {
			return nil, err
		}
		if body, err = in.nodes(body, depth+1); err != nil {
			return nil, err
		}
		out = append(out, body...)
	}
	return out, nil
}

// A scope is what names and attributes mean inside one call of a function.
type scope struct {
	*inliner
	fn    *function
	call  *Node
	names map[string]string // formal or inner to actual
}

// call returns the nodes of a function in the place of the node that calls it.
func (in *inliner) call(fn *function, n *Node) ([]Node, error) {
	if len(n.Inputs) > len(fn.inputs) || len(n.Outputs) > len(fn.outputs) {
		return nil, fn.fault(fmt.Sprintf(
			"node %q calls it with %d inputs and %d outputs instead of %d and %d", n.Name,
			len(n.Inputs), len(n.Outputs), len(fn.inputs), len(fn.outputs)))
	}
	s := &scope{inliner: in, fn: fn, call: n, names: map[string]string{"": ""}}
	for i, formal := range fn.inputs {
		s.names[formal] = ""
		if i < len(n.Inputs) {
			s.names[formal] = n.Inputs[i]
		}
	}
	var handed []Node
	for i, formal := range fn.outputs {
		switch {
		case i >= len(n.Outputs) || n.Outputs[i] == "":
		case slices.Contains(fn.inputs, formal):
			handed = append(handed, Node{Name: s.call.Name, Op: "Identity",
				Inputs: []string{s.names[formal]}, Outputs: []string{n.Outputs[i]},
				Offset: n.Offset})
		default:
			s.names[formal] = n.Outputs[i]
		}
	}
	nodes, err := s.copies(fn.nodes)
	return append(nodes, handed...), err
}

// rename returns what a name of the function is called outside.
func (s *scope) rename(name string) string {
	to, ok := s.names[name]
	if ok {
		return to
	}
	for to = s.call.Name + "/" + name; s.taken[to]; to = fmt.Sprintf("%s/%s~%d", s.call.Name, name,
		s.made) {
		s.made++
	}
	s.taken[to] = true
	s.names[name] = to
	s.bytes += len(to)
	return to
}

func (s *scope) renamed(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = s.rename(name)
	}
	s.bytes += 16 * len(names)
	return out
}

func (s *scope) copies(nodes []Node) ([]Node, error) {
	out := make([]Node, 0, len(nodes))
	for i, n := range nodes {
		if err := s.countNode(); err != nil {
			return nil, err
		}
		if n.Name == "" {
			n.Name = fmt.Sprintf("#%d", i)
		}
		n.Name = s.call.Name + "/" + n.Name
		n.Inputs, n.Outputs = s.renamed(n.Inputs), s.renamed(n.Outputs)
		for _, o := range s.fn.opsets {
			if o.Domain == n.Domain {
				n.Opset = o.Version
			}
		}
		var list []Attribute
		for _, a := range n.Attributes {
			actual := s.attribute(a)
			if actual == nil {
				continue
			}
			if actual.Graph != nil && a.Ref == "" {
				g, err := s.graphCopy(actual.Graph)
				if err != nil {
					return nil, err
				}
				actual.Graph = g
			}
			list = append(list, *actual)
		}
		n.Attributes = list
		if s.bytes += len(n.Name) + 64*len(list); s.bytes > maxNames {
			return nil, &fault.Limit{What: "bytes of names in functions", Limit: maxNames,
				Fixed: true}
		}
		out = append(out, n)
	}
	return out, nil
}

// attribute resolves a reference to a formal attribute: to what the call gives, to the default, or
// to nothing.
func (s *scope) attribute(a Attribute) *Attribute {
	if a.Ref == "" {
		return &a
	}
	for _, list := range [][]Attribute{s.call.Attributes, s.fn.defaults} {
		for _, given := range list {
			if given.Name == a.Ref {
				given.Name = a.Name
				return &given
			}
		}
	}
	return nil
}

// graphCopy renames all that a graph inside of a function's node defines or reads.
func (s *scope) graphCopy(g *Graph) (*Graph, error) {
	c := &Graph{Name: g.Name, Sparse: g.Sparse, Initializers: slices.Clone(g.Initializers),
		Inputs: slices.Clone(g.Inputs), Outputs: slices.Clone(g.Outputs)}
	for i := range c.Initializers {
		c.Initializers[i].Name = s.rename(c.Initializers[i].Name)
	}
	for _, list := range [][]Value{c.Inputs, c.Outputs} {
		for i := range list {
			list[i].Name = s.rename(list[i].Name)
		}
	}
	s.bytes += 128 * (len(c.Initializers) + len(c.Inputs) + len(c.Outputs))
	var err error
	c.Nodes, err = s.copies(g.Nodes)
	return c, err
}
