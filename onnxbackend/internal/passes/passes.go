// Package passes rewrites a graph so that it computes the same outputs with less work. There is one
// list of passes, run once in its order; each is a file.
//
// A pass does not change graph outputs: they are equal bit for bit, except for the rounding of
// weights if a BatchNormalization is merged into a layer. Names and numbers of values stay. A value
// without a producer is unread. No pass assumes a size for a symbolic dimension of the input, such
// as the number of instances.
package passes

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
)

// A pass is one rule for rewriting.
type pass struct {
	name, about string
	run         func(r *rewriter)
}

// list has the passes in order. Constants are removed first, since passes over layers look for
// neighbouring nodes. Biases are merged before normalizations, which then find one node.
// Activations are last, because layers with one are not merged any more.
var list = []pass{
	{"constants", "drops nodes whose results were computed when the file was opened", constants},
	{"sizes", "computes sizes that are the same for every bag", sizes},
	{"transpositions", "transposes where an Einsum only reorders dimensions", transpositions},
	{"identities", "drops nodes that return their input", identities},
	{"bias", "adds a constant in the MatMul before it", bias},
	{"normalization",
		"multiplies a BatchNormalization into the weights of the layer before or after it",
		normalization},
	{"gates", "joins the nodes of a Swish or Gelu", gates},
	{"activation", "applies Relu, Tanh, Sigmoid, Gelu and the like in the layer before them",
		activation},
	{"lanes", "computes a Conv together with the MaxPool, Conv and activations behind it, " +
		"pictures side by side", fuseConv},
	{"dead", "drops nodes whose results are not read", dead},
}

// A Report describes the changes of one pass.
type Report struct {
	Name, About string
	Changes     []string // a phrase for each removed node
}

// Run rewrites a graph by all passes and ends its rewriting.
func Run(g *graph.Graph) []Report {
	reports := make([]Report, len(list))
	for i, p := range list {
		r := newRewriter(g)
		p.run(r)
		r.finish()
		reports[i] = Report{p.name, p.about, r.changes}
	}
	g.Seal()
	return reports
}

// dead drops unread nodes, from the last to the first: nodes that only dropped ones read are unread
// too.
func dead(r *rewriter) {
	for i := len(r.g.Nodes) - 1; i >= 0; i-- {
		n := &r.g.Nodes[i]
		if !slices.ContainsFunc(n.Out, r.isRead) {
			r.drop(i, describe(n)+" is not read")
		}
	}
}

// constants drops the nodes that were computed while the graph was built.
func constants(r *rewriter) {
	for i := range r.g.Nodes {
		if n := &r.g.Nodes[i]; r.known(n) {
			r.drop(i, describe(n)+" is known")
		}
	}
}
