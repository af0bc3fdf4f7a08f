package hdf5

import (
	"errors"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// refused are datasets that h5py reads or lists and this package does not, with words that the
// error must have.
var refused = map[string]string{
	"/nbit":        "filter 5 (nbit)",
	"/text":        "text",
	"/compound":    "compound",
	"/ragged":      "variable length",
	"/opaque":      "opaque",
	"/reference":   "reference",
	"/array":       "array",
	"/null":        "without a shape",
	"/elsewhere":   "external file",
	"/twenty_bits": "an integer of 20 bits in 4 bytes",
	"/virtual":     "virtual dataset",

	"/packed_twice": "packs a chunk twice",
}

// What is not supported is refused by its path and its name, and the other datasets are read.
func TestRefusals(t *testing.T) {
	all := files(t)
	for file, count := range map[string]int{"refused_earliest.h5": 10, "refused_v200.h5": 10,
		"virtual.h5": 1, "packed_twice.h5": 1} {
		f := must.Get(openBytes(all[file]))(t)
		for _, d := range f.Datasets() {
			words := refused[d.Path]
			if words == "" {
				if d.Supported() != nil {
					t.Errorf("%s: %v", file, d.Supported())
				}
				continue
			}
			count--
			var e *UnsupportedError
			err := d.ReadFloat32(make([]float32, d.Rows()*d.row()), 0, d.Rows())
			if !errors.As(err, &e) || e.Path != d.Path || !strings.Contains(err.Error(), words) {
				t.Errorf("%s%s: %v", file, d.Path, err)
			}
		}
		must.Equal(t, count, 0, file)
	}
	var e *UnsupportedError
	must.As(t, must.Err(openBytes(all["shared_messages.h5"])), &e)
}

// Links inside the file are followed; others are refused by name.
func TestLinks(t *testing.T) {
	all := files(t)
	for _, file := range []string{"links.h5", "links_v114.h5"} {
		t.Run(file, func(t *testing.T) {
			f := must.Get(openBytes(all[file]))(t)
			must.Equal(t, len(f.Datasets()), 1, len(f.Groups()))
			must.Equal(t, len(f.Groups()), 2, len(f.Datasets()))
			for _, path := range []string{"features", "/features", "chain", "data/relative",
				"again/features", "data/loop/data/loop/hard", "./hard", "data//features"} {
				if d, err := f.Dataset(path); err != nil || d != f.Datasets()[0] {
					t.Errorf("%s: %v", path, err)
				}
			}
			for path, words := range map[string]string{
				"round": "circle", "dangling": "there is no /again/missing", "": "is a group",
				"data": "is a group", "missing": "there is no /missing", "data/loop": "is a group",
				"features/x": "is a dataset", "elsewhere": "external link to the file other.h5",
			} {
				_, err := f.Dataset(path)
				must.Equal(t, err != nil, true, path, err)
				must.Equal(t, strings.Contains(err.Error(), words), true, path, err)
			}
		})
	}
}

// Groups with hundreds of links, in every kind of tree, lead to their object.
func TestManyLinks(t *testing.T) {
	all := files(t)
	for file, paths := range map[string][]string{
		"links_earliest.h5": {"link000", "link337", "link599"},
		"links_latest.h5": {"g/link0000", "g/link1499", "long/" + strings.Repeat("x", 1000) + "699",
			"few/\u00e9"},
	} {
		f := must.Get(openBytes(all[file]))(t)
		want := 601
		if file == "links_latest.h5" {
			want = 2205
		}
		must.Equal(t, len(f.links), want, file)
		for _, path := range paths {
			if d, err := f.Dataset(path); err != nil || d.Path != f.Datasets()[0].Path {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}
