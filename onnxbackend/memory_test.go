package onnxbackend_test

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"runtime/metrics"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// TestNeeds compares the estimate before binding with what the bound bag holds, in blocks and at
// once. The estimate must grow with the bag by as much per instance.
func TestNeeds(t *testing.T) {
	m := must.Get(Open(enginetest.AttentionModel().Bytes(), Options{}))(t)
	enginetest.EncoderOf(m).BlockValues = 8
	var before, step int64
	for _, k := range []int{100, 200, 300, 400} {
		bag := enginetest.SmallBag(k, 2)
		need := must.Get(m.Needs(context.Background(), bag))(t)
		ev := must.Get(m.Bind(context.Background(), bag))(t)
		if held := ev.(*Bound).Bytes(); held <= int64(4*len(bag.Values)) || need < held {
			t.Errorf("k=%d: %d bytes are estimated and %d held", k, need, held)
		}
		if k > 200 && need-before != step {
			t.Errorf("k=%d: %d more than before, and %d the time before", k, need-before, step)
		}
		before, step = need, need-before
	}
}

// TestNeedsCoversPeakMemory compares the estimate with the growth of the program while it binds
// 10,000 instances: at least as much, and not much more.
func TestNeedsCoversPeakMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("encodes 10,000 pictures")
	}
	if stopped := "gcstoptheworld=1"; os.Getenv("GODEBUG") != stopped {
		// what is allocated beside a collection counts as live until the next
		inProcess(t, "GODEBUG="+stopped)
		return
	}
	const k = 10_000
	for name, model := range map[string][]byte{
		"convolutions": digits(t),
		"attention":    enginetest.AttentionModel().Bytes(),
	} {
		t.Run(name, func(t *testing.T) {
			m := must.Get(Open(model, Options{Workers: 1}))(t)
			shape := m.Info().Inputs[0].Shape[1:]
			bag := &core.Bag{Shape: shape}
			bag.Values = make([]float32, k*bag.Stride())
			for i := range bag.Values {
				bag.Values[i] = float32(i%251) / 251
			}
			need := must.Get(m.Needs(t.Context(), bag))(t)
			// The first bag of a process also makes what all of them share.
			must.Get(m.Bind(t.Context(), bag.Select([]int{0, 1, 2})))(t)
			peak := peakOf(t, func() {
				if _, err := m.Bind(t.Context(), bag); err != nil {
					t.Error(err)
				}
			}) + int64(4*len(bag.Values))
			t.Logf("%s: %d MB are estimated and %d taken", name, need>>20, peak>>20)
			must.Equal(t, need >= peak, true, name, need, peak)
			must.Equal(t, need <= 4*peak+1<<23, true, name, need, peak)
		})
	}
}

// inProcess runs the test in a process of its own.
func inProcess(t *testing.T, env string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	c.Env = append(os.Environ(), env)
	out := must.Get(c.CombinedOutput())(t)
	must.Contain(t, string(out), "--- PASS: "+t.Name())
	t.Logf("%s", out)
}

// peakOf returns by how many bytes of live objects the heap grows at most while f runs, as one
// collection after another finds.
func peakOf(t *testing.T, f func()) int64 {
	t.Helper()
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	read := func() int64 {
		runtime.GC()
		metrics.Read(live)
		return int64(live[0].Value.Uint64())
	}
	before, peak := read(), int64(0)
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	for {
		select {
		case <-done:
			return peak
		default:
			peak = max(peak, read()-before)
		}
	}
}

func digits(t *testing.T) []byte {
	t.Helper()
	return must.Get(os.ReadFile("../examples/digits/model.onnx"))(t)
}
