package masked

// baseBest are the first members of a base in each column's order: as many as a neighbour may need,
// one more than extremes take.
type baseBest struct {
	values    []float32 // (column, rank)
	instances []int32   // (column, rank)
	held      []int32   // (column) how many there are
}

// bestOf returns the first members of the base.
func (b *Base) bestOf(r *Runner, e *extremes) (*baseBest, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.best[e]; s != nil {
		return s, nil
	}
	n := e.take + 1
	s := &baseBest{make([]float32, e.columns*n), make([]int32, e.columns*n),
		make([]int32, e.columns)}
	// As in extremes.run: walking an order meets a member after k/size places on average.
	var err error
	if walk := e.k / max(b.size, 1); b.size <= 4*n*walk {
		err = members(b.row, func(i int) error {
			for c := range e.columns {
				s.enter(e, c, i)
			}
			return r.m.Tick(e.columns)
		})
	} else {
		for c := range e.columns {
			if err = r.m.Tick(4 * n * walk); err != nil {
				break
			}
			for _, i := range e.order[c*e.k : (c+1)*e.k] {
				if !b.Has(int(i)) {
					continue
				}
				s.enter(e, c, int(i))
				if int(s.held[c]) == n {
					break
				}
			}
		}
	}
	if err == nil {
		if b.best == nil {
			b.best = map[*extremes]*baseBest{}
		}
		b.best[e] = s
	}
	return s, err
}

// enter puts an instance among the first of a column, behind those that are as good.
func (s *baseBest) enter(e *extremes, c, i int) {
	n := e.take + 1
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

// before reports whether a value comes before another one that is not equal.
func (e *extremes) before(v, other float32) bool { return v != other && e.less == (v < other) }

// neighbour writes what extremes take of neighbour i of the base.
func (e *extremes) neighbour(r *Runner, s *baseBest, i int, row []float32) {
	n, removed := e.take+1, r.Base.Has(i)
	for c := range e.columns {
		values, instances := s.values[c*n:][:s.held[c]], s.instances[c*n:]
		added := i < e.k && !removed
		var v float32
		if added {
			v = e.values[i*e.columns+c]
		}
		at := c
		if e.take > 1 {
			at = c/e.inner*e.take*e.inner + c%e.inner
		}
		next := 0
		for range e.take {
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
