package masked

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// extremes is the step of ReduceMax, ReduceMin and TopK: the first members of each column in the
// order of their values.
type extremes struct {
	values  []float32 // (instance, column)
	order   []int32   // (column, rank) all instances in the order of the column
	k, top  int       // instances; members that the step selects
	columns int
	inner   int  // see first; 1 if top is 1
	less    bool // small values come first
	out     int
}

// extreme compiles ReduceMax and ReduceMin.
func (c *compiler) extreme(n *graph.Node, x value, less bool) error {
	e, err := c.ranked(x, less)
	if err != nil {
		return err
	}
	e.top = 1
	id := n.Out[0]
	e.out = c.newRow(id, tensor.Float32, c.Place(id).Shape)
	c.pools(id, map[bool]string{true: "min", false: "max"}[e.less], e)
	return nil
}

// topK compiles TopK of a fixed number of instances. Its indices must not be read: they are places
// in a coalition and not in the bag.
func (c *compiler) topK(n *graph.Node, in []value) error {
	if len(n.Out) > 1 && n.Out[1] >= 0 && c.read[n.Out[1]] > 0 {
		return refusal(n, "gives places among the instances, which differ for every coalition")
	}
	x, id := in[0], n.Out[0]
	shape := c.Place(id).Shape
	e, err := c.ranked(x, n.Int("largest", 1) == 0)
	if err != nil {
		return err
	}
	if e.top = shape[x.place.Axis]; e.top == 0 {
		return refusal(n, "selects zero instances")
	}
	if n.Int("sorted", 1) == 0 && e.top > 1 {
		return refusal(n, "does not define the order of its results")
	}
	_, _, e.inner = split(shape, x.place.Axis)
	e.out = c.newRow(id, tensor.Float32, shape)
	c.pools(id, "topk", e)
	return nil
}

// ranked sorts the instances of each column.
func (c *compiler) ranked(x value, less bool) (*extremes, error) {
	outer, k, inner := split(x.tensor.Shape, x.place.Axis)
	e := &extremes{k: k, columns: outer * inner, less: less, inner: 1}
	// Values are stored by instance for scans, orders by column for walks.
	v := tensor.Of[float32](x.tensor)
	if err := c.Machine.Outlive(8 * len(v)); err != nil {
		return nil, err
	}
	e.values = make([]float32, 0, len(v))
	for i := range k {
		for o := range outer {
			e.values = append(e.values, v[(o*k+i)*inner:(o*k+i+1)*inner]...)
		}
	}
	e.order = make([]int32, e.columns*k)
	sorter := newRanking(k)
	for col := range e.columns {
		if err := c.Machine.Tick(32 * k); err != nil {
			return nil, err
		}
		sorter.column(e.order[col*k:(col+1)*k], e.values[col:], e.columns, less)
	}
	return e, nil
}

// run writes the first members of every coalition: from the device, from the base of neighbours, or
// by the faster of two searches.
func (e *extremes) run(r *Runner) error {
	out := &r.stacks[e.out]
	fromDevice := r.pooled(e)
	var best *baseBest
	if r.Z == nil {
		var err error
		if best, err = r.Base.bestOf(r, e); err != nil {
			return err
		}
	}
	for j := range r.Len() {
		row, size := view[float32](out, j), r.Size(j)
		if size < e.top {
			r.doubt[j] = true // the operator itself returns the error about too few instances
			clear(row)
			continue
		}
		if copyMet(row, fromDevice, j) {
			continue
		}
		if best != nil {
			if err := r.m.Tick(2 * e.top * e.columns); err != nil {
				return err
			}
			e.neighbour(r, best, r.From+j, row)
			continue
		}
		// A walk along a column's order finds a member after k/size places on average, at random
		// places in memory. A scan reads all size members in the order of memory. The walk is
		// faster below about a quarter of the places.
		walk := e.k / size
		if e.top == 1 && size <= 4*walk {
			if err := r.m.Tick(size * e.columns); err != nil {
				return err
			}
			e.scan(r, j, row)
			continue
		}
		if err := r.m.Tick(4 * e.top * walk * e.columns); err != nil {
			return err
		}
		e.walk(r, j, row)
	}
	return nil
}

// scan reads all members. It requires top = 1.
func (e *extremes) scan(r *Runner, j int, row []float32) {
	r.members = r.Members(r.members[:0], j)
	for n, i := range r.members {
		values := e.values[i*e.columns : (i+1)*e.columns]
		if n == 0 {
			copy(row, values)
			continue
		}
		for c, v := range values {
			if e.less == (v < row[c]) && v != row[c] {
				row[c] = v
			}
		}
	}
}

// walk follows each column's order until it has found enough members.
func (e *extremes) walk(r *Runner, j int, row []float32) {
	z := r.Z.Row(j)
	for c := range e.columns {
		left, at := e.top, e.first(c)
		for _, i := range e.order[c*e.k : (c+1)*e.k] {
			if z[i>>6]>>(i&63)&1 == 0 {
				continue
			}
			row[at] = e.values[int(i)*e.columns+c]
			at += e.inner
			if left--; left == 0 {
				break
			}
		}
	}
}
