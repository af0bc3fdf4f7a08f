package graph

import (
	"context"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// foldWork and foldBytes bound what computing constants may cost: opening a model must be quick
// whatever the file says. What costs more is computed in each run.
const (
	foldWork  = 1 << 28
	foldBytes = 1 << 28
)

type folder struct {
	m    *machine.Machine
	left int // bytes of constants that may still be made
}

func newFolder(l machine.Limits) *folder {
	l.Bytes = min(l.Bytes, foldBytes)
	l.Work = foldWork
	m := machine.New(l)
	m.Begin(context.Background())
	return &folder{m, foldBytes}
}

// Fold computes a node of constant inputs and reports whether its outputs are known. A node that
// fails or costs too much is left to the run, which reports the failure if the node is needed.
func (g *Graph) Fold(n *Node) bool {
	in := make([]*tensor.Tensor, len(n.In))
	for i, id := range n.In {
		if id != missing {
			if in[i] = n.Const[i]; in[i] == nil {
				return false
			}
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
		return false
	}
	for _, t := range out {
		if t.Block != nil {
			f.left -= len(t.Words) * 8
		}
	}
	if f.left < 0 {
		return false
	}
	for i, id := range n.Out {
		if id == missing {
			continue
		}
		c := *out[i]
		if c.Block != nil {
			c = *c.Clone()
		}
		g.Values[id].Const = &c
	}
	return true
}
