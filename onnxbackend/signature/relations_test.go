package signature

import (
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
)

// TestShapesOfRelations: axes before those of the instances or edges are batches of one bag.
func TestShapesOfRelations(t *testing.T) {
	const k, edges = 7, 12
	for _, c := range []struct {
		form  Form
		shape []int
		axis  int
		want  []int
	}{
		{Matrix, []int{-1, -1}, 0, []int{k, k}}, {Matrix, nil, 0, []int{k, k}},
		{Matrix, []int{-1, 1, -1, -1}, 2, []int{1, 1, k, k}},
		{EdgeEnds, nil, 1, []int{2, edges}}, {EdgeEnds, []int{2, -1}, 1, []int{2, edges}},
		{EdgeEnds, []int{-1, 2, -1}, 2, []int{1, 2, edges}},
		{EdgeWeights, nil, 0, []int{edges}}, {EdgeWeights, []int{-1}, 0, []int{edges}},
		{EdgeWeights, []int{1, -1}, 1, []int{1, edges}},
		{EdgeWeights, []int{-1, -1, 1}, 1, []int{1, edges, 1}},
	} {
		r := &Relation{Form: c.form, Port: graph.Port{}}
		r.Shape = c.shape
		if axis, got := r.Axis(), r.ShapeFor(k, edges); axis != c.axis ||
			!slices.Equal(got, c.want) {
			t.Errorf("form %d of shape %v: axis %d and shape %v, want %d and %v", c.form, c.shape,
				axis, got, c.axis, c.want)
		}
	}
}

// TestPoolWords reads the words of the key "pool".
func TestPoolWords(t *testing.T) {
	for word, valid := range map[string]bool{"": true, "mean": true, "max": true, "lse": true,
		"noisy-or": true, "vote": true, "top:1": true, "top:1048576": true, "top:0": false,
		"top:-1": false, "top:1048577": false, "top:": false, "top:x": false, "sum": false} {
		must.Equal(t, checkPool(word) == "", valid, word)
	}
}
