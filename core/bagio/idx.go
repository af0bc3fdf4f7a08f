package bagio

import (
	"encoding/binary"
	"math"
)

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
	if !isIDX(data) {
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
	n, err := l.elements(name, shape)
	if err != nil {
		return nil, err
	}
	if n != (len(data)-start)/e.size || (len(data)-start)%e.size != 0 {
		return nil, badAt(name, start,
			"an array of shape %s and type %v takes %d bytes, and %d follow the header",
			shapeText(shape), e, int64(n)*int64(e.size), len(data)-start)
	}
	if rank == 3 {
		shape = []int{shape[0], 1, shape[1], shape[2]}
	}
	return &Array{Shape: shape, dtype: e, data: data[start:], file: name, start: start}, nil
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
