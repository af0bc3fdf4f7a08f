package host

import (
	"flag"
	"runtime"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/wasm/wire"
)

var rounds = flag.Int("rounds", 100,
	"how often models and bags are opened, explained and closed; the first tenth does not count")

// A request that exceeds its limits fails, and the next request is answered. A request can lower
// the limits.
func TestLimits(t *testing.T) {
	c := newClient(t, nil)
	model, bags := testdata(t, "tiny.onnx"), []wire.BagFile{{Name: "tiny.csv",
		Bytes: testdata(t, "tiny.csv")}}
	for _, l := range []wire.ModelLimits{{ModelBytes: 10}, {Nodes: 1}, {Elements: 1},
		{RunBytes: 8}} {
		c.fails(kind.Limit, wire.OpenModel{Bytes: model, Limits: &l})
	}
	for _, l := range []wire.BagLimits{{Bytes: 10}, {Instances: 1}, {Bags: 1}, {Columns: 3}} {
		c.fails(kind.Limit, wire.ReadBags{Files: bags, Limits: &l})
	}
	c.fails(kind.Format, wire.OpenModel{Bytes: model[:len(model)/2]})
	c.openTiny()
}

// Finished, cancelled and failed requests leave no goroutines and no memory.
func TestNoGoroutinesRemain(t *testing.T) {
	c := newClient(t, nil)
	broken := testdata(t, "tiny.onnx")
	broken = broken[:len(broken)-100]
	closed := 0 // the last closed handle
	round := func(n int) {
		model, bag := c.openTiny()
		request := wire.Explain{Model: model, Bag: bag, Methods: new([]string{"milli"}),
			SkipMissing: new(true)}
		switch n % 4 {
		case 0:
			get[wire.Explained](c, request)
		case 1: // cancelled at any time
			id := c.send(request)
			get[wire.Done](c, wire.Cancel{Request: int(id)})
			c.wait(id)
		case 2:
			c.fails(kind.Format, wire.OpenModel{Bytes: broken})
			request.Methods = new([]string{"no method"})
			c.fails(kind.Setting, request)
		case 3: // closed during the explanation
			id := c.send(request)
			get[wire.Done](c, wire.Release{Handle: bag})
			c.wait(id)
		}
		for ; closed < c.host.handles.last; closed++ {
			get[wire.Done](c, wire.Release{Handle: closed + 1})
		}
		must.Equal(t, len(c.host.handles.open), 0, n, c.host.bound.Load())
		must.Equal(t, c.host.bound.Load() == nil, true, n, c.host.bound.Load())
		c.mu.Lock()
		clear(c.inboxes)
		c.mu.Unlock()
	}
	var goroutines int
	var heap uint64
	for n := range *rounds {
		if round(n); n == *rounds/10 {
			goroutines, heap = settled(runtime.NumGoroutine())
		}
	}
	g, h := settled(goroutines)
	t.Logf("after %d rounds %d goroutines and %d kB, %d and %d kB before", *rounds, g, h>>10,
		goroutines, heap>>10)
	must.Equal(t, g <= goroutines, true, *rounds, g, h, goroutines, heap)
	must.Equal(t, h <= heap+heap/4+1<<20, true, *rounds, g, h, goroutines, heap)
}

// settled returns the number of goroutines and the reachable bytes. It waits until at most some
// goroutines are left, because those of the last round may be about to end.
func settled(expected int) (goroutines int, heap uint64) {
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		goroutines = runtime.NumGoroutine()
		if goroutines <= expected || time.Now().After(end) {
			break
		}
	}
	runtime.GC()
	runtime.GC() // frees the contents of pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return goroutines, m.HeapAlloc
}
