package ops

import (
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestArenaSharesMemoryBetweenGraphs checks that graphs share buffers, and that the parts of one
// graph do not.
func TestArenaSharesMemoryBetweenGraphs(t *testing.T) {
	a := &Arena{}
	for _, n := range []int{5, 90, 7, 90, 1} {
		a.Start()
		first, second, third := a.Floats(n), a.Floats(2*n), a.Floats(0)
		clear(first)
		for i := range second {
			second[i] = 1
		}
		for _, v := range first {
			must.Equal(t, v, 0, "two parts of a graph share memory")
		}
		must.Equal(t, len(first), n)
		must.Equal(t, len(second), 2*n)
		must.Equal(t, len(third), 0)
	}
	total := 0
	for _, b := range a.floats.buffers {
		total += len(b)
	}
	must.Equal(t, total, 3*90)
}
