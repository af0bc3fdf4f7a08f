package bagio

import (
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

func TestLIBSVM(t *testing.T) {
	for name, c := range map[string]struct {
		file    string
		options Options
		names   []string
		values  []float32 // values of the first bag
		class   []int
		labels  []int
	}{
		"one bag": {"# of 2026\n+1 1:.5 3:-2 # one\n\n1 2:7\n", Options{}, []string{"x"},
			[]float32{.5, 0, -2, 0, 7, 0}, []int{1}, nil},
		"labels of instances": {"+1 1:.5\n-1 2:7\n", Options{}, []string{"x"},
			[]float32{.5, 0, 0, 7}, nil, []int{1, 0}},
		"numbers from 0, as scikit-learn writes them": {"0 0:1.5 2:2\n0 1:3\n", Options{},
			[]string{"x"}, []float32{1.5, 0, 2, 0, 3, 0}, []int{0}, nil},
		"as wide as the model": {"1 1:.5\n", Options{InstanceShape: []int{4}}, []string{"x"},
			[]float32{.5, 0, 0, 0}, []int{1}, nil},
		"bags": {"2 qid:7 1:1\n0 qid:3 1:2\n2 qid:7 2:3\n", Options{}, []string{"7", "3"},
			[]float32{1, 0, 0, 3}, []int{2}, nil},
		"labels that are no classes": {"2.5 1:1\n", Options{}, []string{"x"},
			[]float32{1}, nil, nil},
		"a first line beyond the beginning of the file": {"1 " + strings.Repeat(" ", 4080) +
			"1:1 2:123456789\n", Options{}, []string{"x"}, []float32{1, 123456789}, []int{1}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			set := must.Get(Read("x.svm", []byte(c.file), c.options))(t)
			bag := must.Get(set.Bag(0))(t)
			if !slices.Equal(set.Names(), c.names) || !slices.Equal(bag.Values, c.values) ||
				!slices.Equal(bag.Class, c.class) || !slices.Equal(bag.Labels, c.labels) {
				t.Errorf("%q, %+v", set.Names(), bag)
			}
		})
	}
}

func TestWrongLIBSVM(t *testing.T) {
	for file, want := range map[string]string{
		"1 1:1\nx 1:1\n":            `row 2: "x" is not a label`,
		"1 1:1\n1 2:1 2:3\n":        `row 2: "2:3" is not a feature after number 2`,
		"1 1:1\n1 -1:3\n":           `row 2: "-1:3" is not a feature`,
		"1 1:1\n1 1:x\n":            `row 2: feature 1: "x" is not a number`,
		"1 1:1\n1 1:nan\n":          "row 2: feature 1: the value is NaN",
		"1 1:1\n1 qid:1 1:1\n":      `row 2: "qid:1" is not the number of a bag that each line`,
		"1 qid:1 1:1\n1 1:1\n":      "row 2: it has no qid, and lines before it have one",
		"1 1:1 2000000000:1\n1 1:1": "an array of shape (2, 2000000000) is too large",
		"1 1:1 2147483648:1\n":      `row 1: "2147483648:1" is not a feature`,
		"1 1:1\n" + "2 3:1e39\n":    "1e39 is too large for a 32-bit number",
	} {
		t.Run(want, func(t *testing.T) {
			_, err := Read("x.svm", []byte(file), Options{})
			must.Equal(t, err != nil, true, err, want)
			must.Contain(t, err.Error(), want)
		})
	}
}

func FuzzLIBSVM(f *testing.F) {
	f.Add("+1 qid:7 1:.5 3:-2 # one\n-1 qid:3 2:7\n")
	f.Add("0 0:1\n1.5 2:3\n")
	f.Fuzz(func(t *testing.T, file string) {
		examine(t, "x.svm", []byte(file), Options{Limits: small})
		examine(t, "x.svm", []byte("1 1:1\n"+file), Options{Limits: small})
	})
}
