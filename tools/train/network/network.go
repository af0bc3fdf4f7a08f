package network

import (
	"fmt"
	"math/rand/v2"
	"slices"

	G "gorgonia.org/gorgonia"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/tools/train/ops"
)

// A Network is an architecture with its parameters and the graphs that compute it, one for each
// size of bag that it has met. It belongs to one goroutine.
type Network struct {
	Architecture
	Parameters []*Parameter
	arena      ops.Arena
	graphs     map[size]*graph
}

// A size is what a graph is made for.
type size struct {
	instances int
	training  bool
}

// New returns a network whose parameters are drawn with the seed.
func New(a Architecture, seed uint64) (*Network, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	return &Network{Architecture: a, Parameters: Initial(a, seed), graphs: map[size]*graph{}}, nil
}

// An Answer is what a network says of a bag. Its slices are the caller's.
type Answer struct {
	Logits      []float32 // (classes)
	Attention   []float32 // (k), or nil
	Predictions []float32 // (k, classes), or nil
}

// Predict runs the network on a bag, without dropout.
func (n *Network) Predict(bag *core.Bag) (Answer, error) {
	g, err := n.graph(bag, false)
	if err != nil {
		return Answer{}, err
	}
	if err := g.run(bag.Values, nil); err != nil {
		return Answer{}, err
	}
	return g.answer(), nil
}

// Train takes one step of training on a bag with a target for each class: it computes loss and
// gradients, dropping what r says, and lets the solver change the parameters. It returns the loss
// and the logits from before the step.
func (n *Network) Train(
	bag *core.Bag, target []float32, r *rand.Rand, solver G.Solver,
) (float64, []float32, error) {
	if len(target) != n.Classes {
		return 0, nil, fmt.Errorf("bag %q has %d targets, but the network has %d classes", bag.Name,
			len(target), n.Classes)
	}
	g, err := n.graph(bag, true)
	if err != nil {
		return 0, nil, err
	}
	copy(g.target, target)
	if err := g.run(bag.Values, r); err != nil {
		return 0, nil, err
	}
	loss, logits := float64(*g.loss.Value().(*G.F32)), slices.Clone(values(g.told.Logits))
	return loss, logits, solver.Step(g.parameters)
}

// graph returns the graph for a bag's size.
func (n *Network) graph(bag *core.Bag, training bool) (*graph, error) {
	if err := bag.Validate(); err != nil {
		return nil, err
	}
	if !slices.Equal(bag.Shape, n.Shape) {
		return nil, fmt.Errorf("instances of bag %q have shape %v, and the network takes %v",
			bag.Name, bag.Shape, n.Shape)
	}
	at := size{bag.Len(), training}
	g := n.graphs[at]
	if g == nil {
		err := n.fits(at.instances)
		if err != nil {
			return nil, err
		}
		if g, err = newGraph(n, at.instances, training); err != nil {
			return nil, err
		}
		n.graphs[at] = g
	}
	return g, nil
}

func (g *graph) answer() Answer {
	out := Answer{Logits: slices.Clone(values(g.told.Logits))}
	if g.told.Attention != nil {
		out.Attention = slices.Clone(values(*g.told.Attention))
	}
	if g.told.Predictions != nil {
		out.Predictions = slices.Clone(values(*g.told.Predictions))
	}
	return out
}
