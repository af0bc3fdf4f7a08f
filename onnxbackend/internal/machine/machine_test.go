package machine

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

func TestSizeClassesAreLargeEnough(t *testing.T) {
	seen := map[int]int{}
	for n := 1; n < 1<<14; n++ {
		c, words := class(n)
		if words < n || words > n+n/8+16 {
			t.Fatalf("%d words get %d", n, words)
		}
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
	if err := m.Alloc(&a, tensor.Float32, 100); err != nil {
		t.Fatal(err)
	}
	m.Share(&b, &a, []int{10, 10})
	block := a.Block
	m.Release(&a)
	if err := m.Alloc(&c, tensor.Float32, 100); err != nil || c.Block == block {
		t.Fatalf("memory that a view holds was given away (%v)", err)
	}
	m.Release(&b)
	if err := m.Alloc(&a, tensor.Float32, 99); err != nil || a.Block != block {
		t.Errorf("free memory was not used again (%v)", err)
	}
}

func TestLimits(t *testing.T) {
	m := New(Limits{Elements: 1000, Bytes: 4096})
	var x, y tensor.Tensor
	var limit *fault.Limit
	if err := m.Alloc(&x, tensor.Uint8, 1001); !errors.As(err, &limit) {
		t.Errorf("too many elements: %v", err)
	}
	if err := m.Alloc(&x, tensor.Uint8, 1<<40, 1<<40); !errors.As(err, &limit) {
		t.Errorf("overflow: %v", err)
	}
	if err := m.Alloc(&x, tensor.Float32, 800); err != nil {
		t.Fatal(err)
	}
	if err := m.Alloc(&y, tensor.Float32, 800); !errors.As(err, &limit) {
		t.Errorf("too many bytes: %v", err)
	}
	m.Release(&x)
	if err := m.Alloc(&y, tensor.Float64, 450); err != nil {
		t.Errorf("spare memory of another size stands in the way: %v", err)
	}
}

func TestTick(t *testing.T) {
	m := New(Limits{})
	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	m.Begin(ctx)
	if err := m.Tick(checkEvery); err != nil {
		t.Fatal(err)
	}
	cancel(reason)
	if err := m.Tick(1); err != nil {
		t.Errorf("a tiny step looked at the context: %v", err)
	}
	if err := m.Tick(checkEvery); err != reason {
		t.Errorf("%v, want the cause", err)
	}
}

func TestWorkLimit(t *testing.T) {
	m := New(Limits{Work: 3 * checkEvery})
	for range 2 { // each run has all of it
		m.Begin(context.Background())
		for i := range 4 {
			err := m.Tick(checkEvery)
			var limit *fault.Limit
			if over := errors.As(err, &limit); over != (i == 3) {
				t.Fatalf("%v after %d steps of 3", err, i+1)
			}
		}
		var limit *fault.Limit
		if err := m.Tick(math.MaxInt); !errors.As(err, &limit) || limit.Wanted != math.MaxInt {
			t.Fatalf("%v for more than can be counted", err)
		}
	}
}

// What is kept is no longer the machine's: later tensors do not write over it, and it does not
// count against the limit.
func TestKeep(t *testing.T) {
	m := New(Limits{Elements: 1000, Bytes: 4096})
	var x, view tensor.Tensor
	for _, shared := range []bool{false, true} {
		if err := m.Alloc(&x, tensor.Float32, 800); err != nil {
			t.Fatal(err)
		}
		tensor.Of[float32](&x)[7] = 3
		if shared {
			m.Share(&view, &x, []int{20, 40})
		}
		kept := m.Keep(&x)
		m.Release(&view)
		if err := m.Alloc(&x, tensor.Float32, 800); err != nil {
			t.Fatalf("shared is %v: %v", shared, err)
		}
		tensor.Of[float32](&x)[7] = 4
		if v := tensor.Of[float32](kept)[7]; v != 3 || kept.Len() != 800 {
			t.Errorf("shared is %v: %v of %v", shared, v, kept.Shape)
		}
		m.Release(&x)
	}
}
