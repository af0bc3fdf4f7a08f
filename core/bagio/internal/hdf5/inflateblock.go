package hdf5

import "encoding/binary"

// block decodes the symbols of a block. Its fields are in local variables, which the compiler keeps
// in registers.
func (z *inflater) block() error {
	src, next, bits, n := z.src, z.next, z.bits, z.n
	dst, out := z.dst, z.out
	literal := (*[1 << literalBits]uint32)(z.literal.table)
	for {
		if next+8 <= len(src) {
			bits |= binary.LittleEndian.Uint64(src[next:]) << (n & 63)
			next += (63 - n) >> 3
			n |= 56
		} else {
			z.next, z.bits, z.n = next, bits, n
			z.fill()
			next, bits, n = z.next, z.bits, z.n
			if z.ended() {
				return errCode // inflate reports the missing end
			}
		}
		// 56 bits hold three codes of up to 15 bits.
		e := literal[bits&(1<<literalBits-1)]
		// Most symbols of floats are literals: two are decoded before the next bits are read.
		for range 2 {
			if e&isLiteral == 0 || e&isEnd != 0 || out >= len(dst) {
				break
			}
			dst[out] = byte(e >> 16)
			out++
			bits >>= e & 31
			n -= int(e & 31)
			e = literal[bits&(1<<literalBits-1)]
		}
		if e&isTable != 0 { // a code of more than literalBits
			bits >>= literalBits
			n -= literalBits
			e = z.literal.table[e>>16+uint32(bits)&(1<<(e>>8&31)-1)]
		}
		if e == 0 {
			z.next, z.bits, z.n, z.out = next, bits, n, out
			return errCode
		}
		bits >>= e & 31
		n -= int(e & 31)
		switch e & (isLiteral | isEnd) {
		case isLiteral:
			if out >= len(dst) {
				return errTooLong
			}
			dst[out] = byte(e >> 16)
			out++
			continue
		case isEnd:
			z.next, z.bits, z.n, z.out = next, bits, n, out
			return nil
		case isLiteral | isEnd: // a symbol that is not used
			return errCode
		}
		z.next, z.bits, z.n = next, bits, n
		length, distance, err := z.match(e)
		if err != nil {
			return err
		}
		next, bits, n = z.next, z.bits, z.n
		if distance > out {
			return errCode
		}
		if length > len(dst)-out {
			return errTooLong
		}
		copyMatch(dst, out, length, distance)
		out += length
	}
}

// match reads the rest of a match behind the code of its length.
func (z *inflater) match(e uint32) (length, distance int, err error) {
	extra := int(e >> 8 & 31)
	length = int(e>>16) + int(z.bits&(1<<extra-1))
	z.bits >>= extra
	z.n -= extra
	if z.n < 15+13 { // the longest code and its extra bits
		z.fill()
	}
	e = z.distance.table[z.bits&(1<<distanceBits-1)]
	if e&isTable != 0 {
		z.bits >>= distanceBits
		z.n -= distanceBits
		e = z.distance.table[e>>16+uint32(z.bits)&(1<<(e>>8&31)-1)]
	}
	if e == 0 || e&isEnd != 0 {
		return 0, 0, errCode
	}
	z.bits >>= e & 31
	z.n -= int(e & 31)
	extra = int(e >> 8 & 31)
	distance = int(e>>16) + int(z.bits&(1<<extra-1))
	z.bits >>= extra
	z.n -= extra
	return length, distance, nil
}

// copyMatch copies length bytes from distance bytes before out. They may overlap: then the bytes
// between repeat.
func copyMatch(dst []byte, out, length, distance int) {
	// Words of eight bytes may write up to seven bytes behind the match, which are written again
	// later or lie behind the result.
	if distance >= 8 && len(dst)-out >= length+8 {
		for end := out + length; out < end; out += 8 {
			word := binary.LittleEndian.Uint64(dst[out-distance:])
			binary.LittleEndian.PutUint64(dst[out:], word)
		}
		return
	}
	// The bytes are copied one by one, because a match may read what it has written.
	for i := out; i < out+length; i++ {
		dst[i] = dst[i-distance]
	}
}
