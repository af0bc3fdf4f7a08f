package bagio

import (
	"image"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// cellFeatures returns the features of some of the twelve cells of testdata/tools/make.py.
func cellFeatures(cells ...int) (values []float32) {
	for _, i := range cells {
		for f := range 4 {
			values = append(values, float32(4*i+f)/8)
		}
	}
	return values
}

// TestBagsOfObs makes bags of the cells of AnnData by columns of obs. The patients are p2, p1, p2,
// p1, p3, p3 and the same again.
func TestBagsOfObs(t *testing.T) {
	patients := [][]int{{0, 2, 6, 8}, {1, 3, 7, 9}, {4, 5, 10, 11}}
	for name, c := range map[string]struct {
		file    string
		options Options
		names   []string
		cells   [][]int
		classes []int
		note    string
	}{
		"categories": {"anndata-obs.h5ad", Options{BagBy: "patient"}, []string{"p2", "p1", "p3"},
			patients, nil, "bags are the values of patient."},
		"with its group": {"anndata-obs.h5ad", Options{BagBy: "obs/patient"},
			[]string{"p2", "p1", "p3"}, patients, nil, "bags are the values of patient."},
		"labels of categories": {"anndata-obs.h5ad", Options{BagBy: "patient",
			Columns: "response=label"}, []string{"p2", "p1", "p3"}, patients, []int{0, 1, 0},
			"labels are response (0 is NR, 1 is R)."},
		"labels of numbers": {"anndata-obs.h5ad", Options{Columns: "grade=label; patient=bag"},
			[]string{"p2", "p1", "p3"}, patients, []int{1, 3, 1}, "labels are grade."},
		"texts": {"anndata-obs.h5ad", Options{BagBy: "site"},
			[]string{"site p2", "site p1", "site p3"}, patients, nil, ""},
		"numbers, and names": {"anndata-obs.h5ad", Options{BagBy: "grade", Columns: "patient=name"},
			[]string{"p2", "p1"}, [][]int{{0, 2, 4, 5, 6, 8, 10, 11}, patients[1]}, nil,
			"bags are the values of grade, their names are patient."},
		"categories of numbers": {"anndata-obs.h5ad", Options{BagBy: "type"},
			[]string{"0", "10", "20"}, [][]int{{0, 3, 6, 9}, {1, 4, 7, 10}, {2, 5, 8, 11}},
			nil, ""},
		"one bag": {"anndata-obs.h5ad", Options{}, []string{"anndata-obs"},
			[][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}, nil, ""},
		"before 0.8": {"obs-old.h5ad", Options{BagBy: "patient"}, []string{"p2", "p1", "p3"},
			patients, nil, ""},
		"no AnnData": {"slides.h5", Options{BagBy: "slide"}, []string{"p2", "p1", "p3"},
			patients, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			set := must.Get(ReadFiles(toolFiles(t, c.file), c.options))(t)
			must.EqualSlices(t, set.Names(), c.names)
			if c.note != "" && !strings.HasSuffix(set.Notes()[0], c.note) {
				t.Errorf("notes %q, want %q", set.Notes(), c.note)
			}
			for b, cells := range c.cells {
				bag := must.Get(set.Bag(b))(t)
				must.EqualSlices(t, bag.Values, cellFeatures(cells...), b)
				if c.classes != nil && bag.Class[0] != c.classes[b] || c.classes == nil &&
					bag.Class != nil {
					t.Errorf("bag %d has class %v", b, bag.Class)
				}
				if c.file != "anndata-obs.h5ad" {
					continue
				}
				for i, cell := range cells {
					if at := image.Pt(cell%4*10, cell/4*10); bag.Boxes[i].Min != at {
						t.Errorf("cell %d is at %v, want %v", cell, bag.Boxes[i].Min, at)
					}
				}
			}
		})
	}
}

