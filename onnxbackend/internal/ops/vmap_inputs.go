package ops

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// rank returns the number of dimensions of one coalition's input i, -1 if it is omitted.
func (v *Vmap) rank(in []*tensor.Tensor, i int) int {
	switch {
	case in[i] == nil:
		return -1
	case v.stacked[i]:
		return in[i].Rank() - 1
	}
	return in[i].Rank()
}

// applies reports whether the strategy holds for the shapes of the inputs, which the batching rule
// does not know.
func (v *Vmap) applies(in []*tensor.Tensor) bool {
	switch v.strategy {
	case alignRanks:
		if v.product {
			a, b := v.rank(in, 0), v.rank(in, 1)
			// MatMul would read a stack of vectors as the rows of a matrix.
			return a >= 2 && b >= 2 || v.stacked[0] && !v.stacked[1] && a == 1 && b == 2
		}
	case mergeRows:
		// An addend with several rows would have to be repeated for each coalition.
		return in[0].Rank() == 3 &&
			(len(in) < 3 || in[2] == nil || in[2].Rank() < 2 || in[2].Shape[0] == 1)
	case shiftAxis:
		if v.axes > 0 && v.axes < len(in) && !isAxes(in[v.axes]) {
			return false
		}
		for i := range in {
			if v.stacked[i] && int64(v.rank(in, i))+v.lowest(in) < 0 {
				return false
			}
		}
	// A stacked input needs its batch and at least one other axis.
	case mergeBatch:
		return v.rank(in, 0) >= 2
	}
	return true
}

// isAxes reports whether an input names at least one axis. Without axes, an operator would include
// that of coalitions.
func isAxes(t *tensor.Tensor) bool {
	return t != nil && t.Len() > 0 && t.Type == tensor.Int64
}

// lowest returns the smallest negative axis that the node names, 0 for none. An axis below the rank
// would name that of coalitions.
func (v *Vmap) lowest(in []*tensor.Tensor) int64 {
	lowest := int64(v.lowestAxis)
	if v.axes > 0 && v.axes < len(in) {
		for _, a := range tensor.Of[int64](in[v.axes]) {
			lowest = min(lowest, a)
		}
	}
	return lowest
}

// align inserts dimensions of one place after the first axis of stacked inputs, up to the highest
// rank. Broadcasting then aligns the axes of coalitions.
func (v *Vmap) align(in []*tensor.Tensor) {
	top := 0
	for i := range in {
		if !v.product || i < 2 {
			top = max(top, v.rank(in, i))
		}
	}
	for i, x := range in {
		short := top - v.rank(in, i)
		if !v.stacked[i] || short == 0 || v.product && v.rank(in, i) == 1 {
			continue
		}
		v.viewAs(i, x, x.Shape[:1])
		t := &v.view[i]
		for range short {
			t.Shape = append(t.Shape, 1)
		}
		t.Shape = append(t.Shape, x.Shape[1:]...)
	}
}

// rows views the matrices of the first input as one matrix.
func (v *Vmap) rows(in []*tensor.Tensor) {
	s := in[0].Shape
	v.viewAs(0, in[0], s[1:])
	v.view[0].Shape[0] *= s[0]
}

// shiftedAxes replaces the axes that an input names by those shifted by one.
func (v *Vmap) shiftedAxes(in []*tensor.Tensor) {
	if v.axes == 0 {
		return
	}
	from, to := in[v.axes], &v.shiftedList
	if len(to.Words) < from.Len() {
		to.Words = make([]uint64, from.Len())
	}
	to.Type, to.Shape = tensor.Int64, append(to.Shape[:0], from.Shape...)
	for i, a := range tensor.Of[int64](from) {
		if a >= 0 {
			a++
		}
		tensor.Of[int64](to)[i] = a
	}
	v.in[v.axes] = to
}

// repeat stacks the inputs of a Concat that are the same for all coalitions.
func (v *Vmap) repeat(m *machine.Machine, in []*tensor.Tensor, count int) error {
	if !v.joins {
		return nil
	}
	for i, x := range in {
		if v.stacked[i] {
			continue
		}
		t := &v.view[i]
		t.Shape = append(append(t.Shape[:0], count), x.Shape...)
		if err := m.Alloc(t, x.Type, t.Shape...); err != nil {
			return err
		}
		m.AtEnd(t)
		to, from := t.Bytes(), x.Bytes()
		for j := range count {
			copy(to[j*len(from):], from)
		}
		v.in[i] = t
	}
	return m.Tick(count)
}

// each computes the node one coalition at a time. It reuses the tensors of earlier runs.
func (v *Vmap) each(m *machine.Machine, in, out []*tensor.Tensor, count int) error {
	if v.results == nil {
		v.results, v.oneOut = make([]tensor.Tensor, len(out)), make([]*tensor.Tensor, len(out))
		for i := range v.results {
			v.oneOut[i] = &v.results[i]
		}
	}
	for j := range count {
		for i, x := range in {
			v.one[i] = x
			if x == nil || !v.stacked[i] {
				continue
			}
			p := &v.part[i]
			if err := m.Alloc(p, x.Type, x.Shape[1:]...); err != nil {
				return err
			}
			to := p.Bytes()
			copy(to, x.Bytes()[j*len(to):])
			v.one[i] = p
		}
		err := v.alone(m, v.one, v.oneOut)
		m.EndNode()
		if err == nil {
			err = v.collect(m, out, j, count)
		}
		for i := range v.part {
			m.Release(&v.part[i])
		}
		for i := range v.results {
			m.Release(&v.results[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// collect copies the outputs for coalition j into the stacked outputs, which the first coalition
// sizes. It returns ErrShapesDiffer if the outputs of another one differ in shape.
func (v *Vmap) collect(m *machine.Machine, out []*tensor.Tensor, j, count int) error {
	for i, y := range out {
		t := &v.results[i]
		if j == 0 {
			shape := append(append(v.shape[:0], count), t.Shape...)
			if err := m.Alloc(y, t.Type, shape...); err != nil {
				return err
			}
			v.shape = shape
		}
		if y.Type != t.Type || !slices.Equal(y.Shape[1:], t.Shape) {
			return ErrShapesDiffer
		}
		from := t.Bytes()
		copy(y.Bytes()[j*len(from):], from)
	}
	return m.Tick(count)
}
