package hdf5

import (
	"compress/gzip"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestRegistry reads arrays that hdf5plugin packed by filters of HDF5's registry.
func TestRegistry(t *testing.T) {
	packed := must.Get(gzip.NewReader(must.Get(os.Open("testdata/registry.h5.gz"))(t)))(t)
	f := must.Get(openBytes(must.Get(io.ReadAll(packed))(t)))(t)
	read := 0
	for _, d := range f.Datasets() {
		got := make([]float64, product(d.Shape))
		err := d.ReadFloat64(got, 0, d.Rows())
		if d.Path == "/blosc2" {
			var e *UnsupportedError
			must.As(t, err, &e)
			must.Contain(t, err.Error(), "filter 32026 (blosc2)")
			continue
		}
		must.Do(t, err)
		want := make([]float64, len(got))
		for i := range want {
			want[i] = float64(i * 37 % 251)
		}
		if strings.HasPrefix(d.Path, "/far") {
			plain := must.Get(f.Dataset("far_plain"))(t)
			must.Do(t, plain.ReadFloat64(want, 0, plain.Rows()))
		}
		must.EqualSlices(t, got, want, d.Path)
		read++
	}
	must.Equal(t, read, 68)
}

// TestScaleOffset reads arrays that the library packed by scale-offset, as the library reads them.
func TestScaleOffset(t *testing.T) {
	packed := must.Get(gzip.NewReader(must.Get(os.Open("testdata/scaleoffset.h5.gz"))(t)))(t)
	f := must.Get(openBytes(must.Get(io.ReadAll(packed))(t)))(t)
	read := 0
	for _, d := range f.Datasets() {
		name := strings.TrimPrefix(d.Path, "/")
		if strings.HasPrefix(name, "plain_") {
			continue
		}
		plain := must.Get(f.Dataset("plain_" + name))(t)
		got, want := make([]float64, product(d.Shape)), make([]float64, product(d.Shape))
		must.Do(t, d.ReadFloat64(got, 0, d.Rows()))
		must.Do(t, plain.ReadFloat64(want, 0, plain.Rows()))
		must.EqualSlices(t, got, want, name)
		read++
	}
	must.Equal(t, read, 22)
}

// product returns the number of entries of a shape.
func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
