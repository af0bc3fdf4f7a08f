package onnxbackend

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
)

// A route leads from the values at a cut to the class scores. Bags of any size whose values lie alike in the graph
// share it, and with it what the first of them has proved of the cut.
type route struct {
	key     []int
	program *plan.Program
	proved  [2]atomic.Bool // whole runs of coalitions agreed with runs from the cut, of bags that the CPU encoded and a device; see Bound.prove
	idle    sync.Pool      // of *worker
	spent   atomic.Int64   // work of the last coalition for each of its instances
	masked  sync.Pool      // of *masked.Runner

	together atomic.Int32 // whether coalitions of one size go together; see Bound.proveTogether
	stacks   sync.Pool    // of *stack
}

// maxRoutes is how many routes a model remembers. Most models have two: from the cut and from the bag.
const maxRoutes = 8

// routes are those that a model remembers, the one found last at the end.
type routes struct {
	mu   sync.Mutex
	list []*route
}

// route returns the way from the given values of an analysed bag to the scores.
func (b *Bound) route(ids []int) (*route, error) {
	key := b.key(ids)
	rs := &b.m.routes
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if i := slices.IndexFunc(rs.list, func(r *route) bool { return slices.Equal(r.key, key) }); i >= 0 {
		return rs.list[i], nil
	}
	p, ok := plan.New(b.m.g, ids, []int{b.scores.ID})
	if !ok {
		return nil, fmt.Errorf("the scores cannot be computed from the boundary; this is a defect of the engine")
	}
	if len(rs.list) == maxRoutes {
		rs.list = slices.Delete(rs.list, 0, 1)
	}
	r := &route{key: key, program: p}
	rs.list = append(rs.list, r)
	return r, nil
}

// key names all that the analysis claims of the values of single instances: which they are, and type, axis and
// the sizes beside the number of instances of each. Bags of equal keys differ in numbers alone, and no operator that keeps instances
// apart looks at those to decide what it does.
func (b *Bound) key(ids []int) []int {
	key := append([]int{b.scores.ID, len(ids)}, ids...)
	for id, p := range b.places {
		if p.Class == ops.Instance {
			key = append(append(key, id, int(p.Type), p.Axis, len(p.Shape)), p.Shape...)
			key[len(key)-len(p.Shape)+p.Axis] = -1 // instances
		}
	}
	return key
}

// take returns an idle worker or a new one.
func (r *route) take(m *Model) *worker {
	if w, ok := r.idle.Get().(*worker); ok {
		return w
	}
	return &worker{runner: plan.NewRunner(r.program, m.limits.run())}
}

// put takes a worker back, which lets go of the bag that it was given.
func (r *route) put(w *worker) {
	r.spent.Store(int64(w.runner.Machine().Spent() / max(1, len(w.members))))
	w.runner.Begin(context.Background())
	r.idle.Put(w)
}
