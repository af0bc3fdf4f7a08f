package synthetic

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"io"

	"github.com/bagscope/bagscope/internal/msg"
)

// tile is the side of the tiles of a TIFF file in pixels.
const tile = 256

// writeTIFF writes a slide as a TIFF file of tiles in JPEG, with its resolution (TIFF 6.0, sections
// 15, 21 and 22). Numbers are little-endian.
func (s *slide) writeTIFF(w io.Writer) error {
	var tiles bytes.Buffer
	var offsets, counts []uint32
	for y := 0; y < height; y += tile {
		for x := 0; x < width; x += tile {
			from := tiles.Len()
			err := jpeg.Encode(&tiles, s.picture(image.Rect(x, y, x+tile, y+tile)),
				&jpeg.Options{Quality: 85})
			if err != nil {
				return err
			}
			offsets = append(offsets, 8+uint32(from))
			counts = append(counts, uint32(tiles.Len()-from))
			if tiles.Len()%2 == 1 {
				tiles.WriteByte(0) // values begin at even places
			}
		}
	}
	const short, long, rational = 3, 4, 5
	perCentimetre := []uint32{1e4 / microns, 1}
	fields := []struct {
		tag, kind uint16
		values    []uint32
	}{
		{256, long, []uint32{width}}, {257, long, []uint32{height}},
		{258, short, []uint32{8, 8, 8}}, {259, short, []uint32{7}}, // JPEG
		{262, short, []uint32{6}}, // YCbCr
		{277, short, []uint32{3}}, {282, rational, perCentimetre}, {283, rational, perCentimetre},
		{284, short, []uint32{1}}, {296, short, []uint32{3}}, // pixels per centimetre
		{322, long, []uint32{tile}}, {323, long, []uint32{tile}}, {324, long, offsets},
		{325, long, counts}, {530, short, []uint32{2, 2}}, // chroma of half the resolution
	}
	at := 8 + tiles.Len()
	behind := at + 2 + 12*len(fields) + 4
	le := binary.LittleEndian
	directory, values := le.AppendUint16(nil, uint16(len(fields))), []byte(nil)
	for _, f := range fields {
		var data []byte
		for _, v := range f.values {
			if f.kind == short {
				data = le.AppendUint16(data, uint16(v))
			} else {
				data = le.AppendUint32(data, v)
			}
		}
		n := len(f.values)
		if f.kind == rational {
			n /= 2
		}
		directory = le.AppendUint32(le.AppendUint16(le.AppendUint16(directory, f.tag), f.kind),
			uint32(n))
		if len(data) > 4 {
			directory = le.AppendUint32(directory, uint32(behind+len(values)))
			values = append(values, data...)
			values = append(values, make([]byte, len(values)%2)...)
		} else {
			directory = append(directory, append(data, 0, 0, 0, 0)[:4]...)
		}
	}
	head := le.AppendUint32([]byte{'I', 'I', 42, 0}, uint32(at))
	for _, part := range [][]byte{head, tiles.Bytes(), append(directory, 0, 0, 0, 0), values} {
		if _, err := w.Write(part); err != nil {
			return msg.Errorf("the slide %s cannot be written: %w", s.name, err)
		}
	}
	return nil
}
