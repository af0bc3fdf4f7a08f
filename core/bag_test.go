package core

import (
	"errors"
	"image"
	"math"
	"reflect"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

func TestBagValidate(t *testing.T) {
	values := []float32{1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		name string
		bag  Bag
		ok   bool
	}{
		{"three pairs", Bag{Shape: []int{2}, Values: values}, true},
		{"scalars", Bag{Values: values}, true},
		{"labelled", Bag{Shape: []int{3}, Values: values, Labels: []int{0, -1},
			Boxes: make([]image.Rectangle, 2)}, true},
		{"empty", Bag{Shape: []int{2}}, false},
		{"half an instance", Bag{Shape: []int{4}, Values: values}, false},
		{"too few values", Bag{Shape: []int{7}, Values: values}, false},
		{"a side of zero", Bag{Shape: []int{2, 0}, Values: values}, false},
		{"a side below zero", Bag{Shape: []int{-2, -3}, Values: values}, false},
		{"a product that overflows", Bag{Shape: []int{math.MaxInt, math.MaxInt}, Values: values},
			false},
		{"labels for another bag", Bag{Shape: []int{2}, Values: values, Labels: []int{1}}, false},
		{"boxes for another bag", Bag{Shape: []int{2}, Values: values,
			Boxes: make([]image.Rectangle, 2)}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.bag.Validate()
			var bagError *BagError
			if (err == nil) != c.ok || err != nil && !errors.As(err, &bagError) {
				t.Errorf("%s: %v", c.name, err)
			}
		})
	}
}

func TestBagSelect(t *testing.T) {
	bag := &Bag{Name: "b", Shape: []int{2}, Values: []float32{0, 1, 2, 3, 4, 5}, Raw: true,
		Class: []int{1}, Labels: []int{7, 8, 9},
		Boxes: []image.Rectangle{image.Rect(0, 0, 1, 1), image.Rect(1, 0, 2, 1),
			image.Rect(2, 0, 3, 1)}}
	got := bag.Select([]int{2, 0})
	want := &Bag{Name: "b", Shape: []int{2}, Values: []float32{4, 5, 0, 1}, Raw: true,
		Class: []int{1}, Labels: []int{9, 7},
		Boxes: []image.Rectangle{bag.Boxes[2], bag.Boxes[0]}}
	must.Equal(t, reflect.DeepEqual(got, want), true, got)
	must.Equal(t, got.Len(), 2, got)
	got.Values[0] = -1
	must.Equal(t, bag.Values[4], 4, "a selection shares values with its bag")
}

// TestBagHashDependsOnPurposeNameAndValues checks that different purposes, names and values have
// different hashes.
func TestBagHashDependsOnPurposeNameAndValues(t *testing.T) {
	bag := func(name string, values ...float32) *Bag {
		return &Bag{Name: name, Shape: []int{1}, Values: values}
	}
	seen := map[uint64]string{}
	for purpose, bags := range map[string][]*Bag{
		"a":  {bag("b", 1, 2), bag("b", 2, 1), bag("b", 1), bag("", 1, 2), bag("c", 1, 2)},
		"ab": {bag("", 1, 2), bag("b", 1, 2)},
	} {
		t.Run(purpose, func(t *testing.T) {
			for _, b := range bags {
				h, what := b.Hash(purpose), purpose+"/"+b.Name
				if old, ok := seen[h]; ok {
					t.Errorf("%s and %s %v have one hash", old, what, b.Values)
				}
				seen[h] = what
				must.Equal(t, h, bag(b.Name, b.Values...).Hash(purpose), what)
			}
		})
	}
	// FNV-1a by its definition: a byte, or the 32 bits of a value, at a time.
	want := uint64(14695981039346656037)
	for _, x := range []uint64{'p', 256, 'n', 256, 0x3f800000, 0xc0000000} {
		want ^= x
		want *= 1099511628211
	}
	must.Equal(t, bag("n", 1, -2).Hash("p"), want)
}
