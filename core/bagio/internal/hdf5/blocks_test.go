package hdf5

import (
	"bytes"
	"errors"
	"io"
	"math"
	"testing"
	"unsafe"

	"github.com/bagscope/bagscope/internal/must"
)

// Rows outside of an array, and slices of another length, are errors.
func TestInvalidBlocks(t *testing.T) {
	f := must.Get(openBytes(files(t)["clam.h5"]))(t)
	d := must.Get(f.Dataset("features"))(t) // (12, 8)
	for _, block := range [][3]int{{8, -1, 1}, {8, 12, 1}, {8, 11, 2}, {16, 11, 2}, {7, 0, 1},
		{9, 0, 1}, {0, 0, -1}, {8, math.MaxInt - 8, math.MaxInt - 8}} {
		var e *LookupError
		err := d.ReadFloat32(make([]float32, block[0]), block[1], block[2])
		must.Equal(t, errors.As(err, &e), true, block, err)
		must.Equal(t, e.Path, "/features", block, err)
	}
	must.Equal(t, d.ReadFloat32(nil, 12, 0) == nil, true)
}

// A watcher is a reader that counts the bytes that are read into a slice and elsewhere.
type watcher struct {
	r            io.ReaderAt
	dst          []float32
	into, beside int
}

func (w *watcher) ReadAt(p []byte, at int64) (int, error) {
	first := uintptr(unsafe.Pointer(unsafe.SliceData(w.dst)))
	place := uintptr(unsafe.Pointer(unsafe.SliceData(p)))
	if place >= first && place < first+uintptr(4*len(w.dst)) {
		w.into += len(p)
	} else {
		w.beside += len(p)
	}
	return w.r.ReadAt(p, at)
}

// Float32 values without filters are read straight into the destination, so that an array is held
// once: those of h5py's default layout, and those of CLAM with a row in each chunk.
func TestValuesAreNotCopied(t *testing.T) {
	all := files(t)
	for file, path := range map[string]string{
		"clam.h5": "features", "links.h5": "features", "batch_first.h5": "contiguous",
	} {
		w := &watcher{r: bytes.NewReader(all[file])}
		f := must.Get(Open(w, int64(len(all[file])), Limits{}))(t)
		d := must.Get(f.Dataset(path))(t)
		if err := d.index(); d.store.class == chunked && err != nil {
			t.Fatal(err)
		}
		w.dst = make([]float32, d.Rows()*d.row())
		w.beside = 0
		must.Do(t, d.ReadFloat32(w.dst, 0, d.Rows()))
		must.Equal(t, w.into, 4*len(w.dst), file, w.beside)
		must.Equal(t, w.beside, 0, file, w.into, 4*len(w.dst))
	}
}
