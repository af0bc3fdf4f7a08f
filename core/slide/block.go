package slide

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"io"

	"github.com/klauspost/compress/zlib"
	"golang.org/x/image/tiff/lzw"
	"golang.org/x/image/webp"
)

// decode reads and decodes the block in a column and row of the picture's grid, as opaque pixels
// from (0, 0) to at most the size of a block. Without data for the block it returns nil.
func (l *layout) decode(column, row int) (*image.RGBA, error) {
	across, down := l.grid()
	number := uint64(row)*uint64(across) + uint64(column)
	if !l.planes {
		return l.decodeBlock(number, row)
	}
	out := image.NewRGBA(image.Rectangle{Max: l.shown(row)})
	samples := make([][]byte, l.samples)
	for s := range samples {
		raw, err := l.unpack(number+uint64(s)*uint64(across)*uint64(down), row, 1)
		if raw == nil || err != nil {
			return nil, err
		}
		samples[s] = raw
	}
	l.paint(out, func(at, sample int) byte { return samples[sample][at] })
	return out, nil
}

// shown returns the size of the blocks in a row: the last strip has the rows that are left.
func (l *layout) shown(row int) image.Point {
	if l.tiled {
		return l.block
	}
	return image.Pt(l.block.X, min(l.block.Y, l.height-row*l.block.Y))
}

// decodeBlock decodes a block that holds all samples of its pixels.
func (l *layout) decodeBlock(number uint64, row int) (*image.RGBA, error) {
	switch l.compression {
	case byJPEG, byWebP:
		packed, err := l.packed(number)
		if packed == nil || err != nil {
			return nil, err
		}
		return l.decodePicture(packed, l.shown(row))
	}
	raw, err := l.unpack(number, row, l.samples)
	if raw == nil || err != nil {
		return nil, err
	}
	out := image.NewRGBA(image.Rectangle{Max: l.shown(row)})
	l.paint(out, func(at, sample int) byte { return raw[at*l.samples+sample] })
	return out, nil
}

// paint fills a block from the upper eight bits of its samples: value(at, s) is sample s of the
// pixel with that number, row by row.
func (l *layout) paint(out *image.RGBA, value func(at, sample int) byte) {
	grey := l.photometric == whiteIsZero || l.photometric == blackIsZero
	for i := range len(out.Pix) / 4 {
		p := out.Pix[4*i:][:4]
		p[3] = 255
		if grey {
			v := value(i, 0)
			if l.photometric == whiteIsZero {
				v = 255 - v
			}
			p[0], p[1], p[2] = v, v, v
		} else {
			p[0], p[1], p[2] = value(i, 0), value(i, 1), value(i, 2)
		}
		if l.alpha {
			p[3] = value(i, l.samples-1)
		}
	}
	if l.alpha {
		overWhite(out)
	}
}

// overWhite composites pixels whose colours are not multiplied with their opacity on white, as the
// glass around tissue is.
func overWhite(m *image.RGBA) {
	for i := 0; i < len(m.Pix); i += 4 {
		p := m.Pix[i : i+4]
		for c := range 3 {
			p[c] = byte((int(p[c])*int(p[3]) + 255*(255-int(p[3])) + 127) / 255)
		}
		p[3] = 255
	}
}

// packed reads the bytes of a block as they are stored, or nil if there are none.
func (l *layout) packed(number uint64) ([]byte, error) {
	offsets, lengths := uint16(tagStripOffsets), uint16(tagStripBytes)
	if l.tiled {
		offsets, lengths = tagTileOffsets, tagTileBytes
	}
	var at, n [1]uint64
	if err := l.values(offsets, number, at[:]); err != nil {
		return nil, err
	}
	if err := l.values(lengths, number, n[:]); err != nil {
		return nil, err
	}
	if n[0] == 0 {
		return nil, nil
	}
	// No encoder makes a block much larger than its samples.
	most := uint64(l.block.X)*uint64(l.block.Y)*uint64(l.samples)*uint64(l.bits/8)*2 + 1<<16
	if n[0] > most {
		return nil, bad(l.name, "block %d of %s takes %d bytes; its pixels take at most %d", number,
			l.what, n[0], most)
	}
	if at[0] > uint64(l.size) {
		return nil, bad(l.name, "block %d of %s is behind the end of the file", number, l.what)
	}
	b := make([]byte, n[0])
	return b, l.read(b, int64(at[0]))
}

