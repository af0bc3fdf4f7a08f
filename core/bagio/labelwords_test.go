package bagio

import (
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestLabelsOfWords reads labels that are words: the classes of a model with these names, or else
// their places in order.
func TestLabelsOfWords(t *testing.T) {
	const header = "slide,label,instance_label,f1\n"
	for name, c := range map[string]struct {
		table     string
		classes   []string
		want      []int // classes of bags
		instances []int // labels of the first bag
		note      string
	}{
		"sorted": {header + "a,tumor,,1\na,tumor,x,2\nb,normal,y,3\n", nil, []int{1, 0},
			[]int{-1, 0}, "labels are label (0 is normal, 1 is tumor), labels of instances are " +
				"instance_label (0 is x, 1 is y)"},
		"of the model": {header + "a,Tumor,1,1\nb,normal,2,3\n", []string{"tumor", "stroma",
			"normal"}, []int{0, 2}, []int{1}, "labels are label (0 is Tumor, 2 is normal)"},
		"not of the model": {header + "a,yes,1,1\nb,no,2,3\n", []string{"tumor", "normal"},
			[]int{1, 0}, []int{1}, "labels are label (0 is no, 1 is yes)"},
		"as NumPy writes truth": {header + "a,True,1,1\nb,False,2,3\n", nil, []int{1, 0},
			[]int{1}, "labels are label (0 is False, 1 is True)"},
		"longest": {header + "a," + strings.Repeat("z", maxID) + ",1,1\n", nil, []int{0}, []int{1},
			"labels are label (0 is zzz"},
		"missing at first": {header + "a,1,,1\na,1,2,1\nb,0,2,3\n", nil, []int{1, 0},
			[]int{-1, 2}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			set := must.Get(Read("t.csv", []byte(c.table), Options{Classes: c.classes}))(t)
			var got []int
			for i := range set.Len() {
				got = append(got, must.Get(set.Bag(i))(t).Class...)
			}
			first := must.Get(set.Bag(0))(t)
			if !slices.Equal(got, c.want) || !slices.Equal(first.Labels, c.instances) ||
				!strings.Contains(strings.Join(set.Notes(), " "), c.note) {
				t.Errorf("classes %v, labels %v, notes %q", got, first.Labels, set.Notes())
			}
		})
	}
}

// TestLabelsBetweenModels: words of which the model knows only some would take each other's
// numbers.
func TestLabelsBetweenModels(t *testing.T) {
	_, err := Read("t.csv", []byte("slide,label,f1\na,tumor,1\nb,benign,3\n"),
		Options{Classes: []string{"normal", "tumor"}})
	wantError(t, err, "t.csv: its column label has the label \"benign\", and the model's classes "+
		"are normal, tumor; write the label as one of these, or as its number, or do not read the "+
		"column as labels")
}
