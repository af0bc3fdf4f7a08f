package onnxgo

import (
	"math"

	onnx "github.com/owulveryck/onnx-go"
	"github.com/owulveryck/onnx-go/backend"
	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/simple"

	"github.com/bagscope/bagscope/onnxbackend"
)

// A Graph is a backend of onnx-go, to be filled by onnx.NewModel(g).UnmarshalBinary. It is for one
// caller at a time.
type Graph struct {
	Opset  int                // version of the default operator set; 0 means DefaultOpset
	Limits onnxbackend.Limits // bounds of a run; zero fields mean the defaults

	// The embedded graph implements the methods about nodes and edges. An edge leads from a value
	// to one of those that it is computed from. The graph has one edge for each pair of nodes;
	// inputs has all.
	*simple.WeightedDirectedGraph
	nodes      []*Node
	inputs     map[*Node][]*Node // inputs of the operation that computes a value, in order
	operations []operation
	program    *program // nil until the first run, and after a constant has changed
}

// DefaultOpset is the opset that the newest release of onnx-go supports.
const DefaultOpset = 9

// An operation is a node of the file.
type operation struct {
	onnx.Operation
	in, out []*Node
}

var _ backend.ComputationBackend = (*Graph)(nil)

// New returns an empty graph.
func New() *Graph {
	return &Graph{WeightedDirectedGraph: simple.NewWeightedDirectedGraph(math.Inf(1), math.Inf(1)),
		inputs: map[*Node][]*Node{}}
}

// NewNode implements graph.NodeAdder: nodes are values, numbered from 0.
func (g *Graph) NewNode() graph.Node {
	return &Node{g: g, id: int64(len(g.nodes))}
}

// AddNode implements graph.NodeAdder.
func (g *Graph) AddNode(n graph.Node) {
	g.WeightedDirectedGraph.AddNode(n)
	g.nodes = append(g.nodes, n.(*Node))
}

// SetWeightedEdge implements graph.WeightedEdgeAdder. The decoder adds edges from an output to all
// inputs in order. An input that occurs twice has two edges.
func (g *Graph) SetWeightedEdge(e graph.WeightedEdge) {
	out := e.From().(*Node)
	in := e.To().(*Node)
	in.read = true
	g.inputs[out] = append(g.inputs[out], in)
	if e.From().ID() != e.To().ID() { // else the file is cyclic; the embedded graph would panic
		g.WeightedDirectedGraph.SetWeightedEdge(e)
	}
}

// ApplyOperation implements onnx.OperationCarrier.
func (g *Graph) ApplyOperation(o onnx.Operation, outputs ...graph.Node) error {
	op := operation{Operation: o}
	for _, n := range outputs {
		op.out = append(op.out, n.(*Node))
		n.(*Node).made = true
	}
	if len(op.out) > 0 {
		op.in = g.inputs[op.out[0]]
	}
	g.operations = append(g.operations, op)
	return nil
}
