package hdf5

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// An expectation is what NumPy reads from a file, see testdata/make.py.
type expectation struct {
	Attributes map[string][]any `json:"attributes"`
	Datasets   map[string][]any `json:"datasets"` // shape, type, digests of f8, f4 and i8
}

// files returns the files that h5py wrote, by name.
func files(t testing.TB) map[string][]byte {
	t.Helper()
	archive := must.Get(zip.OpenReader("testdata/files.zip"))(t)
	defer archive.Close()
	all := map[string][]byte{}
	for _, member := range archive.File {
		r := must.Get(member.Open())(t)
		all[member.Name] = must.Get(io.ReadAll(r))(t)
	}
	return all
}

// expected removes expected.json from all files and returns it.
func expected(t *testing.T, all map[string][]byte) map[string]expectation {
	t.Helper()
	var want map[string]expectation
	d := json.NewDecoder(bytes.NewReader(all["expected.json"]))
	d.UseNumber()
	must.Do(t, d.Decode(&want))
	delete(all, "expected.json")
	return want
}

func openBytes(data []byte) (*File, error) {
	return Open(bytes.NewReader(data), int64(len(data)), Limits{})
}

func digest[T number](values []T) string {
	sum := sha256.Sum256(memory(values))
	return hex.EncodeToString(sum[:8])
}

// inBlocks reads a dataset in blocks of rows.
func inBlocks[T number](t *testing.T, d *Dataset, rows int) []T {
	t.Helper()
	all := make([]T, d.Rows()*d.row())
	for from := 0; from < d.Rows(); from += rows {
		n := min(rows, d.Rows()-from)
		must.Do(t, read(d, all[from*d.row():(from+n)*d.row()], from, n))
	}
	return all
}

// All values are those that h5py reads, bit for bit, in blocks of any size.
func TestValuesOfAllFiles(t *testing.T) {
	all := files(t)
	want := expected(t, all)
	delete(all, "shared_messages.h5") // see TestRefusals
	delete(all, "padded.h5")          // see TestPaddedChunks
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			f := must.Get(openBytes(all[name]))(t)
			for path, facts := range want[name].Datasets {
				if refused[path] != "" {
					continue
				}
				t.Run(path, func(t *testing.T) { compareDataset(t, f, path, facts) })
			}
		})
	}
}

func compareDataset(t *testing.T, f *File, path string, facts []any) {
	d := must.Get(f.Dataset(path))(t)
	shape, _ := json.Marshal(append([]int{}, d.Shape...))
	if text, _ := json.Marshal(facts[0]); string(shape) != string(text) {
		t.Fatalf("shape %s instead of %s", shape, text)
	}
	must.Equal(t, d.Supported() == nil, true, d.Supported())
	if d.Type.Kind != 'e' && d.Type.String() != facts[1] {
		t.Errorf("type %v instead of %v", d.Type, facts[1])
	}
	for _, rows := range []int{1, 3, max(1, d.Rows())} {
		if d.Rows() > 1000 && rows < 1000 {
			continue
		}
		got := []string{digest(inBlocks[float64](t, d, rows)),
			digest(inBlocks[float32](t, d, rows)), digest(inBlocks[int64](t, d, rows))}
		for i, kind := range []string{"float64", "float32", "int64"} {
			if got[i] != facts[2+i] {
				t.Errorf("%s in blocks of %d rows: digest %s instead of %s", kind, rows, got[i],
					facts[2+i])
			}
		}
	}
}

// Values of float16 that are not finite stay so. The dataset of h5py ends with the largest finite
// ones.
func TestHalvesThatAreNotFinite(t *testing.T) {
	data := slices.Clone(files(t)["special.h5"])
	at := bytes.Index(data, []byte{0xfd, 0x7b, 0xfe, 0x7b, 0xff, 0x7b})
	must.Equal(t, at >= 0, true, "the largest values of float16 are not in the file")
	copy(data[at:], []byte{0x00, 0x7c, 0x00, 0xfc, 0x00, 0x7e})
	f := must.Get(openBytes(data))(t)
	i := slices.IndexFunc(f.Datasets(), func(d *Dataset) bool { return d.Path == "/f2" })
	all := inBlocks[float32](t, f.Datasets()[i], 31744)
	got := all[len(all)-3:]
	if !math.IsInf(float64(got[0]), 1) || !math.IsInf(float64(got[1]), -1) || got[2] == got[2] {
		t.Errorf("%v, want +Inf, -Inf and NaN", got)
	}
}

// All attributes have the entries that h5py reads, except those of compound types.
func TestAttributesOfAllFiles(t *testing.T) {
	all := files(t)
	want := expected(t, all)
	delete(all, "shared_messages.h5")
	delete(all, "padded.h5")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			f := must.Get(openBytes(all[name]))(t)
			got := map[string][]any{}
			for _, d := range f.Datasets() {
				for _, a := range d.Attributes {
					got[d.Path+"@"+a.Name] = entries(a)
				}
			}
			for _, g := range f.Groups() {
				for _, a := range g.Attributes {
					got[g.Path+"@"+a.Name] = entries(a)
				}
			}
			delete(want[name].Attributes, "/kinds@compound")
			for key, entries := range want[name].Attributes {
				a, _ := json.Marshal(got[key])
				b, _ := json.Marshal(entries)
				if _, ok := got[key]; !ok || !bytes.Equal(a, b) && len(got[key])+len(entries) > 0 {
					t.Errorf("%s is %.300s instead of %.300s", key, a, b)
				}
			}
		})
	}
}

// entries returns the entries of an attribute as json.Decoder does.
func entries(a Attribute) []any {
	text, _ := json.Marshal(a.Value)
	var out []any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&out) != nil {
		return nil
	}
	for i, v := range out {
		n, ok := v.(json.Number)
		if f, isFloat := a.Value.([]float64); ok && isFloat && f[i] == math.Trunc(f[i]) {
			// Python writes 1.0 and 1e+300.
			if !strings.ContainsAny(string(n), "e") {
				out[i] = n + ".0"
			}
		}
	}
	return out
}
