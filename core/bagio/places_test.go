package bagio

import (
	"errors"
	"image"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// placed are the files that the page's tests share, see www/tests/data/make_files.py.
const placed = "../../www/tests/data/files"

// TestPlaces reads features with coordinates in all formats: twelve instances of four features on a
// grid of 256 pixels.
func TestPlaces(t *testing.T) {
	for name, want := range map[string]struct {
		slide   core.Slide
		guessed bool // the file does not state the side of a patch
	}{
		"clam.h5":            {core.Slide{PatchSize: 256}, false},
		"trident.h5":         {core.Slide{Width: 2500, Height: 2000, PatchSize: 256}, false},
		"latest.h5":          {core.Slide{PatchSize: 256}, false},
		"coords.safetensors": {core.Slide{PatchSize: 256}, false},
		"coords.npz":         {core.Slide{PatchSize: 256}, true},
		"packed.npz":         {core.Slide{PatchSize: 256}, false},
		"coords.csv":         {core.Slide{PatchSize: 256}, true},
	} {
		t.Run(name, func(t *testing.T) {
			data := must.Get(os.ReadFile(filepath.Join(placed, name)))(t)
			set := must.Get(Read(name, data, Options{}))(t)
			bag := must.Get(set.Bag(0))(t)
			if bag.Len() != 12 || !reflect.DeepEqual(bag.Shape, []int{4}) || bag.Values[20] != 2 ||
				bag.Values[25] != 2 {
				t.Fatalf("%d instances of shape %v: %v", bag.Len(), bag.Shape, bag.Values)
			}
			must.Equal(t, bag.Boxes[5], image.Rect(1256, 1256, 1512, 1512))
			must.Equal(t, *bag.Slide, want.slide)
			notes := strings.Join(set.Notes(), " ")
			must.Equal(t, strings.Contains(notes, "distance between neighbours"), want.guessed,
				notes)
		})
	}
}

// TestTableWithPlaces reads tables with columns of corners.
func TestTableWithPlaces(t *testing.T) {
	for _, c := range []struct {
		name, table string
		bags        []string
		features    int
		boxes       []image.Rectangle // of the first bag, or nil
	}{
		{"a column of bags", "slide,coord_x,coord_y,f1\na,0,0,1\nb,0,8,3\na,8,0,2\n",
			[]string{"a", "b"}, 1, []image.Rectangle{image.Rect(0, 0, 8, 8),
				image.Rect(8, 0, 16, 8)}},
		{"one bag", "x,y,f1,f2\n16,0,1,2\n0,16,3,4\n", []string{"table"}, 2,
			[]image.Rectangle{image.Rect(16, 0, 32, 16), image.Rect(0, 16, 16, 32)}},
		{"a side and a label", "f1,label,x,y,patch_size\n5,1,0,0,4\n6,1,9,9,4\n",
			[]string{"table"}, 1, []image.Rectangle{image.Rect(0, 0, 4, 4),
				image.Rect(9, 9, 13, 13)}},
		{"features called x and y", "bag,label,x,y\na,1,0,0\n", []string{"a"}, 2, nil},
		{"corners of boxes", "bag,x0,y0,x1,y1,x,y\na,0,0,2,2,5,6\n", []string{"a"}, 2,
			[]image.Rectangle{image.Rect(0, 0, 2, 2)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := must.Get(Read("table.csv", []byte(c.table), Options{}))(t)
			bag := must.Get(set.Bag(0))(t)
			if !reflect.DeepEqual(set.Names(), c.bags) || bag.Stride() != c.features ||
				!reflect.DeepEqual(bag.Boxes, c.boxes) {
				t.Errorf("bags %q of %d features at %v", set.Names(), bag.Stride(), bag.Boxes)
			}
		})
	}
}

// TestWrongPlaces checks that coordinates which do not fit the features are an error.
func TestWrongPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"odd.npz": {npz(t, floats("features", 2, 2, 1), floats("coords", 6, 3, 2)),
			"coordinates have shape (3, 2)"},
		"far.csv":   {[]byte("x,y,f1\n0,3e9,1\n"), "no place on a slide"},
		"nan.csv":   {[]byte("x,y,f1\n0,nan,1\n"), "no place on a slide"},
		"side.csv":  {[]byte("x,y,size,f1\n0,0,0,1\n"), "not the side of a patch"},
		"empty.csv": {[]byte("bag,x,y,f1\n,0,0,1\n"), "id is missing"},
	} {
		_, err := Read(name, c.data, Options{})
		var format *FormatError
		must.Equal(t, errors.As(err, &format), true, name, err, c.want)
		must.Equal(t, strings.Contains(err.Error(), c.want), true, name, err, c.want)
	}
}

