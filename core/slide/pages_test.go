package slide

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// A sheet is a directory that the tests write: a grey picture of one shade.
type sheet struct {
	wide, high uint32
	shade      byte
	ramp       bool   // each pixel is the number of its column instead
	strip      bool   // one strip instead of one tile
	kind       uint32 // NewSubfileType
	text       string // ImageDescription
}

// sheets returns a TIFF file of pictures.
func sheets(list ...sheet) []byte {
	le := binary.LittleEndian
	out := append([]byte("II*\x00"), 8, 0, 0, 0)
	for i, p := range list {
		offset, length, blocks := uint32(tagTileOffsets), uint32(tagTileBytes),
			[][2]uint32{{tagTileWidth, p.wide}, {tagTileHeight, p.high}}
		if p.strip {
			offset, length, blocks = tagStripOffsets, tagStripBytes, nil
		}
		text := append([]byte(p.text), 0, 0, 0, 0) // not inside of the entry
		at := uint32(len(out)) + 2 + 12*uint32(8+len(blocks)) + 4
		values := append([][2]uint32{{tagSubfileType, p.kind}, {tagWidth, p.wide},
			{tagHeight, p.high}, {tagBits, 8}, {tagPhotometric, blackIsZero}, {tagDescription, at},
			{offset, at + uint32(len(text))}, {length, p.wide * p.high}}, blocks...)
		out = le.AppendUint16(out, uint16(len(values)))
		for _, v := range values {
			kind, count := uint16(4), uint32(1)
			if v[0] == tagDescription {
				kind, count = 2, uint32(len(text))
			}
			out = le.AppendUint16(le.AppendUint16(out, uint16(v[0])), kind)
			out = le.AppendUint32(le.AppendUint32(out, count), v[1])
		}
		next := at + uint32(len(text)) + p.wide*p.high
		if i == len(list)-1 {
			next = 0
		}
		out = append(le.AppendUint32(out, next), text...)
		for i := range p.wide * p.high {
			if p.ramp {
				p.shade = byte(i % p.wide)
			}
			out = append(out, p.shade)
		}
	}
	return out
}

// TestPages expects the levels of a pyramid wherever they lie in the file, and no other pictures.
func TestPages(t *testing.T) {
	const aperio = "Aperio Image Library v12\r\n"
	ome := func(names ...string) string {
		text := "<OME>"
		for i, name := range names {
			side := 8 << i
			text += fmt.Sprintf(`<Image Name="%s"><Pixels SizeX="%d" SizeY="%d" SizeC="1">`+
				`<TiffData IFD="%d" PlaneCount="1"/></Pixels></Image>`, name, side, side, i)
		}
		return text + "</OME>"
	}
	for _, c := range []struct {
		name   string
		pages  []sheet
		shades []byte // of the levels
	}{
		{"levels from the smallest to the largest", []sheet{{wide: 8, high: 6, shade: 3, kind: 1},
			{wide: 16, high: 12, shade: 2, kind: 1}, {wide: 32, high: 24, shade: 1}},
			[]byte{1, 2, 3}},
		{"an overview before the levels",
			[]sheet{{wide: 8, high: 6, shade: 9, strip: true, kind: 1},
				{wide: 32, high: 24, shade: 1}, {wide: 16, high: 12, shade: 2, kind: 1}},
			[]byte{1, 2}},
		{"an overview that is not marked", []sheet{{wide: 8, high: 6, shade: 9, strip: true},
			{wide: 32, high: 24, shade: 1}, {wide: 16, high: 12, shade: 2, kind: 1}}, []byte{1, 2}},
		{"a picture of the glass with tiles", []sheet{{wide: 32, high: 24, shade: 1},
			{wide: 16, high: 12, shade: 2, kind: 1}, {wide: 12, high: 9, shade: 9, kind: 9}},
			[]byte{1, 2}},
		{"one page", []sheet{{wide: 32, high: 24, shade: 1, kind: 2},
			{wide: 16, high: 12, shade: 2, kind: 3}}, []byte{1, 2}},
		{"pictures without tiles", []sheet{{wide: 8, high: 6, shade: 9, strip: true, kind: 1},
			{wide: 32, high: 24, shade: 1, strip: true}}, []byte{1}},
		{"a small page of tiles first", []sheet{{wide: 8, high: 6, shade: 9},
			{wide: 32, high: 24, shade: 1}, {wide: 16, high: 12, shade: 2, kind: 1}}, []byte{1, 2}},
		{"a small page of strips first", []sheet{{wide: 8, high: 6, shade: 9, strip: true},
			{wide: 32, high: 24, shade: 1, strip: true}}, []byte{1}},
		{"strips before tiles of as many pixels", []sheet{{wide: 24, high: 32, shade: 8,
			strip: true}, {wide: 32, high: 24, shade: 1}}, []byte{1}},
		{"a small page last", []sheet{{wide: 32, high: 24, shade: 1},
			{wide: 8, high: 6, shade: 9}}, []byte{1}},
		{"a label of Aperio with tiles",
			[]sheet{{wide: 32, high: 24, shade: 1, text: aperio + "32x24"},
				{wide: 16, high: 12, shade: 2, text: aperio + "16x12"},
				{wide: 12, high: 9, shade: 9, text: aperio + "label 12x9"}}, []byte{1, 2}},
		{"a macro picture in OME-XML", []sheet{{wide: 8, high: 8, shade: 1,
			text: ome("slide", "Macro Image")}, {wide: 16, high: 16, shade: 9}}, []byte{1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := sheets(c.pages...)
			s := must.Get(Open("a.tif", bytes.NewReader(data), int64(len(data))))(t)
			var got []byte
			for i := range s.Levels {
				m := must.Get(s.Region(i, image.Rect(0, 0, 1, 1)))(t)
				got = append(got, m.Pix[0])
			}
			must.EqualSlices(t, got, c.shades)
			// Shade 9 is that of what is no level.
			late := c.pages[0].shade == 9 && c.pages[0].kind == 0
			if notes := s.PageNotes(); late != (len(notes) == 1) || late &&
				notes[0] != "a.tif: page 2 is its largest picture and is read as level 0; a "+
					"smaller one comes first." {
				t.Errorf("notes %q", notes)
			}
		})
	}
}

