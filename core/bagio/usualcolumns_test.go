package bagio

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// usual returns the options of a model card that states columns.
func usual(t *testing.T, columns string) Options {
	return Options{UsualColumns: must.Get(core.ParseColumnRules(columns))(t)}
}

// TestUsualColumns reads files of all readers of columns by rules of a model card as by those of a
// caller.
func TestUsualColumns(t *testing.T) {
	text := []File{{Name: "t.csv", Data: []byte(statedTable)}}
	parquet := []File{{Name: "plain2.parquet",
		Data: columnarFiles(t, ".parquet")["plain2.parquet"]}}
	lists := []File{{Name: "t.npz", Data: npz(t, floats("uni", 8, 4, 2),
		wordsOf("site", "a", "a", "b", "b"))}}
	for name, c := range map[string]struct {
		files   []File
		columns string
	}{
		"text": {text, "case=bag; who=name; grade=label; cx=x; cy=y; w=width; h=height; *=skip; " +
			"f*=feature"},
		"text by numbers": {text, "#1=bag; *=feature"},
		"Parquet":         {parquet, "price=instance_label; features_1=skip"},
		"AnnData": {toolFiles(t, "anndata-obs.h5ad"),
			"obs/patient=bag; grade=instance_label"},
		"MATLAB":            {toolFiles(t, "mat-columns.mat"), "flag=bag; site=label"},
		"lists of archives": {lists, "site=bag"},
	} {
		t.Run(name, func(t *testing.T) {
			byCaller, callersErr := ReadFiles(c.files, Options{Columns: c.columns})
			byCard, err := ReadFiles(c.files, usual(t, c.columns))
			must.Equal(t, err == nil, callersErr == nil, err, callersErr)
			if err != nil {
				must.Equal(t, err.Error(), callersErr.Error(), err, callersErr)
				return
			}
			must.EqualSlices(t, byCard.Names(), byCaller.Names(), byCard.Notes(), byCaller.Notes())
			must.EqualSlices(t, byCard.Notes(), byCaller.Notes(), byCard.Names(), byCaller.Names())
			for i := range byCaller.Len() {
				got, want := must.Get(byCard.Bag(i))(t), must.Get(byCaller.Bag(i))(t)
				must.Equal(t, reflect.DeepEqual(got, want), true, i, got, want)
			}
		})
	}
}

// TestUsualColumnsYield expects notes on rules of a model card that a file or the caller
// contradicts, and the result of the others.
func TestUsualColumnsYield(t *testing.T) {
	for name, c := range map[string]struct {
		file     File
		columns  string // the card's key
		options  Options
		names    []string
		features int
		notes    []string // those that mention the card
	}{
		"the caller's bag": {File{Name: "t.csv", Data: []byte(statedTable)},
			"block=bag; f_*=feature; *=skip", Options{BagBy: "case"}, []string{"1", "2"}, 2,
			[]string{"t.csv: columns and bag-by count before block=bag of the model card"}},
		"the caller's role of a column": {File{Name: "t.csv", Data: []byte(statedTable)},
			"case=bag; f_a=feature; f_b=feature; *=skip", Options{Columns: "f_b=skip; w=feature"},
			[]string{"1", "2"}, 2, []string{"t.csv: columns and bag-by count before f_b=feature " +
				"of the model card"}},
		"equal ones": {File{Name: "t.csv", Data: []byte(statedTable)},
			"case=bag; f_a=feature; *=skip", Options{Columns: "CASE=bag; f_a=feature"},
			[]string{"1", "2"}, 1, nil},
		"a column that the table lacks": {File{Name: "t.csv", Data: []byte(statedTable)},
			"case=bag; y=label; stain*=skip; f_*=feature; *=skip", Options{}, []string{"1", "2"}, 2,
			[]string{"t.csv: the model card states y=label, for which it has no column"}},
		"a role that obs lacks": {toolFiles(t, "anndata-obs.h5ad")[0], "patient=bag; grade=skip",
			Options{}, []string{"p2", "p1", "p3"}, 4, []string{"anndata-obs.h5ad: the model card " +
				"states grade=skip, for which it has no column"}},
		"another column of obs": {toolFiles(t, "anndata-obs.h5ad")[0], "patient=bag",
			Options{BagBy: "grade"}, []string{"1", "3"}, 4, []string{"anndata-obs.h5ad: columns " +
				"and bag-by count before patient=bag of the model card"}},
		"a list that MATLAB's file lacks": {toolFiles(t, "mat-columns.mat")[0],
			"flag=bag; site=label; kind=label; flag=name", Options{}, []string{"7", "3", "5"}, 4,
			[]string{"mat-columns.mat: the model card states kind=label, flag=name, for which it " +
				"has no column"}},
		"no columns": {File{Name: "t.npy", Data: testdata(t, "bag.npy")}, "slide=bag", Options{},
			[]string{"t"}, 3, nil},
	} {
		t.Run(name, func(t *testing.T) {
			o := c.options
			o.UsualColumns = usual(t, c.columns).UsualColumns
			set := must.Get(ReadFiles([]File{c.file}, o))(t)
			must.EqualSlices(t, set.Names(), c.names)
			must.Equal(t, must.Get(set.Bag(0))(t).Stride(), c.features, set.Names())
			notes := slices.DeleteFunc(set.Notes(), func(note string) bool {
				return !strings.Contains(note, "model card")
			})
			must.EqualSlices(t, notes, c.notes)
		})
	}
}
