package prefix

import (
	"maps"
	"slices"
	"sync"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
)

// merges holds, for one model, the values whose axis of instances must not be merged with its
// neighbours. Encoders merge instances with heads or windows, and part them again. If a value that
// mixes instances is computed from a merged one, the coalition would have to gather its instances
// from a merged axis. The prefix then ends before the merge.
type merges struct {
	mu    sync.Mutex
	apart map[int]bool
}

// known returns the values that are known so far.
func (m *merges) known() map[int]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.apart)
}

// add inserts the conflicts of a finished analysis and reports whether it has any, so that the bag
// has to be encoded again.
func (m *merges) add(a *Analysis) bool {
	conflicts := a.conflicts()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.apart == nil {
		m.apart = map[int]bool{}
	}
	for _, id := range conflicts {
		m.apart[id] = true
	}
	return len(conflicts) > 0
}

// conflicts returns the merged values that are outputs of the graph, or that the rest of the graph
// needs: all from the merge on.
func (a *Analysis) conflicts() []int {
	var found []int
	needed := make([]bool, len(a.Places)) // (value) the rest of the graph computes it
	for _, id := range graph.IDs(a.g.Outputs) {
		needed[id] = true
	}
	for i := range a.g.Nodes {
		n := &a.g.Nodes[len(a.g.Nodes)-1-i]
		later := func(id int) bool { return id >= 0 && a.later(id, needed) }
		if !slices.ContainsFunc(n.Out, later) {
			continue
		}
		for _, id := range n.In {
			if id >= 0 {
				needed[id] = true
			}
		}
	}
	for id, p := range a.Places {
		if needed[id] && p.Merged() {
			found = append(found, id)
		}
	}
	return found
}

// later reports whether the rest of the graph computes a value: those of the whole bag, and merged
// ones that it needs. Lists of sizes are computed if they are needed.
func (a *Analysis) later(id int, needed []bool) bool {
	p := a.Places[id]
	switch {
	case p.Class == ops.Whole && p.Sizes == nil:
		return true
	case p.Class == ops.Whole || p.Merged():
		return needed[id]
	}
	return false
}
