package bagio

import (
	"bytes"
	"encoding/binary"
	"image"
	"io"

	"golang.org/x/image/tiff"
)

// Tags of a TIFF file that say how the pixels of a picture are laid out (TIFF 6.0, section 8).
const (
	tiffWidth       = 256
	tiffHeight      = 257
	tiffCompression = 259
	tiffPhotometric = 262
	tiffSamples     = 277
	tiffStripRows   = 278
	tiffPlanes      = 284
	tiffTileWidth   = 322
	tiffTileHeight  = 323
)

// mostTIFFValues bounds the values of all tags together, of which the decoder holds each in eight
// bytes. A picture has two for each of its strips or tiles.
const mostTIFFValues = 1 << 20

// A tiffFile is the first picture of a TIFF file for the decoder of x/image. That decoder puts the
// last column of tiles in wrong places if it reaches over the picture's right side, and unpacks as
// many rows as a strip states, so that some tags have other values than in the file.
type tiffFile struct {
	*bytes.Reader
	order interface {
		binary.ByteOrder
		binary.AppendByteOrder
	}
	width   int              // width of the picture
	columns int              // columns that the last tiles have behind the picture
	block   int64            // pixels of a strip or tile
	changed map[int64][]byte // what is read at a place instead of the file's bytes
}

// ReadAt reads the file with the changed tags.
func (f *tiffFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.Reader.ReadAt(p, off)
	for place, entry := range f.changed {
		for i, b := range entry {
			if at := place + int64(i) - off; at >= 0 && at < int64(n) {
				p[at] = b
			}
		}
	}
	return n, err
}

// openTIFF reads the layout of the first picture. It returns a tiff.UnsupportedError for layouts
// that the decoder takes for others: planes of one channel each, and fax pixels in which 0 is
// black. Faults of other tags are left to the decoder.
func openTIFF(data []byte) (*tiffFile, error) {
	f := &tiffFile{Reader: bytes.NewReader(data), order: binary.LittleEndian,
		changed: map[int64][]byte{}}
	if len(data) > 0 && data[0] == 'M' {
		f.order = binary.BigEndian
	}
	tags, places, err := f.tags(data)
	if err != nil {
		return nil, err
	}
	fax := tags[tiffCompression] == 3 || tags[tiffCompression] == 4
	switch {
	case tags[tiffPlanes] == 2 && tags[tiffSamples] > 1:
		return nil, tiff.UnsupportedError("channels in separate planes")
	case fax && tags[tiffPhotometric] == 1:
		return nil, tiff.UnsupportedError("fax pixels in which 0 is black")
	}
	f.width = int(tags[tiffWidth])
	across, down := tags[tiffWidth], tags[tiffHeight]
	if side := tags[tiffTileWidth]; side > 0 {
		f.block = int64(min(side, 1<<31-1) * min(tags[tiffTileHeight], 1<<31-1))
		if whole := (across + side - 1) / side * side; whole != across {
			f.change(tiffWidth, places, whole)
			f.columns = int(whole - across)
		}
		return f, nil
	}
	if rows := tags[tiffStripRows]; rows > down && down > 0 {
		f.change(tiffStripRows, places, down)
	} else if rows > 0 {
		down = rows
	}
	f.block = int64(min(across, 1<<31-1) * min(down, 1<<31-1))
	return f, nil
}

// tags returns the first value of each tag and the places of their entries. Values that do not fit
// an entry are not read.
func (f *tiffFile) tags(data []byte) (map[uint16]uint64, map[uint16]int64, error) {
	values, places := map[uint16]uint64{}, map[uint16]int64{}
	if len(data) < 8 {
		return nil, nil, io.ErrUnexpectedEOF
	}
	start := int64(f.order.Uint32(data[4:])) + 2
	if start > int64(len(data)) {
		return nil, nil, io.ErrUnexpectedEOF
	}
	total := uint64(0)
	for i := range int64(f.order.Uint16(data[start-2:])) {
		at := start + 12*i
		if at+12 > int64(len(data)) {
			return nil, nil, io.ErrUnexpectedEOF
		}
		entry := data[at:][:12]
		tag, value := f.order.Uint16(entry), f.order.Uint32(entry[8:])
		if f.order.Uint16(entry[2:]) == 3 { // SHORT
			value = uint32(f.order.Uint16(entry[8:]))
		}
		values[tag], places[tag] = uint64(value), at
		switch tag {
		case 258, 273, 279, 320, 324, 325: // bits, strips, colours, tiles
			total += uint64(f.order.Uint32(entry[4:]))
		}
	}
	if total > mostTIFFValues {
		return nil, nil, tiff.UnsupportedError("more than a million strips or tiles")
	}
	return values, places, nil
}

// change makes the decoder read another value of a tag, as one LONG.
func (f *tiffFile) change(tag uint16, places map[uint16]int64, value uint64) {
	entry := f.order.AppendUint16(nil, tag)
	entry = f.order.AppendUint16(entry, 4)
	entry = f.order.AppendUint32(entry, 1)
	f.changed[places[tag]] = f.order.AppendUint32(entry, uint32(min(value, 1<<31-1)))
}

// bytes returns how many bytes decoding takes beside the picture: the columns behind it, and a
// buffer that grows to eight bytes for each pixel of a strip or tile.
func (f *tiffFile) bytes(height int) int64 {
	return 8*int64(f.columns)*int64(height) + 16*f.block
}

// decodeTIFF decodes the first picture of a file.
func decodeTIFF(data []byte) (image.Image, error) {
	f, err := openTIFF(data)
	if err != nil {
		return nil, err
	}
	img, err := tiff.Decode(f)
	if err != nil {
		return nil, err
	}
	bounds := img.Bounds()
	bounds.Max.X = min(bounds.Max.X, f.width)
	return img.(interface {
		SubImage(image.Rectangle) image.Image
	}).SubImage(bounds), nil
}
