package bagio

import (
	"encoding/binary"
	"math"
)

// idxElements are the types of an IDX file by the third byte of its magic number.
var idxElements = map[byte]element{
	0x08: {kind: 'u', size: 1}, 0x09: {kind: 'i', size: 1}, 0x0b: {kind: 'i', size: 2, big: true},
	0x0c: {kind: 'i', size: 4, big: true}, 0x0d: {kind: 'f', size: 4, big: true}, 0x0e: {kind: 'f', size: 8, big: true},
}

// ReadIDX reads an IDX file, as MNIST is published in, perhaps with gzip around it. Its numbers are
// big-endian. Pictures (n, rows, columns) get an axis of one channel: (n, 1, rows, columns). A file
// of labels is (n,). The array keeps a reference to data unless it was packed.
func ReadIDX(name string, data []byte, l Limits) (*Array, error) {
	l = l.withDefaults()
	data, err := unzipped(name, data, l)
	if err != nil {
		return nil, err
	}
	if !isIDX(data) {
		return nil, bad(name, "it does not begin like an IDX file")
	}
	e, rank := idxElements[data[2]], int(data[3])
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
		return nil, badAt(name, start, "an array of shape %s and type %v takes %d bytes, and %d follow the header",
			shapeText(shape), e, int64(n)*int64(e.size), len(data)-start)
	}
	if rank == 3 {
		shape = []int{shape[0], 1, shape[1], shape[2]}
	}
	return &Array{Shape: shape, element: e, data: data[start:], file: name, start: start}, nil
}

// isIDX tells whether the data begin as an IDX file: two zeros, a type, and the number of axes.
func isIDX(data []byte) bool {
	if len(data) < 4 || data[0] != 0 || data[1] != 0 || data[3] == 0 || data[3] > maxRank {
		return false
	}
	_, ok := idxElements[data[2]]
	return ok
}

// setFromIDX takes all instances of a file as one bag. A tool that draws bags from a data set uses
// ReadIDX and Array.Bag.
func setFromIDX(name string, data []byte, o Options) (*Set, error) {
	a, err := ReadIDX(name, data, o.Limits)
	if err != nil {
		return nil, err
	}
	if len(a.Shape) == 1 {
		return nil, bad(name, "it holds %d labels; the bag's instances are in another file", a.Len())
	}
	return oneBag(name, a, o)
}
