package study

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestEachCallsEveryIndexOnce also checks that progress increases, for all numbers of workers.
func TestEachCallsEveryIndexOnce(t *testing.T) {
	for _, workers := range []int{0, 1, 3, 100} {
		var seen [50]atomic.Int32
		var counted []int
		err := Each(t.Context(), len(seen), workers, func(done, total int) {
			if total != len(seen) {
				t.Errorf("%d in all", total)
			}
			counted = append(counted, done)
		}, func(_ context.Context, i int) error {
			seen[i].Add(1)
			return nil
		})
		if err != nil || len(counted) != len(seen) || !slices.IsSorted(counted) {
			t.Errorf("%d workers: %v, progress %v", workers, err, counted)
		}
		for i := range seen {
			if seen[i].Load() != 1 {
				t.Errorf("%d workers: %d was worked at %d times", workers, i, seen[i].Load())
			}
		}
	}
}

func TestEachStopsAtErrorAndCancellation(t *testing.T) {
	wrong := errors.New("wrong")
	var begun atomic.Int32
	err := Each(t.Context(), 1000, 2, func(int, int) {}, func(ctx context.Context, i int) error {
		begun.Add(1)
		if i == 3 {
			return wrong
		}
		if i > 3 {
			<-ctx.Done() // until the error has stopped the others
		}
		return nil
	})
	// After the error, a select between the next index and the end may still choose the index.
	must.Is(t, err, wrong, begun.Load())
	must.Equal(t, begun.Load() <= 100, true, err, begun.Load())
	ctx, cancel := context.WithCancel(t.Context())
	err = Each(ctx, 1000, 2, func(done, _ int) {
		if done == 5 {
			cancel()
		}
	}, func(context.Context, int) error { return nil })
	must.Is(t, err, context.Canceled)
}
