package decode

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Calls of model-local functions, nodes of other domains and operators of sequences are replaced by
// other nodes. The other packages then see no functions. Names inside a function get the call's
// name as a prefix, and a number if the name is already used in the file.

// maxCalls bounds how deep functions call functions. ONNX forbids recursion; a file may have it.
const maxCalls = 32

// maxNames bounds the bytes of all names and lists that inlining makes: functions that call each
// other twice double the nodes with each level.
const maxNames = 1 << 27

// inliner replaces calls in one model.
type inliner struct {
	*decoder
	used      map[string]bool // names of values in the file or made since
	bytes     int             // size of the names and lists made so far
	reserved  int             // those of bytes whose memory is reserved
	made      int             // number of names that got a number
	regressor string          // operator of a replaced node, "" for none
	opset     int64           // version of the default domain
	constants map[string]*tensor.Tensor
	zipped    map[string]int // classes of the values that a ZipMap wrote
	sequences sequences
}

// inline replaces the calls in a model's graph.
func (d *decoder) inline(m *Model) error {
	if len(d.functions) == 0 && !d.foreign && !d.sequential {
		return nil
	}
	in := &inliner{decoder: d, used: map[string]bool{}, zipped: map[string]int{}}
	in.sequences.items = map[string][]string{}
	in.sequences.integers = map[string]*tensor.Tensor{}
	collectNames(m.Graph, in.used)
	in.known(m)
	if err := in.graph(m.Graph, 0); err != nil {
		return err
	}
	return in.dropTexts(m)
}

// collectNames adds the names that a graph, or one inside of its nodes, defines.
func collectNames(g *Graph, names map[string]bool) {
	for _, t := range g.Initializers {
		names[t.Name] = true
	}
	for _, v := range g.Inputs {
		names[v.Name] = true
	}
	for i := range g.Nodes {
		for _, name := range g.Nodes[i].Outputs {
			names[name] = true
		}
		for _, a := range g.Nodes[i].Attributes {
			if a.Graph != nil {
				collectNames(a.Graph, names)
			}
		}
	}
}

// known notes what replacements read of a model: its opset, its constants, and the ranks of its
// inputs.
func (in *inliner) known(m *Model) {
	if !in.foreign {
		return
	}
	for _, o := range m.Opsets {
		if o.Domain == "" {
			in.opset = o.Version
		}
	}
	in.constants = map[string]*tensor.Tensor{}
	for _, c := range m.Graph.Initializers {
		in.constants[c.Name] = c.Tensor
	}
	for _, v := range m.Graph.Inputs {
		if v.Shape != nil {
			in.ranks[v.Name] = len(v.Shape)
		}
	}
}

// followRank notes the rank of what a Cast returns, or a sum over an axis that it drops: optimizers
// write these nodes between a mask and a layer of attention.
func (in *inliner) followRank(n *Node) {
	if n.Domain != "" || len(n.Inputs) == 0 || len(n.Outputs) == 0 {
		return
	}
	rank, known := in.ranks[n.Inputs[0]]
	if t := in.constants[n.Inputs[0]]; t != nil {
		rank, known = t.Rank(), true
	}
	drops := slices.ContainsFunc(n.Attributes, func(a Attribute) bool {
		return a.Name == "keepdims" && a.Kind == KindInt && a.Int == 0
	})
	switch {
	case !known:
	case n.Op == "Cast" || n.Op == "Identity":
		in.ranks[n.Outputs[0]] = rank
	case n.Op == "ReduceSum" && rank == 2 && drops:
		in.ranks[n.Outputs[0]] = 1
	}
}

// graph replaces the calls in a graph and in the graphs inside of its nodes.
func (in *inliner) graph(g *Graph, depth int) (err error) {
	defer in.enter(g)()
	if g.Nodes, err = in.nodes(g.Nodes, depth); err != nil {
		return err
	}
	return in.outputsAreTensors(g)
}

// nodes returns nodes with all calls replaced. The body of a function may call others; depth is how
// deep this call is.
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
		if in.readsText(&n) {
			continue
		}
		in.followRank(&n)
		// A function of the model takes precedence over a replacement of this package.
		fn := in.functions[functionKey{n.Domain, n.Op, n.overload}]
		if fn == nil {
			replaced, done, err := in.replaceSequences(&n, depth)
			if err != nil {
				return nil, err
			}
			if done {
				out = append(out, replaced...)
				continue
			}
			if n.Gap == "" && in.isForeign(&n) {
				if fn, n.Gap, err = in.replace(&n); err != nil {
					return nil, err
				}
			}
		}
		if fn == nil {
			out = append(out, n)
			continue
		}
		if depth == maxCalls {
			return nil, fn.fault(fmt.Sprintf("functions call each other more than %d deep",
				maxCalls))
		}
		// The body may call further functions.
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

// undeclared has operators that ONNX Runtime writes into the default domain, whatever its version.
var undeclared = map[string]bool{"LayerNormalization": true, "SimplifiedLayerNormalization": true}

