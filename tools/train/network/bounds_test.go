package network

import (
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

func TestCheckRejectsLargeArchitectures(t *testing.T) {
	fine := Architecture{Kind: MINet, Shape: []int{3, 27, 27}, Classes: 2, Scale: core.ScaleLogits,
		Encoder: []int{64}, Pool: Max}
	must.Get(New(fine, 1))(t)
	const huge = 1 << 62
	for what, c := range map[string]struct {
		spoil func(*Architecture)
		says  string
	}{
		"one wide layer":     {func(a *Architecture) { a.Encoder = []int{1 << 40} }, "too wide"},
		"overflowing layers": {func(a *Architecture) { a.Encoder = []int{huge, huge} }, "too wide"},
		"wide attention": {func(a *Architecture) { a.Kind, a.Attention = MIAttn, huge },
			"too wide"},
		"many classes": {func(a *Architecture) { a.Classes = huge }, "too wide"},
		"many maps": {func(a *Architecture) {
			a.Convolutions = []Kernel{{Maps: 1 << 40, Size: 3}}
		}, "too wide"},
		"a huge kernel": {func(a *Architecture) {
			a.Convolutions = []Kernel{{Maps: 1, Size: 1<<63 - 1}}
		}, "too wide"},
		"a kernel too large": {func(a *Architecture) {
			a.Convolutions = []Kernel{{Maps: 1, Size: 28}}
		}, "cannot apply"},
		"many layers": {func(a *Architecture) { a.Head = slices.Repeat([]int{1}, 5000) },
			"too deep"},
		"many parameters": {func(a *Architecture) { a.Encoder = []int{1 << 15, 1 << 15} },
			"parameters"},
		"many taps": {func(a *Architecture) {
			a.Convolutions = []Kernel{{1 << 14, 1}, {1 << 14, 1}}
		}, "parameters"},
		"a huge instance": {func(a *Architecture) { a.Shape = []int{1 << 40, 1 << 40, 1 << 40} },
			"too large"},
		"an overflow": {func(a *Architecture) { a.Shape = []int{1 << 32, 1 << 32, 1} },
			"too large"},
	} {
		a := fine
		c.spoil(&a)
		if _, err := New(a, 1); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error that says %q", what, err, c.says)
		}
	}
}

func TestLargeBagIsAnError(t *testing.T) {
	n := must.Get(New(Architecture{Kind: MINet, Shape: []int{1}, Classes: 2,
		Scale: core.ScaleLogits, Encoder: []int{maxUnits}, Pool: Max}, 1))(t)
	bag := &core.Bag{Name: "large", Shape: []int{1},
		Values: make([]float32, maxActivations/maxUnits+1)}
	if _, err := n.Predict(bag); err == nil || !strings.Contains(err.Error(), "instances") {
		t.Errorf("the network takes a bag of %d instances: %v", bag.Len(), err)
	}
	bag.Values = bag.Values[:2]
	must.Do(t, must.Err(n.Predict(bag)))
}
