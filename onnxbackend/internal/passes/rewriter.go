package passes

import (
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A rewriter knows who reads what while one pass changes a graph.
type rewriter struct {
	g       *graph.Graph
	uses    []int // (value) how many inputs of nodes and graph outputs read it
	reader  []int // (value) the last node that reads it, -1 for none
	isPort  []bool
	dropped []bool // (node)
	changes []string
}

func newRewriter(g *graph.Graph) *rewriter {
	n := len(g.Values)
	r := &rewriter{g: g, uses: make([]int, n), reader: make([]int, n), isPort: make([]bool, n),
		dropped: make([]bool, len(g.Nodes))}
	for id := range r.reader {
		r.reader[id] = -1
	}
	for i := range g.Nodes {
		for _, id := range g.Nodes[i].In {
			if id >= 0 {
				r.uses[id]++
				r.reader[id] = i
			}
		}
	}
	for _, p := range g.Outputs {
		r.uses[p.ID]++
		r.isPort[p.ID] = true
	}
	return r
}

// finish takes the dropped nodes out of the graph.
func (r *rewriter) finish() { r.g.Keep(func(i int) bool { return !r.dropped[i] }) }

// drop marks a node to be taken out. Its outputs must be read by nobody, or be known.
func (r *rewriter) drop(i int, change string, args ...any) {
	r.dropped[i] = true
	r.changes = append(r.changes, fmt.Sprintf(change, args...))
	for _, id := range r.g.Nodes[i].In {
		if id >= 0 && id < len(r.uses) { // constants that a pass made have no count
			r.uses[id]--
		}
	}
}

// known reports whether all outputs of a node that anybody can read are constants.
func (r *rewriter) known(n *graph.Node) bool {
	for _, id := range n.Out {
		if id >= 0 && r.g.Values[id].Const == nil {
			return false
		}
	}
	return len(n.Out) > 0
}

// only returns the node that alone reads the only output of node i, or nil.
func (r *rewriter) only(i int) (next *graph.Node, at int) {
	n := &r.g.Nodes[i]
	if len(n.Out) != 1 || n.Out[0] < 0 || r.uses[n.Out[0]] != 1 || r.isPort[n.Out[0]] {
		return nil, -1
	}
	at = r.reader[n.Out[0]]
	return &r.g.Nodes[at], at
}

// absorb lets node i make what node at made, once its function does both.
func (r *rewriter) absorb(i, at int) {
	r.drop(at, "%s into %s", describe(&r.g.Nodes[at]), describe(&r.g.Nodes[i]))
	r.g.Nodes[i].Out = slices.Clone(r.g.Nodes[at].Out[:1])
}

// rebuild makes the function of a changed node, and puts back what it was when that fails.
func (r *rewriter) rebuild(n *graph.Node, was graph.Node) bool {
	if gap, broken := r.g.Build(n); gap != nil || broken != nil {
		*n = was
		return false
	}
	return true
}

// constant returns the known float32 value of input i of a node, or nil.
func (r *rewriter) constant(n *graph.Node, i int) *tensor.Tensor {
	if i >= len(n.In) || n.In[i] < 0 {
		return nil
	}
	if c := r.g.Values[n.In[i]].Const; c != nil && c.Type == tensor.Float32 {
		return c
	}
	return nil
}

// given reports whether a node has input i.
func given(n *graph.Node, i int) bool { return i < len(n.In) && n.In[i] >= 0 }

// setInput replaces or adds an input of a node.
func (r *rewriter) setInput(n *graph.Node, i, id int) {
	in := slices.Clone(n.In)
	for len(in) <= i {
		in = append(in, -1)
	}
	in[i] = id
	n.In = in
}

// describe names a node.
func describe(n *graph.Node) string { return fmt.Sprintf("%s %q", n.Op, n.Name) }
