package slide

import (
	"bytes"
	"image"
	"image/color"

	"github.com/bagscope/bagscope/core/internal/jpegframe"
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
	number, size := uint64(row)*uint64(across)+uint64(column), l.sizeInRow(row)
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
	return l.paint(work, size, samples, 1)
}

// sizeInRow returns the size of the blocks in a row: the last strip has the rows that are left.
func (l *layout) sizeInRow(row int) image.Point {
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
	case byAperioYCC, byAperioRGB:
		packed, err := l.packed(work, number)
		if packed == nil || err != nil {
			return nil, err
		}
		return l.decodeAperio(work, packed, size)
	}
	raw, err := l.unpack(work, number, size, l.samples)
	if raw == nil || err != nil {
		return nil, err
	}
	samples := make([][]byte, l.samples)
	for s := range samples {
		samples[s] = raw[min(s, len(raw)):]
	}
	return l.paint(work, size, samples, l.samples)
}

// paint returns a block of the upper eight bits of its samples: samples[s][i*step] is sample s of
// pixel i, row by row.
func (l *layout) paint(
	work *workspace, size image.Point, samples [][]byte, step int,
) (*image.RGBA, error) {
	if err := work.take(4 * int64(size.X) * int64(size.Y)); err != nil {
		return nil, err
	}
	out := image.NewRGBA(image.Rectangle{Max: size})
	pix, first := out.Pix, samples[0]
	switch l.photometric {
	case whiteIsZero, blackIsZero, isPalette:
		shades := l.shades()
		for i, at := 0, 0; i < len(pix); i, at = i+4, at+step {
			copy(pix[i:i+4], shades[first[at]][:])
		}
	case isCMYK:
		for i, at := 0, 0; i < len(pix); i, at = i+4, at+step {
			pix[i], pix[i+1], pix[i+2] = color.CMYKToRGB(first[at], samples[1][at], samples[2][at],
				samples[3][at])
			pix[i+3] = 255
		}
	default:
		green, blue := samples[1], samples[2]
		for i, at := 0, 0; i < len(pix); i, at = i+4, at+step {
			p := pix[i : i+4 : i+4]
			p[0], p[1], p[2], p[3] = first[at], green[at], blue[at], 255
		}
	}
	if l.alpha {
		opacity := samples[l.samples-1]
		for i, at := 3, 0; i < len(pix); i, at = i+4, at+step {
			pix[i] = opacity[at]
		}
		overWhite(out, l.multiplied)
	}
	return out, nil
}

// shades returns the opaque colour of each value of a sample, for pictures of one sample a pixel.
func (l *layout) shades() *[256][4]byte {
	var out [256][4]byte
	n := len(l.colours) / 3
	for v := range out {
		grey := byte(v)
		if l.photometric == whiteIsZero {
			grey = 255 - grey
		}
		out[v] = [4]byte{grey, grey, grey, 255}
		if l.photometric == isPalette {
			// The palette has a colour for each value that the sample's bits can have.
			at := min(v, n-1)
			out[v] = [4]byte{l.colours[at], l.colours[n+at], l.colours[2*n+at], 255}
		}
	}
	return &out
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
	config, whole := webp.DecodeConfig, webpframe.Decode
	perPixel, once := webpframe.Bytes(packed)
	var err error
	if l.compression == byJPEG {
		if err := work.take(int64(len(l.tables) + len(packed))); err != nil {
			return nil, err
		}
		if packed, err = jpegframe.Join(l.tables, packed, l.photometric == isRGB); err == nil {
			err = jpegframe.Check(packed)
		}
		perPixel, once = jpegframe.Bytes(packed), 0
		config, whole = jpegConfig, jpegframe.Decode
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
	rgba, ok := m.(*image.RGBA)
	if !ok {
		rgba = copied(m, m.Bounds().Sub(m.Bounds().Min))
	}
	if l.photometric == whiteIsZero {
		for i := range rgba.Pix {
			if i%4 != 3 {
				rgba.Pix[i] = 255 - rgba.Pix[i]
			}
		}
	}
	return rgba, nil
}
