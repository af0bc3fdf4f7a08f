package compute

import (
	"cmp"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewUnique makes Unique: the different elements, or slices along an axis, sorted or in order of
// appearance. Further outputs hold the first place of each, which one stands at each place, and how
// often each occurs.
func NewUnique(n *Node) (Func, error) {
	axis, flat, sorted := n.Int("axis", 0), !n.Has("axis"), n.Int("sorted", 1) != 0
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		outer, count, inner, a := 1, x.Len(), 1, 0
		if !flat {
			var err error
			if a, err = axisOf(axis, x.Rank()); err != nil {
				return err
			}
			outer, count, inner = splitAt(x.Shape, a)
		}
		// Slices are compared element by element, in row-major order.
		order, err := comparer(m, x)
		if err != nil {
			return err
		}
		compare := func(p, q int) int {
			for o := range outer {
				for i := range inner {
					if c := order((o*count+p)*inner+i, (o*count+q)*inner+i); c != 0 {
						return c
					}
				}
			}
			return 0
		}
		if err := m.Tick(32 * x.Len()); err != nil {
			return err
		}
		first, number, which := different(count, compare)
		// The slices were sorted to find equal ones; the order of appearance is restored here.
		if !sorted {
			first, number, which = asTheyCome(first, number, which)
		}
		view := *x
		if flat {
			view.Shape = []int{count}
		}
		if err := gathered(m, out[0], &view, a, first); err != nil {
			return err
		}
		for i, list := range [][]int{first, which, number}[:min(len(out)-1, 3)] {
			if err := m.Alloc(out[i+1], tensor.Int64, len(list)); err != nil {
				return err
			}
			for j, v := range list {
				tensor.Of[int64](out[i+1])[j] = int64(v)
			}
		}
		return nil
	}, nil
}

// different finds the different ones of count slices. first and number hold, for each of them in
// order, its first place and how often it occurs; which holds the number of the slice at each
// place.
func different(count int, compare func(p, q int) int) (first, number, which []int) {
	places := make([]int64, count) // the type of TopK's places, so that sorting is compiled once
	for i := range places {
		places[i] = int64(i)
	}
	// Equal slices are sorted by place, so the first of a run is where the slice appears first.
	slices.SortFunc(places, func(p, q int64) int {
		return cmp.Or(compare(int(p), int(q)), cmp.Compare(p, q))
	})
	which = make([]int, count)
	for i, p := range places {
		if i == 0 || compare(int(places[i-1]), int(p)) != 0 {
			first, number = append(first, int(p)), append(number, 0)
		}
		which[p] = len(first) - 1
		number[len(first)-1]++
	}
	return first, number, which
}

// comparer returns a function that compares elements of x by their places. NaN counts as equal to
// itself and less than all numbers.
func comparer(m *machine.Machine, x *tensor.Tensor) (func(i, j int) int, error) {
	if x.Type == tensor.Float64 || x.Type == tensor.Float32 {
		v, err := asFloat64(m, x)
		return func(i, j int) int { return cmp.Compare(v[i], v[j]) }, err
	}
	if w := wide(x.Type); w != tensor.Int64 && w != tensor.Uint64 {
		return nil, typeError(x.Type)
	}
	whole, err := converted(m, x, wide(x.Type))
	if err != nil {
		return nil, err
	}
	v, flip := tensor.Of[uint64](whole), uint64(0)
	if whole.Type == tensor.Int64 {
		flip = 1 << 63 // puts negative numbers before the others
	}
	return func(i, j int) int { return cmp.Compare(v[i]^flip, v[j]^flip) }, nil
}

// asTheyCome sorts different slices by their first places. first and number belong to slices, which
// to places of the axis.
func asTheyCome(first, number, which []int) (f, n, w []int) {
	to := make([]int, len(first)) // 1 and more: the slice's new number, 0 before it has come
	for _, v := range which {
		if to[v] == 0 {
			f, n = append(f, first[v]), append(n, number[v])
			to[v] = len(f)
		}
		w = append(w, to[v]-1)
	}
	return f, n, w
}
