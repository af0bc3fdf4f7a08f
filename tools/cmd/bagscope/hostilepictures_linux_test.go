package main

import (
	"encoding/binary"
	"math/bits"
)

// A bitWriter writes numbers with their lowest bits first.
type bitWriter struct {
	bytes []byte
	free  int // unused bits of the last byte
}

// write appends the n lowest bits of v.
func (w *bitWriter) write(v, n int) {
	for i := range n {
		if w.free == 0 {
			w.bytes, w.free = append(w.bytes, 0), 8
		}
		w.bytes[len(w.bytes)-1] |= byte(v>>i&1) << (8 - w.free)
		w.free--
	}
}

// symbol writes a table of codes with one symbol, which takes no bits.
func (w *bitWriter) symbol(s int) { w.write(1|0<<1|1<<2|s<<3, 11) }

// full writes a table of 2^length codes of this length, 8 to 11, for the first symbols of an
// alphabet: the lengths have a code of one symbol, so that they take no bits.
func (w *bitWriter) full(length int) {
	w.write(0, 1)
	w.write(length, 4) // 19 lengths in the order 17 18 0 1 2 3 4 5 16 6 7 8 ...
	w.write(1<<(3*(length+3)), 3*(length+4))
	w.write(1, 1) // not the whole alphabet
	w.write((length-1)/2, 3)
	w.write(1<<length-2, 2+2*((length-1)/2))
}

// codesWebP returns a lossless picture of 204 x 204 pixels with 2600 groups of tables of codes,
// each of which has the table that takes most memory for its bytes.
func codesWebP() []byte {
	const side, groups, tiles = 204, 2600, 51 * 51
	var w bitWriter
	w.write(0x2f, 8)
	w.write(side-1, 14)
	w.write(side-1, 14)
	w.write(0, 4) // the version
	w.write(0, 1) // no transform
	w.write(1, 1) // a cache of 2^11 colours
	w.write(11, 4)
	w.write(1, 1)   // a picture of the groups of tiles
	w.write(0, 3+1) // blocks of 4 x 4 pixels, no cache
	w.full(8)       // green, the lower byte of a group's number
	w.full(8)       // red, the upper byte
	for range 3 {
		w.symbol(0)
	}
	for i := range tiles {
		i = min(i, groups-1)
		w.write(int(bits.Reverse8(byte(i))), 8)
		w.write(int(bits.Reverse8(byte(i>>8))), 8)
	}
	for range groups {
		w.full(11)
		for range 4 {
			w.write(1, 4) // one symbol, 0
		}
	}
	out := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(12+len(w.bytes)))
	out = binary.LittleEndian.AppendUint32(append(out, "WEBPVP8L"...), uint32(len(w.bytes)))
	return append(out, w.bytes...)
}
