package graph

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
)

// runOrder returns the numbers of the nodes in an order in which they can run: that of the file, if
// it is one. ONNX demands it, but converters to 16-bit floats append their Casts at the end, and
// ONNX Runtime sorts nodes as well. If nodes form a cycle, the order is that of the file.
func runOrder(g *decode.Graph) []int {
	producers := map[string]int{}
	for i := range g.Nodes {
		for _, name := range g.Nodes[i].Outputs {
			producers[name] = i
		}
	}
	delete(producers, "") // an output without a name
	const (
		entered = 1 // nodes that it reads are being placed
		placed  = 2
	)
	state := make([]byte, len(g.Nodes))
	order, stack := make([]int, 0, len(g.Nodes)), []int{}
	for i := range g.Nodes {
		stack = append(stack, i)
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			if state[at] != 0 {
				if stack = stack[:len(stack)-1]; state[at] == entered {
					state[at] = placed
					order = append(order, at)
				}
				continue
			}
			state[at] = entered
			for _, name := range slices.Backward(reads(&g.Nodes[at])) {
				by, ok := producers[name]
				switch {
				case ok && state[by] == entered:
					return fileOrder(len(g.Nodes)) // the node waits for itself
				case ok && state[by] == 0:
					stack = append(stack, by)
				}
			}
		}
	}
	return order
}

// fileOrder returns the numbers from 0 up to n.
func fileOrder(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// reads returns the names that a node reads: its inputs, and what graphs inside of it read from the
// graph around.
func reads(d *decode.Node) []string {
	names := d.Inputs[:len(d.Inputs):len(d.Inputs)]
	for _, a := range d.Attributes {
		if a.Graph == nil {
			continue
		}
		own, inner := map[string]bool{}, []string{}
		for _, t := range a.Graph.Initializers {
			own[t.Name] = true
		}
		for _, v := range a.Graph.Inputs {
			own[v.Name] = true
		}
		for _, v := range a.Graph.Outputs {
			inner = append(inner, v.Name)
		}
		for i := range a.Graph.Nodes {
			inner = append(inner, reads(&a.Graph.Nodes[i])...)
			for _, name := range a.Graph.Nodes[i].Outputs {
				own[name] = true
			}
		}
		for _, name := range inner {
			if !own[name] {
				names = append(names, name)
			}
		}
	}
	return names
}
