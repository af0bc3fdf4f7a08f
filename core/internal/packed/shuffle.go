package packed

import (
	"encoding/binary"
	"errors"
)

// Unshuffle collects the bytes of entries, of which src has all first bytes before all second ones.
// Bytes behind the last full entry are not moved.
func Unshuffle(dst, src []byte, element int) {
	n := len(src) / element
	copy(dst[n*element:], src[n*element:])
	if element == 4 { // float32, twice as fast as the loop below
		a, b, c, d := src[:n], src[n:2*n], src[2*n:3*n], src[3*n:4*n]
		for i := range n {
			v := uint32(a[i]) | uint32(b[i])<<8 | uint32(c[i])<<16 | uint32(d[i])<<24
			binary.LittleEndian.PutUint32(dst[4*i:], v)
		}
		return
	}
	for j := range min(element, len(src)) {
		for i, v := range src[j*n : (j+1)*n] {
			dst[i*element+j] = v
		}
	}
}

// Unbitshuffle collects the bits of entries, of which src has all lowest bits of the first bytes
// before the next ones. The number of full entries is a multiple of 8; others are not moved.
func Unbitshuffle(dst, src []byte, element int) {
	n := len(src) / element
	for j := range element {
		for i := 0; i < n; i += 8 { // eight bits of eight entries
			var v uint64
			for b := range 8 {
				v |= uint64(src[(j*8+b)*n/8+i/8]) << (8 * b)
			}
			v = transposed(v)
			for k := range 8 {
				dst[(i+k)*element+j] = byte(v >> (8 * k))
			}
		}
	}
}

// transposed swaps bit b of byte k and bit k of byte b (Warren, Hacker's Delight, 7-3).
func transposed(v uint64) uint64 {
	t := (v ^ v>>7) & 0x00aa00aa00aa00aa
	v ^= t ^ t<<7
	t = (v ^ v>>14) & 0x0000cccc0000cccc
	v ^= t ^ t<<14
	t = (v ^ v>>28) & 0x00000000f0f0f0f0
	return v ^ t ^ t<<28
}

var errBlocks = errors.New("its blocks are damaged")

// LZ4Blocks unpacks the form of HDF5's filter of LZ4: the size, that of blocks, and blocks, which
// are stored if packing made them no smaller. All sizes are big-endian.
func LZ4Blocks(dst, src []byte) error {
	if len(src) < 12 || binary.BigEndian.Uint64(src) != uint64(len(dst)) {
		return errBlocks
	}
	size := int(binary.BigEndian.Uint32(src[8:]))
	if size < 1 {
		return errBlocks
	}
	for src = src[12:]; len(dst) > 0; {
		block := dst[:min(len(dst), size)]
		data, rest, err := sizedBlock(src)
		if err != nil {
			return err
		}
		if len(data) == len(block) {
			copy(block, data)
		} else if err := LZ4(block, data); err != nil {
			return err
		}
		dst, src = dst[len(block):], rest
	}
	return nil
}

// sizedBlock returns a block behind its size of four bytes, and what follows it.
func sizedBlock(src []byte) (data, rest []byte, err error) {
	if len(src) < 4 || uint64(binary.BigEndian.Uint32(src)) > uint64(len(src)-4) {
		return nil, nil, errBlocks
	}
	n := int(binary.BigEndian.Uint32(src))
	return src[4 : 4+n], src[4+n:], nil
}

// usualBlock is the number of bytes of a block of bits if a file states none.
const usualBlock = 8192

// Bitshuffled unpacks the form of HDF5's filter bitshuffle for entries of some bytes. block is the
// number of entries of a block, or 0 for the usual one. unpack unpacks blocks; if it is nil, they
// are not packed, and no sizes stand before them.
func Bitshuffled(dst, src []byte, element, block int, unpack func(dst, src []byte) error) error {
	if unpack != nil {
		if len(src) < 12 || binary.BigEndian.Uint64(src) != uint64(len(dst)) {
			return errBlocks
		}
		block = int(binary.BigEndian.Uint32(src[8:])) / element
		src = src[12:]
	} else if len(src) != len(dst) {
		return errBlocks
	}
	if block == 0 {
		block = max(usualBlock/element/8*8, 128)
	}
	if block < 8 || block%8 != 0 || block > 1<<30/element {
		return errBlocks
	}
	packed := make([]byte, min(block*element, len(dst)))
	for len(dst) >= 8*element {
		size := min(block, len(dst)/element/8*8) * element
		if unpack == nil {
			copy(packed[:size], src)
			src = src[size:]
		} else {
			data, rest, err := sizedBlock(src)
			if err == nil {
				err = unpack(packed[:size], data)
			}
			if err != nil {
				return err
			}
			src = rest
		}
		Unbitshuffle(dst[:size], packed[:size], element)
		dst = dst[size:]
	}
	if len(src) != len(dst) { // fewer than eight entries are stored
		return errBlocks
	}
	copy(dst, src)
	return nil
}
