package bagio

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/internal/damage"
	"github.com/bagscope/bagscope/internal/must"
)

// samples returns one valid file of each format that is not text.
func samples(t testing.TB) map[string][]byte {
	return map[string][]byte{
		"coords.h5":  hdf5Sample(t, "coords_plain.h5"),
		"records.h5": toolFiles(t, "records-packed.h5")[0].Data,
		"bag.npy":    testdata(t, "bag.npy"), "stored.npz": testdata(t, "stored.npz"),
		"deflated.npz": testdata(t, "deflated.npz"),
		"images-ubyte": []byte(
			"\x00\x00\x08\x03\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x02\x00\x01\xfe\xff"),
		"table.csv.gz": gzipped(t, []byte("bag,f1\na,1\nb,2\n")),
		"volume.nii":   testdata(t, "nifti/oblique.nii"),
		"list.parquet": testdata(t, "columnar/groups.parquet"),
		"store.zip":    testdata(t, "zarr/v3_shards.zarr.zip"),
		"list.feather": testdata(t, "columnar/batches.feather"),
		"picture.png":  pngFile(t, noise(image.Point{}, 8, 8)),
		"one.dcm":      bigDICOM().File(),
		"series.zip":   zipped(t, dicomtest.Slice(1, 1, 0).File(), dicomtest.Slice(1, 2, 3).File()),
	}
}

// examine reads a file and all its bags. For any bytes there is no panic, every error has a
// documented type, and the content is within the limits.
//
// Reading in parts has the same result as reading from memory. Numbers that are not float32 are
// converted when they are read, and not when their bag is, so that errors in them come earlier.
func examine(t *testing.T, name string, data []byte, o Options) error {
	parts, partsErr := ReadFrom(name, bytes.NewReader(data), int64(len(data)), o)
	set, err := Read(name, data, o)
	if err == nil && partsErr != nil {
		for i := 0; err == nil && i < set.Len(); i++ {
			_, err = set.Bag(i)
		}
	}
	must.Equal(t, fmt.Sprint(err), fmt.Sprint(partsErr), err, partsErr)
	if err != nil {
		return typed(t, err)
	}
	must.Equal(t, len(set.Names()), set.Len(), set.Names())
	must.Equal(t, set.Len() != 0, true, set.Len(), set.Names())
	var first error
	for i := range min(set.Len(), 16) {
		bag, err := set.Bag(i)
		if again, partsErr := parts.Bag(i); fmt.Sprint(err) != fmt.Sprint(partsErr) ||
			!reflect.DeepEqual(bag, again) {
			t.Fatalf("bag %d from memory: %v, %v; in parts: %v, %v", i, bag, err, again, partsErr)
		}
		if err != nil {
			first = errors.Join(first, typed(t, err))
			continue
		}
		must.Do(t, bag.Validate())
		for _, v := range bag.Values {
			if v-v != 0 {
				t.Fatalf("bag %d holds %v", i, v)
			}
		}
		must.Equal(t, int64(len(bag.Values)) <= o.Limits.withDefaults().Elements, true, i,
			len(bag.Values))
	}
	return first
}

func typed(t *testing.T, err error) error {
	var format *FormatError
	var limit *LimitError
	var bag *core.BagError
	var setting *core.SettingError
	var question *QuestionError
	if !errors.As(err, &format) && !errors.As(err, &question) &&
		!errors.As(err, &limit) && !errors.As(err, &bag) &&
		!errors.As(err, &setting) {
		t.Fatalf("%v has no type of its own: %T", err, err)
	}
	must.Equal(t, err.Error() != "", true, "an error without words")
	return err
}

// TestReadRejectsTruncatedFiles checks that a file cut off at any length is an error.
func TestReadRejectsTruncatedFiles(t *testing.T) {
	o := Options{Patch: PatchOptions{Size: 4}}
	for name, data := range samples(t) {
		must.Equal(t, examine(t, name, data, o) == nil, true, name)
		for n := range len(data) {
			if name == "picture.png" && n >= len(data)-12 {
				continue // all pixels are there, only the mark of the end is not
			}
			if err := examine(t, name, data[:n], o); err == nil {
				t.Errorf("%s: its first %d of %d bytes are read without an error", name, n,
					len(data))
			}
		}
	}
}

