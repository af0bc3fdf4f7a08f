package core

import (
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

func TestInstanceShape(t *testing.T) {
	for _, c := range []struct {
		input []int
		axis  int
		want  []int
	}{
		{[]int{-1, 512}, 0, []int{512}}, {[]int{1, -1, 96}, 1, []int{96}}, {[]int{-1, -1, 96}, 1,
			[]int{96}}, {[]int{-1, 3, 28, 28}, 0, []int{3, 28, 28}},
		{[]int{-1, 1, 28, 28}, 0, []int{1, 28, 28}}, {[]int{1, 6, -1}, 2, []int{6}},
		{[]int{2, -1, 3}, 1, []int{2, 3}}, {[]int{-1}, 0, nil}, {nil, 0, nil}, {[]int{-1, 5}, 7,
			nil},
	} {
		i := ModelInfo{Input: "x", InstanceAxis: c.axis,
			Inputs: []TensorInfo{{Name: "other"}, {Name: "x", Shape: c.input}}}
		must.EqualSlices(t, i.InstanceShape(), c.want, c.input, c.axis)
	}
}

// TestMayBatch needs two open axes before those of an instance.
func TestMayBatch(t *testing.T) {
	for _, c := range []struct {
		input []int
		want  bool
	}{
		{[]int{-1, -1, 96}, true}, {[]int{-1, 8, 96}, false}, {[]int{1, -1, 96}, false},
		{[]int{-1, -1}, false}, {nil, false},
	} {
		i := ModelInfo{Input: "x", Inputs: []TensorInfo{{Name: "x", Shape: c.input}}}
		must.Equal(t, i.MayBatch(), c.want, c.input)
	}
}
