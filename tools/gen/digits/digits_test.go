package main

import (
	"math"
	"os"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
)

// TestEqualSeedsGiveEqualBags also checks that a longer list of classes begins with the same bags.
func TestEqualSeedsGiveEqualBags(t *testing.T) {
	few, more := newBags(5, []int{3, 0}), newBags(5, []int{3, 0, 2})
	for b := range few {
		equalBag(t, few[b], more[b], 0)
	}
	must.Equal(t, slices.Equal(newBags(6, []int{3})[0].Values, few[0].Values), false,
		"two seeds give one bag")
	must.Do(t, few[0].Validate())
	must.Equal(t, len(more), 3)
}

// TestExample draws the bundled example again. One grey level is left to the arithmetic of other
// processors.
func TestExample(t *testing.T) {
	file := must.Get(os.ReadFile("../../../examples/digits/bags.npz"))(t)
	got := must.Get(bagio.Read("bags.npz", file, bagio.Options{}))(t)
	classes := must.Get(parseClasses("3,1,2,0,3,3", 0))(t)
	must.Equal(t, got.Len(), len(classes))
	for b, want := range newBags(87, classes) {
		bag := must.Get(got.Bag(b))(t)
		equalBag(t, bag, want, 1)
	}
}

func equalBag(t *testing.T, got, want *core.Bag, tolerance float64) {
	t.Helper()
	must.Equal(t, got.Name, want.Name)
	must.EqualSlices(t, got.Class, want.Class)
	must.EqualSlices(t, got.Labels, want.Labels)
	must.Equal(t, got.Raw, true, got.Name, got.Raw, got.Shape, len(got.Values), len(want.Values))
	must.EqualSlices(t, got.Shape, want.Shape, got.Name, got.Raw, len(got.Values), len(want.Values))
	must.Equal(t, len(got.Values), len(want.Values), got.Name, got.Raw, got.Shape)
	for i, v := range want.Values {
		must.Equal(t, math.Abs(float64(got.Values[i]-v)) <= tolerance, true, got.Name, i,
			got.Values[i], v)
	}
}

func TestContents(t *testing.T) {
	for _, c := range []struct {
		digits []int
		want   string
	}{
		{[]int{1, 2}, "no 8, no 9"},
		{[]int{8}, "an 8"},
		{[]int{9, 9, 3}, "two 9s"},
		{[]int{8, 8, 8, 9}, "three 8s and a 9"},
		{slices.Repeat([]int{8}, 12), "12 8s"},
	} {
		must.Equal(t, contents(c.digits), c.want, c.digits)
	}
}

func TestParseClasses(t *testing.T) {
	must.EqualSlices(t, must.Get(parseClasses("", 6))(t), []int{0, 1, 2, 3, 0, 1},
		"six bags in turn")
	must.EqualSlices(t, must.Get(parseClasses("3, 0", 6))(t), []int{3, 0}, "a list")
	for _, wrong := range []string{"4", "-1", "x", "1,,2"} {
		if got, err := parseClasses(wrong, 6); err == nil {
			t.Errorf("%q gives %v", wrong, got)
		}
	}
	must.Fail(t, must.Err(parseClasses("", 0)))
}
