package slide

import (
	"bytes"
	"image"

	"github.com/bagscope/bagscope/core/internal/webpframe"
	"golang.org/x/image/webp"
)

// decode reads and decodes the block in a column and row of the picture's grid, as opaque pixels
// from (0, 0) to at most the size of a block. Without data for the block it returns nil.
func (l *layout) decode(column, row int) (*image.RGBA, error) {
	if l.tile != nil {
		return l.tile(column, row)
	}
	across, down := l.grid()
	number, size := uint64(row)*uint64(across)+uint64(column), l.shown(row)
	work := &workspace{container: l.container}
	defer work.end()
	if !l.planes {
		return l.decodeBlock(work, number, size)
	}
	samples := make([][]byte, l.samples)
	for s := range samples {
		raw, err := l.unpack(work, number+uint64(s)*uint64(across)*uint64(down), size, 1)
		if raw == nil || err != nil {
			return nil, err
		}
		samples[s] = raw
	}
	return l.paint(work, size, func(at, sample int) byte { return samples[sample][at] })
}

// shown returns the size of the blocks in a row: the last strip has the rows that are left.
func (l *layout) shown(row int) image.Point {
	if l.tiled {
		return l.block
	}
	return image.Pt(l.block.X, min(l.block.Y, l.height-row*l.block.Y))
}

// decodeBlock decodes a block that holds all samples of its pixels.
func (l *layout) decodeBlock(
	work *workspace, number uint64, size image.Point,
) (*image.RGBA, error) {
	switch l.compression {
	case byJPEG, byWebP:
		packed, err := l.packed(work, number)
		if packed == nil || err != nil {
			return nil, err
		}
		return l.decodePicture(work, packed, size)
	}
	raw, err := l.unpack(work, number, size, l.samples)
	if raw == nil || err != nil {
		return nil, err
	}
	return l.paint(work, size, func(at, sample int) byte { return raw[at*l.samples+sample] })
}

// paint returns a block of the upper eight bits of its samples: value(at, s) is sample s of the
// pixel with that number, row by row.
func (l *layout) paint(
	work *workspace, size image.Point, value func(at, sample int) byte,
) (*image.RGBA, error) {
	if err := work.take(4 * int64(size.X) * int64(size.Y)); err != nil {
		return nil, err
	}
	out := image.NewRGBA(image.Rectangle{Max: size})
	n := len(l.colours) / 3
	for i := range len(out.Pix) / 4 {
		p := out.Pix[4*i:][:4]
		p[3] = 255
		switch v := value(i, 0); l.photometric {
		case whiteIsZero:
			p[0], p[1], p[2] = 255-v, 255-v, 255-v
		case blackIsZero:
			p[0], p[1], p[2] = v, v, v
		case isPalette:
			p[0], p[1], p[2] = l.colours[v], l.colours[n+int(v)], l.colours[2*n+int(v)]
		default:
			p[0], p[1], p[2] = v, value(i, 1), value(i, 2)
		}
		if l.alpha {
			p[3] = value(i, l.samples-1)
		}
	}
	if l.alpha {
		overWhite(out, l.multiplied)
	}
	return out, nil
}

// overWhite composites pixels on white, as the glass around tissue is. Colours may be multiplied
// with their opacity already.
func overWhite(m *image.RGBA, multiplied bool) {
	for i := 0; i < len(m.Pix); i += 4 {
		p := m.Pix[i : i+4]
		for c := range 3 {
			if multiplied {
				p[c] = byte(min(int(p[c])+255-int(p[3]), 255))
			} else {
				p[c] = byte((int(p[c])*int(p[3]) + 255*(255-int(p[3])) + 127) / 255)
			}
		}
		p[3] = 255
	}
}

// decodePicture decodes a block that is a picture of its own. Its size must be that of the block.
func (l *layout) decodePicture(
	work *workspace, packed []byte, size image.Point,
) (*image.RGBA, error) {
	config, whole := webp.DecodeConfig, webp.Decode
	perPixel, once := webpframe.Bytes(packed)
	err := webpframe.Check(packed)
	if l.compression == byJPEG {
		if err := work.take(int64(len(l.tables) + len(packed))); err != nil {
			return nil, err
		}
		packed, err = joinTables(l.tables, packed, l.photometric)
		perPixel, once = jpegBytes(packed)
		config, whole = jpegConfig, decodeJPEG
	}
	if err != nil {
		return nil, because(err, l.name, "a block of %s cannot be decoded", l.what)
	}
	// The decoder rounds sides up to 32 pixels at most, and the block is a copy of its picture.
	area := int64(l.block.X+32) * int64(l.block.Y+32)
	if err := work.take(once + (perPixel+4)*area); err != nil {
		return nil, err
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
	return copied(m, m.Bounds().Sub(m.Bounds().Min)), nil
}
