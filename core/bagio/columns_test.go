package bagio

import (
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
)

// TestQuestionsOfColumns asks about each table what its columns hold, and reads it with each
// answer.
func TestQuestionsOfColumns(t *testing.T) {
	for name, c := range map[string]struct {
		table   string
		options Options
		seen    string
		answers []string
		bags    []int // numbers of bags, one for each answer
		strides []int
		placed  []bool
	}{
		"numbers that rise in the file": {rows("slide,time,f1", 8, func(i int) string {
			return fmt.Sprintf("s%d,%d,.5", i/4, 3*i)
		}), Options{}, "whole numbers rise from row to row in time",
			[]string{"time=skip", "time=feature"}, []int{2, 2}, []int{1, 2}, nil},
		"numbers that rise in each bag": {rows("slide,time,n,f1", 16, func(i int) string {
			return fmt.Sprintf("s%d,%d,%d,.5", i/4, i%4, i%4+1)
		}), Options{}, "whole numbers rise from row to row in time, n",
			[]string{"time=skip; n=skip", "time=feature; n=feature"}, []int{4, 4},
			[]int{1, 3}, nil},
		"coordinates of another name": {rows("slide,tile_x,tile_y,f1", 4, func(i int) string {
			return fmt.Sprintf("s,%d,%d,.5", 10*(i%2), 10*(i/2))
		}), Options{}, "tile_x and tile_y have the names of coordinates",
			[]string{"tile_x=x; tile_y=y", "tile_x=feature; tile_y=feature"}, []int{1, 1},
			[]int{1, 3}, []bool{true, false}},
		"after another answer": {rows("slide,time,tile_x,tile_y,f1", 8, func(i int) string {
			return fmt.Sprintf("s,%d,%d,%d,.5", i, 10*(i%2), 10*(i/2))
		}), Options{Columns: "time=skip;"}, "tile_x and tile_y have the names of coordinates",
			[]string{"time=skip; tile_x=x; tile_y=y", "time=skip; tile_x=feature; tile_y=feature"},
			[]int{1, 1}, []int{1, 3}, []bool{true, false}},
		"a first column of different numbers": {rows("key,f1", 8, func(i int) string {
			return fmt.Sprintf("%d,.5", 7*i%8)
		}), Options{}, "its first column, key, is different in each row",
			[]string{"key=bag", "key=skip", "key=feature"}, []int{8, 1, 1}, []int{1, 1, 2}, nil},
		"a first column of different texts": {rows("key,f1", 8, func(i int) string {
			return fmt.Sprintf("k%d,.5", i)
		}), Options{}, "its first column, key, is different in each row",
			[]string{"key=bag", "key=skip"}, []int{8, 1}, []int{1, 1}, nil},
		"a first column without a name": {rows(",f1", 8, func(i int) string {
			return fmt.Sprintf("k%d,.5", i/4)
		}), Options{}, "its first column has no name, and its texts repeat",
			[]string{"#1=bag", "#1=skip"}, []int{2, 1}, []int{1, 1}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read("t.csv", []byte(c.table), c.options)
			var question *QuestionError
			must.As(t, err, &question)
			must.Equal(t, strings.HasPrefix(question.Seen, c.seen), true, question)
			must.Equal(t, question.Option, "columns", question)
			var answers []string
			for i, a := range question.Answers {
				answers = append(answers, a.Value)
				set := must.Get(Read("t.csv", []byte(c.table), Options{Columns: a.Value}))(t)
				bag := must.Get(set.Bag(0))(t)
				if set.Len() != c.bags[i] || bag.Stride() != c.strides[i] ||
					c.placed != nil && (bag.Boxes != nil) != c.placed[i] {
					t.Errorf("%s: %d bags, the first of %d features, at %v", a.Value, set.Len(),
						bag.Stride(), bag.Boxes)
				}
			}
			must.EqualSlices(t, answers, c.answers)
		})
	}
}

