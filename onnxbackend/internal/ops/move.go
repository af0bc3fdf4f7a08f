package ops

import (
	"fmt"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// bytesOf returns the elements of t as bytes, shared with it, for operators that only move them.
func bytesOf(t *tensor.Tensor) []byte { return tensor.View[uint8](t.Words, t.Len()*t.Type.Size()) }

// moved fills out, which has been made with shape dims, with elements of x: element (i0, i1, ...) is
// x[offset + i0*strides[0] + ...]. Transpose, Slice, Expand and Tile are all of this form.
func moved(m *machine.Machine, out, x *tensor.Tensor, offset int, dims, strides []int) error {
	if err := m.Tick(out.Len()); err != nil || out.Len() == 0 {
		return err
	}
	switch x.Type.Size() {
	case 1:
		moveRows(m, tensor.Of[uint8](out), flat[uint8](x), offset, dims, strides)
	case 2:
		moveRows(m, tensor.Of[uint16](out), flat[uint16](x), offset, dims, strides)
	case 4:
		moveRows(m, tensor.Of[uint32](out), flat[uint32](x), offset, dims, strides)
	default:
		moveRows(m, tensor.Of[uint64](out), flat[uint64](x), offset, dims, strides)
	}
	return nil
}

func flat[T tensor.Number](x *tensor.Tensor) []T { return tensor.View[T](x.Words, x.Len()) }

func moveRows[T tensor.Number](m *machine.Machine, dst, src []T, offset int, dims, strides []int) {
	d, s, index := mergedMoves(m, dims, strides)
	if len(d) == 0 {
		dst[0] = src[offset]
		return
	}
	last := len(d) - 1
	n, step := d[last], s[last]
	for at := 0; at < len(dst); at += n {
		row := dst[at : at+n]
		switch step {
		case 1:
			copy(row, src[offset:offset+n])
		case 0:
			fill(row, src[offset])
		default:
			for i, p := 0, offset; i < n; i, p = i+1, p+step {
				row[i] = src[p]
			}
		}
		for i := last - 1; i >= 0; i-- {
			index[i]++
			offset += s[i]
			if index[i] < d[i] {
				break
			}
			index[i] = 0
			offset -= s[i] * d[i]
		}
	}
}

// mergedMoves merges dimensions that move as one, and returns a counter for each that is left.
func mergedMoves(m *machine.Machine, dims, strides []int) (d, s, index []int) {
	d, s = m.Ints(len(dims))[:0], m.Ints(len(dims))[:0]
	for i, n := range dims {
		if n == 1 {
			continue
		}
		if l := len(d) - 1; l >= 0 && s[l] == strides[i]*n {
			d[l], s[l] = d[l]*n, strides[i]
			continue
		}
		d, s = append(d, n), append(s, strides[i])
	}
	return d, s, m.Ints(len(d))
}

func newTranspose(n *Node) (Func, error) {
	perm := n.Ints("perm")
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		p, err := permutation(perm, x.Rank())
		if err != nil {
			return err
		}
		st := strides(m, x.Shape)
		dims, from := m.Ints(len(p)), m.Ints(len(p))
		for i, a := range p {
			dims[i], from[i] = x.Shape[a], st[a]
		}
		if sameOrder(x.Shape, p) {
			m.Share(out[0], x, dims)
			return nil
		}
		if err := m.Alloc(out[0], x.Type, dims...); err != nil {
			return err
		}
		return moved(m, out[0], x, 0, dims, from)
	}, nil
}

// sameOrder reports whether a permutation only moves dimensions of one element about.
func sameOrder(shape, perm []int) bool {
	last := -1
	for _, a := range perm {
		if shape[a] == 1 {
			continue
		}
		if a < last {
			return false
		}
		last = a
	}
	return true
}

// permutation returns perm checked against the rank, the reverse order when it is absent.
func permutation(perm []int, rank int) ([]int, error) {
	if perm == nil {
		p := make([]int, rank)
		for i := range p {
			p[i] = rank - 1 - i
		}
		return p, nil
	}
	seen := make([]bool, rank)
	for _, a := range perm {
		if len(perm) != rank || a < 0 || a >= rank || seen[a] {
			return nil, fmt.Errorf("perm %v does not permute %d dimensions", perm, rank)
		}
		seen[a] = true
	}
	return perm, nil
}

func newExpand(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		want, err := intsIn(m, in[1])
		if err != nil {
			return err
		}
		shape, err := broadcastShape(m.Ints(max(len(want), in[0].Rank()))[:0], in[0].Shape, want)
		if err != nil {
			return err
		}
		if err := m.Alloc(out[0], in[0].Type, shape...); err != nil {
			return err
		}
		return moved(m, out[0], in[0], 0, shape, spread(m, in[0].Shape, shape))
	}, nil
}

