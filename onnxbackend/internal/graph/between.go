package graph

import "slices"

// Between returns the part of a graph that computes outputs from inputs, which may be any of its
// values. Values keep their IDs, and nodes are shared. It reports false if the outputs also depend
// on an input of the graph that is not given. The graph must not be rewritten afterwards.
func (g *Graph) Between(inputs, outputs []Port) (*Graph, bool) {
	const given, needed = 1, 2
	state := make([]int, len(g.Values))
	for _, p := range outputs {
		state[p.ID] = needed
	}
	for _, p := range inputs {
		state[p.ID] = given
	}
	keep := make([]bool, len(g.Nodes))
	for i := len(g.Nodes) - 1; i >= 0; i-- { // readers come later
		n := &g.Nodes[i]
		keep[i] = slices.ContainsFunc(n.Out, func(id int) bool {
			return id >= 0 && state[id] == needed && g.Values[id].Const == nil
		})
		if !keep[i] {
			continue
		}
		for _, id := range n.In {
			if id >= 0 && state[id] == 0 {
				state[id] = needed
			}
		}
	}
	part := *g
	part.Inputs, part.Outputs, part.Nodes = inputs, outputs, nil
	part.Values = slices.Clone(g.Values)
	for id := range part.Values {
		v := &part.Values[id]
		if state[id] == needed && v.Const == nil && v.Producer < 0 {
			return nil, false
		}
		v.Producer = -1
	}
	for i, n := range g.Nodes {
		if !keep[i] {
			continue
		}
		for _, id := range n.Out {
			if id >= 0 && state[id] != given {
				part.Values[id].Producer = len(part.Nodes)
			}
		}
		part.Nodes = append(part.Nodes, n)
	}
	return &part, true
}
