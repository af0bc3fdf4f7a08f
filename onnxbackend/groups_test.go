package onnxbackend_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// Copies of an instance are a group under every model, and embeddings lie in the order of
// instances.
func TestGroupsOfCopies(t *testing.T) {
	for _, trained := range enginetest.TrainedModels {
		t.Run(trained.Name, func(t *testing.T) {
			m := trained.Open(t, onnxbackend.Options{})
			bag := enginetest.SetBag(t, trained.Bags(t), 0).Select([]int{0, 1, 2, 1, 3, 2, 1})
			b := enginetest.Bind(t, m, bag, nil)
			g := must.Get(core.NewGame(b, core.GameOptions{}))(t)
			groups := must.Get(whatif.Groups(context.Background(), g))(t)
			for _, copies := range [][]int{{1, 3, 6}, {2, 5}} {
				if !slices.ContainsFunc(groups, func(group []int) bool {
					return !slices.ContainsFunc(copies, func(i int) bool {
						return !slices.Contains(group, i)
					})
				}) {
					t.Errorf("the copies %v are in no group of %v", copies, groups)
				}
			}
			must.Equal(t, len(groups) <= 2, true, groups)
		})
	}
}

// TestGroupsInMemory compares the embeddings of a large bag in a memory that holds them once and
// little more, and then in one that does not. Nothing stays reserved.
func TestGroupsInMemory(t *testing.T) {
	const k, width = 500, 2000
	m := ot.Model{
		Opset: 13, Inputs: []ot.Value{ot.In("bag", "k", width)},
		Outputs: []ot.Value{ot.In("logits", width)},
		Nodes:   ot.Nodes(`h = Tanh(bag); logits = ReduceMax<axes=[0], keepdims=0>(h)`),
	}
	b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{}, enginetest.SmallBag(k, width))
	g := must.Get(core.NewGame(b, core.GameOptions{}))(t)
	for _, limit := range []int64{4 * k * width, 4*k*width - 1} {
		memory := quota.NewMemory(limit)
		before := enginetest.Allocated()
		_, err := whatif.Groups(quota.WithMemory(t.Context(), memory), g)
		allocated := enginetest.Allocated() - before
		var refused *quota.MemoryError
		if large := limit < 4*k*width; large != errors.As(err, &refused) || !large && err != nil {
			t.Errorf("%d bytes: %v", limit, err)
		}
		must.Equal(t, allocated <= 5*k*width, true, allocated, k*width)
		must.Equal(t, memory.Held(), 0)
	}
}
