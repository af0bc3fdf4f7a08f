package compute

import (
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewScatter makes ScatterElements and its former name Scatter: a copy of the data in which updates
// replace elements, or are combined with them by a reduction. Each index names a place along the
// axis, and its own place gives the others.
func NewScatter(n *Node) (Func, error) {
	axis, how := n.Int("axis", 0), n.Text("reduction", "none")
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x, at, v := in[0], in[1], in[2]
		a, ok := tensor.Axis(axis, x.Rank())
		if !ok || at.Rank() != x.Rank() || !slices.Equal(at.Shape, v.Shape) ||
			x.Type != v.Type {
			return msg.Errorf("updates of %v %v at indices %v do not match data of %v %v", v.Type,
				v.Shape, at.Shape, x.Type, x.Shape)
		}
		for i, d := range at.Shape {
			if i != a && d > x.Shape[i] {
				return msg.Errorf("indices of shape %v exceed shape %v", at.Shape, x.Shape)
			}
		}
		index, err := indices(at, x.Shape[a])
		if err != nil {
			return err
		}
		st, place := tensor.Strides(x.Shape), make([]int, at.Rank())
		// Updates are visited in order, so the place of the index advances by one.
		to := func(j int) (int, error) {
			i, err := index.at(j)
			p := i * st[a]
			for d, c := range place {
				if d != a {
					p += c * st[d]
				}
			}
			advance(place, at.Shape)
			return p, err
		}
		return scatter(m, out[0], x, v, 1, how, to)
	}, nil
}

// NewScatterND makes ScatterND: the last dimension of the indices is a tuple that addresses an
// element or a slice of the data.
func NewScatterND(n *Node) (Func, error) {
	how := n.Text("reduction", "none")
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x, at, v := in[0], in[1], in[2]
		size, to, err := tuples(at, x.Shape)
		if err != nil {
			return err
		}
		if count := elements(at.Shape[:at.Rank()-1]); v.Type != x.Type || v.Len() != count*size {
			return msg.Errorf("updates of %v %v do not match %d places of %d elements of %v",
				v.Type,
				v.Shape, count, size, x.Type)
		}
		if size == 0 {
			size = 1
		}
		return scatter(m, out[0], x, v, size, how, to)
	}, nil
}

// scatter copies x and writes runs of n updates; to returns where run j begins. Without a
// reduction, only bytes are copied, so all types are accepted. If indices repeat, the last update
// counts, or all do with a reduction.
func scatter(
	m *machine.Machine, out, x, updates *tensor.Tensor, n int, how string, to func(j int) (int,
		error),
) error {
	if how != "none" {
		return scatterByType.run(m, out, x.Type, scattering{n, how, to}, x, updates)
	}
	if err := m.Tick(4 * updates.Len()); err != nil {
		return err
	}
	if err := allocate(m, out, x.Type, x.Shape...); err != nil {
		return err
	}
	copy(out.Bytes(), x.Bytes())
	dst, src, size := out.Bytes(), updates.Bytes(), n*x.Type.Size()
	for j := 0; j*size < len(src); j++ {
		p, err := to(j)
		if err != nil {
			return err
		}
		copy(dst[p*x.Type.Size():][:size], src[j*size:])
	}
	return nil
}

// A scattering says where runs of updates go, and how they are combined with the elements there.
type scattering struct {
	// n is the number of elements of a run.
	n int
	// reduction is add, mul, max or min.
	reduction string
	// to returns where run j begins in the result. Runs are visited in order, once.
	to func(j int) (int, error)
}

// scatterByType combines updates with elements. Bools and small real numbers have no reductions.
var scatterByType = byType[scattering]{
	f32: combineAt[float32], f64: combineAt[float64], i64: combineAt[int64], u64: combineAt[uint64],
}

// combineAt copies input 0 and combines it with the updates in input 1.
func combineAt[T tensor.Number](
	m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor, s scattering,
) error {
	if err := m.Tick(4 * in[1].Len()); err != nil {
		return err
	}
	if err := allocate(m, out, in[0].Type, in[0].Shape...); err != nil {
		return err
	}
	dst, updates, n := tensor.Of[T](out), tensor.Of[T](in[1]), s.n
	copy(dst, tensor.Of[T](in[0]))
	for j := 0; j*n < len(updates); j++ {
		p, err := s.to(j)
		if err != nil {
			return err
		}
		for i, v := range updates[j*n : (j+1)*n] {
			switch d := &dst[p+i]; s.reduction {
			case "add":
				*d += v
			case "mul":
				*d *= v
			case "max":
				*d = max(*d, v)
			case "min":
				*d = min(*d, v)
			}
		}
	}
	return nil
}

// tuples reads the last dimension of an index tensor as an index into the first dimensions of a
// shape. It returns how many elements each index addresses and a function that returns where those
// of index j begin. Negative indices count from the end.
func tuples(at *tensor.Tensor, shape []int) (size int, to func(j int) (int, error), err error) {
	if at.Rank() == 0 || at.Type != tensor.Int64 {
		return 0, nil, msg.Errorf("indices of %v %v are not tuples", at.Type, at.Shape)
	}
	depth := at.Shape[at.Rank()-1]
	if depth < 1 || depth > len(shape) {
		return 0, nil, msg.Errorf("index tuples of %d do not match shape %v", depth, shape)
	}
	index, st := tensor.Of[int64](at), tensor.Strides(shape)
	return elements(shape[depth:]), func(j int) (int, error) {
		p := 0
		for i, v := range index[j*depth : (j+1)*depth] {
			at, err := placeOf(v, shape[i])
			if err != nil {
				return 0, err
			}
			p += at * st[i]
		}
		return p, nil
	}, nil
}
