package ops

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// rank returns the dimensions of one coalition's input, -1 of an omitted one.
func (l *Lift) rank(in []*tensor.Tensor, i int) int {
	switch {
	case in[i] == nil:
		return -1
	case l.stacked[i]:
		return in[i].Rank() - 1
	}
	return in[i].Rank()
}

// fits reports whether the inputs have shapes for which the way is right.
func (l *Lift) fits(in []*tensor.Tensor) bool {
	switch l.way {
	case wayAlign:
		if l.product {
			a, b := l.rank(in, 0), l.rank(in, 1)
			// A stacked vector would be taken for the rows of a matrix.
			return a >= 2 && b >= 2 || l.stacked[0] && !l.stacked[1] && a == 1 && b == 2
		}
	case wayRows:
		c := given(in, 2)
		return in[0].Rank() == 3 && (c == nil || c.Rank() < 2 || c.Shape[0] == 1)
	case wayAxis:
		if l.axes > 0 && l.axes < len(in) && (in[l.axes] == nil || in[l.axes].Len() == 0 || in[l.axes].Type != tensor.Int64) {
			return false
		}
		for i := range in {
			if l.stacked[i] && l.rank(in, i) < -l.least(in) {
				return false
			}
		}
	case wayBatch:
		return l.rank(in, 0) >= 2
	}
	return true
}

// least returns the axis that is furthest from the end of those that are counted from there.
func (l *Lift) least(in []*tensor.Tensor) int {
	least := l.deepest
	if l.axes > 0 && l.axes < len(in) {
		for _, a := range tensor.Of[int64](in[l.axes]) {
			least = min(least, clampInt(a))
		}
	}
	return least
}

// align gives stacked inputs ones behind their first axis, up to the rank of the longest.
func (l *Lift) align(in []*tensor.Tensor) {
	top := 0
	for i := range in {
		if !l.product || i < 2 {
			top = max(top, l.rank(in, i))
		}
	}
	for i, x := range in {
		short := top - l.rank(in, i)
		if !l.stacked[i] || short == 0 || l.product && l.rank(in, i) == 1 {
			continue
		}
		l.see(i, x, x.Shape[:1])
		v := &l.view[i]
		for range short {
			v.Shape = append(v.Shape, 1)
		}
		v.Shape = append(v.Shape, x.Shape[1:]...)
	}
}

// rows lets the first input be one matrix.
func (l *Lift) rows(in []*tensor.Tensor) {
	s := in[0].Shape
	l.see(0, in[0], s[1:])
	l.view[0].Shape[0] *= s[0]
}

// furtherAxes counts the axes that an input names with the first.
func (l *Lift) furtherAxes(in []*tensor.Tensor) {
	if l.axes == 0 {
		return
	}
	t := in[l.axes]
	v := &l.numbers
	if len(v.Words) < t.Len() {
		v.Words = make([]uint64, t.Len())
	}
	v.Type, v.Shape = tensor.Int64, append(v.Shape[:0], t.Shape...)
	for i, a := range tensor.Of[int64](t) {
		if a >= 0 {
			a++
		}
		tensor.Of[int64](v)[i] = a
	}
	l.in[l.axes] = v
}

// spread repeats inputs of a Concat that are the same for every coalition.
func (l *Lift) spread(m *machine.Machine, in []*tensor.Tensor, count int) error {
	if !l.joins {
		return nil
	}
	for i, x := range in {
		if l.stacked[i] {
			continue
		}
		v := &l.view[i]
		v.Shape = append(append(v.Shape[:0], count), x.Shape...)
		if err := m.Alloc(v, x.Type, v.Shape...); err != nil {
			return err
		}
		m.AtEnd(v)
		to, from := bytesOf(v), bytesOf(x)
		for j := range count {
			copy(to[j*len(from):], from)
		}
		l.in[i] = v
	}
	return m.Tick(count)
}

// each computes the node for one coalition after another.
func (l *Lift) each(m *machine.Machine, in, out []*tensor.Tensor, count int) error {
	if l.made == nil {
		l.made, l.oneOut = make([]tensor.Tensor, len(out)), make([]*tensor.Tensor, len(out))
		for i := range l.made {
			l.oneOut[i] = &l.made[i]
		}
	}
	for j := range count {
		for i, x := range in {
			l.one[i] = x
			if x == nil || !l.stacked[i] {
				continue
			}
			p := &l.part[i]
			if err := m.Alloc(p, x.Type, x.Shape[1:]...); err != nil {
				return err
			}
			to := bytesOf(p)
			copy(to, bytesOf(x)[j*len(to):])
			l.one[i] = p
		}
		err := l.alone(m, l.one, l.oneOut)
		m.EndNode()
		if err == nil {
			err = l.collect(m, out, j, count)
		}
		for i := range l.part {
			m.Release(&l.part[i])
		}
		for i := range l.made {
			m.Release(&l.made[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// collect puts what was made for coalition j in its place.
func (l *Lift) collect(m *machine.Machine, out []*tensor.Tensor, j, count int) error {
	for i, y := range out {
		v := &l.made[i]
		if j == 0 {
			shape := append(append(l.shape[:0], count), v.Shape...)
			if err := m.Alloc(y, v.Type, shape...); err != nil {
				return err
			}
			l.shape = shape
		}
		if y.Type != v.Type || !slices.Equal(y.Shape[1:], v.Shape) {
			return ErrUnlike
		}
		from := bytesOf(v)
		copy(bytesOf(y)[j*len(from):], from)
	}
	return m.Tick(count)
}
