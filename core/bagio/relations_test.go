package bagio

import (
	"bytes"
	"image"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// array returns a member of numbers.
func array[T int64 | float32](name string, values []T, shape ...int) member {
	return member{name, func(w io.Writer) error { return WriteNpy(w, shape, values) }}
}

func TestReadRelations(t *testing.T) {
	values := array("features", []float32{1, 2, 3, 4, 5, 6}, 3, 2)
	matrix := []float32{0, 1, 0, .5, 0, 2, 0, 0, 3}
	dense := &core.Relations{Dense: matrix}
	edges := &core.Relations{Edges: []core.Edge{{From: 0, To: 1, Weight: 1},
		{From: 1, To: 0, Weight: .5}, {From: 1, To: 2, Weight: 2}, {From: 2, To: 2, Weight: 3}}}
	ones := &core.Relations{Edges: []core.Edge{{From: 0, To: 2, Weight: 1}}}
	index := array("edge_index", []int64{0, 1, 1, 2, 1, 0, 2, 2}, 2, 4)
	weights := array("edge_weight", []float32{1, .5, 2, 3}, 4)
	coords := array("coords", []int64{0, 0, 8, 0, 16, 0}, 3, 2)
	for name, c := range map[string]struct {
		members []member
		want    *core.Relations
	}{
		"matrix":            {[]member{values, array("adj", matrix, 3, 3)}, dense},
		"matrix of a batch": {[]member{values, array("adjacency", matrix, 1, 3, 3)}, dense},
		"beside places":     {[]member{values, coords, array("adj", matrix, 3, 3)}, dense},
		"edges":             {[]member{values, index, weights}, edges},
		"edges with places": {[]member{values, coords, index, weights}, edges},
		"rows of edges": {[]member{values, array("edges", []int64{0, 1, 1, 0, 1, 2, 2, 2}, 4, 2),
			weights}, edges},
		"edges without weights": {[]member{values, array("edge_index", []int64{0, 2}, 2, 1)}, ones},
		"a set": {[]member{array("instances", []float32{1, 2, 3, 4, 5, 6}, 3, 2), index, weights},
			edges},
		"none": {[]member{values}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := must.Get(Read("set.npz", npz(t, c.members...), Options{}))(t)
			bag, err := s.Bag(0)
			must.Do(t, err, bag.Relations, c.want)
			must.Equal(t, reflect.DeepEqual(bag.Relations, c.want), true, bag.Relations, c.want)
			must.Equal(t, strings.Contains(strings.Join(s.Notes(), " "), "ignored"), false)
		})
	}
}

func TestReadRelationErrors(t *testing.T) {
	values := array("instances", []float32{1, 2, 3, 4, 5, 6}, 3, 2)
	offsets := array("offsets", []int64{0, 1, 3}, 3)
	for says, members := range map[string][]member{
		"3 instances need shape (3, 3)": {array("adj", []float32{1, 2, 3, 4}, 2, 2)},
		"edges need shape (2, edges)":   {array("edge_index", []int64{0, 1, 2}, 3, 1)},
		"joins instances 0 and 3":       {array("edge_index", []int64{0, 3}, 2, 1)},
		"joins instances -1 and 0":      {array("edge_index", []int64{-1, 0}, 2, 1)},
		"it needs 1 values": {array("edge_index", []int64{0, 1}, 2, 1),
			array("edge_weight", []float32{1, 2}, 2)},
		"remove one of both": {array("adj", make([]float32, 9), 3, 3),
			array("edge_index", []int64{0, 1}, 2, 1)},
		"2 bags and one matrix":          {offsets, array("adj", make([]float32, 9), 3, 3)},
		"edge 0 joins instance 0 of bag": {offsets, array("edge_index", []int64{0, 1}, 2, 1)},
		"not an integer":                 {array("edge_index", []float32{.5, 1}, 2, 1)},
	} {
		_, err := Read("set.npz", npz(t, append(members, values)...), Options{})
		must.Equal(t, err != nil, true, err, says)
		must.Contain(t, err.Error(), says)
	}
	few := Options{Limits: Limits{Elements: 8}}
	_, err := Read("set.npz", npz(t, values, array("adj", make([]float32, 9), 3, 3)), few)
	must.Fail(t, err)
	must.Contain(t, err.Error(), "store its edges")
}

// TestRelationsOfSets writes bags with relations and reads them again.
func TestRelationsOfSets(t *testing.T) {
	bags := []*core.Bag{
		{Name: "a", Shape: []int{1}, Values: []float32{1, 2}, Relations: &core.Relations{
			Dense: []float32{0, 2, 3, 0}}},
		{Name: "b", Shape: []int{1}, Values: []float32{3}},
		{Name: "c", Shape: []int{1}, Values: []float32{4, 5, 6}, Relations: &core.Relations{
			Edges: []core.Edge{{From: 2, To: 0, Weight: 4}}}},
	}
	var file bytes.Buffer
	must.Do(t, WriteSet(&file, bags...))
	s := must.Get(Read("set.npz", file.Bytes(), Options{}))(t)
	for i, want := range [][]core.Edge{{{From: 0, To: 1, Weight: 2}, {From: 1, To: 0, Weight: 3}},
		{}, {{From: 2, To: 0, Weight: 4}}} {
		bag, err := s.Bag(i)
		must.Do(t, err, i, bag.Relations, want)
		must.EqualSlices(t, bag.Relations.Edges, want, i, bag.Relations)
	}
}

// TestAdjacencyOption builds relations from the places that a file holds.
func TestAdjacencyOption(t *testing.T) {
	values := array("features", []float32{1, 2, 3, 4, 5, 6}, 3, 2)
	data := npz(t, values, array("coords", []int64{0, 0, 8, 0, 16, 0}, 3, 2))
	s := must.Get(Read("set.npz", data, Options{Adjacency: "grid4 row"}))(t)
	bag, err := s.Bag(0)
	want := []core.Edge{{From: 0, To: 1, Weight: 1}, {From: 1, To: 0, Weight: .5},
		{From: 1, To: 2, Weight: .5}, {From: 2, To: 1, Weight: 1}}
	must.Do(t, err, bag.Relations)
	must.EqualSlices(t, bag.Relations.Edges, want, bag.Relations)
	must.Equal(t, bag.Boxes[1], image.Rect(8, 0, 16, 8), bag.Relations)
	must.Fail(t, must.Err(Read("set.npz", data, Options{Adjacency: "near"})))
	s = must.Get(Read("set.npz", npz(t, values), Options{Adjacency: "grid4"}))(t)
	if _, err := s.Bag(0); err == nil || !strings.Contains(err.Error(), "no places") {
		t.Errorf("error %v", err)
	}
}
