package core_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// faulty fails on every coalition of more than limit instances. With several workers, the first
// failing coalition waits until a larger one has failed.
type faulty struct {
	limit   int
	workers int
	once    *sync.Once
	larger  chan struct{} // closed after a larger coalition has failed
}

type tooLarge int

func (e tooLarge) Error() string { return fmt.Sprintf("a coalition of %d", int(e)) }

func (f faulty) Task() core.Task {
	return core.Task{Instances: 1000, Classes: 1, Scale: core.ScaleRaw, Negative: -1}
}

func (f faulty) Evaluate(_ context.Context, _ []float64, z *core.Coalitions) error {
	for j := range z.Len() {
		if n := z.Size(j); n > f.limit {
			if n > f.limit+1 {
				f.once.Do(func() { close(f.larger) })
			} else if f.workers > 1 {
				<-f.larger
			}
			return tooLarge(n)
		}
	}
	return nil
}

// TestFirstError checks that the error is that of the first coalition, even if other workers fail
// earlier.
func TestFirstError(t *testing.T) {
	z := core.NewCoalitions(1000, 1000)
	for n := range 1000 {
		row := z.AppendEmpty()
		for i := range n + 1 {
			row[i/64] |= 1 << (i % 64)
		}
	}
	for _, workers := range []int{1, 2, 16} {
		g := must.Get(core.NewGame(faulty{100, workers, new(sync.Once), make(chan struct{})},
			core.GameOptions{Workers: workers}))(t)
		var large tooLarge
		must.Equal(t, errors.As(must.Err(g.Values(t.Context(), z)), &large), true, workers)
		must.Equal(t, large, 101, workers)
	}
}
