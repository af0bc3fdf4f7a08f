package bagio

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/bagscope/bagscope/internal/must"
)

// TestZeroCopyGivesTheSameBags compares bags with and without ZeroCopy, for every type and any
// alignment.
func TestZeroCopyGivesTheSameBags(t *testing.T) {
	archive := must.Get(openArchive(inMemory("dtypes.npz", testdata(t, "dtypes.npz")),
		Limits{}.withDefaults()))(t)
	tested := 0
	for _, name := range archive.order {
		array := must.Get(archive.array(name))(t)
		if array.dtype.isText() {
			continue
		}
		tested++
		for odd := range 5 {
			load := func(zeroCopy bool) []float32 {
				data := append(make([]byte, odd), array.data...)[odd:]
				a := *array
				a.Shape, a.data = []int{1, len(data) / a.dtype.size}, data
				s := must.Get(oneBag(name, &a, Options{ZeroCopy: zeroCopy}))(t)
				for range 2 { // Bag may be called twice
					must.Get(s.Bag(0))(t)
				}
				b := must.Get(s.Bag(0))(t)
				return b.Values
			}
			if got, want := load(true), load(false); !slices.Equal(got, want) {
				t.Errorf("%s, %d bytes on: %v, want %v", name, odd, got, want)
			}
		}
	}
	must.Equal(t, tested >= 10, true, tested)
}

// TestZeroCopySharesMemory checks that bags of float32 share the memory of the file with ZeroCopy
// and only then.
func TestZeroCopySharesMemory(t *testing.T) {
	var file bytes.Buffer
	must.Do(t, WriteNpy(&file, []int{2, 3}, []float32{1, 2, 3, 4, 5, 6}))
	for _, zeroCopy := range []bool{false, true} {
		data := bytes.Clone(file.Bytes())
		set := must.Get(Read("bag.npy", data, Options{ZeroCopy: zeroCopy}))(t)
		bag := must.Get(set.Bag(0))(t)
		at := unsafe.Pointer(&bag.Values[0])
		must.Equal(t, (at == unsafe.Pointer(&data[len(data)-24])), zeroCopy)
	}
}

// TestZeroCopyRejectsNonFinite checks that the error for a value that is not a finite float32
// names its place, before and after conversion in place.
func TestZeroCopyRejectsNonFinite(t *testing.T) {
	for _, v := range []float64{1e39, math.NaN(), math.Inf(-1)} {
		for at := range 4 {
			values := []float64{1, 2, 3, 4}
			values[at] = v
			var file bytes.Buffer
			must.Do(t, WriteNpy(&file, []int{2, 2}, values))
			plain, err := Read("bag.npy", bytes.Clone(file.Bytes()), Options{})
			if err != nil {
				t.Fatal(err)
			}
			_, want := plain.Bag(0)
			_, err = Read("bag.npy", file.Bytes(), Options{ZeroCopy: true})
			if want == nil || err == nil || err.Error() != want.Error() {
				t.Errorf("%v at %d: %v, want %v", v, at, err, want)
			}
		}
	}
}
