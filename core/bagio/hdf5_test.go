package bagio

import (
	"archive/zip"
	"image"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// hdf5Sample returns a file that h5py wrote, see internal/hdf5/testdata/make.py.
func hdf5Sample(t testing.TB, name string) []byte {
	t.Helper()
	archive := must.Get(zip.OpenReader("internal/hdf5/testdata/files.zip"))(t)
	defer archive.Close()
	r := must.Get(archive.Open(name))(t)
	return must.Get(io.ReadAll(r))(t)
}

// hdf5Values returns the first n entries of an array of floats in these files.
func hdf5Values(n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(i*37%1009-500) / 8
	}
	return out
}

// Features are read as one bag in the layouts of CLAM, of TRIDENT (with a batch axis), behind
// links, and by name, with and without the shape of the model's instances.
func TestReadHDF5(t *testing.T) {
	for _, c := range []struct {
		file, dataset string
		k, d          int
	}{
		{"clam.h5", "", 12, 8}, {"trident.h5", "", 12, 8}, {"links.h5", "", 4, 3},
		{"links.h5", "chain", 4, 3}, {"virtual.h5", "", 4, 3}, {"deep_earliest.h5", "", 4, 3},
		{"partial_chunks.h5", "", 10, 7}, {"kinds_v114.h5", "a/b/c/nested", 10, 7},
		{"kinds_earliest.h5", "/index/all/unlimited", 10, 7}, {"batch_first.h5", "packed", 12, 8},
		{"user_block.h5", "chunked", 20, 3},
	} {
		t.Run(c.file+c.dataset, func(t *testing.T) {
			for _, shape := range [][]int{nil, {c.d}} {
				if shape == nil && c.file == "batch_first.h5" {
					continue // (1, k, d) without coordinates and a model may be one instance
				}
				for _, zeroCopy := range []bool{false, true} {
					set := must.Get(Read(c.file, hdf5Sample(t, c.file), Options{Array: c.dataset,
						InstanceShape: shape, ZeroCopy: zeroCopy}))(t)
					bag := must.Get(set.Bag(0))(t)
					if set.Len() != 1 || !slices.Equal(bag.Shape, []int{c.d}) ||
						!slices.Equal(bag.Values, hdf5Values(c.k*c.d)) ||
						bag.Name != strings.TrimSuffix(c.file, ".h5") {
						t.Errorf("bag %s of shape %v: %v", bag.Name, bag.Shape, bag.Values)
					}
				}
			}
		})
	}
}

// TestHDF5IsNotCopied checks that float32 values that lie in the file as in memory are held once.
func TestHDF5IsNotCopied(t *testing.T) {
	data := hdf5Sample(t, "batch_first.h5")
	set := must.Get(Read("a.h5", data, Options{Array: "contiguous", InstanceShape: []int{8}}))(t)
	at := set.array.start
	must.Equal(t, at > 0, true, at)
	must.Equal(t, &set.array.data[0], &data[at], at)
}

// Unsigned bytes stay pixels.
func TestReadHDF5Pixels(t *testing.T) {
	set := must.Get(Read("random.h5", hdf5Sample(t, "random.h5"), Options{Array: "lzf"}))(t)
	if bag, err := set.Bag(0); err != nil || !bag.Raw || bag.Len() != 64 {
		t.Error(bag, err)
	}
}

