package suffix

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A Work says what the run of one coalition computes, in multiplications or elements touched.
type Work struct {
	Instances int            // instances of the coalition
	Units     int            // work of all operators
	Operators []OperatorWork // from the most work on
}

// An OperatorWork is the work of all nodes of an operator.
type OperatorWork struct {
	Op    string
	Units int
}

// Work runs the suffix for the first half of the bag, or for the smallest bag that the model takes,
// and returns its work. It returns nil if coalitions are pooled together, and if the model rejects
// such a coalition.
func (e *Evaluator) Work(ctx context.Context) (*Work, error) {
	if e.Pooled != nil {
		return nil, nil
	}
	w := e.Suffix.getWorker()
	defer e.Suffix.putWorker(w)
	half := max((e.Task.Instances+1)/2, e.Task.Least)
	w.members = w.members[:0]
	for i := range half {
		w.members = append(w.members, i)
	}
	m := &meter{machine: w.runner.Machine(), units: map[string]int{}}
	if e.Suffix.observe(ctx, w, m) != nil {
		return nil, context.Cause(ctx)
	}
	out := &Work{Instances: half}
	for _, op := range slices.Sorted(maps.Keys(m.units)) {
		out.Units += m.units[op]
		out.Operators = append(out.Operators, OperatorWork{op, m.units[op]})
	}
	slices.SortStableFunc(out.Operators, func(a, b OperatorWork) int {
		return cmp.Compare(b.Units, a.Units)
	})
	return out, nil
}

// A meter adds up the work of a run by operators.
type meter struct {
	machine *machine.Machine
	spent   int // work before the next step
	units   map[string]int
}

// After implements plan.Observer.
func (m *meter) After(s *plan.Step, _, _ []*tensor.Tensor) {
	now := m.machine.Spent()
	m.units[s.Node.Op] += now - m.spent
	m.spent = now
}

// Keep implements plan.Observer.
func (m *meter) Keep(int) bool { return false }
