package packed

import (
	"encoding/binary"
	"errors"
	"math"
)

var errLZ4 = errors.New("its LZ4 data are damaged")

// LZ4 unpacks a block of LZ4 (lz4_Block_format.md): sequences of literals and of copies of bytes
// unpacked before.
func LZ4(dst, src []byte) error {
	n, err := appendLZ4(dst, 0, src)
	if err == nil && n != len(dst) {
		return errSize
	}
	return err
}

// appendLZ4 unpacks a block behind the first n bytes of dst, which its copies can read, and returns
// the end of what is unpacked.
func appendLZ4(dst []byte, n int, src []byte) (int, error) {
	for i := 0; i < len(src); {
		token := int(src[i])
		literals, at := lengthLZ4(src, i+1, token>>4)
		if literals > len(dst)-n {
			return 0, errLZ4
		}
		n += copy(dst[n:n+literals], src[at:])
		if i = at + literals; i == len(src) {
			return n, nil // the last sequence has no copy
		}
		if len(src)-i < 2 { // or some literals are missing
			return 0, errLZ4
		}
		from := n - int(binary.LittleEndian.Uint16(src[i:]))
		length, at := lengthLZ4(src, i+2, token&15)
		if length += 4; from < 0 || from == n || length > len(dst)-n {
			return 0, errLZ4
		}
		i = at
		for end := n + length; n < end; { // a copy may read what it has written
			n += copy(dst[n:end], dst[from:n])
		}
	}
	return 0, errLZ4
}

// lengthLZ4 returns a length whose first four bits are in a token, and where it ends. 15 is a
// reason to add the bytes that follow, up to one that is not 255. Without that one the length is
// more than any memory.
func lengthLZ4(src []byte, at, bits int) (length, end int) {
	if bits < 15 {
		return bits, at
	}
	for ; at < len(src); at++ {
		bits += int(src[at])
		if src[at] != 255 {
			return bits, at + 1
		}
	}
	return math.MaxInt / 2, at
}

// LZ4Frame unpacks a frame of LZ4 (lz4_Frame_format.md). Its checksums are not compared.
func LZ4Frame(dst, src []byte) error {
	if len(src) < 7 || binary.LittleEndian.Uint32(src) != 0x184d2204 || src[4]>>6 != 1 {
		return errors.New("it is no LZ4 frame")
	}
	flags, at := src[4], 7
	if flags&8 != 0 { // the size of the content
		at += 8
	}
	if flags&1 != 0 {
		return errors.New("its LZ4 frame needs a dictionary")
	}
	for n := 0; ; {
		if at > len(src)-4 {
			return errLZ4
		}
		size := int(binary.LittleEndian.Uint32(src[at:]) &^ (1 << 31))
		stored := src[at+3]&0x80 != 0
		if at += 4; size == 0 {
			if n != len(dst) {
				return errSize
			}
			return nil
		}
		if size > len(src)-at {
			return errLZ4
		}
		block, before := src[at:at+size], n
		if stored {
			if n += copy(dst[n:], block); n-before != size {
				return errSize
			}
		} else {
			var err error
			if n, err = appendLZ4(dst, n, block); err != nil {
				return err
			}
		}
		if at += size; flags&16 != 0 { // a checksum of the block
			at += 4
		}
	}
}