// placesArray returns a member of an .npz file with these coordinates.
func placesArray(shape []int, values ...float32) member {
	return member{"coords", func(w io.Writer) error { return WriteNpy(w, shape, values) }}
}

// TestShapesOfPlaces reads coordinates in all shapes that hold them.
func TestShapesOfPlaces(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		name   string
		coords member
		second image.Rectangle // empty for an error
		says   string          // part of the note or the error
	}{
		{"corners", placesArray([]int{3, 2}, 0, 0, 8, 0, 16, 0), image.Rect(8, 0, 16, 8), ""},
		{"a batch", placesArray([]int{1, 3, 2}, 0, 0, 8, 0, 16, 0), image.Rect(8, 0, 16, 8), ""},
		{"transposed", placesArray([]int{2, 3}, 0, 8, 16, 0, 0, 0), image.Rect(8, 0, 16, 8),
			"one column for each instance"},
		{"rectangles", placesArray([]int{3, 4}, 0, 0, 9, 5, 8, 0, 17, 5, 16, 0, 25, 6),
			image.Rect(8, 0, 17, 5), ""},
		{"rectangles transposed", placesArray([]int{4, 3}, 0, 8, 16, 0, 0, 0, 9, 17, 25, 5, 5, 6),
			image.Rect(8, 0, 17, 5), "one column for each instance"},
		{"width and height", placesArray([]int{3, 4}, 0, 0, 9, 5, 8, 0, 9, 5, 16, 0, 9, 5),
			image.Rect(8, 0, 17, 5), "x, y, width and height"},
		{"different widths and heights", placesArray([]int{3, 4}, 0, 0, 9, 5, 80, 0, 7, 6, 160, 40,
			9, 5), image.Rect(80, 0, 87, 6), "x, y, width and height"},
		{"widths in one row", placesArray([]int{3, 4}, 0, 0, 9, 5, 80, 0, 7, 6, 160, 0, 9, 5),
			image.Rect(80, 0, 87, 6), "x, y, width and height"},
		{"cells", placesArray([]int{3, 4}, 0, 7, 9, 15, 80, 9, 97, 16, 160, 40, 169,
			55), image.Rect(80, 9, 97, 16), ""},
		{"a corner before the other", placesArray([]int{3, 4}, 0, 0, 9, 5, 80, 9, 97, 6, 160, 40,
			169, 55), image.Rectangle{}, "must hold; add x0 to a width"},
		{"fractions of pixels", placesArray([]int{3, 2}, 0, 0, 7.6, 0, 15.2, 0),
			image.Rect(8, 0, 15, 8), ""},
		{"three columns", placesArray([]int{3, 3}, 0, 0, 0, 8, 0, 0, 16, 0, 0), image.Rectangle{},
			"coordinates have shape (3, 3); 3 instances need shape (3, 2)"},
		{"other instances", placesArray([]int{4, 2}, make([]float32, 8)...), image.Rectangle{},
			"coordinates have shape (4, 2)"},
		{"NaN", placesArray([]int{3, 2}, 0, 0, nan, 0, 0, 0), image.Rectangle{},
			"coordinate 0 of instance 1 is NaN"},
		{"text", wordsOf("coords", "a", "b", "c"), image.Rectangle{}, "coordinates are text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := npz(t, floats("features", 6, 3, 2), c.coords)
			set, err := Read("a.npz", data, Options{CoordsUnit: "px"})
			if c.second.Empty() {
				var format *FormatError
				must.Equal(t, errors.As(err, &format), true, err, c.says)
				must.Contain(t, err.Error(), c.says)
				return
			}
			bag := must.Get(must.Get(set, err)(t).Bag(0))(t)
			notes := strings.Join(set.Notes(), " ")
			if bag.Boxes[1] != c.second || !strings.Contains(notes, c.says) {
				t.Errorf("%v, notes %q; want %v, %q", bag.Boxes[1], notes, c.second, c.says)
			}
		})
	}
}
