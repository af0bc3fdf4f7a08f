package slide

import (
	"bytes"
	"encoding/binary"
	"image"
	"io"
	"math/bits"

	"github.com/bagscope/bagscope/core/internal/packed"
	"github.com/klauspost/compress/zlib"
	"golang.org/x/image/ccitt"
	"golang.org/x/image/tiff/lzw"
)

// packed reads the bytes of a block as they are stored, or nil if there are none.
func (l *layout) packed(work *workspace, number uint64) ([]byte, error) {
	at, n, err := l.place(number)
	if n == 0 || err != nil {
		return nil, err
	}
	if err := work.take(int64(n)); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	if err := l.read(b, int64(at)); err != nil {
		return nil, err
	}
	if l.reversed && !l.packsPixels() {
		for i, v := range b {
			b[i] = bits.Reverse8(v)
		}
	}
	return b, nil
}

// place returns where the bytes of a block are, and their number. Without data it is 0.
func (l *layout) place(number uint64) (place, length uint64, err error) {
	strip, first := number, uint64(0) // the strip or tile, and the block's first row in it
	if l.oneStrip {
		_, down := l.grid()
		strip, first = number/uint64(down), number%uint64(down)*uint64(l.block.Y)
	}
	offsets, lengths := uint16(tagStripOffsets), uint16(tagStripBytes)
	if l.tiled {
		offsets, lengths = tagTileOffsets, tagTileBytes
	}
	var at, n [1]uint64
	if err := l.values(offsets, strip, at[:]); err != nil {
		return 0, 0, err
	}
	if err := l.values(lengths, strip, n[:]); err != nil || n[0] == 0 {
		return 0, 0, err
	}
	if at[0] > uint64(l.size) {
		return 0, 0, bad(l.name, "block %d of %s is behind the end of the file", number, l.what)
	}
	samples := l.samples
	if l.planes {
		samples = 1
	}
	row := (uint64(l.block.X)*uint64(samples)*uint64(l.bits) + 7) / 8
	if l.oneStrip {
		rows := min(uint64(l.block.Y), uint64(l.height)-first)
		if n[0] < (first+rows)*row {
			return 0, 0, bad(l.name, "strip %d of %s has %d bytes, but its rows take %d each",
				strip, l.what, n[0], row)
		}
		at[0], n[0] = at[0]+first*row, rows*row
	}
	// No encoder makes a block much larger than its samples.
	if most := 2*uint64(l.block.Y)*row + 1<<16; n[0] > most {
		return 0, 0, bad(l.name, "block %d of %s takes %d bytes; its pixels take at most %d",
			number, l.what, n[0], most)
	}
	if at[0] > uint64(l.size) || n[0] > uint64(l.size)-at[0] {
		return 0, 0, bad(l.name, "block %d of %s takes %d bytes and reaches over the end of the "+
			"file", number, l.what, n[0])
	}
	return at[0], n[0], nil
}

// expansion returns the bytes that one byte of a block unpacks to at most: a pair of deflate's
// length and distance of two bits gives 258; a code of LZW of 9 to 12 bits gives fewer than 4,096;
// one bit of fax gives a row of that many bytes; a block of Zstandard has at most 2^17 of them.
func (l *layout) expansion(row int) int {
	switch l.compression {
	case byFax3, byFax4:
		return 8 * row
	case byLZW:
		return 4096
	case byDeflate, byOldDeflate:
		return 1032
	case byPackBits:
		return 64
	case byZstandard: // four bytes repeat one 2^17 times
		return 1 << 15
	case byLZMA: // 14 decisions of at least log2(2048/2017) bits repeat 273 bytes
		return 1 << 13
	}
	return 1
}

// raw decompresses a block of the given samples a pixel, as they are stored, or returns nil if the
// file has no data for it.
func (l *layout) raw(
	work *workspace, number uint64, size image.Point, samples int,
) ([]byte, error) {
	stored, err := l.packed(work, number)
	if stored == nil || err != nil {
		return nil, err
	}
	row := l.rowBytes(size, samples)
	need := row * size.Y
	if need/l.expansion(row) > len(stored) {
		return nil, bad(l.name, "block %d of %s has %d bytes, which cannot hold its pixels", number,
			l.what, len(stored))
	}
	raw := stored
	if l.compression != uncompressed {
		if err := work.take(int64(need)); err != nil {
			return nil, err
		}
		if l.compression == byLZMA {
			if err := work.take(packed.XZMemory(stored)); err != nil {
				return nil, err
			}
		}
		raw = make([]byte, need)
		if err := l.inflate(raw, stored, size); err != nil {
			return nil, because(err, l.name, "block %d of %s cannot be unpacked", number, l.what)
		}
	}
	raw = raw[:need]
	switch l.predictor {
	case 2:
		l.undoPredictor(raw, size.X*samples, samples)
	case 3:
		if err := work.take(int64(row)); err != nil {
			return nil, err
		}
		l.undoRealPredictor(raw, size.X*samples, samples)
	}
	return raw, nil
}

// rowBytes returns the bytes of a row of a block of the given samples a pixel.
func (l *layout) rowBytes(size image.Point, samples int) int {
	return (size.X*samples*l.bits + 7) / 8
}

