package compute

import (
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// places holds the elements of an index tensor over a dimension of size n. It reads both index
// types without a copy.
type places struct {
	// long holds indices of int64. If it is nil, short holds indices of int32.
	long  []int64
	short []int32
	n     int
}

// indices returns the elements of an index tensor of int64 or int32 over a dimension of size n.
func indices(t *tensor.Tensor, n int) (places, error) {
	switch t.Type {
	case tensor.Int64:
		return places{long: tensor.Of[int64](t), n: n}, nil
	case tensor.Int32:
		return places{short: tensor.Of[int32](t), n: n}, nil
	}
	return places{}, msg.Errorf("indices are of %v instead of int64", t.Type)
}

// at returns number i, counted from the first.
func (p places) at(i int) (int, error) {
	if p.long != nil {
		return placeOf(p.long[i], p.n)
	}
	return placeOf(int64(p.short[i]), p.n)
}

// placeOf returns an index into a dimension of size n, counted from the first.
func placeOf(v int64, n int) (int, error) {
	if v < 0 {
		v += int64(n)
	}
	if v < 0 || v >= int64(n) {
		return 0, fmt.Errorf("index %d lies outside a dimension of %d", v, n)
	}
	return int(v), nil
}

// NewGather makes Gather: slices of the data along an axis, in the order of the indices, whose
// shape replaces the axis.
func NewGather(n *Node) (Func, error) {
	return withAxis(n, 0, func(m *machine.Machine, in, out []*tensor.Tensor, a int) error {
		x, at := in[0], in[1]
		index, err := indices(at, x.Shape[a])
		if err != nil {
			return err
		}
		var space [8]int
		shape := append(space[:0], x.Shape[:a]...)
		shape = append(shape, at.Shape...)
		shape = append(shape, x.Shape[a+1:]...)
		if err := allocate(m, out[0], x.Type, shape...); err != nil {
			return err
		}
		outer, c, inner := splitAt(x.Shape, a)
		inner *= x.Type.Size()
		src, dst, k := x.Bytes(), out[0].Bytes(), at.Len()
		for j := range k {
			i, err := index.at(j)
			if err != nil {
				return err
			}
			for o := range outer {
				copy(dst[(o*k+j)*inner:][:inner], src[(o*c+i)*inner:])
			}
		}
		return nil
	})
}

// NewGatherElements makes GatherElements: each index names a place along the axis, and its own
// place gives the others. The result has the shape of the indices.
func NewGatherElements(n *Node) (Func, error) {
	axis := n.Int("axis", 0)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x, at := in[0], in[1]
		a, ok := tensor.Axis(axis, x.Rank())
		if !ok || at.Rank() != x.Rank() {
			return msg.Errorf("axis %d of shapes %v and %v cannot be gathered", axis, x.Shape,
				at.Shape)
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
		if err := allocate(m, out[0], x.Type, at.Shape...); err != nil {
			return err
		}
		size, st := x.Type.Size(), strides(m, x.Shape)
		src, dst := x.Bytes(), out[0].Bytes()
		place := m.Ints(at.Rank())
		for j := range at.Len() {
			// The place of the index gives all coordinates but the one along the axis.
			from := 0
			for d, p := range place {
				if d != a {
					from += p * st[d]
				}
			}
			i, err := index.at(j)
			if err != nil {
				return err
			}
			from += i * st[a]
			copy(dst[j*size:(j+1)*size], src[from*size:])
			advance(place, at.Shape)
		}
		return nil
	}, nil
}

// gathered allocates out and fills it with the given places of x along an axis.
func gathered(m *machine.Machine, out, x *tensor.Tensor, axis int, places []int) error {
	shape := slices.Clone(x.Shape)
	shape[axis] = len(places)
	if err := allocate(m, out, x.Type, shape...); err != nil {
		return err
	}
	GatherPlaces(out, x, axis, places)
	return nil
}

// GatherPlaces fills out, which is allocated, with the given places of x along an axis. Places
// count from the front and must exist.
func GatherPlaces(out, x *tensor.Tensor, axis int, places []int) {
	gatherPlaces(out.Bytes(), x, axis, places)
}

// StackPlaces is GatherPlaces into coalition j of out, whose first axis is that of coalitions. It
// gathers the instances of a coalition into a stack.
func StackPlaces(out *tensor.Tensor, j int, x *tensor.Tensor, axis int, places []int) {
	dst := out.Bytes()
	size := len(dst) / out.Shape[0]
	gatherPlaces(dst[j*size:(j+1)*size], x, axis, places)
}

// GatherPairs fills out, which is allocated, with the given places of x along an axis and along the
// next one: the rows and the columns of some instances. Places count from the front and must exist.
func GatherPairs(out, x *tensor.Tensor, axis int, places []int) {
	gatherPairs(out.Bytes(), x, axis, places)
}

// StackPairs is GatherPairs into coalition j of out, whose first axis is that of coalitions.
func StackPairs(out *tensor.Tensor, j int, x *tensor.Tensor, axis int, places []int) {
	dst := out.Bytes()
	size := len(dst) / out.Shape[0]
	gatherPairs(dst[j*size:(j+1)*size], x, axis, places)
}

// gatherPairs copies the pairs of places of x along two axes into dst, which has their size.
func gatherPairs(dst []byte, x *tensor.Tensor, axis int, places []int) {
	outer, c, row := splitAt(x.Shape, axis)
	n, size := len(places), row/x.Shape[axis+1]*x.Type.Size()
	src := x.Bytes()
	row *= x.Type.Size()
	for o := range outer {
		for a, i := range places {
			from, to := src[(o*c+i)*row:][:row], dst[(o*n+a)*n*size:][:n*size]
			for b, j := range places {
				copy(to[b*size:(b+1)*size], from[j*size:])
			}
		}
	}
}

// gatherPlaces copies slices of x along an axis into dst, which has their size.
func gatherPlaces(dst []byte, x *tensor.Tensor, axis int, places []int) {
	outer, c, inner := splitAt(x.Shape, axis)
	inner *= x.Type.Size()
	src, k := x.Bytes(), len(places)
	for o := range outer {
		for j, i := range places {
			copy(dst[(o*k+j)*inner:][:inner], src[(o*c+i)*inner:])
		}
	}
}