// spread returns the strides of a tensor of shape x under a shape that it broadcasts to.
func spread(m *machine.Machine, x, to []int) []int {
	out, st := m.Ints(len(to)), 1
	for j := len(x) - 1; j >= 0; j-- {
		if i := j + len(to) - len(x); i >= 0 && x[j] != 1 {
			out[i] = st
		}
		st *= x[j]
	}
	return out
}

// strides is tensor.Strides in the memory of a run.
func strides(m *machine.Machine, shape []int) []int {
	st, n := m.Ints(len(shape)), 1
	for i := len(shape) - 1; i >= 0; i-- {
		st[i] = n
		n *= shape[i]
	}
	return st
}

func newTile(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		repeats, err := intsOf(in[1])
		if err != nil {
			return err
		}
		if len(repeats) != x.Rank() {
			return fmt.Errorf("%d repeats for %d dimensions", len(repeats), x.Rank())
		}
		st := tensor.Strides(x.Shape)
		var shape, dims, strides []int
		for i, r := range repeats {
			if r < 0 {
				return fmt.Errorf("a dimension cannot be repeated %d times", r)
			}
			n, ok := tensor.Count([]int{r, x.Shape[i]})
			if !ok {
				return fmt.Errorf("repeats %v are beyond any memory", repeats)
			}
			shape = append(shape, n)
			dims = append(dims, r, x.Shape[i])
			strides = append(strides, 0, st[i])
		}
		if err := m.Alloc(out[0], x.Type, shape...); err != nil {
			return err
		}
		return moved(m, out[0], x, 0, dims, strides)
	}, nil
}

func newConcat(n *Node) (Func, error) {
	axis := n.Int("axis", 0)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		a, ok := tensor.Axis(axis, x.Rank())
		if !ok {
			return axisError(axis, x.Rank())
		}
		var space [8]int
		shape := append(space[:0], x.Shape...)
		for _, y := range in[1:] {
			if y.Type != x.Type {
				return mixedError(x.Type, y.Type)
			}
			if y.Rank() != x.Rank() {
				return fmt.Errorf("shapes %v and %v cannot be joined along axis %d", x.Shape, y.Shape, a)
			}
			for i, d := range y.Shape {
				if i != a && d != x.Shape[i] {
					return fmt.Errorf("shapes %v and %v cannot be joined along axis %d", x.Shape, y.Shape, a)
				}
			}
			shape[a] += y.Shape[a]
		}
		if err := m.Alloc(out[0], x.Type, shape...); err != nil {
			return err
		}
		if err := m.Tick(out[0].Len()); err != nil {
			return err
		}
		dst, at := bytesOf(out[0]), 0
		_, total, inner := split3(shape, a)
		inner *= x.Type.Size()
		for _, y := range in {
			outer, c, _ := split3(y.Shape, a)
			src, c := bytesOf(y), c*inner
			for o := range outer {
				copy(dst[o*total*inner+at:][:c], src[o*c:])
			}
			at += c
		}
		return nil
	}, nil
}

func newSplit(n *Node) (Func, error) {
	axis, sizes, parts := n.Int("axis", 0), n.Ints("split"), n.Int("num_outputs", 0)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		a, ok := tensor.Axis(axis, x.Rank())
		if !ok {
			return axisError(axis, x.Rank())
		}
		want := sizes
		if s := given(in, 1); s != nil {
			var err error
			if want, err = intsIn(m, s); err != nil {
				return err
			}
		}
		want, err := splitSizes(want, x.Shape[a], len(out), parts)
		if err != nil {
			return err
		}
		if err := m.Tick(x.Len()); err != nil {
			return err
		}
		src, at := bytesOf(x), 0
		outer, total, inner := split3(x.Shape, a)
		inner *= x.Type.Size()
		shape := append(m.Ints(x.Rank())[:0], x.Shape...)
		for i, y := range out {
			shape[a] = want[i]
			if err := m.Alloc(y, x.Type, shape...); err != nil {
				return err
			}
			dst, c := bytesOf(y), want[i]*inner
			for o := range outer {
				copy(dst[o*c:(o+1)*c], src[o*total*inner+at:])
			}
			at += c
		}
		return nil
	}, nil
}

// splitSizes returns the sizes of the parts: those wanted, or nearly equal ones with a smaller last.
func splitSizes(want []int, n, outputs, parts int) ([]int, error) {
	if want == nil {
		if parts == 0 {
			parts = outputs
		}
		if parts != outputs {
			return nil, fmt.Errorf("num_outputs is %d and %d outputs are named", parts, outputs)
		}
		size, left := (n+parts-1)/parts, n
		for range parts {
			s := min(size, left)
			want = append(want, s)
			left -= s
		}
		return want, nil
	}
	sum := 0
	for _, s := range want {
		if s < 0 {
			return nil, fmt.Errorf("a part has size %d", s)
		}
		sum += s
	}
	if len(want) != outputs || sum != n {
		return nil, fmt.Errorf("parts %v for %d outputs do not make up a dimension of %d", want, outputs, n)
	}
	return want, nil
}