// expansion has the bytes that one byte of a block unpacks to at most: a pair of deflate's length and
// distance of two bits gives 258; a code of LZW of 9 to 12 bits gives fewer than 4,096.
var expansion = map[uint64]int{uncompressed: 1, byLZW: 4096, byDeflate: 1032, byOldDeflate: 1032,
	byPackBits: 64}

// unpack decompresses a block of the given samples a pixel and returns their upper eight bits, or
// nil if the file has no data for it.
func (l *layout) unpack(number uint64, row, samples int) ([]byte, error) {
	packed, err := l.packed(number)
	if packed == nil || err != nil {
		return nil, err
	}
	size := l.shown(row)
	need := size.X * size.Y * samples * l.bits / 8
	if need/expansion[l.compression] > len(packed) {
		return nil, bad(l.name, "block %d of %s has %d bytes, which cannot hold its pixels", number,
			l.what, len(packed))
	}
	raw := make([]byte, need)
	if err := l.inflate(raw, packed); err != nil {
		return nil, because(err, l.name, "block %d of %s cannot be unpacked", number, l.what)
	}
	if l.predictor == 2 {
		l.undoPredictor(raw, size.X*samples, samples)
	}
	if l.bits == 8 {
		return raw, nil
	}
	upper := raw[: len(raw)/2 : len(raw)/2]
	for i := range upper {
		upper[i] = byte(l.order.Uint16(raw[2*i:]) >> 8)
	}
	return upper, nil
}

// inflate fills raw from the bytes of a block. Too few of them are an error, more are not.
func (l *layout) inflate(raw, packed []byte) error {
	var r io.Reader
	switch l.compression {
	case byLZW:
		r = lzw.NewReader(bytes.NewReader(packed), lzw.MSB, 8)
	case byDeflate, byOldDeflate:
		z, err := zlib.NewReader(bytes.NewReader(packed))
		if err != nil {
			return err
		}
		r = z
	case byPackBits:
		return unpackBits(raw, packed)
	default:
		r = bytes.NewReader(packed)
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
			if l.bits == 8 {
				raw[i] += raw[i-samples]
			} else {
				sum := l.order.Uint16(raw[2*i:]) + l.order.Uint16(raw[2*(i-samples):])
				l.order.PutUint16(raw[2*i:], sum)
			}
		}
	}
}

// decodePicture decodes a block that is a picture of its own. Its size must be that of the block.
func (l *layout) decodePicture(packed []byte, size image.Point) (*image.RGBA, error) {
	config, whole := webp.DecodeConfig, webp.Decode
	if l.compression == byJPEG {
		stream, err := joinTables(l.tables, packed, l.photometric)
		if err != nil {
			return nil, because(err, l.name, "a block of %s cannot be decoded", l.what)
		}
		packed, config, whole = stream, jpegConfig, decodeJPEG
	}
	c, err := config(bytes.NewReader(packed))
	if err == nil && (c.Width != size.X || c.Height < size.Y || c.Height > l.block.Y) {
		return nil, bad(l.name, "a block of %s is a picture of %d x %d pixels instead of %d x %d",
			l.what, c.Width, c.Height, size.X, size.Y)
	}
	if err != nil {
		return nil, because(err, l.name, "a block of %s cannot be decoded", l.what)
	}
	m, err := whole(bytes.NewReader(packed))
	if err != nil {
		return nil, because(err, l.name, "a block of %s cannot be decoded", l.what)
	}
	if rgba, ok := m.(*image.RGBA); ok {
		return rgba, nil
	}
	out := image.NewRGBA(m.Bounds())
	draw.Draw(out, out.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(out, out.Rect, m, m.Bounds().Min, draw.Over)
	return out, nil
}
