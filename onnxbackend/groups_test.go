package onnxbackend_test

import (
	"context"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// Copies of an instance are a group under every model, and embeddings lie in the order of instances.
func TestGroupsOfCopies(t *testing.T) {
	for _, trained := range enginetest.TrainedModels {
		t.Run(trained.Name, func(t *testing.T) {
			m := trained.Open(t, onnxbackend.Options{})
			bag := enginetest.SetBag(t, trained.Bags(t), 0).Select([]int{0, 1, 2, 1, 3, 2, 1})
			b := enginetest.Bind(t, m, bag, nil)
			g, err := core.NewGame(b, core.GameOptions{})
			if err != nil {
				t.Fatal(err)
			}
			groups, err := g.Groups(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, copies := range [][]int{{1, 3, 6}, {2, 5}} {
				if !slices.ContainsFunc(groups, func(group []int) bool {
					return !slices.ContainsFunc(copies, func(i int) bool {
						return !slices.Contains(group, i)
					})
				}) {
					t.Errorf("the copies %v are in no group of %v", copies, groups)
				}
			}
			if len(groups) > 2 {
				t.Errorf("other instances make groups too: %v", groups)
			}
		})
	}
}
