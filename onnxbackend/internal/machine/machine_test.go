package machine

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

func TestSizeClassesAreLargeEnough(t *testing.T) {
	seen := map[int]int{}
	for n := 1; n < 1<<14; n++ {
		c, words := class(n)
		must.Equal(t, words >= n, true, n, words)
		must.Equal(t, words <= n+n/8+16, true, n, words)
		if again, same := class(words); again != c || same != words {
			t.Fatalf("class of %d words is %d, and of its %d words %d", n, c, words, again)
		}
		if w, ok := seen[c]; ok && w != words {
			t.Fatalf("class %d holds %d and %d words", c, w, words)
		}
		seen[c] = words
	}
}

func TestReleasedMemoryIsReused(t *testing.T) {
	m := New(Limits{Elements: 1 << 20, Bytes: 1 << 20})
	var a, b, c tensor.Tensor
	must.Do(t, m.Alloc(&a, tensor.Float32, 100))
	m.Share(&b, &a, []int{10, 10})
	block := a.Block
	m.Release(&a)
	must.Equal(t, m.Alloc(&c, tensor.Float32, 100) == nil, true)
	must.Equal(t, c.Block != block, true)
	m.Release(&b)
	must.Do(t, m.Alloc(&a, tensor.Float32, 99))
	must.Equal(t, a.Block, block)
}

func TestLimits(t *testing.T) {
	m := New(Limits{Elements: 1000, Bytes: 4096})
	var x, y tensor.Tensor
	var limit *fault.Limit
	must.As(t, m.Alloc(&x, tensor.Uint8, 1001), &limit)
	must.As(t, m.Alloc(&x, tensor.Uint8, math.MaxInt, math.MaxInt), &limit)
	must.Do(t, m.Alloc(&x, tensor.Float32, 800))
	must.As(t, m.Alloc(&y, tensor.Float32, 800), &limit)
	m.Release(&x)
	must.Do(t, m.Alloc(&y, tensor.Float64, 450), "spare memory of another size stands in the way")
}

func TestTick(t *testing.T) {
	m := New(Limits{})
	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	m.Begin(ctx)
	must.Do(t, m.Tick(checkEvery))
	cancel(reason)
	must.Do(t, m.Tick(1), "a tiny step looked at the context")
	must.Equal(t, m.Tick(checkEvery), reason)
}

func TestWorkLimit(t *testing.T) {
	m := New(Limits{Work: 3 * checkEvery})
	for range 2 { // each run has all of it
		m.Begin(context.Background())
		for i := range 4 {
			err := m.Tick(checkEvery)
			var limit *fault.Limit
			must.Equal(t, errors.As(err, &limit), i == 3, i+1)
		}
		var limit *fault.Limit
		must.As(t, m.Tick(math.MaxInt), &limit)
		must.Equal(t, limit.Wanted, math.MaxInt)
	}
}

// What is kept is no longer the machine's: later tensors do not write over it, and it does not
// count against the limit.
func TestKeep(t *testing.T) {
	m := New(Limits{Elements: 1000, Bytes: 4096})
	var x, view tensor.Tensor
	for _, shared := range []bool{false, true} {
		must.Do(t, m.Alloc(&x, tensor.Float32, 800))
		tensor.Of[float32](&x)[7] = 3
		if shared {
			m.Share(&view, &x, []int{20, 40})
		}
		kept := m.Keep(&x)
		m.Release(&view)
		must.Do(t, m.Alloc(&x, tensor.Float32, 800), shared)
		tensor.Of[float32](&x)[7] = 4
		must.Equal(t, tensor.Of[float32](kept)[7], 3, shared, kept.Shape)
		must.Equal(t, kept.Len(), 800, shared, kept.Shape)
		m.Release(&x)
	}
}

// TestMemoryIsReserved checks that blocks are reserved when they are made and given back when they
// are freed, and that a run reserves in the Memory of its context.
func TestMemoryIsReserved(t *testing.T) {
	all := quota.NewMemory(1 << 20)
	own, request := all.Part(1<<20), all.Part(1<<20)
	m := New(Limits{Elements: 1 << 20, Bytes: 2 << 20, Memory: own})
	held := func(step string, inOwn, inRequest int64) {
		t.Helper()
		must.Equal(t, own.Held(), inOwn, step)
		must.Equal(t, request.Held(), inRequest, step)
		must.Equal(t, all.Held(), inOwn+inRequest, step)
	}
	var a, b tensor.Tensor
	alloc := func(to *tensor.Tensor, n int) {
		t.Helper()
		must.Do(t, m.Alloc(to, tensor.Float32, n))
	}
	alloc(&a, 1<<10)
	held("a new block", 4<<10, 0)
	m.Release(&a)
	alloc(&a, 1<<10)
	held("a block that is used again", 4<<10, 0)
	m.Release(&a)
	m.Begin(quota.WithMemory(context.Background(), request))
	held("a run with a Memory", 0, 4<<10)
	alloc(&a, 1<<10)
	alloc(&b, 1<<12)
	m.Keep(&b)
	m.Release(&a)
	m.Begin(context.Background())
	held("after the run", 4<<10, 16<<10)
	m.Trim()
	held("without idle blocks", 0, 16<<10)
	alloc(&a, 1<<10) // not released, as after an operator that failed
	m.Begin(context.Background())
	held("after a failed operator", 0, 16<<10)
	request.Close()
	var refused *quota.MemoryError
	must.As(t, m.Alloc(&a, tensor.Float32, 1<<18+1), &refused)
	alloc(&a, 1<<17)
	m.Release(&a)
	alloc(&a, 1<<18) // replaces the idle block
	held("in place of an idle block", 1<<20, 0)
}

// TestMemoryOfDroppedMachines checks that the memory of a machine that a pool has dropped is
// reserved no longer than until the collector runs.
func TestMemoryOfDroppedMachines(t *testing.T) {
	all := quota.NewMemory(1 << 20)
	var a tensor.Tensor
	m := New(Limits{Elements: 1 << 20, Bytes: 1 << 20, Memory: all})
	must.Do(t, m.Alloc(&a, tensor.Float32, 1<<10))
	m, a = nil, tensor.Tensor{}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if runtime.GC(); all.Held() == 0 {
			return
		}
	}
	t.Errorf("%d bytes are reserved for a machine that does not exist", all.Held())
}