// TestFlippedBitsNeverPanic checks that a flipped bit gives an error or another value.
func TestFlippedBitsNeverPanic(t *testing.T) {
	o := Options{Patch: PatchOptions{Size: 4},
		Limits: Limits{Bytes: 1 << 20, Elements: 1 << 20, Pixels: 1 << 20}}
	for name, data := range samples(t) {
		for i := range min(len(data), 400) {
			for _, mask := range []byte{1, 0x80, 0xff} {
				spoilt := append([]byte(nil), data...)
				spoilt[i] ^= mask
				examine(t, name, spoilt, o)
			}
		}
	}
}

// TestSmallFilesAllocateLittle checks that files of a few bytes that claim gigabytes allocate
// little memory.
func TestSmallFilesAllocateLittle(t *testing.T) {
	packed := npz(t, floats("instances", 100, 10, 10))
	size := directory(packed) + 24
	copy(packed[size:], "\xff\xff\xff\x3f")
	for name, data := range map[string][]byte{
		"shape.npy": npy("{'descr': '<f8', 'fortran_order': True, 'shape': (16384, 16384)}", 1, 2,
			3),
		"words.npy":  npy("{'descr': '<U1', 'fortran_order': False, 'shape': (268435456,)}"),
		"header.npy": append([]byte(npyMagic), 3, 0, 255, 255, 255, 127),
		"member.npz": packed,
		"images":     []byte("\x00\x00\x0e\x02\x00\x00\x40\x00\x00\x00\x40\x00"),
		"large.png":  hugePNG(t, 8000, 8000),
		// Five bytes make a name of two texts.
		"names.pt": torchArchive(t, "\x80\x02X\x00\x10\x00\x00"+strings.Repeat("a", 1<<12)+"q\x00"+
			strings.Repeat("h\x00h\x00\x93", 5000)+"."),
		"large.jpg": []byte(
			"\xff\xd8\xff\xc0\x00\x0b\x08\x1f\x40\x1f\x40\x01\x01\x11\x00" +
				"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00"),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := examine(t, name, data, Options{Patch: PatchOptions{Size: 27}})
			runtime.ReadMemStats(&after)
			const little = 1 << 20
			if got := after.TotalAlloc - before.TotalAlloc; err == nil || got > little {
				t.Errorf("%s: %d bytes were allocated for a file of %d; %v", name, got, len(data),
					err)
			}
		})
	}
}

// small bounds what a fuzzed file may take, so that a run tests many.
var small = Limits{Bytes: 1 << 20, Elements: 1 << 16, Pixels: 1 << 14, Instances: 1 << 12,
	Bags: 1 << 10}

func FuzzNpy(f *testing.F) {
	f.Add(testdata(f, "bag.npy"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if a, err := ReadNpy("bag.npy", data, small); err == nil {
			if a.dtype.isText() {
				a.words()
			}
			a.Ints()
		}
		examine(t, "bag.npy", data, Options{Limits: small, InstanceShape: []int{3}})
	})
}

func FuzzNpz(f *testing.F) {
	f.Add(testdata(f, "stored.npz"))
	f.Add(testdata(f, "deflated.npz"))
	f.Fuzz(func(t *testing.T, data []byte) { examine(t, "set.npz", data, Options{Limits: small}) })
}

// The archive's checksums keep FuzzNpz from its members; here they are packed after they are
// changed.
func FuzzNpzMembers(f *testing.F) {
	a, err := openArchive(inMemory("stored.npz", testdata(f, "stored.npz")),
		Limits{}.withDefaults())
	must.Do(f, err)
	seed := func(name string) []byte {
		data := must.Get(a.unpack(name, a.members[name]))(f)
		return data
	}
	f.Add(seed("instances"), seed("offsets"), seed("labels"), seed("instance_labels"),
		seed("boxes"), seed("names"))
	f.Fuzz(func(t *testing.T, instances, offsets, labels, instanceLabels, boxes, names []byte) {
		var members []member
		for i, data := range [][]byte{instances, offsets, labels, instanceLabels, boxes, names} {
			if len(data) > 0 {
				members = append(members, member{setMembers[i],
					func(w io.Writer) error { _, err := w.Write(data); return err }})
			}
		}
		examine(t, "set.npz", npz(t, members...), Options{Limits: small})
	})
}

