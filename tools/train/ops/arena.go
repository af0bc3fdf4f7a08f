package ops

// An Arena allocates memory for the operators of graphs that never run at the same time, such as
// those of one network for bags of different sizes. The n-th allocation of each graph shares one
// buffer. So the arena needs the memory of the largest bag, not the sum over all sizes.
type Arena struct {
	floats buffers[float32]
	ints   buffers[int32]
}

// Start begins a new graph. Its allocations share memory with those of earlier graphs.
func (a *Arena) Start() { a.floats.next, a.ints.next = 0, 0 }

// Floats returns n floats that no other operator of this graph uses. Their content is arbitrary,
// and every run of a graph of the arena overwrites it.
func (a *Arena) Floats(n int) []float32 { return a.floats.alloc(n) }

// buffers holds the memory of one type.
type buffers[T any] struct {
	buffers [][]T // one for each allocation of a graph, in their order
	next    int   // number of allocations of the current graph
}

// alloc returns the next buffer of the graph, and enlarges it if necessary. Graphs that use the old
// buffer keep it.
func (l *buffers[T]) alloc(n int) []T {
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
