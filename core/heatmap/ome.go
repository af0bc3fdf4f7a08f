package heatmap

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"image"
	"io"
	"math"
)

// WriteOME writes an OME-TIFF: a picture for each class, named by the class and the method, with
// its smaller levels below it (SubIFDs, as the OME model of 2016-06 and TIFF Technical Note 1 have
// them), in tiles compressed by deflate. Pixels are red, green, blue and an opacity that colours
// are not multiplied with. The container is BigTIFF.
//
// It returns errors of w, and the cause when ctx ends.
func (m *Map) WriteOME(ctx context.Context, w io.Writer) error {
	t := &tiff{sizes: m.levels(tileSide), at: headBytes}
	var pictures [][]levelTiles
	done := m.counter(len(m.Classes), t.sizes)
	for _, c := range m.Classes {
		t.begin()
		p := pyramid{Map: m, ctx: ctx, sizes: t.sizes, done: done, emit: t.add}
		p.show(c)
		if err := p.draw(); err != nil {
			return err
		}
		pictures = append(pictures, t.tiles)
	}
	description, err := m.omeXML()
	if err != nil {
		return err
	}
	first := t.at
	directories := t.directories(pictures, m.Microns, description)
	head := binary.LittleEndian.AppendUint64([]byte("II\x2b\x00\x08\x00\x00\x00"), uint64(first))
	for _, part := range append(append([][]byte{head}, t.data...), directories) {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

const (
	headBytes  = 16 // header of a BigTIFF, in bytes
	tileTag    = 322
	pixelBytes = 4
)

// levelTiles has the places and lengths of a level's tiles, row by row.
type levelTiles struct{ places, lengths []uint64 }

// A tiff collects the tiles of a file.
type tiff struct {
	sizes []level
	data  [][]byte // tiles in their order in the file
	at    int64    // place of the next part, at least headBytes
	tiles []levelTiles
	// The tile without a patch is stored once.
	empty, emptyBytes uint64
	packed            bytes.Buffer
	zip               *zlib.Writer // into packed
}

// begin begins a picture.
func (t *tiff) begin() {
	t.tiles = make([]levelTiles, len(t.sizes))
	for i, s := range t.sizes {
		n := ceil(s.width, tileSide) * ceil(s.height, tileSide)
		t.tiles[i] = levelTiles{make([]uint64, n), make([]uint64, n)}
	}
}

// add compresses a tile.
func (t *tiff) add(at, column, row int, tile *image.NRGBA) error {
	n := row*ceil(t.sizes[at].width, tileSide) + column
	to := &t.tiles[at]
	if tile == nil && t.empty > 0 {
		to.places[n], to.lengths[n] = t.empty, t.emptyBytes
		return nil
	}
	whole := make([]byte, pixelBytes*tileSide*tileSide) // tiles of TIFF all have the same size
	clear255(whole)
	if tile != nil {
		for y := range tile.Rect.Dy() {
			row := tile.Pix[y*tile.Stride:][:pixelBytes*tile.Rect.Dx()]
			copy(whole[pixelBytes*tileSide*y:], row)
		}
	}
	t.packed.Reset()
	if t.zip == nil {
		// Maps have few colours, so that more effort makes files little smaller.
		t.zip, _ = zlib.NewWriterLevel(&t.packed, zlib.BestSpeed)
	}
	t.zip.Reset(&t.packed)
	t.zip.Write(whole)
	t.zip.Close() // a buffer has no errors
	to.places[n], to.lengths[n] = uint64(t.at), uint64(t.packed.Len())
	if tile == nil {
		t.empty, t.emptyBytes = to.places[n], to.lengths[n]
	}
	t.data = append(t.data, bytes.Clone(t.packed.Bytes()))
	t.at += int64(t.packed.Len())
	return nil
}

// Types of the values of a tag (TIFF 6.0; BigTIFF adds those of eight bytes).
const (
	typeASCII    = 2
	typeShort    = 3
	typeRational = 5
	typeLong8    = 16
	typeIFD8     = 18
)

// A field is a tag of a directory with its values, encoded.
type field struct {
	tag, kind uint16
	count     int
	values    []byte
}

// whole returns a field of integers of 16 or 64 bits.
func whole(tag, kind uint16, values ...uint64) field {
	f := field{tag: tag, kind: kind, count: len(values)}
	for _, v := range values {
		if kind == typeShort {
			f.values = binary.LittleEndian.AppendUint16(f.values, uint16(v))
		} else {
			f.values = binary.LittleEndian.AppendUint64(f.values, v)
		}
	}
	return f
}

// directories returns the directories of all pictures, which follow the tiles. The first one
// describes all.
func (t *tiff) directories(pictures [][]levelTiles, microns float64, description string) []byte {
	var out []byte
	place := func() int64 { return t.at + int64(len(out)) }
	for n, p := range pictures {
		// Where a directory begins depends on its length alone, so that the smaller levels, which
		// the largest one names, come behind it at places that are known.
		text := ""
		if n == 0 {
			text = description
		}
		main := func(below []uint64) []field {
			return t.fields(p[0], 0, microns, text, below)
		}
		at := place() + directoryBytes(main(make([]uint64, len(p)-1)))
		var below []uint64
		for i := 1; i < len(p); i++ {
			below = append(below, uint64(at))
			at += directoryBytes(t.fields(p[i], i, microns, "", nil))
		}
		next := at
		if n == len(pictures)-1 {
			next = 0
		}
		out = append(out, directory(main(below), place(), next)...)
		for i := 1; i < len(p); i++ {
			out = append(out, directory(t.fields(p[i], i, microns, "", nil), place(), 0)...)
		}
	}
	return out
}

// fields returns the tags of a level, in ascending order.
func (t *tiff) fields(
	tiles levelTiles, at int, microns float64, description string, below []uint64,
) []field {
	smaller := uint64(0)
	if at > 0 {
		smaller = 1
	}
	list := []field{
		whole(254, typeLong8, smaller),
		whole(256, typeLong8, uint64(t.sizes[at].width)),
		whole(257, typeLong8, uint64(t.sizes[at].height)),
		whole(258, typeShort, 8, 8, 8, 8),
		whole(259, typeShort, 8), // deflate
		whole(262, typeShort, 2), // red, green, blue
	}
	if description != "" {
		text := append([]byte(description), 0)
		list = append(list, field{270, typeASCII, len(text), text})
	}
	list = append(list, whole(277, typeShort, pixelBytes))
	if microns > 0 {
		// A level's pixels cover twice as much as those of the one before.
		perCentimetre := 1e4 / (microns * math.Exp2(float64(at)))
		list = append(list, rational(282, perCentimetre), rational(283, perCentimetre))
	}
	list = append(list, whole(284, typeShort, 1))
	if microns > 0 {
		list = append(list, whole(296, typeShort, 3)) // centimetres
	}
	list = append(list, whole(tileTag, typeShort, tileSide), whole(323, typeShort, tileSide),
		whole(324, typeLong8, tiles.places...), whole(325, typeLong8, tiles.lengths...))
	if len(below) > 0 {
		list = append(list, whole(330, typeIFD8, below...))
	}
	return append(list, whole(338, typeShort, 2)) // the opacity is not multiplied into colours
}

// rational returns a field of one positive number, as a fraction of 32 bits.
func rational(tag uint16, v float64) field {
	of := uint32(1e6)
	for v*float64(of) > math.MaxUint32 && of > 1 {
		of /= 10
	}
	n := uint32(min(max(v*float64(of), 1), math.MaxUint32))
	values := binary.LittleEndian.AppendUint32(nil, n)
	return field{tag, typeRational, 1, binary.LittleEndian.AppendUint32(values, of)}
}

// directoryBytes returns the length of a directory with its values.
func directoryBytes(list []field) int64 {
	n := 8 + 20*len(list) + 8
	for _, f := range list {
		if len(f.values) > 8 {
			n += len(f.values)
		}
	}
	return int64(n)
}

// directory encodes a directory that stands at a place, with its values behind it.
func directory(list []field, at, next int64) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(list)))
	behind := at + int64(8+20*len(list)+8)
	var values []byte
	for _, f := range list {
		out = binary.LittleEndian.AppendUint16(out, f.tag)
		out = binary.LittleEndian.AppendUint16(out, f.kind)
		out = binary.LittleEndian.AppendUint64(out, uint64(f.count))
		if len(f.values) <= 8 {
			out = append(out, append(f.values, make([]byte, 8-len(f.values))...)...)
			continue
		}
		out = binary.LittleEndian.AppendUint64(out, uint64(behind)+uint64(len(values)))
		values = append(values, f.values...)
	}
	return append(binary.LittleEndian.AppendUint64(out, uint64(next)), values...)
}
