package network

import (
	"fmt"
	"math/rand/v2"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/bagscope/bagscope/tools/train/ops"
)

// A graph computes a network for bags of one size. Its parameters are the network's own values.
type graph struct {
	limit      float32
	told       Told[*G.Node]
	bag        []float32
	masks      []*ops.Mask
	target     []float32
	loss       *G.Node
	parameters []G.ValueGrad
	machine    G.VM
}

// newGraph makes the graph for k instances, with gradients for training or without.
func newGraph(n *Network, k int, training bool) (*graph, error) {
	n.arena.Start()
	g := &graph{limit: float32(n.Limit), bag: n.arena.Take(k * n.values())}
	b := &nodes{graph: g, of: n, expression: G.NewGraph(), k: k, training: training,
		parameters: map[string]*G.Node{}}
	for _, p := range n.Parameters {
		node := b.variable(p.Name, p.Rows, p.Columns, p.Values)
		b.parameters[p.Name] = node
		g.parameters = append(g.parameters, node)
	}
	g.told = Assemble(n.Architecture, b)
	if b.err == nil && training {
		if g.loss, g.target, b.err = ops.Loss(&n.arena, n.Scale, g.told.Logits); b.err == nil {
			_, b.err = G.Grad(g.loss, b.all()...)
		}
	}
	if b.err != nil {
		return nil, fmt.Errorf("the graph for %d instances: %w", k, b.err)
	}
	g.machine = G.NewTapeMachine(b.expression)
	return g, nil
}

// run computes the graph of a bag, dropping what r says in training.
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

// values of a node of the last run, written anew by the next.
func values(n *G.Node) []float32 { return n.Value().(*tensor.Dense).Float32s() }

// nodes is the Builder of Gorgonia nodes.
type nodes struct {
	*graph
	of         *Network
	expression *G.ExprGraph
	k          int
	training   bool
	parameters map[string]*G.Node
	err        error
}

func (b *nodes) all() G.Nodes {
	out := make(G.Nodes, 0, len(b.graph.parameters))
	for _, p := range b.graph.parameters {
		out = append(out, p.(*G.Node))
	}
	return out
}

func (b *nodes) variable(name string, rows, columns int, values []float32) *G.Node {
	t := tensor.New(tensor.WithShape(rows, columns), tensor.WithBacking(values))
	return G.NewMatrix(b.expression, tensor.Float32, G.WithShape(rows, columns), G.WithName(name),
		G.WithValue(t))
}

// keep returns a node, or the one before where it could not be made; the first error is kept.
func (b *nodes) keep(n *G.Node, err error, before *G.Node) *G.Node {
	if err != nil && b.err == nil {
		b.err = err
	}
	if b.err != nil {
		return before
	}
	return n
}
