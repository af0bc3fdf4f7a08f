package suffix

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A variation finds which dimensions of the values of a suffix depend on the number of instances:
// those that differ between the whole bag and a part of it. It runs the suffix on the first such
// question.
type variation struct {
	b      *Bag
	suffix *Suffix
	ctx    context.Context

	tried  bool
	shapes map[int][]int // (value) shape for the part of the bag, nil if the model takes no part
}

// of reports which dimensions of a value vary, and false if that is unknown.
func (v *variation) of(id int) (varies []bool, ok bool) {
	if !v.tried {
		v.tried = true
		v.run()
	}
	shape, whole := v.shapes[id], v.b.Places[id].Shape
	if shape == nil || len(shape) != len(whole) {
		return nil, false
	}
	for i, d := range shape {
		varies = append(varies, d != whole[i])
	}
	return varies, true
}

// run tries two instances, which most models take, half the bag, and the bag without one instance.
func (v *variation) run() {
	k := v.b.Task.Instances
	w := v.suffix.getWorker()
	defer v.suffix.putWorker(w)
	for _, size := range []int{min(2, k-1), (k + 1) / 2, k - 1} {
		if size < 1 || size >= k {
			continue
		}
		w.members = w.members[:0]
		for i := range size {
			w.members = append(w.members, i)
		}
		v.shapes = map[int][]int{}
		if v.suffix.observe(v.ctx, w, v) == nil {
			return
		}
		v.shapes = nil
	}
}

// After implements plan.Observer: it records the shapes of a node's outputs.
func (v *variation) After(s *plan.Step, _, out []*tensor.Tensor) {
	for i, id := range s.Node.Out {
		if id >= 0 {
			v.shapes[id] = append([]int{}, slices.Clone(out[i].Shape)...)
		}
	}
}

// Keep implements plan.Observer.
func (v *variation) Keep(int) bool { return false }
