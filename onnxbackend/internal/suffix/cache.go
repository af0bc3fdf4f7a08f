package suffix

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/masked"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
)

// maxPrograms is how many programs a cache remembers. Most models have two: from the boundary and
// from the bag. Bags of other layouts add more, and the oldest is dropped.
const maxPrograms = 8

// A Cache remembers the programs of a model's suffixes, and what was verified about them. The zero
// value is empty. It is safe for concurrent use.
type Cache struct {
	mu    sync.Mutex
	list  []*program
	sizes atomic.Pointer[sizes] // numbers of instances that the model takes, nil until known
}

// Len returns the number of programs.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.list)
}

// A program leads from some values to the class scores. Bags of any size whose values have the same
// layout in the graph share it, and with it what the first of them has verified.
type program struct {
	*plan.Program
	key    []int // identifies the program in the cache
	limits machine.Limits

	// verified says whether runs of coalitions by the whole graph agreed with the suffix: after a
	// prefix on the CPU, and after one on a device.
	verified [2]atomic.Bool

	spent     atomic.Int64 // work of the last coalition for each of its instances
	batchable atomic.Int32 // whether coalitions of one size run together

	// Memory of runs, which passes from bag to bag.
	idle    sync.Pool // holds *worker
	batches sync.Pool // holds *batch
	masked  sync.Pool // holds *masked.Runner
}

// find returns the program from the given values of a bag to the scores.
func (c *Cache) find(b *Bag, ids []int) (*program, error) {
	key := b.key(ids)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.list {
		if slices.Equal(p.key, key) {
			return p, nil
		}
	}
	p, ok := plan.New(b.Graph, ids, []int{b.Output.ID})
	if !ok {
		return nil, errors.New(
			"the scores cannot be computed from the boundary; this is a defect of the engine")
	}
	if len(c.list) == maxPrograms { // drop the oldest
		c.list = slices.Delete(c.list, 0, 1)
	}
	found := &program{Program: p, key: key, limits: b.Limits}
	c.list = append(c.list, found)
	return found, nil
}

// key holds all that the analysis states about values of single instances: their IDs, types, axes,
// and sizes except the number of instances. Bags of equal keys differ only in numbers, and no
// operator that treats instances alone looks at numbers to decide what it does.
func (b *Bag) key(ids []int) []int {
	key := append([]int{b.Output.ID, len(ids)}, ids...)
	for id, p := range b.Places {
		if p.Class == ops.Instance { // the others are constants, or computed in the suffix
			outer, inner := p.Factors()
			key = append(key, id, int(p.Type), p.Axis, outer, inner, len(p.Shape))
			key = append(key, p.Shape...)
			key[len(key)-len(p.Shape)+p.Axis] = -1 // instances
		}
	}
	return key
}

// A worker is the memory of one coalition's run at a time.
type worker struct {
	runner  *plan.Runner
	members []int // instances of the coalition
	shape   []int // shape of a boundary value for the coalition
	kept    []int // numbers of the edges among the members
	place   []int // (instance) place among the members, -1 for the others
}

// getWorker returns an idle worker or a new one.
func (p *program) getWorker() *worker {
	if w, ok := p.idle.Get().(*worker); ok {
		return w
	}
	return &worker{runner: plan.NewRunner(p.Program, p.limits)}
}

// putWorker keeps a worker for the next bag, and drops the values of this one. It records the work
// of the last coalition, by which EvaluateShared estimates whether helpers pay.
func (p *program) putWorker(w *worker) {
	p.spent.Store(int64(w.runner.Machine().Spent() / max(1, len(w.members))))
	w.runner.Rest()
	p.idle.Put(w)
}

// getMasked returns an idle runner of masked pooling, or a new one.
func (p *program) getMasked(m *masked.Plan) *masked.Runner {
	if r, ok := p.masked.Get().(*masked.Runner); ok {
		r.Serve(m)
		return r
	}
	return masked.NewRunner(m, p.limits)
}

// putMasked keeps a runner of masked pooling for the next bag.
func (p *program) putMasked(r *masked.Runner) {
	r.Detach()
	p.masked.Put(r)
}