// TestMicrons reads the microns of pixels as writers in several languages state them.
func TestMicrons(t *testing.T) {
	const aperio = "Aperio Image Library v12\r\n32x24|AppMag = 20|MPP"
	ome := func(size, unit string) string {
		return `<OME><Image><Pixels SizeX="32" SizeY="24" SizeC="1" PhysicalSizeX="` + size +
			`" PhysicalSizeXUnit="` + unit + `"><TiffData/></Pixels></Image></OME>`
	}
	for _, c := range []struct {
		text string
		want float64
	}{
		{aperio + " = 0.25", .25}, {aperio + "=0.25", .25}, {aperio + " = 0,25", .25},
		{aperio + " = 1,000.5", 0}, {aperio + " = NaN", 0},
		{ome("0.25", "\u00b5m"), .25}, {ome("0.25", "\u03bcm"), .25}, {ome("0.25", "um"), .25},
		{`<?xml version="1.0" encoding="us-ascii"?>` + ome("0.25", "&#181;m"), .25},
		{`<?xml version="1.0" encoding="ISO-8859-1"?>` + ome("0.25", "\xb5m"), .25},
		{ome("250", "nm"), .25}, {ome("0.5", "in"), 12700}, {ome("0.25", "pixel"), 0},
	} {
		data := sheets(sheet{wide: 32, high: 24, text: c.text})
		s, err := Open("a.tif", bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		} else if s.MicronsX != c.want {
			t.Errorf("%s: %v microns, want %v", c.text, s.MicronsX, c.want)
		}
	}
}

// TestKindsOfText reads the microns from a description of bytes, of text, or of bytes of any kind,
// and not from one of numbers.
func TestKindsOfText(t *testing.T) {
	const text = "Aperio Image Library v12\r\n16x16|AppMag = 20|MPP = 0.25\x00\x00"
	for kind, want := range map[byte]float64{1: .25, 2: .25, 7: .25, 6: 0, 4: 0} {
		data := append(described(text), make([]byte, 4*len(text))...) // numbers have more bytes
		data[bytes.Index(data, []byte{tagDescription & 255, tagDescription >> 8, 2, 0})+2] = kind
		s := must.Get(Open("a.tif", bytes.NewReader(data), int64(len(data))))(t)
		must.Equal(t, s.MicronsX, want, kind)
	}
}

