package passes

import (
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A rewriter counts the readers of values while one pass changes a graph. Dropped nodes stay in the
// graph until the pass has ended, so that numbers of nodes do not change.
type rewriter struct {
	g       *graph.Graph
	uses    []int    // (value) number of inputs of nodes and of graph outputs that read it
	reader  []int    // (value) last node that read it at first, -1 for none
	isPort  []bool   // (value) whether it is a graph output
	dropped []bool   // (node)
	changes []string // phrases for the report
}

// newRewriter returns a rewriter for one pass over a graph.
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

// finish removes the dropped nodes from the graph.
func (r *rewriter) finish() { r.g.Remove(r.dropped) }

// drop marks a node for removal. Its outputs must be unread, or constants.
func (r *rewriter) drop(i int, change string) {
	r.dropped[i] = true
	r.changes = append(r.changes, change)
	for _, id := range r.g.Nodes[i].In {
		if id >= 0 && id < len(r.uses) { // constants added by this pass have no count
			r.uses[id]--
		}
	}
}

// known reports whether all named outputs of a node are constants.
func (r *rewriter) known(n *graph.Node) bool {
	unknown := func(id int) bool { return id >= 0 && r.g.Values[id].Const == nil }
	return len(n.Out) > 0 && !slices.ContainsFunc(n.Out, unknown)
}

// only returns the single reader of the only output of node i, or nil. A graph output counts as a
// reader of its own, so that a node before it cannot be fused away. A pass goes from the first node
// to the last and changes readers only of values behind it, so that those of node i are as at
// first.
func (r *rewriter) only(i int) (next *graph.Node, at int) {
	n := &r.g.Nodes[i]
	if len(n.Out) != 1 || n.Out[0] < 0 || r.uses[n.Out[0]] != 1 || r.isPort[n.Out[0]] {
		return nil, -1
	}
	at = r.reader[n.Out[0]]
	return &r.g.Nodes[at], at
}

// absorb drops node at after its function was fused into node i, which now computes its output.
func (r *rewriter) absorb(i, at int) {
	r.drop(at, describe(&r.g.Nodes[at])+" into "+describe(&r.g.Nodes[i]))
	r.g.Nodes[i].Out = slices.Clone(r.g.Nodes[at].Out[:1])
}

// rebuild builds the function of a changed node. If that fails, it restores the node and reports
// false.
func (r *rewriter) rebuild(n *graph.Node, was graph.Node) bool {
	if gap, broken := r.g.Build(n); gap != nil || broken != nil {
		*n = was
		return false
	}
	return true
}

// constant returns input i of a node if it is a constant of float32, else nil.
func (r *rewriter) constant(n *graph.Node, i int) *tensor.Tensor {
	if !given(n, i) {
		return nil
	}
	if c := r.g.Values[n.In[i]].Const; c != nil && c.Type == tensor.Float32 {
		return c
	}
	return nil
}

// given reports whether a node has input i and does not omit it.
func given(n *graph.Node, i int) bool { return i < len(n.In) && n.In[i] >= 0 }

// setInput replaces or adds an input of a node. The list is copied: outlines and copies of the node
// share it.
func (r *rewriter) setInput(n *graph.Node, i, id int) {
	in := slices.Clone(n.In)
	for len(in) <= i {
		in = append(in, -1)
	}
	in[i] = id
	n.In = in
}

// describe returns the operator and name of a node, for reports.
func describe(n *graph.Node) string { return n.Op + " " + msg.Quoted(n.Name) }
