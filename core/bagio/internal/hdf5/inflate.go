package hdf5

import (
	"encoding/binary"
	"errors"
	"hash/adler32"
	"io"
)

// An inflater decompresses zlib streams (RFC 1950, RFC 1951) that are in memory as a whole, which
// makes it faster than compress/zlib: it has no window and reads up to eight bytes at once.
type inflater struct {
	src  []byte
	next int    // of src
	bits uint64 // the next bits of the stream, lowest first
	n    int    // valid bits
	over int    // zero bytes that were added behind the end of src
	dst  []byte
	out  int // bytes of dst that are written

	literal, distance, lengths huffman
	codeLengths                [286 + 30]byte
}

var errTooLong = errors.New("it unpacks to more bytes than it should")

// inflate decompresses src into dst and returns the number of bytes. It returns an error if they do
// not fit.
func (z *inflater) inflate(dst, src []byte) (int, error) {
	z.src, z.next, z.bits, z.n, z.over, z.dst, z.out = src, 0, 0, 0, 0, dst, 0
	if len(src) < 2 {
		return 0, io.ErrUnexpectedEOF
	}
	head := binary.BigEndian.Uint16(src)
	if head>>8&15 != 8 || head>>12 > 7 || head%31 != 0 || head&0x20 != 0 {
		return 0, errors.New("it has an invalid zlib header")
	}
	z.next = 2
	for last := false; !last; {
		last = z.take(1) == 1
		var err error
		switch z.take(2) {
		case 0:
			err = z.stored()
		case 1:
			err = z.fixed()
		case 2:
			err = z.dynamic()
		default:
			err = errCode
		}
		if z.ended() {
			return 0, io.ErrUnexpectedEOF
		}
		if err != nil {
			return 0, err
		}
	}
	z.align()
	if len(src)-z.next < 4 {
		return 0, io.ErrUnexpectedEOF
	}
	if binary.BigEndian.Uint32(src[z.next:]) != adler32.Checksum(dst[:z.out]) {
		return 0, errors.New("its checksum does not match; the file is damaged")
	}
	return z.out, nil
}

// fill makes at least 56 bits valid. Behind the end they are zeros.
func (z *inflater) fill() {
	if z.next+8 <= len(z.src) {
		z.bits |= binary.LittleEndian.Uint64(z.src[z.next:]) << z.n
		z.next += (63 - z.n) >> 3
		z.n |= 56
		return
	}
	for ; z.n <= 56; z.n += 8 {
		if z.next < len(z.src) {
			z.bits |= uint64(z.src[z.next]) << z.n
			z.next++
		} else {
			z.over++
		}
	}
}

// ended reports whether bits behind the end were used.
func (z *inflater) ended() bool { return z.over*8 > z.n }

// take returns up to 32 bits.
func (z *inflater) take(n int) int {
	if z.n < n {
		z.fill()
	}
	v := int(z.bits & (1<<n - 1))
	z.bits >>= n
	z.n -= n
	return v
}

// align moves to the next whole byte, and gives back those that are not used.
func (z *inflater) align() {
	z.next -= max(0, z.n/8-z.over)
	z.bits, z.n, z.over = 0, 0, 0
}

// stored copies a block that is not compressed.
func (z *inflater) stored() error {
	if z.ended() {
		return io.ErrUnexpectedEOF
	}
	z.align()
	if len(z.src)-z.next < 4 {
		return io.ErrUnexpectedEOF
	}
	n := int(binary.LittleEndian.Uint16(z.src[z.next:]))
	if n^0xffff != int(binary.LittleEndian.Uint16(z.src[z.next+2:])) {
		return errCode
	}
	z.next += 4
	switch {
	case n > len(z.src)-z.next:
		return io.ErrUnexpectedEOF
	case n > len(z.dst)-z.out:
		return errTooLong
	}
	copy(z.dst[z.out:], z.src[z.next:z.next+n])
	z.next, z.out = z.next+n, z.out+n
	return nil
}

const (
	literalBits  = 11
	distanceBits = 8
)

// fixed decodes a block with the code of RFC 1951, section 3.2.6.
func (z *inflater) fixed() error {
	var lengths [288]byte
	for i := range lengths {
		switch {
		case i < 144, i >= 280:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		default:
			lengths[i] = 7
		}
	}
	if err := z.literal.set(lengths[:], literalBits, literalEntry); err != nil {
		return err
	}
	for i := range 32 {
		lengths[i] = 5
	}
	if err := z.distance.set(lengths[:32], distanceBits, distanceEntry); err != nil {
		return err
	}
	return z.block()
}

// dynamic decodes a block that begins with its code (RFC 1951, section 3.2.7).
func (z *inflater) dynamic() error {
	literals, distances, n := z.take(5)+257, z.take(5)+1, z.take(4)+4
	if literals > 286 || distances > 30 {
		return errCode
	}
	// The lengths of the code of lengths come in the order of how often they are used.
	var first [19]byte
	for _, i := range []int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}[:n] {
		first[i] = byte(z.take(3))
	}
	if err := z.lengths.set(first[:], 7, lengthEntry); err != nil {
		return err
	}
	all := z.codeLengths[:literals+distances]
	if err := z.readLengths(all); err != nil {
		return err
	}
	if err := z.literal.set(all[:literals], literalBits, literalEntry); err != nil {
		return err
	}
	if err := z.distance.set(all[literals:], distanceBits, distanceEntry); err != nil {
		return err
	}
	return z.block()
}

// readLengths decodes the lengths of codes, which are a code themselves: symbols up to 15 are
// lengths, 16 repeats the last one, 17 and 18 repeat 0.
func (z *inflater) readLengths(all []byte) error {
	for i := 0; i < len(all); {
		z.fill()
		e := z.lengths.table[z.bits&127]
		if e == 0 {
			return errCode
		}
		z.take(int(e & 31))
		symbol, repeat := byte(e>>16), 1
		switch symbol {
		case 16:
			if i == 0 {
				return errCode
			}
			symbol, repeat = all[i-1], 3+z.take(2)
		case 17:
			symbol, repeat = 0, 3+z.take(3)
		case 18:
			symbol, repeat = 0, 11+z.take(7)
		}
		if repeat > len(all)-i {
			return errCode
		}
		for range repeat {
			all[i] = symbol
			i++
		}
	}
	return nil
}
