//go:build gpu

package gpu

import (
	"runtime"
	"sync"
	"sync/atomic"

	agree "github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
)

// finiteFrom is the number of values from which several goroutines check them: a thread reads so
// many in half a millisecond.
const finiteFrom = 1 << 20

// finite reports whether no value is NaN or infinite. All threads read large slices.
func finite(values []float32) bool {
	parts := 1
	if len(values) >= finiteFrom {
		parts = runtime.GOMAXPROCS(0)
	}
	return finiteIn(values, parts)
}

// finiteIn is finite with a number of goroutines, each of which reads a part of the values.
func finiteIn(values []float32, parts int) bool {
	if parts == 1 {
		return agree.NonFinite(values) < 0
	}
	var found atomic.Bool
	var all sync.WaitGroup
	for i := range parts {
		part := values[len(values)*i/parts : len(values)*(i+1)/parts]
		all.Go(func() {
			if agree.NonFinite(part) >= 0 {
				found.Store(true)
			}
		})
	}
	all.Wait()
	return !found.Load()
}
