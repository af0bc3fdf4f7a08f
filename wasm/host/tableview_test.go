package host

import (
	"reflect"
	"testing"

	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// TestViewTable shows a table by the options of the request, and refuses other files.
func TestViewTable(t *testing.T) {
	c := newClient(t, nil)
	table := wire.BagFile{Name: "t.csv", Bytes: []byte("slide,a,b\ns,1,2\nt,3,4\n")}
	columns := "a=label"
	got := get[wire.TableViewed](c, wire.ViewTable{File: table,
		Read: ask.ReadOptions{Columns: &columns}})
	want := wire.TableViewed{Columns: []wire.TableColumn{
		{Name: "slide", Label: "slide", Role: "bag", Cells: []string{"s", "t"}},
		{Name: "a", Label: "a", Role: "label", Cells: []string{"1", "3"}},
		{Name: "b", Label: "b", Role: "feature", Cells: []string{"2", "4"}}}}
	must.Equal(t, reflect.DeepEqual(got, want), true, got, want)
	columns = "a=label; b=label"
	if got := get[wire.TableViewed](c, wire.ViewTable{File: table,
		Read: ask.ReadOptions{Columns: &columns}}).Problem; got == "" {
		t.Error("two columns of one role are no problem")
	}
	other := wire.BagFile{Name: "t.npy", Bytes: []byte("\x93NUMPY")}
	c.fails(kind.Format, wire.ViewTable{File: other})
	c.fails(kind.Limit, wire.ViewTable{File: table, Limits: &wire.BagLimits{Columns: 2}})
	c.fails(kind.Setting, wire.ViewTable{File: table, Model: 99})
}
