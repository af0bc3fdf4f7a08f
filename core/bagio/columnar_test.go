package bagio

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// columnarFiles returns the files of testdata/columnar with some ending.
func columnarFiles(t testing.TB, ending string) map[string][]byte {
	paths := must.Get(filepath.Glob("testdata/columnar/*" + ending))(t)
	must.Equal(t, len(paths) != 0, true, "no files")
	out := map[string][]byte{}
	for _, path := range paths {
		out[filepath.Base(path)] = must.Get(os.ReadFile(path))(t)
	}
	return out
}

// TestColumnar reads tables as pyarrow writes them equal to the same table as a text.
func TestColumnar(t *testing.T) {
	const text = "testdata/columnar/bags.csv"
	want := must.Get(Read("bags.csv", must.Get(os.ReadFile(text))(t), Options{}))(t)
	files := columnarFiles(t, ".parquet")
	delete(files, "brotli.parquet")
	maps.Copy(files, columnarFiles(t, ".feather"))
	for name, data := range files {
		t.Run(name, func(t *testing.T) {
			sameBags(t, want, must.Get(Read(name, data, Options{}))(t))
			sameBags(t, want, must.Get(ReadFrom(name, bytes.NewReader(data), int64(len(data)),
				Options{}))(t))
		})
	}
}

// sameBags compares all bags of two sets.
func sameBags(t *testing.T, want, got *Set) {
	must.Equal(t, reflect.DeepEqual(got.Names(), want.Names()), true, got.Names(), want.Names(),
		got.Notes())
	for i := range want.Len() {
		a, b := must.Get(want.Bag(i))(t), must.Get(got.Bag(i))(t)
		must.Equal(t, reflect.DeepEqual(a, b), true, i, b, a)
	}
	must.Contain(t, strings.Join(got.Notes(), " "), "not features: stain")
}

// TestColumnarDamaged flips bits everywhere in tables: each is read or refused by a typed error, in
// little memory. A library that was judged panicked, and took gigabytes.
func TestColumnarDamaged(t *testing.T) {
	for _, name := range []string{"groups.parquet", "delta.parquet", "zstd.parquet",
		"plain2.parquet", "batches.feather", "lz4.feather", "view.feather"} {
		data := testdata(t, "columnar/"+name)
		for i := range data {
			for _, mask := range []byte{1, 0x80, 0xff} {
				spoilt := bytes.Clone(data)
				spoilt[i] ^= mask
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				examine(t, name, spoilt, Options{Limits: small})
				runtime.ReadMemStats(&after)
				const little = 8 << 20
				if got := after.TotalAlloc - before.TotalAlloc; got > little {
					t.Fatalf("%s, byte %d: %d bytes were allocated", name, i, got)
				}
			}
		}
	}
}

// TestColumnarRoles reads tables by what the caller states.
func TestColumnarRoles(t *testing.T) {
	columns := testdata(t, "columnar/columns.parquet")
	lists := testdata(t, "columnar/coords.parquet")
	for name, c := range map[string]struct {
		data []byte
		o    Options
		want string // a part of the notes or the error
		bags int
	}{
		"bag-by":         {columns, Options{BagBy: "label"}, "bags are the values of label", 2},
		"columns":        {columns, Options{Columns: "f1=skip; x=feature; y=skip"}, "", 3},
		"by number":      {columns, Options{BagBy: "#1"}, "bags are the values of slide_id", 3},
		"array":          {lists, Options{Array: "features"}, "coords_x and coords_y", 3},
		"no such array":  {lists, Options{Array: "f"}, `it has no array "f"`, 0},
		"no such column": {lists, Options{BagBy: "case"}, `it has no column "case"`, 0},
		"a text": {columns, Options{Columns: "stain=feature"},
			"row 1, column 8 (stain): the cell is empty", 0},
		"a word": {testdata(t, "columnar/brotli.parquet"), Options{}, "packed by Brotli", 0},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := Read("a.parquet", c.data, c.o)
			if c.bags == 0 {
				must.Fail(t, err)
				must.Contain(t, err.Error(), c.want)
				typed(t, err)
				return
			}
			must.Do(t, err)
			must.Equal(t, set.Len(), c.bags)
			must.Equal(t, strings.Contains(strings.Join(set.Notes(), " "), c.want), true, set.Len())
		})
	}
}
