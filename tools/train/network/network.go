package network

import (
	"fmt"
	"math/rand/v2"
	"slices"

	G "gorgonia.org/gorgonia"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/tools/train/ops"
)

// A Network is an architecture with its parameters and one graph for each size of bag so far. It
// must be used by one goroutine at a time.
type Network struct {
	Architecture
	Parameters []*Parameter
	arena      ops.Arena
	graphs     map[size]*graph
}

// A size is the key of a graph.
type size struct {
	instances int
	training  bool
}

// New returns a network with initial parameters, see Initial. It returns the error of
// Architecture.Check.
func New(a Architecture, seed uint64) (*Network, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	return &Network{Architecture: a, Parameters: Initial(a, seed), graphs: map[size]*graph{}}, nil
}

// A Prediction holds the outputs of a network for a bag. The caller owns its slices.
type Prediction struct {
	Logits      []float32 // (classes)
	Attention   []float32 // weights of the instances (k), or nil
	Predictions []float32 // logits of the instances (k, classes), or nil
}

// Predict runs the network on a preprocessed bag, without dropout.
//
// Errors: a bag that is invalid, too large or of another shape.
func (n *Network) Predict(bag *core.Bag) (Prediction, error) {
	g, err := n.graph(bag, false)
	if err != nil {
		return Prediction{}, err
	}
	if err := g.run(bag.Values, nil); err != nil {
		return Prediction{}, err
	}
	return g.prediction(), nil
}

// Train performs one step of training on a bag with targets (class). It computes loss and
// gradients, with dropout drawn from r, and calls the solver to update the parameters. It returns
// the loss and the logits (class) from before the update.
//
// Errors: those of Predict, another number of targets, and those of the solver.
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
	loss, logits := float64(*g.loss.Value().(*G.F32)), slices.Clone(values(g.outputs.Logits))
	return loss, logits, solver.Step(g.parameters)
}

// graph returns the graph for a bag's size, and builds it on first use.
func (n *Network) graph(bag *core.Bag, training bool) (*graph, error) {
	if err := bag.Validate(); err != nil {
		return nil, err
	}
	if !slices.Equal(bag.Shape, n.Shape) {
		return nil, fmt.Errorf("instances of bag %q have shape %v, but the network needs %v",
			bag.Name, bag.Shape, n.Shape)
	}
	// A graph has fixed shapes, so each size of bag needs its own.
	at := size{bag.Len(), training}
	g := n.graphs[at]
	if g == nil {
		err := n.checkBag(at.instances)
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

// prediction copies the outputs of the last run.
func (g *graph) prediction() Prediction {
	out := Prediction{Logits: slices.Clone(values(g.outputs.Logits))}
	if g.outputs.Attention != nil {
		out.Attention = slices.Clone(values(*g.outputs.Attention))
	}
	if g.outputs.Predictions != nil {
		out.Predictions = slices.Clone(values(*g.outputs.Predictions))
	}
	return out
}