// Coordinates become boxes whose side is that of a patch at level 0, as the file states it, and the
// slide is what CLAM or TRIDENT state.
func TestPlacesOfHDF5(t *testing.T) {
	for _, c := range []struct {
		file   string
		second image.Rectangle // the box of the second instance
		note   bool            // the side is not stated
		slide  core.Slide
		unit   string // Options.CoordsUnit
	}{
		{"clam.h5", image.Rect(15838, 23757, 15838+256, 23757+256), false,
			core.Slide{Name: "slide_1", Width: 46000, Height: 32914, PatchSize: 256}, ""},
		{"trident.h5", image.Rect(15838, 23757, 15838+1024, 23757+1024), false,
			core.Slide{Name: "slide_2", Width: 46000, Height: 32914, Magnification: 40,
				PatchSize: 1024}, ""},
		{"coords_level1.h5", image.Rect(100, 0, 100+1024, 1024), false,
			core.Slide{PatchSize: 1024}, "px"},
		{"coords_plain.h5", image.Rect(100, 0, 200, 100), true, core.Slide{PatchSize: 100}, ""},
		{"coords_no_downsample.h5", image.Rect(100, 0, 200, 100), true,
			core.Slide{PatchSize: 100}, ""},
	} {
		t.Run(c.file, func(t *testing.T) {
			// Patches that the tests made lie closer than those of slides.
			set := must.Get(Read(c.file, hdf5Sample(t, c.file), Options{CoordsUnit: c.unit}))(t)
			bag := must.Get(set.Bag(0))(t)
			if bag.Boxes[1] != c.second || bag.Slide == nil || *bag.Slide != c.slide {
				t.Errorf("box %v instead of %v, slide %+v", bag.Boxes[1], c.second, bag.Slide)
			}
			noted := slices.ContainsFunc(set.Notes(), func(note string) bool {
				return strings.Contains(note, "does not say how large a patch is")
			})
			must.Equal(t, noted, c.note, set.Notes())
		})
	}
}

// Features, coordinates and labels may have other names and be in a group.
func TestNamesInHDF5(t *testing.T) {
	set := must.Get(Read("names.h5", hdf5Sample(t, "names.h5"), Options{}))(t)
	bag := must.Get(set.Bag(0))(t)
	must.EqualSlices(t, bag.Values, hdf5Values(12), bag.Labels, bag.Boxes)
	must.EqualSlices(t, bag.Labels, []int{1, 0, -1}, bag.Values, bag.Boxes)
	must.Equal(t, bag.Boxes[2], image.Rect(20, 20, 30, 30), bag.Values, bag.Labels, bag.Boxes)
	if notes := set.Notes(); len(notes) != 2 || !strings.Contains(notes[1], "slide/logits") {
		t.Errorf("notes %q", notes)
	}
}

// A file without a bag, or with several, is an error that lists what can be named.
func TestRefusedHDF5(t *testing.T) {
	for _, c := range []struct{ file, dataset, words string }{
		{"deep_v114.h5", "", "tree (80, 80), tree_gzip (10, 10)"},
		{"batch_first.h5", "", "contiguous (1, 12, 8)"},
		{"deep_earliest.h5", "nothing", `it has no array "nothing" (it holds features (4, 3)`},
		{"links.h5", "elsewhere", "an external link to the file other.h5 is not supported"},
		{"virtual.h5", "virtual", "a virtual dataset"},
		{"refused_earliest.h5", "", "compound (compound), opaque (opaque)"},
		{"refused_earliest.h5", "nbit", "filter 5 (nbit)"},
		{"refused_earliest.h5", "text", "text"},
		{"creation_order.h5", "", "no array of two or more axes"},
		{"coords_five.h5", "", "coordinates have shape (5, 2); 6 instances need shape (6, 2)"},
		{"chunks_damaged.h5", "sum", "chunks_damaged.h5/sum"},
		{"special.h5", "f8", "a bag needs an axis of instances"},
	} {
		t.Run(c.file+c.dataset, func(t *testing.T) {
			_, err := Read(c.file, hdf5Sample(t, c.file), Options{Array: c.dataset})
			must.Equal(t, err != nil, true, err, c.words)
			must.Contain(t, err.Error(), c.words)
			typed(t, err)
		})
	}
	for _, l := range []Limits{{Elements: 50}, {Bytes: 101_000}} {
		_, err := Read("kinds_v114.h5", hdf5Sample(t, "kinds_v114.h5"), Options{
			Array: "holes/large", Limits: l})
		if _, ok := err.(*LimitError); !ok {
			t.Error(err)
		}
	}
}

func FuzzHDF5(f *testing.F) {
	for _, name := range []string{"clam.h5", "trident.h5", "coords_plain.h5", "coords_five.h5"} {
		f.Add(hdf5Sample(f, name))
	}
	for _, name := range []string{"records-plain.h5", "records-packed.h5", "stamp-2.5.0.h5"} {
		f.Add(toolFiles(f, name)[0].Data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		examine(t, "bag.h5", data, Options{Limits: Limits{Bytes: 1 << 20, Elements: 1 << 18}})
	})
}
