package bagio

import (
	"image"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

func TestReadCSV(t *testing.T) {
	const table = "\xef\xbb\xbfBag;flag;Label;f1;x0;y0;x1;y1;instance_label;f2\r\n" +
		"b;size;1;1.5;0;0;2;2;-1;-3e2\r\n" +
		"a;;0;2;2;0;4;2;4; 7 \r\n" +
		"\r\n" +
		"b;;1.0;-0;0;2;2;4;3;1\r\n"
	set := must.Get(Read("t.csv", []byte(table), Options{}))(t)
	want := []*core.Bag{
		{Name: "b", Shape: []int{2}, Values: []float32{1.5, -300, 0, 1}, Class: []int{1},
			Labels: []int{-1, 3},
			Boxes:  []image.Rectangle{image.Rect(0, 0, 2, 2), image.Rect(0, 2, 2, 4)}},
		{Name: "a", Shape: []int{2}, Values: []float32{2, 7}, Class: []int{0}, Labels: []int{4},
			Boxes: []image.Rectangle{image.Rect(2, 0, 4, 2)}},
	}
	must.Equal(t, set.Len(), len(want))
	for i := range want {
		got, err := set.Bag(i)
		must.Do(t, err, i, got, want[i])
		must.Equal(t, reflect.DeepEqual(got, want[i]), true, i, got, want[i])
	}
	must.EqualSlices(t, set.Notes(), []string{"t.csv: ignored columns that are not features: flag"})
}

// TestFirstNameOfLabels: of two columns with names of instance labels, that of the first name
// counts.
func TestFirstNameOfLabels(t *testing.T) {
	for _, header := range []string{"instance_labels,instance_label",
		"instance_label,instance_labels"} {
		set := must.Get(Read("t.csv", []byte("bag,"+header+",f1\na,0,1,5\n"), Options{}))(t)
		bag := must.Get(set.Bag(0))(t)
		want := 1
		if strings.HasPrefix(header, "instance_label,") {
			want = 0
		}
		must.EqualSlices(t, bag.Labels, []int{want}, header, want)
	}
}

func TestReadCSVHeaders(t *testing.T) {
	for _, c := range []struct {
		table    string
		features int
		class    []int
	}{
		{"bag,f1\n1,2\n", 1, nil},
		{"slide_id\tf1\tf2\nx\t2\t3\n", 2, nil},
		{"id,0,1,2\n1,2,3,4\n", 3, nil},                        // a data frame's unnamed columns
		{"bag,x0,x1,x2\n1,2,3,4\n", 3, nil},                    // not all four corners: features
		{"bag,class_id,class,f1\nS1,4,Apple,2\n", 1, []int{4}}, // the class in words is left out
		{"bag,class,f1\nS1,4,2\n", 1, []int{4}},
		{"bag,class,f1\nS1,Apple,2\n", 1, nil},
		{"bag,label,class,f1\nS1,1,4,2\n", 1, []int{1}},
		{"Ward,age\nA,7\n", 1, nil}, // the first column is the bag's id with any name
		{"bag,\"f 1\",\"f,2\"\n\"S\"\"1\",2,3\n", 2, nil},
	} {
		set, err := Read("t.csv", []byte(c.table), Options{})
		if err != nil {
			t.Errorf("%q: %v", c.table, err)
			continue
		}
		bag, err := set.Bag(0)
		must.Do(t, err, c.table, bag)
		must.EqualSlices(t, bag.Shape, []int{c.features}, c.table, bag)
		must.EqualSlices(t, bag.Class, c.class, c.table, bag)
	}
}

func TestReadCSVNamesThePlaceOfAFault(t *testing.T) {
	for _, c := range []struct{ table, want string }{
		{"", "digits.csv: it is empty"},
		{"bag,f1\n", "digits.csv: it holds no rows of data under a header"},
		{"1,2,3\n4,5,6\n", "digits.csv, row 1, column 1: the first row holds numbers instead of " +
			"column names; begin the file with a row such as bag,label,f1,f2, or write its " +
			"numbers as one bag by numpy: python3 -c \"import numpy; numpy.save('bag.npy', " +
			"numpy.loadtxt('FILE', delimiter=',', ndmin=2))\""},
		{"S1,0.5,2\nS1,4,5\n", "digits.csv, row 1, column 1: the first row holds numbers instead " +
			"of column names; begin the file with a row such as bag,label,f1,f2"},
		{"bag,label\n1,2\n", "digits.csv, row 1: the header has no feature column; put the bag's " +
			"id first, then an optional label, then one column for each feature"},
		{"bag,label,f1,f2,f3\na,0,1,2,3\n\na,0,1,2,abc\n",
			`digits.csv, row 4, column 5 (f3): "abc" is not a number; or ignore the column: ` +
				"columns f3=skip"},
		{"bag,f1\na,\n", "digits.csv, row 2, column 2 (f1): the cell is empty: fill it, " +
			"or remove the row; or ignore the column: columns f1=skip"},
		{"bag,f1\na,nan\n", "digits.csv, row 2, column 2 (f1): the value is NaN; " +
			"all values must be finite: replace it, or remove the row; or ignore the column: " +
			"columns f1=skip"},
		{"bag,f1\na,-inf\n", "digits.csv, row 2, column 2 (f1): the value is -Inf; " +
			"all values must be finite: replace it, or remove the row; or ignore the column: " +
			"columns f1=skip"},
		{"bag,f1\na,1e39\n",
			"digits.csv, row 2, column 2 (f1): 1e39 is too large for a " +
				"32-bit number: scale the column, or remove the row; or ignore the column: " +
				"columns f1=skip"},
		{"bag,f1\na,1\n ,2\n", "digits.csv, row 3, column 1 (bag): the bag's id is missing"},
		{"bag,f1\n" + strings.Repeat("a", 1025) + ",1\n", "digits.csv, row 2, column 1 (bag): " +
			"the bag's id has 1025 bytes, but at most 1024 are allowed; use shorter ids"},
		{"bag,label,f1\na,1,1\nb,yes,1\n",
			`digits.csv, row 3, column 2 (label): "yes" is not an integer`},
		{"bag,label,f1\na,yes,1\nb,,1\n", "digits.csv, row 3, column 2 (label): the label is " +
			"missing: fill the cell, or remove the row; or ignore the column: columns label=skip"},
		{"bag,label,f1\na,yes,1\na,no,1\n", "digits.csv, row 3, column 2 (label): bag a has " +
			"class no here and class yes in an earlier row; put labels of single instances into " +
			"a column instance_label"},
		{"bag,label,f1\na,1.5,1\n", `digits.csv, row 2, column 2 (label): "1.5" is not an integer`},
		{"bag,label,f1\na,1,1\nb,0,1\na,0,1\n", "digits.csv, row 4, column 2 (label): bag a has " +
			"class 0 here and class 1 in an earlier row; put labels of single instances into a " +
			"column instance_label"},
		{"bag,instance_label,f1\na,1,1\na,,1\n",
			`digits.csv, row 3, column 2 (instance_label): "" is not an integer`},
		{"bag,x0,y0,x1,y1,f1\na,0,0,1,?,1\n",
			`digits.csv, row 2, column 5 (y1): "?" is not an integer`},
		{"bag,x0,y0,x1,y1,f1\na,2,0,1,1,1\n", "digits.csv, row 2, column 2 (x0): x0 y0 x1 y1 are " +
			"[2 0 1 1], but x0 < x1 and y0 < y1 must hold; add x0 to a width and y0 to a height"},
		{"bag,f1,f2\na,1,2\na,1\n",
			"digits.csv, row 3: the row has 2 columns, but the header has 3"},
		{"bag,f1\n\"a\nb\",1\na\"b,1\n",
			`digits.csv, row 4: character 2: bare " in non-quoted-field`},
		{"bag\x00,f1\n", "digits.csv: its format is not known; bags are read from " +
			FormatList("and") + " files, and models from ONNX files"},
	} {
		_, err := Read("digits.csv", []byte(c.table), Options{})
		wantError(t, err, c.want)
	}
}

func TestReadCSVRespectsLimits(t *testing.T) {
	const table = "bag,f1,f2\na,1,2\nb,3,4\n"
	for _, c := range []struct {
		limits Limits
		want   string
	}{
		{Limits{Instances: 1}, "t.csv: it holds 2 instances; the limit is 1"},
		{Limits{Bags: 1},
			"t.csv: it holds 2 bags; the limit is 1"},
		{Limits{Elements: 3}, "t.csv: an array of shape (2, 2) is too large; the limit is 3"},
	} {
		_, err := Read("t.csv", []byte(table), Options{Limits: c.limits})
		wantError(t, err, c.want)
	}
}

// TestReadCSVGroupsScatteredRows checks that rows of many bags in turn are grouped by bag and keep
// their order.
func TestReadCSVGroupsScatteredRows(t *testing.T) {
	var table strings.Builder
	table.WriteString("bag,f1\n")
	for row := range 30 {
		table.WriteString(string(rune('a'+row%7)) + "," + string(rune('0'+row/7)) + "\n")
	}
	set := must.Get(Read("t.csv", []byte(table.String()), Options{}))(t)
	for b := range 7 {
		bag, err := set.Bag(b)
		want := []float32{0, 1, 2, 3, 4}
		if b >= 2 {
			want = want[:4]
		}
		if err != nil || bag.Name != string(rune('a'+b)) || !slices.Equal(bag.Values, want) {
			t.Errorf("bag %d is %+v, %v", b, bag, err)
		}
	}
}
