package passes

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
)

// CheckAxes returns a *fault.Format for the first node with an axis that its first input does not
// have, as far as ranks follow from those of the graph's inputs. Graphs inside of nodes are not
// followed: runs find their faults.
func CheckAxes(g *graph.Graph) error {
	f := newFacts(g)
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if len(n.In) > 0 && n.In[0] >= 0 && f.of[n.In[0]].Ranked {
			if err := n.Row.CheckAxes(&n.Node, len(f.of[n.In[0]].Shape)); err != nil {
				return fault.Formatf(n.What(), "%v", err)
			}
		}
		f.node(n)
	}
	return nil
}
