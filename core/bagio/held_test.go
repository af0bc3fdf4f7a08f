package bagio

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// heldFile returns a file that testdata/held/make.py writes.
func heldFile(t *testing.T, name string) []byte {
	t.Helper()
	data := must.Get(os.ReadFile("testdata/held/held.zip"))(t)
	archive := must.Get(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t)
	return must.Get(io.ReadAll(must.Get(archive.Open(name))(t)))(t)
}

// TestHeldFiles reads a set in the files that people hold: twelve instances of four features, of
// three bags or of one.
func TestHeldFiles(t *testing.T) {
	one := func(name string) []string { return []string{name} }
	three, labels := []string{"a", "b", "c"}, []int{1, 0, 1}
	numbers := []string{"1", "2", "3"}
	for file, c := range map[string]struct {
		options Options
		names   []string
		classes []int
		note    string
	}{
		"cells73.mat":   {Options{}, three, labels, "names of bags are data."},
		"structs73.mat": {Options{}, three, labels, "labels are bags/label."},
		"sparse73.mat":  {Options{}, numbers, nil, "bags are the values of bag_ids."},
		"csr.npz":       {Options{}, one("csr"), nil, ""},
		"csc.npz":       {Options{}, one("csc"), nil, ""},
		"coo.npz":       {Options{}, one("coo"), nil, ""},
		"bfloat16.npy":  {Options{}, one("bfloat16"), nil, "are read as bfloat16."},
		"bfloat16.npz":  {Options{}, one("bfloat16"), nil, "are read as bfloat16."},
		"bfloat16.h5":   {Options{}, one("bfloat16"), nil, "are read as bfloat16."},
	} {
		t.Run(file, func(t *testing.T) {
			set := must.Get(Read(file, heldFile(t, file), c.options))(t)
			if !slices.Equal(set.Names(), c.names) {
				t.Fatalf("bags %q, want %q", set.Names(), c.names)
			}
			var values []float32
			var sizes, classes []int
			for i := range set.Len() {
				bag := must.Get(set.Bag(i))(t)
				values = append(values, bag.Values...)
				sizes, classes = append(sizes, bag.Len()), append(classes, bag.Class...)
			}
			for i, v := range values {
				if v != float32(i)/8-2 {
					t.Fatalf("value %d is %v", i, v)
				}
			}
			if len(c.names) == 3 && fmt.Sprint(sizes) != "[3 5 4]" || len(values) != 48 ||
				!slices.Equal(classes, c.classes) {
				t.Errorf("bags of %v, %d values, classes %v", sizes, len(values), classes)
			}
			if !strings.Contains(strings.Join(set.Notes(), "\n"), c.note) {
				t.Errorf("notes %q, want %q", set.Notes(), c.note)
			}
		})
	}
}
