package quota

import (
	"runtime"
	"sync"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

func TestMemoryRefusesMoreThanItsLimit(t *testing.T) {
	m := NewMemory(100)
	must.Do(t, m.Reserve(60, "a"))
	var refused *MemoryError
	must.As(t, m.Reserve(41, "b"), &refused)
	must.Equal(t, refused.Needed, 101, "41 more than 60 of 100")
	must.Equal(t, refused.Limit, 100, "41 more than 60 of 100")
	must.Equal(t, m.Held(), 60, "a refused reservation changed what is held to")
	must.As(t, m.Reserve(1<<62, "c"), &refused)
	m.Release(60)
	must.Do(t, m.Reserve(100, "d"))
}

// TestMemoryParts checks that a part which could be served alone is told to try again.
func TestMemoryParts(t *testing.T) {
	m := NewMemory(100)
	a, b := m.Part(100), m.Part(70)
	must.Do(t, a.Reserve(60, "a"))
	var busy *MemoryBusyError
	var refused *MemoryError
	must.As(t, b.Reserve(50, "b"), &busy)
	must.As(t, b.Reserve(71, "b"), &refused)
	must.Equal(t, b.Held(), 0)
	must.Equal(t, m.Held(), 60)
	a.Close()
	must.Do(t, b.Reserve(50, "b"))
	must.Equal(t, a.Held(), 0)
	must.Equal(t, m.Held(), 50)
}

func TestMemoryWithoutBound(t *testing.T) {
	var m *Memory
	must.Do(t, m.Reserve(1<<62, "a"))
	m.Release(1)
	m.Close()
	must.Equal(t, m.Held(), 0, "nil holds or bounds memory")
	must.Equal(t, m.Limit(), 0, "nil holds or bounds memory")
}

// TestMemoryCollects allocates and forgets four times the limit and checks that the heap stays
// within it. The collector alone would let it grow to twice what is held.
func TestMemoryCollects(t *testing.T) {
	const piece = 32 << 20
	m := NewMemory(2 * piece)
	var sample runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&sample)
	before := sample.HeapAlloc
	for range 8 {
		must.Do(t, m.Reserve(piece, "a piece"))
		data := make([]byte, piece)
		runtime.ReadMemStats(&sample)
		if got := int64(sample.HeapAlloc) - int64(before); got > 2*piece+piece/4 {
			t.Fatalf("the heap grew by %d MB under a limit of %d MB", got>>20, 2*piece>>20)
		}
		runtime.KeepAlive(data)
		m.Release(piece)
	}
}

func TestMemoryOfGoroutines(t *testing.T) {
	m := NewMemory(1000)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			p := m.Part(1000)
			for range 20 {
				if p.Reserve(100, "a") == nil {
					p.Release(100)
				}
			}
			p.Close()
		})
	}
	group.Wait()
	must.Equal(t, m.Held(), 0)
}

func TestMemoryMoves(t *testing.T) {
	all := NewMemory(100)
	a, b := all.Part(100), all.Part(50)
	must.Do(t, a.Reserve(80, "a"))
	if err := a.Move(40, b); err != nil || a.Held() != 40 || b.Held() != 40 || all.Held() != 80 {
		t.Errorf("%v; %d, %d and %d are held", err, a.Held(), b.Held(), all.Held())
	}
	if err := a.Move(40, b); err == nil || a.Held() != 0 || b.Held() != 40 || all.Held() != 40 {
		t.Errorf("%v; %d, %d and %d are held", err, a.Held(), b.Held(), all.Held())
	}
	b.Close()
	b.Release(40) // late
	must.Equal(t, all.Held(), 0)
	must.Equal(t, all.Peak(), 80)
}
