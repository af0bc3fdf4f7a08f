package onnxbackend_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// patience is the time in which goroutines that are about to end have ended on any machine.
const patience = 2 * time.Minute

// TestNoLeakAfterExplaining opens, binds and explains many times, also with cancelled and failing
// rounds, and compares goroutines and memory at the end with those of the beginning. -thorough 10
// makes it a thousand rounds.
func TestNoLeakAfterExplaining(t *testing.T) {
	models := [][]byte{enginetest.AttentionModel().Bytes(), pictureModel().Bytes(),
		enginetest.SqueezeModel().Bytes(),
		recurrentModel().Bytes(), enginetest.LoopModel(false).Bytes()}
	rounds := 100 * *enginetest.Thorough
	var goroutines int
	var heap uint64
	for n := range rounds {
		explainOnce(t, models[n%len(models)], n)
		if n == rounds/10 {
			goroutines, heap = measured(runtime.NumGoroutine())
		}
	}
	g, h := measured(goroutines)
	t.Logf("after %d rounds %d goroutines and %d kB, %d and %d kB before", rounds, g, h>>10,
		goroutines, heap>>10)
	must.Equal(t, g <= goroutines, true, rounds, g, h, goroutines, heap)
	must.Equal(t, h <= heap+heap/4+1<<20, true, rounds, g, h, goroutines, heap)
}

func explainOnce(t *testing.T, model []byte, n int) {
	if n%4 == 3 { // one that fails at a place of its own each time
		use(t, model[:n*131%len(model)])
		return
	}
	m, err := Open(model, Options{Plain: n%8 == 1})
	must.Do(t, err)
	bag := fittingBag(m, 6)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ev := must.Get(m.Bind(ctx, bag))(t)
	cancelled := n%4 == 2
	progress := func(int, int) {
		if cancelled {
			cancel()
		}
	}
	_, err = core.Explain(ctx, ev, core.Request{Methods: []core.Method{methods.OneRemoved{},
		methods.MILLI{}}, GameOptions: core.GameOptions{Seed: uint64(n), Progress: progress}})
	if cancelled != errors.Is(err, context.Canceled) || err != nil && !cancelled {
		t.Fatalf("round %d, cancelled %v: %v", n, cancelled, err)
	}
}

// measured returns the number of goroutines and the reachable bytes. It waits until at most some
// goroutines are left, because those of the last round may be about to end.
func measured(expected int) (goroutines int, heap uint64) {
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		goroutines = runtime.NumGoroutine()
		if goroutines <= expected || time.Now().After(end) {
			break
		}
	}
	runtime.GC()
	runtime.GC() // what the pools held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return goroutines, m.HeapAlloc
}
