package bagio

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// age and stage are inputs of a model for covariates of one and of two values.
var ageAndStage = []core.CovariateInput{{Name: "age", Size: 1}, {Name: "stage", Size: 2}}

// TestReadCovariates reads what files state of their bags under the names of the model's inputs.
// What the caller states counts before that, and other names stay what they were.
func TestReadCovariates(t *testing.T) {
	features := array("features", []float32{1, 2, 3, 4, 5, 6}, 3, 2)
	instances := array("instances", []float32{1, 2, 3, 4, 5, 6}, 3, 2)
	offsets := array("offsets", []int64{0, 2, 3}, 3)
	coords := array("coords", []int64{0, 0, 8, 0, 16, 0}, 3, 2)
	age := func(v ...float64) core.Covariate { return core.Covariate{Name: "age", Values: v} }
	stage := func(v ...float64) core.Covariate { return core.Covariate{Name: "stage", Values: v} }
	for name, c := range map[string]struct {
		file   string
		data   []byte
		stated string
		want   [][]core.Covariate
	}{
		"features": {"f.npz", npz(t, features, coords, array("age", []int64{63}, 1),
			array("stage", []float32{0, 1}, 1, 2)), "",
			[][]core.Covariate{{age(63), stage(0, 1)}}},
		"the only array": {"f.npz", npz(t, features, array("age", []float32{1.5}, 1)), "",
			[][]core.Covariate{{age(1.5)}}},
		"a set": {"s.npz", npz(t, instances, offsets, array("age", []int64{63, 50}, 2),
			array("stage", []int64{1, 0, 0, 1}, 2, 2)), "",
			[][]core.Covariate{{age(63), stage(1, 0)}, {age(50), stage(0, 1)}}},
		"a set and the caller": {"s.npz", npz(t, instances, offsets,
			array("age", []int64{63, 50}, 2)), "age=7; height = 1.8",
			[][]core.Covariate{{age(7), {Name: "height", Values: []float64{1.8}}},
				{age(7), {Name: "height", Values: []float64{1.8}}}}},
		"a table": {"t.csv", []byte("bag,f1,Age,f2\na,1,63,2\nb,3,50,4\na,5,63,6\n"), "",
			[][]core.Covariate{{age(63)}, {age(50)}}},
		"an attribute": {"clam.h5", hdf5Sample(t, "clam.h5"), "stage=0,1",
			[][]core.Covariate{{stage(0, 1)}}},
		"none": {"f.npz", npz(t, features), "", [][]core.Covariate{nil}},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Covariates: ageAndStage, Inputs: c.stated}
			s := must.Get(Read(c.file, c.data, o))(t)
			must.Equal(t, s.Len(), len(c.want))
			for i, want := range c.want {
				bag := must.Get(s.Bag(i))(t)
				if len(bag.Covariates)+len(want) > 0 && !reflect.DeepEqual(bag.Covariates, want) {
					t.Errorf("bag %d: %v, want %v", i, bag.Covariates, want)
				}
				if n := bag.Stride(); n != 2 && c.file != "clam.h5" {
					t.Errorf("%d values of an instance", n)
				}
			}
			must.Equal(t, strings.Contains(strings.Join(s.Notes(), " "), "ignored"), false)
		})
	}
}

// TestAttributesAreCovariates reads a covariate from an attribute of a file of features.
func TestAttributesAreCovariates(t *testing.T) {
	n := namedArrays{attributes: attributes{"age": 63., "stage": []float64{0, 1}, "text": "1.5",
		"word": "old"}}
	s := &Set{names: []string{"a"}}
	inputs := append([]core.CovariateInput{{Name: "text", Size: 1}, {Name: "word", Size: 1}},
		ageAndStage...)
	used := must.Get(s.addCovariates(&n, Options{Covariates: inputs}))(t)
	want := []core.Covariate{{Name: "text", Values: []float64{1.5}},
		{Name: "age", Values: []float64{63}}, {Name: "stage", Values: []float64{0, 1}}}
	must.Equal(t, len(used), 0, s.covariatesOf(0))
	must.Equal(t, reflect.DeepEqual(s.covariatesOf(0), want), true, s.covariatesOf(0))
	n.attributes["age"] = []float64{1, 2}
	if _, err := s.addCovariates(&n, Options{Covariates: inputs}); err == nil ||
		!strings.Contains(err.Error(), "has 2 numbers, and the model takes 1") {
		t.Errorf("error %v", err)
	}
}

// TestWrongCovariates rejects numbers that do not fit, and text that states none.
func TestWrongCovariates(t *testing.T) {
	instances := array("instances", []float32{1, 2, 3, 4}, 2, 2)
	offsets := array("offsets", []int64{0, 1, 2}, 3)
	for says, c := range map[string]struct {
		file   string
		data   []byte
		stated string
	}{
		"shape (2, 1) is needed": {"s.npz", npz(t, instances, offsets,
			array("age", []int64{1, 2, 3}, 3)), ""},
		"the model takes 2 values": {"s.npz", npz(t, array("features", []float32{1, 2}, 1, 2),
			array("coords", []int64{0, 0}, 1, 2), array("stage", []int64{1}, 1)), ""},
		"63 in an earlier row of the bag": {"t.csv", []byte("bag,f1,age\na,1,63\na,1,64\n"), ""},
		`"old" is not a number`:           {"t.csv", []byte("bag,f1,age\na,1,old\n"), ""},
		`"age" must be NAME=NUMBER`:       {"s.npz", npz(t, instances), "age"},
		`"age=NaN" must be NAME=NUMBER`:   {"s.npz", npz(t, instances), "stage=1; age=NaN"},
		"each name once":                  {"s.npz", npz(t, instances), "age=1; age=2"},
	} {
		_, err := Read(c.file, c.data, Options{Covariates: ageAndStage, Inputs: c.stated})
		must.Equal(t, err != nil, true, err, says)
		must.Contain(t, err.Error(), says)
		var wrong *core.SettingError
		if c.stated != "" && (!errors.As(err, &wrong) || wrong.Setting != "inputs") {
			t.Errorf("%T", err)
		}
	}
}