// TestSizesOfWSInfer reads the columns that WSInfer writes, in any order. Beside other coordinates,
// width and height are features.
func TestSizesOfWSInfer(t *testing.T) {
	for header, boxed := range map[string]bool{"minx,miny,width,height,f1": true,
		"width,height,minx,miny,f1": true, "x,y,width,height,f1": false} {
		row := map[bool]string{true: "0,10,30,40,.5", false: "30,40,0,10,.5"}[header[0] != 'w']
		bag := must.Get(must.Get(Read("t.csv", []byte(header+"\n"+row+"\n"), Options{}))(t).
			Bag(0))(t)
		must.Equal(t, (bag.Boxes[0] == image.Rect(0, 10, 30, 50)), boxed, header, bag.Boxes[0])
		must.Equal(t, bag.Stride(), map[bool]int{true: 1, false: 3}[boxed], header)
	}
}

// nine returns a table of nine rows of a format, whose numbers are the row's divided by divisors,
// or its rest for a negative one.
func nine(header, format string, divisors ...int) string {
	return rows(header, 9, func(i int) string {
		var args []any
		for _, d := range divisors {
			if d < 0 {
				args = append(args, i%-d)
			} else {
				args = append(args, i/d)
			}
		}
		return fmt.Sprintf(format, args...)
	})
}

// TestColumnsWithoutQuestion reads tables that resemble those of TestQuestionsOfColumns.
func TestColumnsWithoutQuestion(t *testing.T) {
	for name, c := range map[string]struct {
		table        string
		bags, stride int
	}{
		"few rows that rise":       {"slide,time,f1\ns,1,.5\ns,2,.5\ns,3,.5\n", 1, 2},
		"equal numbers":            {nine("slide,time,f1", "s,%d,.5", 2), 1, 2},
		"the same in all bags":     {nine("slide,scale,n", "s%d,.5,%d", 3, -2), 3, 2},
		"few rows of each bag":     {nine("slide,scale,n", "s%d,%d,%d", 2, 2, -2), 5, 2},
		"the same in each bag":     {nine("slide,scale", "s%d,%d", 5, 5), 2, 1},
		"fractions that rise":      {nine("slide,time,f1", "s,%d.5,.5", 1), 1, 2},
		"numbered names that rise": {nine("slide,f1,f2", "s,%d,.5", 1), 1, 2},
		"a bag for each row":       {nine("bag,f1", "s%d,.5", 1), 9, 1},
		"gradients of both axes":   {nine("slide,gx_x,gx_y,gy_x,gy_y", "s,.5,.5,.5,.5"), 1, 4},
		"coordinates alone":        {"x,y\n.5,1\n1.5,1\n", 1, 2},
		"an unnamed index":         {nine(",f1", "%d,.5", -3), 1, 1},
		"unnamed ids of rows":      {nine(",f1", "c%d,.5", 1), 1, 1},
		"a first column measures":  {nine("area,shape", "%d.5,.5", 1), 1, 2},
		"an index called so":       {nine("index,slide,f1", "%d,s,.5", 1), 1, 1},
		"numbers of no value":      {nine("slide,note,f1", "s,NA,.5"), 1, 1},
		"the bag comes last":       {nine("tile,f1,slide_id", "t%d,.5,s%d", 1, 3), 3, 1},
	} {
		t.Run(name, func(t *testing.T) {
			set := must.Get(Read("t.csv", []byte(c.table), Options{}))(t)
			bag := must.Get(set.Bag(0))(t)
			must.Equal(t, set.Len(), c.bags, bag.Stride(), c.stride, set.Notes())
			must.Equal(t, bag.Stride(), c.stride, set.Len(), c.bags, set.Notes())
		})
	}
}

const statedTable = "case,block,who,grade,cx,cy,w,h,f_a,f_b,note\n" +
	"1,a,Ann,2,10,10,4,2,.5,7,1\n1,b,Ann,2,20,10,4,4,1.5,8,2\n2,a,Bob,0,10,10,4,2,2.5,9,3\n"

