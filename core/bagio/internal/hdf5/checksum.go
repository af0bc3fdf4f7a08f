package hdf5

import (
	"encoding/binary"
	"math/bits"
)

// lookup3 returns Bob Jenkins' hash of bytes with the initial value 0, the checksum of metadata
// (section "Checksum"; burtleburtle.net/bob/c/lookup3.c, hashlittle).
func lookup3(b []byte) uint32 {
	h := 0xdeadbeef + uint32(len(b))
	x, y, z := h, h, h
	for len(b) > 12 {
		x += binary.LittleEndian.Uint32(b)
		y += binary.LittleEndian.Uint32(b[4:])
		z += binary.LittleEndian.Uint32(b[8:])
		x = (x - z) ^ bits.RotateLeft32(z, 4)
		z += y
		y = (y - x) ^ bits.RotateLeft32(x, 6)
		x += z
		z = (z - y) ^ bits.RotateLeft32(y, 8)
		y += x
		x = (x - z) ^ bits.RotateLeft32(z, 16)
		z += y
		y = (y - x) ^ bits.RotateLeft32(x, 19)
		x += z
		z = (z - y) ^ bits.RotateLeft32(y, 4)
		y += x
		b = b[12:]
	}
	if len(b) == 0 {
		return z
	}
	var last [12]byte
	copy(last[:], b)
	x += binary.LittleEndian.Uint32(last[:])
	y += binary.LittleEndian.Uint32(last[4:])
	z += binary.LittleEndian.Uint32(last[8:])
	z = (z ^ y) - bits.RotateLeft32(y, 14)
	x = (x ^ z) - bits.RotateLeft32(z, 11)
	y = (y ^ x) - bits.RotateLeft32(x, 25)
	z = (z ^ y) - bits.RotateLeft32(y, 16)
	x = (x ^ z) - bits.RotateLeft32(z, 4)
	y = (y ^ x) - bits.RotateLeft32(x, 14)
	return (z ^ y) - bits.RotateLeft32(y, 24)
}

// fletcher32 returns the checksum of a chunk: Fletcher's sums modulo 65535 of big-endian words of
// 16 bits, an odd last byte as the upper half of a word.
func fletcher32(b []byte) uint32 {
	var low, high uint32
	for len(b) > 0 {
		// 360 words are as many as the sums hold without overflow.
		n := min(len(b), 720)
		for i := 0; i+1 < n; i += 2 {
			low += uint32(b[i])<<8 | uint32(b[i+1])
			high += low
		}
		if n%2 == 1 {
			low += uint32(b[n-1]) << 8
			high += low
		}
		low, high = low&0xffff+low>>16, high&0xffff+high>>16
		b = b[n:]
	}
	low, high = low&0xffff+low>>16, high&0xffff+high>>16
	return high<<16 | low
}
