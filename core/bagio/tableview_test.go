package bagio

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// view returns the view of a table.
func view(t *testing.T, table string, o Options) *TableView {
	t.Helper()
	return must.Get(ViewTable(File{Name: "t.csv", Data: []byte(table)}, o))(t)
}

// rolesOf returns the labels and roles of a view, as options state them.
func rolesOf(v *TableView) string {
	var rules core.ColumnRules
	for _, c := range v.Columns {
		rules = append(rules, core.ColumnRule{Name: c.Label, Role: c.Role})
	}
	return rules.String()
}

// TestViewTable shows tables that are read, and tables with a question or a fault.
func TestViewTable(t *testing.T) {
	for name, c := range map[string]struct {
		table   string
		options Options
		roles   string
		problem string
	}{
		"by names": {"slide,label,f1,x_um,y_um,index,stain,7,patch_size\ns,1,2,3,4,5,HE,6,9\n",
			Options{}, "slide=bag; label=label; f1=feature; x_um=x; y_um=y; index=skip; " +
				"stain=skip; 7=feature; patch_size=fact", ""},
		"by rows": {"key,a,b,c\nk,1,t,\nk,2.5,u,NA\n", Options{},
			"key=bag; a=feature; b=skip; c=skip", ""},
		"boxes, and a covariate": {"slide,x0,y0,x1,y1,age,f1\ns,0,0,8,8,63,1\n",
			Options{Covariates: ageAndStage},
			"slide=bag; x0=corner; y0=corner; x1=corner; y1=corner; age=covariate; f1=feature", ""},
		"stated, by a card too": {"key,a,b\nk,1,2\n", Options{Columns: "a=label",
			UsualColumns: []core.ColumnRule{{Name: "b", Role: roleInstance}}},
			"key=bag; a=label; b=instance_label", "the header has no feature column"},
		"a question": {rows("slide,time,note,a,b", 8, func(i int) string {
			return fmt.Sprintf("s%d,%d,n,.5,%d", i/4, 3*i, i%3)
		}), Options{Columns: "b=feature"},
			"slide=bag; time=; note=skip; a=feature; b=feature",
			"whole numbers rise from row to row in time"},
		"columns by their numbers": {"slide,a,,A\ns,1,2,3\n", Options{Columns: "#4=skip"},
			"slide=bag; #2=feature; #3=skip; #4=skip", ""},
		"two columns of one role": {"slide,a,b\ns,1,2\n", Options{Columns: "a=label; b=label"},
			"slide=; a=label; b=label", "a and b are both stated as label"},
		"a column that is not there": {"slide,a\ns,1\n", Options{BagBy: "case"},
			"slide=; a=", `it has no column "case"`},
		"without names": {"1,2,3\n4,5,6\n", Options{}, "1=; 2=; 3=", "the first row holds numbers"},
	} {
		t.Run(name, func(t *testing.T) {
			v := view(t, c.table, c.options)
			must.Equal(t, rolesOf(v), c.roles)
			if (v.Problem == nil) != (c.problem == "") ||
				v.Problem != nil && !strings.Contains(v.Problem.Error(), c.problem) {
				t.Errorf("%v, want %q", v.Problem, c.problem)
			}
			set, err := Read("t.csv", []byte(c.table), c.options)
			if v.Problem != nil {
				must.Equal(t, err != nil, true, v.Problem, err)
				must.Equal(t, err.Error(), v.Problem.Error(), v.Problem, err)
				return
			}
			must.Do(t, err)
			// The same roles, stated, give the same bags.
			stated := c.options
			for _, r := range v.Columns {
				if slices.Contains(core.ColumnRoles(), r.Role) {
					stated.Columns += "; " + r.Label + "=" + string(r.Role)
				}
			}
			again := must.Get(Read("t.csv", []byte(c.table), stated))(t)
			for i := range set.Len() {
				a, b := must.Get(set.Bag(i))(t), must.Get(again.Bag(i))(t)
				must.Equal(t, reflect.DeepEqual(a, b), true, i, a, b)
			}
		})
	}
}

// TestCellsOfView shows the first rows of a table, its bounds, and a table in another encoding.
func TestCellsOfView(t *testing.T) {
	v := view(t, "slide;a\ns; 1,5\nt\nu;2;3\nv;4\n", Options{})
	want := []ColumnView{{"slide", "slide", roleBag, []string{"s", "t", "u"}},
		{"a", "a", roleFeature, []string{"1,5", "", "2"}}}
	must.Equal(t, reflect.DeepEqual(v.Columns, want), true, v.Columns, v.More, want)
	must.Equal(t, v.More, 0, v.Columns, want)
	long := strings.Repeat("é", 101)
	var header []string
	for i := range viewedColumns + 3 {
		header = append(header, fmt.Sprintf("f%d", i))
	}
	v = view(t, long+","+strings.Join(header, ",")+"\n"+long+strings.Repeat(",1", len(header))+"\n",
		Options{})
	if len(v.Columns) != viewedColumns || v.More != 4 || v.Columns[0].Name != long[:200] ||
		v.Columns[0].Cells[0] != long[:200] || v.Columns[0].Label != "#1" {
		t.Errorf("%d columns and %d more, the first %+v", len(v.Columns), v.More, v.Columns[0])
	}
	wide := []byte{0xff, 0xfe}
	for _, c := range "slide\ta\ns\t2\n" {
		wide = append(wide, byte(c), 0)
	}
	u, err := ViewTable(File{Name: "t.txt", Data: wide}, Options{})
	must.Do(t, err, u)
	must.Equal(t, rolesOf(u), "slide=bag; a=feature", u)
}

// TestViewOfOthers refuses files that are no table of text, and tables that are too large.
func TestViewOfOthers(t *testing.T) {
	for name, data := range map[string][]byte{"t.npy": testdata(t, "bag.npy"),
		"t.h5ad": toolFiles(t, "anndata-obs.h5ad")[0].Data, "t.csv": nil,
		"t.parquet": columnarFiles(t, ".parquet")["plain2.parquet"]} {
		_, err := ViewTable(File{Name: name, Data: data}, Options{})
		must.Equal(t, err != nil, true, name, err)
		must.Equal(t, typed(t, err) != nil, true, name, err)
	}
	_, err := ViewTable(File{Name: "t.csv", Data: []byte("a,b,c\n1,2,3\n")},
		Options{Limits: Limits{Columns: 2}})
	var limit *LimitError
	must.As(t, err, &limit)
}
