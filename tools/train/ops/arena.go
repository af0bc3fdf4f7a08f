package ops

// An Arena lends memory to the operators of graphs that never run at the same time, such as those of one
// network for bags of different sizes: the first operator of each graph writes where that of the last
// graph wrote. So the memory is that of the largest bag, not of all sizes together.
type Arena struct {
	buffers [][]float32
	next    int
}

// Start begins a new graph: what its operators are lent is shared with those of earlier graphs.
func (a *Arena) Start() { a.next = 0 }

// take lends n floats that nothing else in this graph is lent. Their content is arbitrary.
func (a *Arena) take(n int) []float32 {
	if a.next == len(a.buffers) {
		a.buffers = append(a.buffers, nil)
	}
	b := a.buffers[a.next]
	if len(b) < n {
		b = make([]float32, n)
		a.buffers[a.next] = b
	}
	a.next++
	return b[:n:n]
}
