package bagio

import (
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestNumberedArraysAreBags reads arrays that are called by one word and numbers, as np.savez
// writes bags of different sizes, in the order of their numbers.
func TestNumberedArraysAreBags(t *testing.T) {
	of := func(name string, k int) member {
		return floats(name, 2*k, k, 2)
	}
	file := npz(t, of("bag2", 3), of("bag10", 1), of("bag1", 2), ints("meta",
		[]int64{7, 8}, 2))
	set := must.Get(Read("a.npz", file, Options{}))(t)
	var sizes []int
	var names []string
	for b := range set.Len() {
		bag := must.Get(set.Bag(b))(t)
		sizes, names = append(sizes, bag.Len()), append(names, bag.Name)
	}
	must.EqualSlices(t, sizes, []int{2, 3, 1}, names)
	must.EqualSlices(t, names, []string{"bag1", "bag2", "bag10"}, sizes)
	notes := strings.Join(set.Notes(), "\n")
	must.Contain(t, notes, "bag1 to bag10 are taken for 3 bags")
	must.Contain(t, notes, "meta")
	want := must.Get(Read("a.npz", file, Options{Array: "bag2"}))(t)
	must.Equal(t, want.Len(), 1)
	must.EqualSlices(t, must.Get(want.Bag(0))(t).Values, must.Get(set.Bag(1))(t).Values, want.Len())
	for name, members := range map[string][]member{
		"bags of equal sizes":      {of("bag_0", 2), of("bag_1", 2)},
		"arrays of unequal sizes":  {of("arr_0", 2), of("arr_1", 4)},
		"?arrays of equal sizes":   {of("arr_0", 2), of("arr_1", 2)},
		"?arrays of unequal width": {of("bag_0", 2), floats("bag_1", 6, 2, 3)},
		"?arrays of two words":     {of("bag0", 2), of("slide1", 3)},
		"?an array without number": {of("bag", 2), of("bag1", 3)},
	} {
		set, err := Read("a.npz", npz(t, members...), Options{})
		if asks := strings.HasPrefix(name, "?"); asks != (err != nil) {
			t.Errorf("%s: %v", name, err)
		} else if !asks && set.Len() != 2 {
			t.Errorf("%s: %d bags", name, set.Len())
		}
	}
}
