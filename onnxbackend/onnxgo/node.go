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
	made bool // an operation created it
	read bool // an operation reads it
	// how often the decoder set a tensor: the description of an input or output, or an initializer
	told  int
	given bool // by the program's user, after the file was read
	value tensor.Tensor
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

// GetTensor implements onnx.DataCarrier: the value after a run, or what was set.
func (n *Node) GetTensor() tensor.Tensor { return n.value }

// SetTensor implements onnx.DataCarrier. The decoder sets all its tensors before the first
// operation; those are constants of the graph until the user sets others.
func (n *Node) SetTensor(t tensor.Tensor) error {
	n.value = t
	switch {
	case len(n.g.operations) == 0:
		n.told++
	case !n.given:
		n.given = true
		n.g.program = nil
	}
	return nil
}
