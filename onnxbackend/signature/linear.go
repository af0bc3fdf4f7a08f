package signature

import (
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
)

// ending walks back from a value over operators that move, select or average probabilities to the
// operator that made them. It returns "" if that operator makes no probabilities, or without a
// graph.
func (s *Signature) ending(id int) (core.Scale, string) {
	if s.graph == nil {
		return "", ""
	}
	file := s.graph.File
	averaged := false
	for { // a graph has no cycles, so that the walk ends
		at := file.Values[id].Producer
		if at < 0 {
			return "", ""
		}
		n := &file.Nodes[at]
		switch by := n.Row.Reduces; {
		case n.Row.Moves() || n.Op == "Clip":
		case by == compute.Mean || by == compute.Max || by == compute.Min:
			averaged = true
		case n.Op == "Softmax" || n.Op == "Sigmoid" || n.Op == "HardSigmoid":
			return core.ScaleProbabilities, n.Op
		case n.Op == "LogSoftmax" && !averaged:
			return core.ScaleLogProbabilities, n.Op
		default:
			return "", ""
		}
		id = n.In[0]
	}
}

// linear returns the operator of the linear layer that a value comes out of, or "". Operators
// between the layer and the value may move the scores, pool them over the instances, add to them or
// weight them. Results of a regressor of ai.onnx.ml do not come out of a layer of a classifier.
func (s *Signature) linear(id int) string {
	if s.graph == nil || s.graph.Regressor != "" {
		return ""
	}
	l := layers{g: s.graph.File, live: liveValues(s.graph.File), seen: map[int]string{}}
	return l.find(id)
}

// A layers searches a graph for linear layers.
type layers struct {
	g    *graph.Graph
	live []bool         // (value) whether it depends on the values of the bag
	seen map[int]string // (value) what find returned
}

// liveValues marks the values that depend on the values of the bag, and not only on its shape.
func liveValues(g *graph.Graph) []bool {
	live := make([]bool, len(g.Values))
	for _, p := range g.Inputs {
		live[p.ID] = true
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		isLive := func(id int) bool { return id >= 0 && live[id] }
		if n.Row.Kind == ops.ReadShape || !slices.ContainsFunc(n.In, isLive) {
			continue
		}
		for _, out := range n.Out {
			if out >= 0 {
				live[out] = true
			}
		}
	}
	return live
}

// find returns the operator of the linear layer that a value comes out of, or "".
func (l *layers) find(id int) string {
	if id < 0 || !l.live[id] || l.g.Values[id].Producer < 0 {
		return ""
	}
	if op, ok := l.seen[id]; ok {
		return op
	}
	l.seen[id] = "" // a graph has no cycles; this bounds the work
	op := l.through(&l.g.Nodes[l.g.Values[id].Producer])
	l.seen[id] = op
	return op
}

// through returns the linear layer that a node is, or whose result it moves, pools, adds or
// weights.
func (l *layers) through(n *graph.Node) string {
	row := n.Row
	switch {
	case row.Kind == ops.Linear:
		if slices.ContainsFunc(n.In, func(id int) bool { return id >= 0 && !l.live[id] }) {
			return n.Op // an input is a constant: the layer's weights
		}
		return l.any(n) // weights of instances times their scores
	case row.Moves(), row.Kind == ops.Quantize, poolsScores[row.Reduces],
		n.Op == "TopK", n.Op == "Div":
		return l.find(n.In[0])
	case n.Op == "Concat": // each part must be the result of a layer
		op := ""
		for _, in := range n.In {
			if op = l.find(in); op == "" {
				return ""
			}
		}
		return op
	}
	switch n.Op {
	case "Add", "Sub", "Sum", "Mul", "Where", "Mean":
		return l.any(n)
	}
	return ""
}

// poolsScores has the reductions by which models pool the scores of instances. They keep logits
// logits: a sum, a mean or a maximum of them is one too.
var poolsScores = map[compute.Reduction]bool{
	compute.Mean: true, compute.Sum: true, compute.Max: true, compute.Min: true,
	compute.LogSumExp: true,
}

// any returns the operator of the first linear layer that an input of a node comes out of, or "".
func (l *layers) any(n *graph.Node) string {
	for _, in := range n.In {
		if op := l.find(in); op != "" {
			return op
		}
	}
	return ""
}
