package network

import (
	"fmt"
	"math/rand/v2"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/bagscope/bagscope/tools/train/ops"
)

// A graph computes a network for bags of one size. It reads and trains the network's own
// parameters.
type graph struct {
	limit      float32 // see Architecture.Limit
	outputs    Outputs[*G.Node]
	bag        []float32   // values of the current bag
	masks      []*ops.Mask // one for each dropout
	target     []float32   // targets of the current bag
	loss       *G.Node     // nil without training
	parameters []G.ValueGrad
	machine    G.VM
}

// newGraph returns a graph for k instances. It has gradients if training is true.
func newGraph(n *Network, k int, training bool) (*graph, error) {
	n.arena.Start()
	g := &graph{limit: float32(n.Limit), bag: n.arena.Floats(k * n.values())}
	b := &nodes{graph: g, network: n, expression: G.NewGraph(), k: k, training: training,
		parameters: map[string]*G.Node{}}
	for _, p := range n.Parameters {
		node := b.variable(p.Name, p.Rows, p.Columns, p.Values)
		b.parameters[p.Name] = node
		g.parameters = append(g.parameters, node)
	}
	g.outputs = Assemble(n.Architecture, b)
	if b.err == nil && training {
		if g.loss, g.target, b.err = ops.Loss(&n.arena, n.Scale, g.outputs.Logits); b.err == nil {
			_, b.err = G.Grad(g.loss, b.all()...)
		}
	}
	if b.err != nil {
		return nil, fmt.Errorf("the graph for %d instances: %w", k, b.err)
	}
	// The tape machine runs the nodes in one fixed order, so results are reproducible.
	g.machine = G.NewTapeMachine(b.expression)
	return g, nil
}

// run computes the graph for the values of a bag. In training, r draws the dropout.
func (g *graph) run(bag []float32, r *rand.Rand) error {
	copy(g.bag, bag)
	if g.limit > 0 {
		for i, v := range g.bag {
			g.bag[i] = max(min(v, g.limit), -g.limit)
		}
	}
	for _, m := range g.masks {
		m.Draw(r)
	}
	g.machine.Reset()
	return g.machine.RunAll()
}

// values returns a node's values of the last run. The next run overwrites them.
func values(n *G.Node) []float32 { return n.Value().(*tensor.Dense).Float32s() }

// nodes is the Builder of Gorgonia nodes.
type nodes struct {
	*graph
	network    *Network
	expression *G.ExprGraph
	k          int // number of instances
	training   bool
	parameters map[string]*G.Node // nodes by name
	err        error              // first error
}

// all returns the nodes of all parameters in the order of the network.
func (b *nodes) all() G.Nodes {
	out := make(G.Nodes, 0, len(b.graph.parameters))
	for _, p := range b.graph.parameters {
		out = append(out, p.(*G.Node))
	}
	return out
}

// variable adds a node whose values are read from the given slice at each run.
func (b *nodes) variable(name string, rows, columns int, values []float32) *G.Node {
	t := tensor.New(tensor.WithShape(rows, columns), tensor.WithBacking(values))
	return G.NewMatrix(b.expression, tensor.Float32, G.WithShape(rows, columns), G.WithName(name),
		G.WithValue(t))
}

// result returns a new node. After an error it returns before, and stores the first error.
func (b *nodes) result(n *G.Node, err error, before *G.Node) *G.Node {
	if err != nil && b.err == nil {
		b.err = err
	}
	if b.err != nil {
		return before
	}
	return n
}
