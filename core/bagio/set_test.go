package bagio

import (
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

func TestReshape(t *testing.T) {
	for _, c := range []struct {
		have, want, shape []int // shape nil: they do not fit
	}{
		{[]int{784}, nil, []int{784}},
		{[]int{784}, []int{1, 28, 28}, []int{1, 28, 28}},
		{[]int{28, 28}, []int{1, 28, 28}, []int{1, 28, 28}},
		{[]int{1, 28, 28}, []int{784}, []int{784}},
		{[]int{28, 28, 1}, []int{1, 28, 28}, []int{1, 28, 28}},
		{[]int{27, 27, 3}, []int{3, 27, 27}, nil}, // channels last would be scrambled
		{[]int{14, 56}, []int{28, 28}, nil},
		{[]int{784}, []int{785}, nil},
		{[]int{3, 27, 27}, []int{3, -1, -1}, []int{3, 27, 27}},
		{[]int{28, 28}, []int{1, 0, 0}, []int{1, 28, 28}},
		{[]int{3, 27, 27}, []int{1, -1, -1}, nil},
		{[]int{9}, []int{-1}, []int{9}},
		{[]int{9, 2, 2}, []int{-1}, nil},
		{[]int{1 << 30, 1 << 30}, []int{5}, nil},
	} {
		shape, ok := reshape(c.have, c.want)
		if ok != (c.shape != nil) || ok && !slices.Equal(shape, c.shape) {
			t.Errorf("%v as %v gives %v, %v; want %v", c.have, c.want, shape, ok, c.shape)
		}
	}
}

func TestShapeOfInstances(t *testing.T) {
	file := npz(t, floats("instances", 12, 1, 3, 4))
	for _, c := range []struct {
		want, shape []int
		k           int
	}{{nil, []int{3, 4}, 1}, {[]int{4}, []int{4}, 3}, {[]int{12}, []int{12}, 1}, {[]int{1, 3, 4},
		[]int{1, 3, 4}, 1}} {
		set := must.Get(Read("a.npz", file, Options{InstanceShape: c.want}))(t)
		bag, err := set.Bag(0)
		if err != nil || bag.Len() != c.k || !slices.Equal(bag.Shape, c.shape) {
			t.Errorf("%v: %d of shape %v, %v", c.want, bag.Len(), bag.Shape, err)
		}
	}
	_, err := Read("a.npz", file, Options{InstanceShape: []int{5}})
	wantError(t, err, "a.npz: an instance has shape (3, 4), but the model takes (5,)")
}

// TestBagsAreCopies checks that changes to a bag or to the names do not change the set.
func TestBagsAreCopies(t *testing.T) {
	set := must.Get(Read("stored.npz", testdata(t, "stored.npz"), Options{}))(t)
	spoilt := must.Get(set.Bag(1))(t)
	spoilt.Values[0], spoilt.Labels[0], spoilt.Class[0], spoilt.Shape[0],
		spoilt.Boxes[0].Max.X = -1, -9, -9, -9, -9
	set.Names()[1] = "spoilt"
	fresh := must.Get(set.Bag(1))(t)
	if fresh.Values[0] != 4 || fresh.Labels[0] != 4 || fresh.Class[0] != 0 || fresh.Shape[0] != 1 ||
		fresh.Boxes[0].Max.X != 4 || fresh.Name != "second" {
		t.Errorf("%+v", fresh)
	}
}

func TestBaseName(t *testing.T) {
	for file, want := range map[string]string{
		"a.npz": "a", "d/e/img76.png": "img76", `C:\x\bag.csv.gz`: "bag",
		"t10k-images-idx3-ubyte.gz": "t10k-images-idx3-ubyte", ".png": ".png", "v1.2.npy": "v1.2",
	} {
		t.Run(file, func(t *testing.T) {
			must.Equal(t, baseName(file), want, file)
		})
	}
}
