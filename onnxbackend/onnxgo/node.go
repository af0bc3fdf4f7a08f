package onnxgo

import (
	onnx "github.com/owulveryck/onnx-go"
	"gorgonia.org/tensor"
)

// A Node is a value of the graph: an input, an initializer or the output of an operation.
type Node struct {
	g    *Graph
	id   int64
	name string
	made bool // an operation computes it
	read bool // an operation reads it
	// described is how often the decoder has set a tensor: as the description of an input or
	// output, and as an initializer.
	described int
	given     bool // set by the user, after the file was read
	value     tensor.Tensor
}

var (
	_ onnx.Namer       = (*Node)(nil)
	_ onnx.DataCarrier = (*Node)(nil)
)

// ID implements graph.Node.
func (n *Node) ID() int64 { return n.id }

// SetName implements onnx.Namer.
func (n *Node) SetName(name string) { n.name = name }

// GetName implements onnx.Namer.
func (n *Node) GetName() string { return n.name }

// GetTensor implements onnx.DataCarrier. It returns the value of the last run, or the one that was
// set.
func (n *Node) GetTensor() tensor.Tensor { return n.value }

// SetTensor implements onnx.DataCarrier. The decoder sets all its tensors before the first
// operation. These are constants of the graph until the user sets others.
func (n *Node) SetTensor(t tensor.Tensor) error {
	n.value = t
	switch {
	case len(n.g.operations) == 0:
		n.described++
	case !n.given: // a constant becomes an input, so that the graph must be compiled again
		n.given = true
		n.g.program = nil
	}
	return nil
}