// TestColumnsAreStated reads a table whose columns the caller describes.
func TestColumnsAreStated(t *testing.T) {
	all := "case=bag; who=name; grade=label; cx=x; cy=y; w=width; h=height; f_*=feature; *=skip"
	for name, c := range map[string]struct {
		options Options
		names   []string
		values  []float32 // values of the first bag
		class   []int
		box     image.Rectangle
	}{
		"all": {Options{Columns: all}, []string{"Ann", "Bob"}, []float32{.5, 7, 1.5, 8}, []int{2},
			image.Rect(10, 10, 14, 12)},
		"by number": {Options{Columns: "#2=BAG; F_A=skip;\n f_b = feature ;; *=skip"},
			[]string{"a", "b"}, []float32{7, 9}, nil, image.Rectangle{}},
		"bag-by before columns": {Options{BagBy: "Block", Columns: "f_b=feature; *=skip; case=bag"},
			[]string{"a", "b"}, []float32{7, 9}, nil, image.Rectangle{}},
		"a label of each": {Options{Columns: "f_b=feature; case=bag; note=instance_label; *=skip"},
			[]string{"1", "2"}, []float32{7, 8}, nil, image.Rectangle{}},
	} {
		t.Run(name, func(t *testing.T) {
			set := must.Get(Read("t.csv", []byte(statedTable), c.options))(t)
			bag := must.Get(set.Bag(0))(t)
			if !slices.Equal(set.Names(), c.names) || !slices.Equal(bag.Values, c.values) ||
				!slices.Equal(bag.Class, c.class) ||
				bag.Boxes != nil && bag.Boxes[0] != c.box || bag.Boxes == nil && !c.box.Empty() {
				t.Errorf("%q, %+v", set.Names(), bag)
			}
			must.Equal(t, strings.Contains(c.options.Columns, "instance_label"),
				slices.Equal(bag.Labels, []int{1, 2}), bag.Labels)
		})
	}
}

// TestMiddlesWithSizes places patches whose middles and sizes are stated.
func TestMiddlesWithSizes(t *testing.T) {
	const table = "bag,centroid_x,centroid_y,w,h,f1\na,10,20,4,6,1\n"
	set := must.Get(Read("t.csv", []byte(table), Options{
		Columns: "centroid_x=x; centroid_y=y; w=width; h=height"}))(t)
	must.Equal(t, must.Get(set.Bag(0))(t).Boxes[0], image.Rect(8, 17, 12, 23))
}

func TestWrongColumns(t *testing.T) {
	for name, c := range map[string]struct {
		options Options
		want    string
	}{
		"no role":      {Options{Columns: "case"}, `"case" does not say what a column holds`},
		"another role": {Options{Columns: "case=patient"}, "one of bag, name, label"},
		"no column":    {Options{Columns: "slide=bag"}, `t.csv: it has no column "slide"; its`},
		"no bag-by":    {Options{BagBy: "slide"}, `t.csv: it has no column "slide"; its columns`},
		"two bags": {Options{Columns: "case=bag; block=bag"},
			"case and block are both stated as bag"},
		"x alone":     {Options{Columns: "cx=x"}, "x and y of places are stated by two columns"},
		"sizes alone": {Options{Columns: "w=width; h=height"}, "x and y of places are stated"},
		"no feature":  {Options{Columns: "case=bag; *=skip"}, "the header has no feature column"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read("t.csv", []byte(statedTable), c.options)
			must.Equal(t, err != nil, true, err, c.want)
			must.Contain(t, err.Error(), c.want)
		})
	}
	_, err := Read("t.npy", testdata(t, "bag.npy"), Options{BagBy: "slide"})
	wantError(t, err, "t.npy: its format has no columns with names, of which columns and "+
		"bag-by state what they hold; omit both")
}

