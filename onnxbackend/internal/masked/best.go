package masked

// baseBest holds the first members of a base in each column's order: as many as a neighbour may
// need, which is one more than extremes select.
type baseBest struct {
	values    []float32 // (column, rank)
	instances []int32   // (column, rank)
	held      []int32   // (column) number of ranks
}

// bestOf returns the first members of the base.
func (b *Base) bestOf(r *Runner, e *extremes) (*baseBest, error) {
	return cached(b, b.best, e, func() (*baseBest, error) { return b.findBest(r, e) })
}

// findBest searches the orders, or inserts all members if they are few: as in extremes.run, a
// search finds a member after k/size places on average.
func (b *Base) findBest(r *Runner, e *extremes) (*baseBest, error) {
	n := e.top + 1
	s := &baseBest{make([]float32, e.columns*n), make([]int32, e.columns*n),
		make([]int32, e.columns)}
	// Neighbours differ in one instance: one member more than needed is enough after a removal.
	walk := e.k / max(b.size, 1)
	if b.size <= 4*n*walk {
		return s, members(b.row, func(i int) error {
			for c := range e.columns {
				s.insert(e, c, i)
			}
			return r.m.Tick(e.columns)
		})
	}
	for c := range e.columns {
		if err := r.m.Tick(4 * n * walk); err != nil {
			return nil, err
		}
		for _, i := range e.order[c*e.k : (c+1)*e.k] {
			if !b.Has(int(i)) {
				continue
			}
			s.insert(e, c, int(i))
			if int(s.held[c]) == n {
				break
			}
		}
	}
	return s, nil
}

// insert puts an instance among the first of a column, behind equal ones.
func (s *baseBest) insert(e *extremes, c, i int) {
	n := e.top + 1
	v, at := e.values[i*e.columns+c], int(s.held[c])
	values, instances := s.values[c*n:(c+1)*n], s.instances[c*n:(c+1)*n]
	for ; at > 0 && e.before(v, values[at-1]); at-- {
		if at < n {
			values[at], instances[at] = values[at-1], instances[at-1]
		}
	}
	if at < n {
		values[at], instances[at] = v, int32(i)
		s.held[c] = min(s.held[c]+1, int32(n))
	}
}

// before reports whether a value comes before another one in the order. Equal values do not.
func (e *extremes) before(v, other float32) bool { return v != other && e.less == (v < other) }

// first returns the place in a row of the first result of a column. Results of a column are e.inner
// apart, because the rank is an axis of the output: (column / inner, top, inner).
func (e *extremes) first(c int) int {
	if e.top == 1 {
		return c
	}
	return c/e.inner*e.top*e.inner + c%e.inner
}

// neighbour writes the first members of neighbour i of the base to a row. It merges the added
// instance into the base's order, or skips the removed one.
func (e *extremes) neighbour(r *Runner, s *baseBest, i int, row []float32) {
	n, removed := e.top+1, r.Base.Has(i)
	for c := range e.columns {
		// One more member than is selected replaces the removed one.
		values, instances := s.values[c*n:][:s.held[c]], s.instances[c*n:]
		added := i < e.k && !removed
		var v float32
		if added {
			v = e.values[i*e.columns+c]
		}
		at, next := e.first(c), 0
		for range e.top {
			if removed && next < len(values) && int(instances[next]) == i {
				next++
			}
			if added && (next == len(values) || e.before(v, values[next])) {
				row[at], added = v, false
			} else {
				row[at] = values[next]
				next++
			}
			at += e.inner
		}
	}
}