func FuzzCSV(f *testing.F) {
	f.Add("bag;flag;Label;f1;x0;y0;x1;y1;instance_label;f2\nb;size;1;1.5;0;0;2;2;-1;-3e2\n")
	f.Add("bag,f1\n\"a\nb\",1\n")
	f.Fuzz(func(t *testing.T, table string) {
		examine(t, "table.csv", []byte(table),
			Options{Limits: small})
	})
}

func FuzzIDX(f *testing.F) {
	f.Add([]byte(
		"\x00\x00\x08\x03\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x02\x00\x01\xfe\xff"))
	f.Add([]byte(
		"\x00\x00\x0e\x02\x00\x00\x00\x01\x00\x00\x00\x01\x40\x04\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		ReadIDX("images", data, small)
		examine(t, "images", data, Options{Limits: small})
	})
}

// TestBrokenTables reads damaged tables. One of them, the last, has a number without a size.
func TestBrokenTables(t *testing.T) {
	for _, ending := range []string{".parquet", ".feather"} {
		files := columnarFiles(t, ending)
		names := slices.Sorted(maps.Keys(files))
		for n := range 2000 {
			data := damage.Bytes(files[names[n%len(names)]], rand.New(rand.NewPCG(uint64(n), 9)))
			examine(t, "table"+ending, data, Options{Limits: small})
		}
	}
	last := columnarFiles(t, ".feather")["zstd.feather"]
	examine(t, "table.feather", damage.Bytes(last, rand.New(rand.NewPCG(31407, 9))),
		Options{Limits: small})
}

func FuzzParquet(f *testing.F) {
	for _, data := range columnarFiles(f, ".parquet") {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		examine(t, "table.parquet", data, Options{Limits: small})
	})
}

func FuzzFeather(f *testing.F) {
	for _, data := range columnarFiles(f, ".feather") {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		examine(t, "table.feather", data, Options{Limits: small})
	})
}

func FuzzZarr(f *testing.F) {
	f.Add([]byte(`{"zarr_format": 2, "shape": [7, 4], "chunks": [3, 3], "dtype": "<f4",`+
		`"order": "F", "compressor": {"id": "zlib"}, "fill_value": "NaN", "filters": null}`),
		[]byte("x"), "0.0")
	f.Add([]byte(`{"zarr_format": 3, "node_type": "array", "shape": [7, 4], "data_type":`+
		`"int16",`+
		`"chunk_grid": {"configuration": {"chunk_shape": [6, 6]}}, "codecs": [{"name": `+
		`"sharding_indexed", "configuration": {"chunk_shape": [3, 3], "codecs": [{"name": "blosc"}`+
		`], "index_codecs": [{"name": "crc32c"}]}}]}`), []byte("x"), "c/0/0")
	f.Fuzz(func(t *testing.T, description, chunk []byte, name string) {
		if !fs.ValidPath(name) || strings.Contains(name, "zarr") || name == "." {
			return
		}
		store := fstest.MapFS{"features/" + name: &fstest.MapFile{Data: chunk},
			".zgroup": &fstest.MapFile{Data: []byte(`{"zarr_format": 2}`)}}
		for _, document := range []string{"zarr.json", ".zarray"} {
			store["features/"+document] = &fstest.MapFile{Data: description}
			set, err := setFromStore("store", store, Options{Limits: small})
			if err != nil {
				typed(t, err)
			} else if _, err := set.Bag(0); err != nil {
				typed(t, err)
			}
			delete(store, "features/"+document)
		}
	})
}

func FuzzPicture(f *testing.F) {
	f.Add(pngFile(f, noise(image.Point{}, 8, 8)), 4, 2, 127.5)
	f.Add(pngFile(f, image.NewGray(image.Rect(0, 0, 5, 3))), 2, 0, 0.)
	f.Fuzz(func(t *testing.T, data []byte, size, stride int, background float64) {
		o := Options{Limits: small, Patch: PatchOptions{Size: size, Stride: stride,
			Background: background}}
		examine(t, "picture.png", data, o)
	})
}
