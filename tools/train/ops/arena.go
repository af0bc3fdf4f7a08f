package ops

// An Arena lends memory to the operators of graphs that never run at the same time, such as those
// of one network for bags of different sizes: the first operator of each graph writes where that of
// the last graph wrote. So the memory is that of the largest bag, not of all sizes together.
type Arena struct {
	floats lender[float32]
	places lender[int32]
}

// Start begins a new graph: what its operators are lent is shared with those of earlier graphs.
func (a *Arena) Start() { a.floats.next, a.places.next = 0, 0 }

// Take lends n floats that nothing else in this graph is lent. Their content is arbitrary, and lost
// whenever a graph of the arena runs.
func (a *Arena) Take(n int) []float32 { return a.floats.take(n) }

// A lender has the memory of one type.
type lender[T any] struct {
	buffers [][]T
	next    int
}

func (l *lender[T]) take(n int) []T {
	if l.next == len(l.buffers) {
		l.buffers = append(l.buffers, nil)
	}
	b := l.buffers[l.next]
	if len(b) < n {
		b = make([]T, n)
		l.buffers[l.next] = b
	}
	l.next++
	return b[:n:n]
}
