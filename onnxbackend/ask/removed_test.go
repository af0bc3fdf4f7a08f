package ask_test

import (
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// TestInsideAfterRemoval asks about instances by their places in the file's bag: the first that
// remains is at place 0 of the others, and a removed one cannot be asked about.
func TestInsideAfterRemoval(t *testing.T) {
	in := must.Get(openDigits(t.Context(), 1))(t)
	var rest []int
	for i := 1; i < in.Whole.Len(); i++ {
		rest = append(rest, i)
	}
	of := func(in *ask.Input, instance int) (*ask.InsideAnswer, error) {
		return (&ask.Ask{}).Inside(t.Context(), in,
			ask.InsideOptions{Instance: &instance, Cell: new(14)}, nil)
	}
	in.Select(rest)
	got := must.Get(of(in, 1))(t)
	whole := *in
	whole.Instances, whole.Whole = nil, in.Bag
	want := must.Get(of(&whole, 0))(t)
	must.EqualSlices(t, got.Scores, want.Scores)
	must.Equal(t, got.Instance, 1)
	must.Equal(t, want.Instance, 0)
	must.Equal(t, kind.Of(must.Err(of(in, 0))), kind.Setting, "a removed instance")
}

// TestClassByNumber asks about each class of a model, and refuses the numbers beside them.
func TestClassByNumber(t *testing.T) {
	in := must.Get(openDigits(t.Context(), 1))(t)
	n, first := len(in.Engine.Info().Classes), 0
	for class := -1; class <= n; class++ {
		got, err := (&ask.Ask{Index: &class}).Inside(t.Context(), in,
			ask.InsideOptions{Instance: &first, Cell: new(14)}, nil)
		switch known := class >= 0 && class < n; {
		case !known && (kind.Of(err) != kind.Setting || !strings.Contains(err.Error(),
			fmt.Sprintf("the model has no class %d, only 0 to %d", class, n-1))):
			t.Errorf("class %d of %d: %v", class, n, err)
		case known && (err != nil || got.Class != class):
			t.Errorf("class %d of %d: %+v, %v", class, n, got, err)
		}
	}
}

// TestSelectRegions keeps the instances in regions of each class, the first of them included.
func TestSelectRegions(t *testing.T) {
	square := func(class string, x float64) geojson.Region {
		return geojson.Region{Class: class, Rings: []geojson.Ring{
			{{X: x, Y: 0}, {X: x + 10, Y: 0}, {X: x + 10, Y: 10}, {X: x, Y: 10}}}}
	}
	regions := []geojson.Region{square("tumour", 20), square("stroma", 0)}
	for _, c := range []struct {
		classes, want []int
	}{{nil, []int{0, 2}}, {[]int{0}, []int{2}}, {[]int{1}, []int{0}}} {
		bag := &core.Bag{Name: "bag", Shape: []int{1}, Values: make([]float32, 4)}
		for i := range 4 {
			bag.Boxes = append(bag.Boxes, image.Rect(10*i, 0, 10*i+10, 10))
		}
		in := &ask.Input{Whole: bag, Bag: bag}
		var names []string
		for _, at := range c.classes {
			names = append(names, regions[at].Class)
		}
		must.Do(t, in.SelectRegions(regions, names))
		must.EqualSlices(t, in.Instances, c.want, names)
		must.Equal(t, in.Bag.Len(), len(c.want), names)
	}
}
