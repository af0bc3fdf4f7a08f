package bagio

import (
	"encoding/binary"
	"math"
	"slices"
)

// An IDX file is laid out as follows (LeCun, the MNIST database). All numbers are big-endian.
//
//	bytes 0 and 1    zero
//	byte 2           the type of the values, see idxTypes
//	byte 3           the number of axes r
//	4 r bytes        the length of each axis
//	values           the entries of the array, row-major
//
// idxTypes are the types of an IDX file by the third byte of its magic number.
var idxTypes = map[byte]dtype{
	0x08: {kind: 'u', size: 1}, 0x09: {kind: 'i', size: 1}, 0x0b: {kind: 'i', size: 2, big: true},
	0x0c: {kind: 'i', size: 4, big: true}, 0x0d: {kind: 'f', size: 4, big: true}, 0x0e: {kind: 'f',
		size: 8, big: true},
}

// ReadIDX reads an IDX file, the format of MNIST, with or without gzip. Its numbers are big-endian.
// It returns pictures (n, rows, columns) with an axis for the channel: (n, 1, rows, columns).
// Labels have the shape (n,). The array keeps a reference to data unless data is compressed. Errors
// are a *FormatError or a *LimitError.
func ReadIDX(name string, data []byte, l Limits) (*Array, error) {
	l = l.withDefaults()
	data, err := unzipped(name, data, l)
	if err != nil {
		return nil, err
	}
	if !isIDX(data) { // callers may choose this format by the name of the file
		return nil, bad(name, "it does not begin like an IDX file")
	}
	e, rank := idxTypes[data[2]], int(data[3])
	start := 4 + 4*rank
	if len(data) < start {
		return nil, bad(name, "it ends inside its header")
	}
	shape := make([]int, rank)
	for i := range shape {
		side := binary.BigEndian.Uint32(data[4+4*i:])
		if side > math.MaxInt32 {
			return nil, badAt(name, 4+4*i, "side %d is %d, more than a file can hold", i, side)
		}
		shape[i] = int(side)
	}
	a, err := newArray(inMemory(name, data), shape, e, start, l)
	if err == nil && rank == 3 {
		a.Shape = slices.Insert(shape, 1, 1)
	}
	return a, err
}

// isIDX reports whether data begin like an IDX file: two zeros, a type, and the number of axes.
func isIDX(data []byte) bool {
	if len(data) < 4 || data[0] != 0 || data[1] != 0 || data[3] == 0 || data[3] > maxRank {
		return false
	}
	_, ok := idxTypes[data[2]]
	return ok
}

// setFromIDX reads all instances of a file as one bag. To draw bags from a data set, use ReadIDX
// and Array.Bag.
func setFromIDX(name string, data []byte, o Options) (*Set, error) {
	a, err := ReadIDX(name, data, o.Limits)
	if err != nil {
		return nil, err
	}
	if len(a.Shape) == 1 {
		return nil, bad(name, "it holds %d labels; the bag's instances are in another file",
			a.Len())
	}
	return oneBag(name, a, o)
}