// TestSizeInOMEXML refuses OME-XML of another size than the picture's.
func TestSizeInOMEXML(t *testing.T) {
	for _, size := range []string{`SizeX="33" SizeY="24"`, `SizeX="32" SizeY="23"`} {
		data := sheets(sheet{wide: 32, high: 24, text: `<OME><Image><Pixels ` + size +
			` SizeC="1"><TiffData/></Pixels></Image></OME>`})
		_, err := Open("a.tif", bytes.NewReader(data), int64(len(data)))
		must.Equal(t, is[*FormatError](err), true, size, err)
		must.Equal(t, strings.Contains(err.Error(), "but the file holds 32 x 24"), true, size, err)
	}
}

// TestTwoChannels refuses a file whose second channel would be lost.
func TestTwoChannels(t *testing.T) {
	data := sheets(sheet{wide: 32, high: 24, text: `<OME><Image><Pixels SizeX="32" SizeY="24" ` +
		`SizeC="2"><TiffData IFD="0" PlaneCount="2"/></Pixels></Image></OME>`},
		sheet{wide: 32, high: 24})
	_, err := Open("a.tif", bytes.NewReader(data), int64(len(data)))
	must.Equal(t, is[*UnsupportedError](err), true, err)
	must.Contain(t, err.Error(), "2 channels")
}

// TestFocalPlanes refuses a file of which only the first plane would be read.
func TestFocalPlanes(t *testing.T) {
	for _, size := range []string{`SizeZ="3" SizeT="1"`, `SizeT="3"`} {
		data := sheets(sheet{wide: 32, high: 24, text: `<OME><Image><Pixels SizeX="32" ` +
			`SizeY="24" SizeC="1" ` + size + `><TiffData/></Pixels></Image></OME>`})
		_, err := Open("a.tif", bytes.NewReader(data), int64(len(data)))
		must.Equal(t, is[*UnsupportedError](err), true, size, err)
		must.Equal(t, strings.Contains(err.Error(), "3 focal planes"), true, size, err)
	}
}

// TestShades decodes one pixel of pictures whose colours are stored in less common ways.
func TestShades(t *testing.T) {
	var grey bytes.Buffer
	black := image.NewGray(image.Rect(0, 0, 16, 16))
	must.Do(t, jpeg.Encode(&grey, black, nil))
	palette := func(bits int) []uint32 {
		list := make([]uint32, 3*256)
		list[1], list[256+1], list[512+1] = 10<<bits, 20<<bits, 30<<bits
		return list
	}
	for _, c := range []struct {
		name        string
		photometric uint32
		data        []byte
		more        tag
		want        [3]byte
	}{
		{"JPEG, black is 0", blackIsZero, grey.Bytes(), tag{tagCompression, []uint32{byJPEG}},
			[3]byte{}},
		{"JPEG without its end", blackIsZero, grey.Bytes()[:grey.Len()-2],
			tag{tagCompression, []uint32{byJPEG}}, [3]byte{}},
		{"JPEG, white is 0", whiteIsZero, grey.Bytes(), tag{tagCompression, []uint32{byJPEG}},
			[3]byte{255, 255, 255}},
		{"a palette of 16 bits", isPalette, bytes.Repeat([]byte{1}, 256),
			tag{tagColours, palette(8)}, [3]byte{10, 20, 30}},
		{"a palette of 8 bits", isPalette, bytes.Repeat([]byte{1}, 256),
			tag{tagColours, palette(0)}, [3]byte{10, 20, 30}},
	} {
		file := func(at uint32) []byte {
			return classic(0, tag{tagWidth, []uint32{16}}, tag{tagHeight, []uint32{16}},
				tag{tagBits, []uint32{8}}, tag{tagPhotometric, []uint32{c.photometric}},
				tag{tagTileWidth, []uint32{16}}, tag{tagTileHeight, []uint32{16}},
				tag{tagTileOffsets, []uint32{at}}, tag{tagTileBytes, []uint32{uint32(len(c.data))}},
				c.more)
		}
		data := append(file(uint32(len(file(0)))), c.data...)
		s, err := Open("a.tif", bytes.NewReader(data), int64(len(data)))
		must.Do(t, err, c.name)
		m, err := s.Region(0, image.Rect(5, 5, 6, 6))
		must.Do(t, err, c.name)
		must.Equal(t, [3]byte(m.Pix), c.want, c.name)
	}
}
