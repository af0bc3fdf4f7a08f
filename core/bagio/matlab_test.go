package bagio

import (
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestMATLAB reads layouts of sets in MATLAB's files, which testdata/tools/make.py writes by SciPy:
// twelve instances in three bags, 7, 3 and 5, of four, six and two.
func TestMATLAB(t *testing.T) {
	ids := []string{"7", "3", "5"}
	counted := func(name string) []string { return []string{name + " 0", name + " 1", name + " 2"} }
	for name, c := range map[string]struct {
		file    string
		options Options
		names   []string
		classes []int
		note    string
	}{
		"Andrews: sparse, packed": {"mat-andrews.mat", Options{}, ids, []int{0, 1, 0},
			"mat-andrews.mat: bags are the values of bag_ids, labels are labels."},
		"PRTools: an object": {"mat-prtools.mat", Options{}, ids, []int{0, 1, 0},
			"bags are the values of x/ident/milbag, labels are x/nlab."},
		"cells": {"mat-cells.mat", Options{}, counted("mat-cells"), []int{0, 1, 0},
			"the cells of bags are 3 bags."},
		"cells with instances in columns": {"mat-turned.mat", Options{}, counted("mat-turned"), nil,
			"the cells of bags are 3 bags."},
		"cells of pairs": {"mat-pairs.mat", Options{Columns: "data{2}=label"}, counted("mat-pairs"),
			[]int{0, 1, 0}, "labels are data{2}."},
		"structs": {"mat-structs.mat", Options{}, []string{"a", "b", "c"}, []int{0, 1, 0},
			"names of bags are set/name.\nmat-structs.mat: labels are set/label."},
		"instances in columns": {"mat-columns.mat", Options{}, ids, nil,
			"labels of instances are labels."},
		"by another list": {"mat-columns.mat", Options{BagBy: "flag", Columns: "site=label"}, ids,
			[]int{1, 0, 2}, "bags are the values of flag, labels are site."},
		"version 7.3": {"mat-v73.mat", Options{}, ids, []int{0, 1, 0},
			"bags are the values of bag_ids, labels are labels."},
	} {
		t.Run(name, func(t *testing.T) {
			set := must.Get(ReadFiles(toolFiles(t, c.file), c.options))(t)
			must.EqualSlices(t, set.Names(), c.names)
			must.Equal(t, strings.Contains(strings.Join(set.Notes(), "\n"), c.note), true,
				set.Notes(), c.note)
			first := 0
			for b, n := range []int{4, 6, 2} {
				bag := must.Get(set.Bag(b))(t)
				var want []float32
				for i := range n {
					want = append(want, cellFeatures(first+i)...)
				}
				must.EqualSlices(t, bag.Values, want, b)
				if c.classes != nil && (bag.Class == nil || bag.Class[0] != c.classes[b]) {
					t.Errorf("bag %d has class %v", b, bag.Class)
				}
				if labels := strings.HasPrefix(c.note, "labels of"); labels &&
					bag.Labels[1] != (first+1)%2 || !labels && bag.Labels != nil {
					t.Errorf("bag %d has labels %v", b, bag.Labels)
				}
				first += n
			}
		})
	}
	set := must.Get(ReadFiles(toolFiles(t, "mat-plain.mat"), Options{}))(t)
	if bag := must.Get(set.Bag(0))(t); set.Len() != 1 || bag.Len() != 12 || bag.Values[7] != 7./8 {
		t.Errorf("a matrix alone: %+v", bag)
	}
}

func TestWrongMATLAB(t *testing.T) {
	for name, c := range map[string]struct {
		file    string
		options Options
		want    string
	}{
		"ids of another number": {"mat-wrong.mat", Options{},
			"its list bag_ids has 11 entries for 12"},
		"no list": {"mat-plain.mat", Options{BagBy: "ids"}, `it has no list "ids"; it has none`},
		"features by a rule": {"mat-columns.mat", Options{Columns: "flag=feature"},
			"is one of bag, label and instance_label, not feature"},
		"another array": {"mat-wrong.mat", Options{Array: "other"},
			`it has no array "other"`},
		"too large when it is not sparse": {"mat-andrews.mat",
			Options{Limits: Limits{Elements: 47}},
			"an array of shape (12, 4) is too large"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadFiles(toolFiles(t, c.file), c.options)
			must.Equal(t, err != nil, true, err, c.want)
			must.Contain(t, err.Error(), c.want)
		})
	}
}

func FuzzMATLAB(f *testing.F) {
	for _, name := range []string{"andrews", "prtools", "cells", "turned", "pairs", "structs",
		"columns"} {
		f.Add(toolFiles(f, "mat-"+name+".mat")[0].Data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		examine(t, "x.mat", data, Options{Limits: small})
		examine(t, "x.mat", data, Options{Limits: small, BagBy: "flag", Columns: "label=label"})
	})
}
