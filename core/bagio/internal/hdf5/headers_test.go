package hdf5

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestVersionOfHeaders states a version of the root's header that HDF5 before 1.8 does not have:
// the file must not be read as one without messages.
func TestVersionOfHeaders(t *testing.T) {
	data := slices.Clone(files(t)["clam.h5"])
	must.Equal(t, bytes.HasPrefix(data[8:], []byte{0}), true, "the superblock has another version")
	// Version 0 of the superblock has the place of the root's header behind five places.
	root := binary.LittleEndian.Uint64(data[64:])
	must.Equal(t, data[root], 1)
	data[root] = 7
	_, err := openBytes(data)
	var e *UnsupportedError
	must.As(t, err, &e)
	must.Contain(t, err.Error(), "version 7")
}

// TestMissingObjectsOfHeaps renumbers the first object of a global heap, to which texts of variable
// length refer.
func TestMissingObjectsOfHeaps(t *testing.T) {
	all := files(t)
	for _, name := range []string{"clam.h5", "attributes_v200.h5", "sizes_4_4.h5"} {
		data := slices.Clone(all[name])
		at := bytes.Index(data, []byte("GCOL\x01"))
		must.Equal(t, at >= 0, true, name)
		first := at + 16 // the first object follows the aligned size of the heap
		data[first] = 99
		_, err := openBytes(data)
		var e *FormatError
		must.Equal(t, errors.As(err, &e), true, name, err)
		must.Equal(t, strings.Contains(err.Error(), "a heap has no object 1"), true, name, err)
	}
}
