package quota

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

func TestMemoryRefusesMoreThanItsLimit(t *testing.T) {
	m := NewMemory(100)
	must.Do(t, m.Reserve(60, "a"))
	var refused *MemoryError
	if err := m.Reserve(41, "b"); !errors.As(err, &refused) || refused.Needed != 101 ||
		refused.Limit != 100 {
		t.Errorf("41 more than 60 of 100: %v", err)
	}
	if m.Held() != 60 {
		t.Errorf("a refused reservation changed what is held to %d", m.Held())
	}
	if err := m.Reserve(1<<62, "c"); !errors.As(err, &refused) {
		t.Errorf("a huge reservation: %v", err)
	}
	m.Release(60)
	if err := m.Reserve(100, "d"); err != nil {
		t.Error(err)
	}
}

// TestMemoryParts checks that a part which could be served alone is told to try again.
func TestMemoryParts(t *testing.T) {
	m := NewMemory(100)
	a, b := m.Part(100), m.Part(70)
	must.Do(t, a.Reserve(60, "a"))
	var busy *MemoryBusyError
	var refused *MemoryError
	if err := b.Reserve(50, "b"); !errors.As(err, &busy) {
		t.Errorf("50 beside 60 of 100: %v", err)
	}
	if err := b.Reserve(71, "b"); !errors.As(err, &refused) {
		t.Errorf("71 of 70: %v", err)
	}
	if b.Held() != 0 || m.Held() != 60 {
		t.Errorf("refused reservations left %d and %d", b.Held(), m.Held())
	}
	a.Close()
	if err := b.Reserve(50, "b"); err != nil {
		t.Error(err)
	}
	if a.Held() != 0 || m.Held() != 50 {
		t.Errorf("%d and %d are held", a.Held(), m.Held())
	}
}

func TestMemoryWithoutBound(t *testing.T) {
	var m *Memory
	if err := m.Reserve(1<<62, "a"); err != nil {
		t.Error(err)
	}
	m.Release(1)
	m.Close()
	if m.Held() != 0 || m.Limit() != 0 {
		t.Error("nil holds or bounds memory")
	}
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
	if m.Held() != 0 {
		t.Errorf("%d bytes are still held", m.Held())
	}
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
	if all.Held() != 0 || all.Peak() != 80 {
		t.Errorf("%d are held, and %d were", all.Held(), all.Peak())
	}
}
