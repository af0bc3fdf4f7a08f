package bagio

import (
	"bytes"
	"errors"
	"image"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

func TestWrittenSetsAreReadBack(t *testing.T) {
	for _, bags := range [][]*core.Bag{
		{{Name: "é", Shape: []int{2}, Values: []float32{1.5, -2, 3e-20, 4}},
			{Name: "", Shape: []int{2}, Values: []float32{5, math.MaxFloat32}}},
		{{Name: "a", Shape: []int{1, 1, 2}, Values: []float32{0, 255, 7, 8}, Raw: true,
			Class: []int{3}, Labels: []int{-1, 8},
			Boxes: []image.Rectangle{image.Rect(0, 0, 2, 1), image.Rect(-4, 5, 6, 7)}}},
	} {
		var file, again bytes.Buffer
		must.Do(t, errors.Join(WriteSet(&file, bags...), WriteSet(&again, bags...)))
		must.EqualSlices(t, file.Bytes(), again.Bytes(), "equal bags give different files")
		set, err := Read("set.npz", file.Bytes(), Options{})
		must.Do(t, err, set)
		must.Equal(t, set.Len(), len(bags), set)
		for i, want := range bags {
			if got, err := set.Bag(i); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
			}
		}
	}
}

// TestWriteSetRoundTrip checks that a file of NumPy has the same bags after reading, writing and
// reading.
func TestWriteSetRoundTrip(t *testing.T) {
	set := must.Get(Read("stored.npz", testdata(t, "stored.npz"), Options{}))(t)
	first, err1 := set.Bag(0)
	second, err2 := set.Bag(1)
	second.Labels = nil
	var file bytes.Buffer
	must.Do(t, errors.Join(err1, err2, WriteSet(&file, second, first)))
	set = must.Get(Read("again.npz", file.Bytes(), Options{}))(t)
	second.Labels = []int{-1, -1}
	for i, want := range []*core.Bag{second, first} {
		if got, err := set.Bag(i); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
		}
	}
}

func TestWriteSetErrors(t *testing.T) {
	good := core.Bag{Name: "a", Shape: []int{2}, Values: []float32{1, 2}}
	with := func(change func(*core.Bag)) *core.Bag {
		b := good
		b.Name = "b"
		b.Values = []float32{1, 2}
		change(&b)
		return &b
	}
	for _, c := range []struct {
		bags []*core.Bag
		want string
	}{
		{nil, "a bag set needs at least one bag"},
		{[]*core.Bag{with(func(b *core.Bag) { b.Values = nil })}, "it holds 0 values"},
		{[]*core.Bag{with(func(b *core.Bag) { b.Shape = nil })},
			"its instances are single numbers"},
		{[]*core.Bag{with(func(b *core.Bag) { b.Name = "\xff" })}, "its name is not valid text"},
		{[]*core.Bag{&good, with(func(b *core.Bag) { b.Shape = []int{1} })},
			`its instances have shape [1], but those of bag "a" have [2]`},
		{[]*core.Bag{&good, with(func(b *core.Bag) { b.Raw = true })},
			"one set cannot hold both raw pixels and other values"},
		{[]*core.Bag{with(func(b *core.Bag) { b.Class = []int{1, 2} })},
			"it has 2 classes, but a bag set holds one class for each bag"},
		{[]*core.Bag{&good, with(func(b *core.Bag) { b.Class = []int{1} })},
			"either all bags of a set have a class, or none"},
		{[]*core.Bag{&good, with(func(b *core.Bag) {
			b.Boxes = []image.Rectangle{image.Rect(0, 0, 1,
				1)}
		})}, "either all bags of a set have boxes, or none"},
		{[]*core.Bag{with(func(b *core.Bag) { b.Values[1] = float32(math.NaN()) })},
			"value 1 is NaN"},
		{[]*core.Bag{with(func(b *core.Bag) { b.Raw, b.Values[1] = true, 1.5 })},
			"value 1 is 1.5, but raw pixels are whole numbers from 0 to 255"},
		{[]*core.Bag{with(func(b *core.Bag) { b.Raw, b.Values[0] = true, 256 })},
			"value 0 is 256, but raw pixels are whole numbers from 0 to 255"},
	} {
		var fault *core.BagError
		must.Equal(t, errors.As(WriteSet(new(bytes.Buffer), c.bags...), &fault), true, c.want)
		must.Equal(t, strings.HasPrefix(fault.Reason, c.want), true, c.want)
	}
}

func TestWriteNpy(t *testing.T) {
	var file bytes.Buffer
	must.Do(t, WriteNpy(&file, []int{2, 1}, []int32{-1, 1 << 30}))
	if (file.Len()-8)%64 != 0 || !bytes.Contains(file.Bytes(),
		[]byte("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 1), }")) {
		t.Errorf("%q", file.Bytes())
	}
	if err := WriteNpy(&file, []int{3}, []uint8{1, 2}); err == nil ||
		err.Error() != "an array of shape (3,) has 3 elements, and 2 values are given" {
		t.Errorf("a wrong shape gives %v", err)
	}
}
