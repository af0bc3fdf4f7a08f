//go:build unix

package onnxbackend_test

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/bagscope/bagscope/core"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// cancelWithin is what DESIGN promises.
const cancelWithin = 50 * time.Millisecond

// watched is a context that notes the longest time between two looks at it, and ends after a given
// one.
type watched struct {
	context.Context
	end   int // looks that find it open
	mu    sync.Mutex
	looks int
	last  time.Duration
	gap   time.Duration
}

func (w *watched) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := processorTime()
	if w.looks > 0 {
		w.gap = max(w.gap, now-w.last)
	}
	w.last = now
	if w.looks++; w.looks > w.end {
		return context.Canceled
	}
	return nil
}

// processorTime is what this process has used, which other processes do not lengthen.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestCancellation holds the time between looks at the context to the promise, in the best of
// several rounds, and ends runs at various looks.
func TestCancellation(t *testing.T) {
	m := enginetest.OpenTissue(t, Options{Workers: 1}, enginetest.TissueAttention)
	two := enginetest.OpenTissue(t, Options{Workers: 2}, enginetest.TissueAttention)
	bag := enginetest.ShapedBag(264, 3, 27, 27)
	plainModel := enginetest.OpenTissue(t, Options{Plain: true}, enginetest.TissueAttention)
	plain, err := plainModel.Bind(context.Background(),
		bag)
	if err != nil {
		t.Fatal(err)
	}
	z := core.NewCoalitions(264, 1)
	z.AppendWithout(7)
	for _, c := range []struct {
		name    string
		workers int
		run     func(ctx context.Context) error
	}{
		{"predict", 1, func(ctx context.Context) error {
			_,
				err := m.Predict(ctx, bag)
			return err
		}},
		{"bind", 1, func(ctx context.Context) error { _, err := m.Bind(ctx, bag); return err }},
		{"bind on two goroutines", 2, func(ctx context.Context) error {
			_,
				err := two.Bind(ctx, bag)
			return err
		}},
		{"evaluate", 1, func(ctx context.Context) error {
			return plain.Evaluate(ctx,
				make([]float64, 2), z)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			least, looks := time.Hour, 0
			for range 3 {
				w := &watched{Context: context.Background(), end: 1 << 30}
				if err := c.run(w); err != nil {
					t.Fatal(err)
				}
				least, looks = min(least, w.gap), w.looks
			}
			// short runs are those under the race detector, ten times slower
			if least > cancelWithin && !testing.Short() {
				t.Errorf("%v go by between two looks at the context", least)
			}
			for _, end := range []int{0, 1, looks / 2, looks - 1} {
				w := &watched{Context: context.Background(), end: end}
				// A run that ends asks for the cause, which is a look or two more on each
				// goroutine.
				if err := c.run(w); !errors.Is(err, context.Canceled) || w.looks > end+8*c.workers {
					t.Errorf("%v after %d looks at a context that ends at look %d of %d", err,
						w.looks, end, looks)
				}
			}
		})
	}
}
