package graph

import (
	"context"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// foldWork and foldBytes bound the work and memory of computing constants, so that no file makes
// opening a model slow. Nodes beyond these bounds are computed in each run.
const (
	foldWork  = 1 << 28
	foldBytes = 1 << 28
)

// A folder computes the constants of one graph.
type folder struct {
	m    *machine.Machine
	left int // bytes of constants that may still be made
}

// newFolder returns a folder with the smaller of its own limits and those of a run.
func newFolder(l machine.Limits) *folder {
	l.Bytes = min(l.Bytes, foldBytes)
	l.Work = foldWork
	m := machine.New(l)
	m.Begin(context.Background())
	return &folder{m, foldBytes}
}

// Fold computes a node of constant inputs and makes its outputs constants. A node that fails or
// costs too much is left to the run, which returns the error if the node is needed.
func (g *Graph) Fold(n *Node) {
	in := make([]*tensor.Tensor, len(n.In))
	for i, id := range n.In {
		if in[i] = n.Const[i]; in[i] == nil && id != missing {
			return
		}
	}
	out := tensor.Empty(len(n.Out))
	f := g.folder
	err := n.Func(f.m, in, out)
	f.m.EndNode()
	defer func() {
		for _, t := range out {
			f.m.Release(t)
		}
	}()
	if err != nil {
		return
	}
	// Outputs that share the memory of constants, such as reshaped views, cost nothing.
	for _, t := range out {
		if t.Block != nil {
			f.left -= len(t.Words) * 8
		}
	}
	if f.left < 0 {
		return
	}
	for i, id := range n.Out {
		if id == missing {
			continue
		}
		c := *out[i]
		if c.Block != nil { // memory of the folder, which the next node reuses
			if f.m.Outlive(8*len(c.Words)) != nil {
				return
			}
			c = *c.Clone()
		}
		g.Values[id].Const = &c
	}
}
