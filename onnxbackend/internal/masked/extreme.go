package masked

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// extremes is the largest or smallest member of each column, or the first few of them.
type extremes struct {
	values  []float32 // (instance, column)
	order   []int32   // (column, rank) instances, the wanted first
	k, take int       // take members of each column
	columns int
	inner   int // columns that lie together in the result, for take > 1
	less    bool
	out     int
}

// extreme compiles ReduceMax and ReduceMin.
func (c *compiler) extreme(n *graph.Node, x value, less bool) error {
	e, err := c.ranked(x, less)
	if err != nil {
		return err
	}
	e.take = 1
	id := n.Out[0]
	e.out = c.newRow(id, tensor.Float32, c.Place(id).Shape)
	c.pools(id, map[bool]string{true: "min", false: "max"}[e.less], e)
	return nil
}

// topK compiles TopK of a fixed number of instances whose indices nobody reads: they count places
// of a coalition, not of the bag.
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
	if e.take = shape[x.place.Axis]; e.take == 0 {
		return refusal(n, "takes none of the instances")
	}
	if n.Int("sorted", 1) == 0 && e.take > 1 {
		return refusal(n, "leaves the order of its results open")
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
	v := tensor.Of[float32](x.tensor)
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
		size := r.Size(j)
		if size < e.take {
			r.doubt[j] = true // the operator itself says that there are too few
			clear(view[float32](out, j))
			continue
		}
		row := view[float32](out, j)
		if met(row, fromDevice, j) {
			continue
		}
		if best != nil {
			if err := r.m.Tick(2 * e.take * e.columns); err != nil {
				return err
			}
			e.neighbour(r, best, r.From+j, row)
			continue
		}
		// Walking a column meets a member after k/size places on average, out of order in memory;
		// reading all members costs size places in order. The walk won below about a quarter of the
		// places.
		if walk := e.k / size; e.take == 1 && size <= 4*walk {
			if err := r.m.Tick(size * e.columns); err != nil {
				return err
			}
			e.scan(r, j, row)
			continue
		} else if err := r.m.Tick(4 * e.take * walk * e.columns); err != nil {
			return err
		}
		e.walk(r, j, row)
	}
	return nil
}

// scan reads all members.
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

// walk follows each column's order until it has met enough members.
func (e *extremes) walk(r *Runner, j int, row []float32) {
	z := r.Z.Row(j)
	for c := range e.columns {
		left := e.take
		at := c
		if e.take > 1 {
			at = c/e.inner*e.take*e.inner + c%e.inner
		}
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
