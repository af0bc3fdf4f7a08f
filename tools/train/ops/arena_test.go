package ops

import "testing"

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
			if v != 0 {
				t.Fatal("two parts of a graph share memory")
			}
		}
		if len(first) != n || len(second) != 2*n || len(third) != 0 {
			t.Fatalf("allocated %d, %d and 0 floats, but got %d, %d, %d", n, 2*n, len(first),
				len(second), len(third))
		}
	}
	total := 0
	for _, b := range a.floats.buffers {
		total += len(b)
	}
	if total != 3*90 {
		t.Errorf("the arena holds %d floats, and the largest graph takes %d", total, 3*90)
	}
}
