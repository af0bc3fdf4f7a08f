// Package damage changes files, for tests of readers.
package damage

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
)

// Bytes returns a copy of a file with up to six bytes or numbers replaced: by flipped bits, by
// extreme lengths, or by places of the file. One file of eight is also cut off.
func Bytes(data []byte, r *rand.Rand) []byte {
	count()
	data = slices.Clone(data)
	if len(data) > 0 && r.IntN(8) == 0 {
		data = data[:r.IntN(len(data))]
	}
	for range 1 + r.IntN(6) {
		if len(data) < 16 {
			break
		}
		change(data, placeIn(data, r), r)
	}
	return data
}

// placeIn returns a place that eight bytes follow. Half of the places avoid zeros: most of the
// bytes between the structures of a file are zeros, which are seldom read.
func placeIn(data []byte, r *rand.Rand) int {
	i := r.IntN(len(data) - 8)
	if r.IntN(2) == 0 {
		for range 64 {
			if data[i] != 0 {
				break
			}
			i = r.IntN(len(data) - 8)
		}
	}
	return i
}

// change replaces the bytes at a place.
func change(data []byte, i int, r *rand.Rand) {
	numbers := []uint64{0, 1, 0xffff, 1 << 31, 1 << 62, 1<<64 - 1, uint64(len(data))}
	orders := []binary.ByteOrder{binary.LittleEndian, binary.BigEndian}
	order := orders[r.IntN(len(orders))]
	switch r.IntN(7) {
	case 0:
		data[i] ^= 1 << r.IntN(8)
	case 1:
		data[i] = byte(r.IntN(256))
	case 2:
		data[i]++
	case 3: // a length of eight bytes
		order.PutUint64(data[i:], numbers[r.IntN(len(numbers))])
	case 4: // a length of four bytes
		order.PutUint32(data[i:], uint32(numbers[r.IntN(len(numbers))]))
	case 5: // a place
		order.PutUint64(data[i:], uint64(r.IntN(len(data))))
	case 6: // bytes that stand elsewhere
		from := r.IntN(len(data) - 8)
		copy(data[i:i+8], data[from:])
	}
}
