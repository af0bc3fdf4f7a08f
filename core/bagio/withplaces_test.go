package bagio

import (
	"errors"
	"image"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// TestBagsWithPlaces joins features and coordinates as a model takes them: an instance has the
// coordinates of its own row, in the unit of the file.
func TestBagsWithPlaces(t *testing.T) {
	table := "bag,x,y,f1,f2\na,1000.5,7,1,2\nb,300,8,3,4\na,20,9,5,6\n"
	for _, c := range []struct {
		name, file string
		from       int
		takes      []int
		want       []float32
	}{
		{"behind the features", table, 2, []int{4}, []float32{1, 2, 1000.5, 7, 5, 6, 20, 9}},
		{"before the features", table, 0, []int{4}, []float32{1000.5, 7, 1, 2, 20, 9, 5, 6}},
		{"between them", table, 1, []int{4}, []float32{1, 1000.5, 7, 2, 5, 20, 9, 6}},
		{"in micrometres", strings.Replace(table, "x,y", "x_um,y_um", 1), 2, []int{4},
			[]float32{1, 2, 1000.5, 7, 5, 6, 20, 9}},
		{"among the features", "bag,f1,f2,f3,f4\na,1,2,3,4\n", 2, []int{4},
			[]float32{1, 2, 3, 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := must.Get(Read("t.csv", []byte(c.file), Options{InstanceShape: c.takes,
				SlideMPP: .5, Places: &core.PlaceValues{Input: "xy", From: c.from}}))(t)
			bag := must.Get(set.Bag(0))(t)
			must.EqualSlices(t, bag.Values, c.want, bag.Shape)
			must.EqualSlices(t, bag.Shape, c.takes, bag.Values, c.want)
			noted := strings.Contains(strings.Join(set.Notes(), " "), `Input "xy" takes the`)
			must.Equal(t, noted != (c.name == "among the features"), true, set.Notes())
		})
	}
}

// TestPlacesOfBoxes takes the corners of rectangles where a set has no coordinates.
func TestPlacesOfBoxes(t *testing.T) {
	set := SetOf(&core.Bag{Name: "s", Shape: []int{1}, Values: []float32{5, 6},
		Boxes: []image.Rectangle{image.Rect(1, 2, 9, 9), image.Rect(30, 40, 50, 60)}}, nil)
	set.WithPlaces(&core.PlaceValues{Input: "xy", From: 1})
	bag := must.Get(set.Bag(0))(t)
	must.EqualSlices(t, bag.Values, []float32{5, 1, 2, 6, 30, 40})
}

// TestNoPlaces rejects features without coordinates, and says what the model takes.
func TestNoPlaces(t *testing.T) {
	set := must.Get(Read("t.csv", []byte("bag,f1,f2\na,1,2\n"), Options{InstanceShape: []int{4},
		Places: &core.PlaceValues{Input: "xy", From: 2}}))(t)
	var wrong *core.BagError
	if _, err := set.Bag(0); !errors.As(err, &wrong) || !strings.Contains(err.Error(),
		`by its input "xy"; use a file with coordinates, or with 4 values of each instance`) {
		t.Errorf("error %v", err)
	}
	_, err := Read("t.csv", []byte("bag,f1,f2,f3\na,1,2,3\n"), Options{InstanceShape: []int{4},
		Places: &core.PlaceValues{Input: "xy", From: 2}})
	wantError(t, err, "t.csv: an instance has shape (3,), but the model takes (4,)")
}