// TestArraysOfObs makes bags of other arrays of AnnData, and labels of instances.
func TestArraysOfObs(t *testing.T) {
	set := must.Get(ReadFiles(toolFiles(t, "anndata-obs.h5ad"), Options{BagBy: "patient",
		Array: "obsm/X_pca", Columns: "type=instance_label"}))(t)
	bag := must.Get(set.Bag(1))(t) // cells 1, 3, 7, 9
	want := []float32{-.5, -.625, -1.5, -1.625, -3.5, -3.625, -4.5, -4.625}
	must.EqualSlices(t, bag.Values, want, bag.Labels)
	must.EqualSlices(t, bag.Labels, []int{1, 0, 1, 0}, bag.Values)
	set = must.Get(ReadFiles(toolFiles(t, "anndata-obs.h5ad"), Options{BagBy: "patient",
		Array: "layers/doubled"}))(t)
	must.Equal(t, must.Get(set.Bag(0))(t).Values[5], 2*cellFeatures(2)[1])
}

func TestWrongObs(t *testing.T) {
	for name, c := range map[string]struct {
		file    string
		options Options
		want    string
	}{
		"no column": {"anndata-obs.h5ad", Options{BagBy: "slide"},
			`it has no column "slide" in obs; it has counts, gap, grade, patient`},
		"fractions": {"anndata-obs.h5ad", Options{BagBy: "counts"},
			"its column counts holds 0.5 for instance 1, and ids and labels are whole numbers"},
		"a gap": {"anndata-obs.h5ad", Options{BagBy: "gap"}, "its column gap has no category " +
			"for 6 of 12 instances; write the file without them, such as " +
			`adata[adata.obs["gap"].notna()]`},
		"a label that differs": {"anndata-obs.h5ad", Options{BagBy: "patient",
			Columns: "type=label"}, "bag p2 has type 0 and 20; a label is the same in all of a " +
			"bag"},
		"a feature": {"anndata-obs.h5ad", Options{Columns: "counts=feature"},
			"a column of its obs is one of bag, name, label and instance_label, not feature"},
		"a rule without a role": {"anndata-obs.h5ad", Options{Columns: "counts"},
			`"counts" does not say what a column holds`},
		"too short": {"obs-short.h5ad", Options{BagBy: "patient"},
			"its column patient has 11 entries for 12 instances"},
		"beyond the categories": {"obs-beyond.h5ad", Options{BagBy: "patient"},
			"its column patient states category 3 of 3"},
		"too many bags": {"anndata-obs.h5ad", Options{BagBy: "patient", Limits: Limits{Bags: 2}},
			"it holds 3 bags; the limit is 2"},
		"no columns at all": {"trident-0.0.1.h5", Options{BagBy: "patient"},
			`it has no column "patient" in obs`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadFiles(toolFiles(t, c.file), c.options)
			must.Equal(t, err != nil, true, err, c.want)
			must.Contain(t, err.Error(), c.want)
		})
	}
}

// TestRelationsOfObs: relations of all instances become those of each bag, and a covariate of the
// file holds for all bags.
func TestRelationsOfObs(t *testing.T) {
	s := &Set{shape: []int{1}, names: []string{"a", "b"}, relations: &core.Relations{
		Edges: []core.Edge{{From: 0, To: 2, Weight: .5}, {From: 1, To: 2, Weight: 2}}},
		array: arrayOf("x", []int{3, 1}, []float32{1, 2, 3})}
	s.regroup([]int{0, 1, 0})
	bag := must.Get(s.Bag(0))(t)
	must.EqualSlices(t, bag.Values, []float32{1, 3}, bag.Relations)
	must.EqualSlices(t, bag.Relations.Edges, []core.Edge{{From: 0, To: 1, Weight: .5}}, bag.Values,
		bag.Relations)
	file := toolFiles(t, "anndata-obs.h5ad")
	set := must.Get(ReadFiles(file, Options{BagBy: "patient", Inputs: "age=3"}))(t)
	must.Equal(t, must.Get(set.Bag(2))(t).Covariates[0].Values[0], 3)
}