// isForeign reports whether a node can have a replacement: it belongs to another domain, or to the
// default domain at a version that does not have its operator.
func (in *inliner) isForeign(n *Node) bool {
	if n.Domain != "" {
		return true
	}
	return undeclared[n.Op] && (n.Op != "LayerNormalization" || cmp.Or(n.Opset, in.opset) < 17)
}

// A scope resolves the names and attributes of a function's body for one call.
type scope struct {
	*inliner
	fn    *function
	call  *Node
	names map[string]string // names in the function to names in the graph
}

// call returns a copy of a function's nodes that replaces the node n. An input that the function
// returns as an output needs an Identity: both have names outside.
func (in *inliner) call(fn *function, n *Node) ([]Node, error) {
	if len(n.Inputs) > len(fn.inputs) || len(n.Outputs) > len(fn.outputs) {
		return nil, fn.fault(msg.Sprintf(
			"node %q calls it with %d inputs and %d outputs instead of %d and %d", n.Name,
			len(n.Inputs), len(n.Outputs), len(fn.inputs), len(fn.outputs)))
	}
	// Formal inputs are renamed to actual ones; omitted ones have the name "".
	s := &scope{inliner: in, fn: fn, call: n, names: map[string]string{"": ""}}
	for i, formal := range fn.inputs {
		s.names[formal] = ""
		if i < len(n.Inputs) {
			s.names[formal] = n.Inputs[i]
		}
	}
	var passed []Node
	for i, formal := range fn.outputs {
		switch {
		case i >= len(n.Outputs) || n.Outputs[i] == "":
		case slices.Contains(fn.inputs, formal):
			passed = append(passed, Node{Name: s.call.Name, Op: "Identity",
				Inputs: []string{s.names[formal]}, Outputs: []string{n.Outputs[i]},
				Offset: n.Offset})
		default:
			s.names[formal] = n.Outputs[i]
		}
	}
	nodes, err := s.copies(fn.nodes)
	return append(nodes, passed...), err
}

// rename returns the name in the graph of a name in the function.
func (s *scope) rename(name string) string {
	to, ok := s.names[name]
	if ok {
		return to
	}
	if s.fn.defined != nil && !s.fn.defined[name] {
		return name // a body may read values of the graph around it
	}
	to = s.fresh(s.call.Name, name)
	s.names[name] = to
	return to
}

// fresh returns a name that the file does not use, for a value inside of a call. The call's name
// is a prefix that is unique in most files.
func (in *inliner) fresh(call, name string) string {
	to := call + "/" + name
	for ; in.used[to]; to = fmt.Sprintf("%s/%s~%d", call, name, in.made) {
		in.made++
	}
	in.used[to] = true
	in.bytes += len(to)
	return to
}

// reserve reserves the memory of the names and lists that were made since it last ran. what names
// them in errors.
func (in *inliner) reserve(what string) error {
	if in.bytes > maxNames {
		return &fault.Limit{What: what, Limit: maxNames}
	}
	more := in.bytes - in.reserved
	in.reserved = in.bytes
	return in.kept.reserve(more)
}

// renamed renames a list, and counts its memory.
func (s *scope) renamed(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = s.rename(name)
	}
	s.bytes += 16 * len(names)
	return out
}

// copies returns nodes of the function with names, attributes and opsets of the call. Each copy
// counts against the limits: a small file may describe an exponential number of nodes.
func (s *scope) copies(nodes []Node) ([]Node, error) {
	out := make([]Node, 0, len(nodes))
	for i, n := range nodes {
		if err := s.countNode(); err != nil {
			return nil, err
		}
		if n.Name == "" {
			n.Name = fmt.Sprintf("#%d", i)
		}
		// Errors name a node by the path of calls that leads to it.
		n.Name = s.call.Name + "/" + n.Name
		n.Inputs, n.Outputs = s.renamed(n.Inputs), s.renamed(n.Outputs)
		// A function may import other versions of operator sets than the model.
		for _, o := range s.fn.opsets {
			if o.Domain == n.Domain && n.Opset == 0 {
				n.Opset = o.Version
			}
		}
		var list []Attribute
		for _, a := range n.Attributes {
			actual := s.attribute(a)
			if actual == nil {
				continue
			}
			if actual.Graph != nil && a.Ref == "" { // a graph of the call has outer names already
				var err error
				if actual.Graph, err = s.graphCopy(actual.Graph); err != nil {
					return nil, err
				}
			}
			list = append(list, *actual)
		}
		n.Attributes = list
		s.bytes += len(n.Name) + 2*int(unsafe.Sizeof(Attribute{}))*len(list)
		if err := s.reserve("bytes of names in functions"); err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// attribute resolves a reference to a formal attribute: the attribute of the call, else the default
// of the function, else nil.
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

// graphCopy returns a copy of a graph inside of a function's node, with all names renamed.
func (s *scope) graphCopy(g *Graph) (*Graph, error) {
	c := &Graph{Name: g.Name, Initializers: slices.Clone(g.Initializers),
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
	nodes, err := s.copies(g.Nodes)
	c.Nodes = nodes
	return c, err
}
