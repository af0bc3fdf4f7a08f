package packed

import (
	"encoding/binary"
	"errors"

	"github.com/bagscope/bagscope/internal/msg"
)

// The header of Blosc 1 (README_CHUNK_FORMAT.rst).
const (
	bloscHead = 16

	bloscShuffle    = 1
	bloscStored     = 2
	bloscBits       = 4
	bloscDontSplit  = 16
	bloscMostSplits = 16  // bytes of entries whose bytes are packed apart
	bloscLeastSplit = 128 // entries of a block whose bytes are packed apart

	bloscLZ   = 0
	bloscLZ4  = 1
	bloscZlib = 3
	bloscZstd = 4
)

var errBlosc = errors.New("its Blosc data are damaged")

// BloscSize returns the number of bytes that a chunk of Blosc unpacks to.
func BloscSize(src []byte) (int, error) {
	if len(src) < bloscHead {
		return 0, errBlosc
	}
	if src[0] != 2 {
		return 0, msg.Errorf("it has version %d of Blosc, and 2 is read", src[0])
	}
	n := binary.LittleEndian.Uint32(src[4:])
	if n > 1<<31-1 {
		return 0, errBlosc
	}
	return int(n), nil
}

// Blosc unpacks a chunk of Blosc 1, packed by BloscLZ, LZ4, zlib or Zstandard.
func Blosc(dst, src []byte) error {
	n, err := BloscSize(src)
	if err != nil {
		return err
	}
	if n != len(dst) {
		return errSize
	}
	flags, element := src[2], max(1, int(src[3]))
	if flags&bloscStored != 0 {
		if copy(dst, src[bloscHead:]) != n {
			return errBlosc
		}
		return nil
	}
	size := int(binary.LittleEndian.Uint32(src[8:]))
	if n == 0 {
		return nil
	}
	if size < 1 || size > 1<<30 || (n-1)/size+1 > (len(src)-bloscHead)/4 {
		return errBlosc
	}
	mixed := make([]byte, min(size, n))
	for i := 0; i*size < n; i++ {
		block := dst[i*size : min(n, (i+1)*size)]
		at := int(int32(binary.LittleEndian.Uint32(src[bloscHead+4*i:])))
		if at < bloscHead || at > len(src) {
			return errBlosc
		}
		parts := 1
		if flags&bloscDontSplit == 0 && element <= bloscMostSplits &&
			size/element >= bloscLeastSplit && len(block) == size {
			parts = element
		}
		if err := bloscBlock(mixed[:len(block)], src[at:], parts, int(flags>>5)); err != nil {
			return err
		}
		switch entries := len(block) / element; {
		case flags&bloscShuffle != 0 && element > 1:
			Unshuffle(block, mixed[:len(block)], element)
		case flags&bloscBits != 0 && entries%8 == 0 && entries > 0:
			Unbitshuffle(block, mixed[:len(block)], element)
			copy(block[entries*element:], mixed[entries*element:])
		default:
			copy(block, mixed)
		}
	}
	return nil
}

// bloscBlock unpacks the parts of a block, which have equal sizes, by a codec.
func bloscBlock(dst, src []byte, parts, codec int) error {
	if len(dst)%parts != 0 {
		return errBlosc
	}
	size := len(dst) / parts
	for part := range parts {
		if len(src) < 4 {
			return errBlosc
		}
		n := int(int32(binary.LittleEndian.Uint32(src)))
		if n < 0 || n > len(src)-4 {
			return errBlosc
		}
		data, out := src[4:4+n], dst[part*size:(part+1)*size]
		src = src[4+n:]
		if n == size { // packing made it no smaller
			copy(out, data)
			continue
		}
		var err error
		switch codec {
		case bloscLZ:
			err = blosclz(out, data)
		case bloscLZ4:
			err = LZ4(out, data)
		case bloscZlib:
			err = Zlib(out, data)
		case bloscZstd:
			err = Zstd(out, data)
		default:
			err = msg.Errorf("codec %d of Blosc is not read", codec)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// blosclz unpacks a block of BloscLZ. A byte below 32 is one less than the number of bytes that
// follow; another one begins a copy of bytes unpacked before, whose distance has 13 or 16 bits.
func blosclz(dst, src []byte) error {
	const far = 8191 // the distance behind which it has 16 bits
	n, i := 0, 0
	next := func() int {
		if i >= len(src) {
			i = len(src) + 1
			return 0
		}
		i++
		return int(src[i-1])
	}
	for head := next() & 31; ; head = next() {
		if head < 32 {
			if head++; head > len(src)-i || head > len(dst)-n {
				return errBlosc
			}
			n += copy(dst[n:n+head], src[i:])
			i += head
		} else {
			length, high := head>>5-1, head&31<<8
			if length == 6 {
				for code := 255; code == 255; { // there is a 0 behind the end
					code = next()
					length += code
				}
			}
			code := next()
			length += 3
			from := n - high - code - 1
			if code == 255 && high == 31<<8 {
				from = n - next()<<8 - next() - far - 1
			}
			if i > len(src) || from < 0 || length > len(dst)-n {
				return errBlosc
			}
			for end := n + length; n < end; { // a copy may read what it has written
				n += copy(dst[n:end], dst[from:n])
			}
		}
		if i >= len(src) {
			break
		}
	}
	if n != len(dst) {
		return errSize
	}
	return nil
}