// TestColumnsAgreeWithPlain reads a table with a plain header, and the same rows with other
// columns, in another order and another dialect.
func TestColumnsAgreeWithPlain(t *testing.T) {
	plain := rows("bag,label,f1,f2", 40, func(i int) string {
		return fmt.Sprintf("b%d,%d,%d.25,%d", i%3, i%3, i, -i)
	})
	other := rows("\tObject ID\tf1\tslide\tf2\tstain\tlabel", 40, func(i int) string {
		return fmt.Sprintf("%d\tx%d\t%d,25\tb%d\t%d\tHE\t%d", i, i, i, i%3, -i, i%3)
	})
	a := must.Get(Read("a.csv", []byte(plain), Options{}))(t)
	b := must.Get(Read("b.tsv", []byte(other), Options{}))(t)
	must.EqualSlices(t, a.Names(), b.Names(), a.Notes())
	must.Equal(t, len(a.Notes()), 0, a.Names(), b.Names(), a.Notes())
	for i := range a.Len() {
		x, y := must.Get(a.Bag(i))(t), must.Get(b.Bag(i))(t)
		must.EqualSlices(t, x.Values, y.Values, i, x, y)
		must.EqualSlices(t, x.Class, y.Class, i, x, y)
	}
}

func FuzzColumns(f *testing.F) {
	f.Add("sep=;\r\n;Image;cx µm;a;b\r\n0;s;0,5;1;2\r\n", "a=skip; b=feature", "Image")
	f.Add(statedTable, "case=bag; who=name; grade=label; cx=x; cy=y; w=width; h=height", "")
	f.Add(rows("key\ttime\ttile_x\ttile_y\tf", 9, func(i int) string {
		return fmt.Sprintf("k%d\t%d\t%d\t%d\t.5", i/3, i, i, -i)
	}), "#2=skip;time=feature;*=x", "key")
	f.Fuzz(func(t *testing.T, table, columns, bagBy string) {
		examine(t, "table.csv", []byte(table), Options{Limits: small, Columns: columns,
			BagBy: bagBy})
		if rules, err := core.ParseColumnRules(columns); err == nil {
			examine(t, "table.csv", []byte(table), Options{Limits: small, UsualColumns: rules,
				BagBy: bagBy})
		}
		// An answer is one that the option takes.
		_, err := Read("table.csv", []byte(table), Options{Limits: small, Columns: columns})
		var question *QuestionError
		if !errors.As(err, &question) {
			return
		}
		for _, a := range question.Answers {
			if _, err := core.ParseColumnRules(a.Value); err != nil && len(a.Value) < 1000 {
				t.Errorf("%q: %v", a.Value, err)
			}
		}
	})
}

// TestMillionRows reads a table of a million rows whose columns need a look at all of them, in a
// memory that holds their values and the table.
func TestMillionRows(t *testing.T) {
	const n = 1e6
	table := []byte(rows("\tkey\tf1\tstep\tcell", n, func(i int) string {
		return fmt.Sprintf("%d\tk%d\t.5\t%d\tc%d", i, i, i%7, i/1000)
	}))
	m := quota.NewMemory(400 << 20)
	set := must.Get(Read("t.tsv", table, Options{BagBy: "cell", Columns: "key=skip",
		Limits: Limits{Memory: m}}))(t)
	if bag := must.Get(set.Bag(999))(t); set.Len() != 1000 || bag.Len() != 1000 ||
		bag.Stride() != 2 {
		t.Errorf("%d bags of %d instances of %d features", set.Len(), bag.Len(), bag.Stride())
	}
}

// TestColumnsOfBags expects a note on features that are the same number in all rows of a bag, which
// are often labels, folds or ages.
func TestColumnsOfBags(t *testing.T) {
	table := rows("slide,fold,age,label,f1", 12, func(i int) string {
		return fmt.Sprintf("s%d,%d,%d.5,1,%d", i/4, i/4, 60+i/4, i%3)
	})
	const note = "t.csv: all rows of a bag have the same number in fold, age: it is read as a " +
		"feature; columns fold=skip; age=skip ignores it"
	for columns, want := range map[string]struct {
		noted    bool
		features int
	}{"": {true, 3}, "fold=skip; age=skip": {false, 1}, "fold=feature; age=feature": {false, 3}} {
		set := must.Get(Read("t.csv", []byte(table), Options{Columns: columns}))(t)
		b := must.Get(set.Bag(0))(t)
		must.Equal(t, slices.Contains(set.Notes(), note), want.noted, columns, set.Notes(), b.Shape)
		must.Equal(t, b.Shape[0], want.features, columns, set.Notes(), b.Shape)
	}
}
