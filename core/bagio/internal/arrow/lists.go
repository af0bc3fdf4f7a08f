package arrow

import (
	"math"

	"github.com/bagscope/bagscope/core/bagio/internal/frame"
)

// lists reads rows of lists.
func (c *column) lists(b *batch, f *field, p place) (*frame.Values, error) {
	state, err := b.node(p, b.rows)
	if err != nil {
		return nil, err
	}
	absent, err := c.missing(b, p, state)
	if err != nil {
		return nil, err
	}
	n := int(b.rows)
	if err := c.hold(12 * b.rows); err != nil {
		return nil, err
	}
	var ends []int64
	child := place{p.nodes + 1, p.buffers + 2, p.variadic}
	if f.kind == typeFixedList {
		child.buffers--
		if f.size > 0 && b.rows > math.MaxInt32/int64(f.size) {
			return nil, wrong("it has %d lists of %d entries", n, f.size)
		}
		ends = make([]int64, n+1)
		for i := range ends {
			ends[i] = int64(i) * int64(f.size)
		}
	} else if ends, err = c.ends(b, p.buffers+1, n, f.kind == typeLargeList); err != nil {
		return nil, err
	}
	if child.nodes >= len(b.nodes) || b.nodes[child.nodes].entries < ends[n] ||
		b.nodes[child.nodes].entries > math.MaxInt32 {
		return nil, wrong("its lists end behind their entries")
	}
	v, err := c.entries(b, f.children[0], child, b.nodes[child.nodes].entries)
	if err != nil {
		return nil, err
	}
	from, to := ends[0], ends[n]
	out := &frame.Values{Rows: n, Wholes: cut(v.Wholes, from, to), Reals: cut(v.Reals, from, to),
		Texts: cut(v.Texts, from, to), Missing: cut(v.Missing, from, to),
		Lengths: make([]int32, n)}
	for i := range out.Lengths {
		out.Lengths[i] = int32(ends[i+1] - ends[i])
		if absent != nil && absent[i] { // what a missing list holds has no meaning
			if out.Missing == nil {
				out.Missing = make([]bool, to-from)
			}
			for j := ends[i] - from; j < ends[i+1]-from; j++ {
				out.Missing[j] = true
			}
		}
	}
	return out, nil
}

// cut returns a part of a list, or nil for an empty list.
func cut[T any](list []T, from, to int64) []T {
	if len(list) == 0 {
		return nil
	}
	return list[from:to]
}
