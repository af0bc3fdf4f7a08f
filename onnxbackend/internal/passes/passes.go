// Package passes rewrites a graph so that it computes the same outputs with less work. There is one
// list of passes, run once in its order; each is a file.
//
// A pass leaves every graph output as it was: to the last bit where it moves or drops nodes, and up
// to the rounding of folded weights where it merges a BatchNormalization into a layer. Names and
// numbers of values stay; a value that no node makes any more is one that nobody reads. No pass
// believes that a symbolic side of the input, among them the number of instances, has a certain
// size.
package passes

import "github.com/bagscope/bagscope/onnxbackend/internal/graph"

// A pass is one rule for rewriting.
type pass struct {
	name, about string
	run         func(r *rewriter)
}

// list is every pass in order: what is known is taken out before layers are looked at, biases are
// merged before normalizations so that these find one node, and activations last, since nothing
// merges behind them.
var list = []pass{
	{"constants", "drops nodes whose results were computed when the file was opened", constants},
	{"sizes", "computes sizes that are the same for every bag", sizes},
	{"identities", "drops nodes that only hand on their input", identities},
	{"bias", "adds a constant in the MatMul before it", bias},
	{"normalization",
		"multiplies a BatchNormalization into the weights of the layer before or after it",
		normalization},
	{"activation", "applies Relu, Tanh, Sigmoid and LeakyRelu in the layer before them",
		activation},
	{"lanes", "computes a Conv with the MaxPool, Conv and activations behind it in one go, " +
		"pictures side by side", fuseConv},
	{"dead", "drops nodes whose results nobody reads", dead},
}

// A Report says what one pass did.
type Report struct {
	Name, About string
	Changes     []string // a phrase for each node that it took out
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

// dead drops nodes from the last to the first, so that what only they read falls too.
func dead(r *rewriter) {
	for i := len(r.g.Nodes) - 1; i >= 0; i-- {
		n := &r.g.Nodes[i]
		read := false
		for _, id := range n.Out {
			read = read || id >= 0 && r.uses[id] > 0
		}
		if !read {
			r.drop(i, "%s is read by nobody", describe(n))
		}
	}
}

// constants drops the nodes that were computed while the graph was built.
func constants(r *rewriter) {
	for i := range r.g.Nodes {
		if n := &r.g.Nodes[i]; r.known(n) {
			r.drop(i, "%s is known", describe(n))
		}
	}
}
