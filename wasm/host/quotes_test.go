package host

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/internal/msg/msgtest"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/wasm/wire"
)

// TestFailuresAreShort sends every request with a giant text in each of its fields. The message and
// each detail of a failure have at most 4 kB and no control characters.
func TestFailuresAreShort(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	set := get[wire.BagsRead](c, wire.ReadBags{Files: []wire.BagFile{{Name: "tiny.csv",
		Bytes: testdata(t, "tiny.csv")}}}).Handle
	handles := map[string]int{"Model": model, "Bag": bag, "Other": bag, "Set": set}
	failures := 0
	for kind := range handlers {
		for field := 0; ; field++ {
			request, left := reflect.New(kind).Elem(), field
			if !writeText(request, &left, handles) {
				break
			}
			t.Run(fmt.Sprint(kind.Name(), " ", field), func(t *testing.T) {
				f, failed := c.ask(request.Interface()).(wire.Failure)
				if !failed {
					return
				}
				failures++
				t.Logf("%.200s", f.Message)
				msgtest.Short(t, f.Message)
				for _, d := range f.Details {
					text := fmt.Sprint(d.Value)
					must.Equal(t, len(text) <= msg.Whole, true, d.Name, len(text))
					for line := range strings.SplitSeq(text, "\n") {
						msgtest.Short(t, line)
					}
				}
			})
		}
	}
	must.Equal(t, failures >= 50, true, failures)
}

// writeText writes a giant text into a field of a request, the one after left others, and handles
// into the fields of their names. It reports whether there is such a field.
func writeText(v reflect.Value, left *int, handles map[string]int) bool {
	switch v.Kind() {
	case reflect.Struct:
		found := false
		for i := range v.NumField() {
			handle, ok := handles[v.Type().Field(i).Name]
			switch f := v.Field(i); {
			case ok && f.CanInt():
				f.SetInt(int64(handle))
			case !found:
				found = writeText(f, left, handles)
			case f.Kind() == reflect.Interface: // a setting, whose name is giant
				f.Set(reflect.ValueOf(""))
			}
		}
		return found
	case reflect.Pointer:
		value := reflect.New(v.Type().Elem())
		if !writeText(value.Elem(), left, handles) {
			return false
		}
		v.Set(value)
		return true
	case reflect.Slice:
		list := reflect.MakeSlice(v.Type(), 1, 1)
		if !writeText(list.Index(0), left, handles) {
			return false
		}
		v.Set(list)
		return true
	case reflect.String, reflect.Interface:
		*left--
		if *left < 0 {
			v.Set(reflect.ValueOf(strings.Repeat("\x01\u202e", 1<<16)))
			return true
		}
	}
	return false
}
