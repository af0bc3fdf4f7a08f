package onnxbackend_test

import (
	"context"
	"sync"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// watched is a context that counts the looks at it, and ends after a given one.
type watched struct {
	context.Context
	end   int // looks that find it open
	mu    sync.Mutex
	looks int
}

func (w *watched) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.looks++; w.looks > w.end {
		return context.Canceled
	}
	return nil
}

// A cancellableRun is work of the engine on a number of goroutines.
type cancellableRun struct {
	name    string
	workers int
	run     func(ctx context.Context) error
}

// cancellable returns work of all kinds that looks at a context.
func cancellable(t testing.TB) []cancellableRun {
	m := enginetest.OpenTissue(t, Options{Workers: 1}, enginetest.TissueAttention)
	two := enginetest.OpenTissue(t, Options{Workers: 2}, enginetest.TissueAttention)
	bag := enginetest.ShapedBag(264, 3, 27, 27)
	plainModel := enginetest.OpenTissue(t, Options{Plain: true}, enginetest.TissueAttention)
	plain := must.Get(plainModel.Bind(context.Background(), bag))(t)
	z := core.NewCoalitions(264, 1)
	z.AppendWithout(7)
	return []cancellableRun{
		{"predict", 1, func(ctx context.Context) error {
			_, err := m.Predict(ctx, bag)
			return err
		}},
		{"bind", 1, func(ctx context.Context) error { _, err := m.Bind(ctx, bag); return err }},
		{"bind on two goroutines", 2, func(ctx context.Context) error {
			_, err := two.Bind(ctx, bag)
			return err
		}},
		{"evaluate", 1, func(ctx context.Context) error {
			return plain.Evaluate(ctx, make([]float64, 2), z)
		}},
	}
}

// TestCancellation ends runs at various looks at the context. BenchmarkCancellation measures the
// time between looks.
func TestCancellation(t *testing.T) {
	for _, c := range cancellable(t) {
		t.Run(c.name, func(t *testing.T) {
			looks := 0
			for range 3 { // the first run has further looks while it fills the engine's pools
				w := &watched{Context: context.Background(), end: 1 << 30}
				must.Do(t, c.run(w))
				looks = w.looks
			}
			// Goroutines that share work look once more or less, as the work falls to them.
			for _, end := range []int{0, 1, looks / 2, looks - c.workers} {
				w := &watched{Context: context.Background(), end: end}
				// A run that ends asks for the cause, which is a look or two more on each
				// goroutine.
				must.Is(t, c.run(w), context.Canceled, w.looks, end, looks)
				must.Equal(t, w.looks <= end+8*c.workers, true, w.looks, end, looks)
			}
		})
	}
}
