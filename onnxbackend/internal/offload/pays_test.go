package offload

import (
	"math"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/internal/masked"
)

// TestPays gives a device large runs with little traffic, and compares with the threads of the CPU.
func TestPays(t *testing.T) {
	for _, c := range []struct {
		cost device.Cost
		pays bool
	}{
		{device.Cost{}, false},
		{device.Cost{Work: 1e6, Up: 1e4, Waits: 1}, false},        // 0.03 ms on the CPU
		{device.Cost{Work: 2e9, Up: 8 << 20, Waits: 1}, true},     // a block of a residual network
		{device.Cost{Work: 1e9, Up: 400 << 20, Waits: 50}, false}, // a layer of few outputs
	} {
		must.Equal(t, pays(c.cost, 1), c.pays, c.cost)
	}
	if pays(device.Cost{Work: 1e9, Waits: 10}, 1) == pays(device.Cost{Work: 1e9, Waits: 10}, 16) {
		t.Error("sixteen threads are as slow as one")
	}
}

// TestPoolPays gives a device large batches of large bags, but no sparse ones in an order and no
// chains.
func TestPoolPays(t *testing.T) {
	sums := []device.Pooled{{Columns: 513}}
	for _, c := range []struct {
		what    []device.Pooled
		k, n    int
		threads int
		pays    bool
	}{
		{sums, 100_000, 1024, 2, true},
		{sums, 100_000, 1, 2, false},
		{sums, 264, 1000, 2, false},
		{[]device.Pooled{{Columns: 3}}, 10_000, 1000, 2, false},
		{[]device.Pooled{{Columns: 512, Take: 1}}, 100_000, 64, 1, false},
	} {
		must.Equal(t, pays(poolCost(c.what, c.k, c.n), c.threads), c.pays, c.k, c.n, c.threads)
	}
	z, few := core.NewCoalitions(1000, 2), core.NewCoalitions(1000, 1)
	z.AppendWithout(1, 2, 3)
	z.AppendWithout(5)
	few.AppendMembers(1, 2, 3)
	if sparse(&masked.Set{Z: z}) || !sparse(&masked.Set{Z: few}) {
		t.Error("coalitions of three are as dense as those of all but three")
	}
	r := &masked.Runner{}
	must.Equal(t, r.Grows(masked.Set{Z: z}), false, "two coalitions are a chain")
	chain := core.NewCoalitions(1000, 10)
	for m := range 10 {
		chain.AppendMembers(slices.Collect(func(yield func(int) bool) {
			for i := range m + 1 {
				if !yield(i) {
					return
				}
			}
		})...)
	}
	must.Equal(t, r.Grows(masked.Set{Z: chain}), true, "a chain is none")
	if c := poolCost(sums, math.MaxInt32, 1024); c.Work < 0 {
		t.Errorf("the work of a large bag is %d", c.Work)
	}
}