// unpack decompresses a block of the given samples a pixel and returns them in eight bits each, or
// nil if the file has no data for it. Of samples of 12 or 16 bits these are the upper ones.
func (l *layout) unpack(
	work *workspace, number uint64, size image.Point, samples int,
) ([]byte, error) {
	raw, err := l.raw(work, number, size, samples)
	if raw == nil || err != nil {
		return nil, err
	}
	row := l.rowBytes(size, samples)
	switch {
	case l.bits == 8:
		return raw, nil
	case l.bits < 8:
		return l.spread(work, raw, row, size)
	case l.bits == 12:
		if err := work.take(int64(size.X) * int64(size.Y) * int64(samples)); err != nil {
			return nil, err
		}
		return upperOf12(raw, row, image.Pt(size.X*samples, size.Y)), nil
	}
	upper := raw[: len(raw)/2 : len(raw)/2]
	var largest uint16 // without opacities
	for i := range upper {
		v := l.order.Uint16(raw[2*i:])
		if upper[i] = byte(v >> 8); !l.alpha || samples > 1 && i%samples < samples-1 {
			largest = max(largest, v)
		}
	}
	l.meet(uint32(largest))
	return upper, nil
}

// spread returns samples of fewer than eight bits in a byte each: numbers of colours as they are,
// and greys from 0 to 255. Rows begin at whole bytes.
func (l *layout) spread(
	work *workspace, raw []byte, row int, size image.Point,
) ([]byte, error) {
	if err := work.take(int64(size.X) * int64(size.Y)); err != nil {
		return nil, err
	}
	out := make([]byte, 0, size.X*size.Y)
	largest, scale := byte(1<<l.bits-1), byte(1)
	if l.photometric != isPalette {
		scale = 255 / largest
	}
	for y := range size.Y {
		for x := range size.X {
			at := x * l.bits
			v := raw[y*row+at/8] >> (8 - l.bits - at%8) & largest
			out = append(out, v*scale)
		}
	}
	return out, nil
}

// inflate fills raw from the bytes of a block. Too few of them are an error, more are not.
func (l *layout) inflate(raw, stored []byte, size image.Point) error {
	var r io.Reader
	switch l.compression {
	case byFax3, byFax4:
		// As in libtiff, white runs are zeros, whatever colour that is.
		format := ccitt.Group3
		if l.compression == byFax4 {
			format = ccitt.Group4
		}
		r = ccitt.NewReader(bytes.NewReader(stored), ccitt.MSB, format, size.X, size.Y,
			&ccitt.Options{Invert: true})
	case byLZW:
		r = lzw.NewReader(bytes.NewReader(stored), lzw.MSB, 8)
	case byDeflate, byOldDeflate:
		z, err := zlib.NewReader(bytes.NewReader(stored))
		if err != nil {
			return err
		}
		r = z
	case byPackBits:
		return unpackBits(raw, stored)
	case byZstandard:
		return packed.Zstd(raw, stored)
	case byLZMA:
		return packed.XZ(raw, stored)
	}
	_, err := io.ReadFull(r, raw)
	return err
}

// unpackBits undoes PackBits (TIFF 6.0, section 9).
func unpackBits(raw, packed []byte) error {
	for len(raw) > 0 {
		if len(packed) < 2 {
			return io.ErrUnexpectedEOF
		}
		n := int(int8(packed[0]))
		switch packed = packed[1:]; {
		case n >= 0:
			n = min(n+1, len(raw))
			if len(packed) < n {
				return io.ErrUnexpectedEOF
			}
			copy(raw, packed[:n])
			raw, packed = raw[n:], packed[n:]
		case n > -128:
			n = min(1-n, len(raw))
			for i := range n {
				raw[i] = packed[0]
			}
			raw, packed = raw[n:], packed[1:]
		}
	}
	return nil
}

// undoPredictor adds to each sample that of the pixel before it in the row (TIFF 6.0, section 14).
func (l *layout) undoPredictor(raw []byte, rowValues, samples int) {
	rowBytes := rowValues * l.bits / 8
	for ; len(raw) >= rowBytes; raw = raw[rowBytes:] {
		for i := samples; i < rowValues; i++ {
			switch before := i - samples; l.bits {
			case 8:
				raw[i] += raw[before]
			case 16:
				l.order.PutUint16(raw[2*i:], l.order.Uint16(raw[2*i:])+
					l.order.Uint16(raw[2*before:]))
			default:
				l.order.PutUint32(raw[4*i:], l.order.Uint32(raw[4*i:])+
					l.order.Uint32(raw[4*before:]))
			}
		}
	}
}

// undoRealPredictor undoes the predictor of real numbers (TIFF Technical Note 3): each byte of a
// row is the difference from the one before, and a row has the highest bytes of all numbers first.
func (l *layout) undoRealPredictor(raw []byte, rowValues, samples int) {
	each := l.bits / 8
	bytes := make([]byte, rowValues*each)
	for ; len(raw) >= len(bytes); raw = raw[len(bytes):] {
		for i := samples; i < len(bytes); i++ {
			raw[i] += raw[i-samples]
		}
		copy(bytes, raw)
		for i := range rowValues {
			for b := range each {
				to := b
				if l.order == binary.ByteOrder(binary.LittleEndian) {
					to = each - 1 - b
				}
				raw[i*each+to] = bytes[b*rowValues+i]
			}
		}
	}
}
