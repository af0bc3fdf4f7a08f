package dicom

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	stdjpeg "image/jpeg"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/internal/must"
)

// TestPackedBits reads two frames of one bit for each pixel, of which the second begins within a
// byte (PS3.5, 8.1.1). In big endian the bytes of a word are swapped.
func TestPackedBits(t *testing.T) {
	little := []byte{0b1010_0110, 0b0101_1100, 0b1111_0000, 0b0000_1001}
	for uid, pixels := range map[string][]byte{dicomtest.Explicit: little,
		dicomtest.BigEndian: {little[1], little[0], little[3], little[2]}} {
		p := dicomtest.Grey(uid)
		p.Allocated, p.Stored, p.High, p.Width, p.Height, p.Frames = 1, 1, 0, 5, 3, 2
		p.Pixels = pixels
		frames := must.Get(readAll("f.dcm", p.File()))(t)
		var got []float32
		for _, f := range frames {
			values := make([]float32, f.Len())
			f.Values(values)
			got = append(got, values...)
		}
		want := []float32{
			0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1,
			0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0,
		}
		must.EqualSlices(t, got, want, uid)
	}
}

// TestPaletteColours shows numbers by a palette that begins at 10: numbers outside of it have the
// colour of its nearest end (PS3.3, C.7.6.3.1.5).
func TestPaletteColours(t *testing.T) {
	p := dicomtest.Grey(dicomtest.Explicit)
	p.Photometric, p.Width, p.Height = "PALETTE COLOR", 4, 1
	p.Pixels = []byte{0, 0, 10, 0, 11, 0, 12, 0}
	tables := [3][]uint16{{0x1200, 0xff00}, {0x3400, 0x0100}, {0x5600, 0x8000}}
	p.More = func(w *dicomtest.Writer) {
		for c, values := range tables {
			var data []byte
			for _, v := range values {
				data = binary.LittleEndian.AppendUint16(data, v)
			}
			w.Add(0x0028_1101+dicomtest.Tag(c), "US", []byte{2, 0, 10, 0, 16, 0})
			w.Add(0x0028_1201+dicomtest.Tag(c), "OW", data)
		}
	}
	shown := must.Get(readAll("f.dcm", p.File()))(t)[0].Shown()
	first, last := color.RGBA{0x12, 0x34, 0x56, 0xff}, color.RGBA{0xff, 1, 0x80, 0xff}
	for x, want := range []color.RGBA{first, first, last, last} {
		if got := color.RGBAModel.Convert(shown.At(x, 0)); got != want {
			t.Errorf("pixel %d is %v, want %v", x, got, want)
		}
	}
}

// TestBareDataSets reads files without preamble and without the syntax that it states. They begin
// with the class of the picture.
func TestBareDataSets(t *testing.T) {
	for uid, first := range map[string]string{
		dicomtest.Explicit:  "\x08\x00\x16\x00UI\x02\x001\x00",
		dicomtest.Implicit:  "\x08\x00\x16\x00\x02\x00\x00\x001\x00",
		dicomtest.BigEndian: "\x00\x08\x00\x16UI\x00\x021\x00",
	} {
		p := dicomtest.Grey(uid)
		data := p.File()
		bare := append([]byte(first), data[128+4+8+(len(uid)+1)/2*2:]...)
		want := must.Get(readAll("f.dcm", data))(t)
		got, err := readAll("bare.dcm", bare)
		if err != nil {
			t.Errorf("%s: %v", uid, err)
			continue
		}
		a, b := make([]float32, 12), make([]float32, 12)
		want[0].Values(a)
		if got[0].Values(b); !slices.Equal(a, b) {
			t.Errorf("%s: %v, want %v", uid, b, a)
		}
	}
}

// TestTablesOfFrames rejects a table of frames of another length, one whose places are not those of
// fragments, and one whose places do not ascend.
func TestTablesOfFrames(t *testing.T) {
	p := streamOf(t, "grey_12.j2k", 1, 12)
	p.Frames, p.Fragments = 2, [][]byte{p.Pixels[:1000], p.Pixels[1000:], p.Pixels}
	second := byte(len(p.Pixels) + 2*8)
	for _, c := range []struct {
		table []byte
		want  string
	}{
		{make([]byte, 4), "its table of frames has 4 bytes for 2 frames"},
		{make([]byte, 8), "does not fit its pixels"},
		{[]byte{0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, "does not fit its pixels"},
		{[]byte{4, 0, 0, 0, second, byte(len(p.Pixels) >> 8), 0, 0}, "does not fit its pixels"},
	} {
		p.Table = c.table
		_, err := readAll("f.dcm", p.File())
		if refusedByName(t, "f.dcm", err); err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.table, err, c.want)
		}
	}
}

// TestPlacesOfTiles reads places at the edges of a slide, and rejects those outside.
func TestPlacesOfTiles(t *testing.T) {
	for _, c := range []struct {
		size image.Point
		at   image.Point
		ok   bool
	}{
		{image.Pt(1, 1), image.Pt(0, 0), true},
		{image.Pt(33, 13), image.Pt(32, 12), true},
		{image.Pt(32, 13), image.Pt(32, 12), false},
		{image.Pt(33, 12), image.Pt(32, 12), false},
		{image.Pt(33, 13), image.Pt(-16, 0), false},
		{image.Pt(33, 13), image.Pt(0, -12), false},
	} {
		data := dicomtest.SlideFile{Kind: "VOLUME", Spacing: `0.1\0.1`, Tile: image.Pt(16, 12),
			Picture: image.NewRGBA(image.Rectangle{Max: c.size}),
			Places:  []image.Point{c.at}}.File()
		f, err := Open("f.dcm", bytes.NewReader(data), int64(len(data)), Options{})
		if !c.ok {
			must.Fail(t, err, "frame 1 states no place")
			continue
		}
		must.Do(t, err)
		if i, ok := f.Matrix.Frame(f, c.at.X/16, c.at.Y/12); i != 0 || !ok {
			t.Errorf("%v of %v: frame %d, %v", c.at, c.size, i, ok)
		}
	}
}

// TestSequencesOfStatedLength reads what follows a sequence of a stated length, and names the byte
// at which a sequence is damaged.
func TestSequencesOfStatedLength(t *testing.T) {
	const inside = dicomtest.Tag(0x0029_1011)
	p := dicomtest.Grey(dicomtest.Explicit)
	want := valuesOf(t, p)
	p.More = func(w *dicomtest.Writer) {
		w.Head(dicomtest.PerFrame, "SQ", 8+10)
		w.Head(dicomtest.Item, "", 10)
		w.Short(inside, 7)
	}
	must.EqualSlices(t, valuesOf(t, p), want)
	p.More = func(w *dicomtest.Writer) { // the length has the letters of a value
		const length = 'N' + 'B'<<8
		w.Head(dicomtest.PerFrame, "SQ", 8+length)
		w.Head(dicomtest.Item, "", length)
		w.Add(inside, "OB", make([]byte, length-12))
	}
	must.EqualSlices(t, valuesOf(t, p), want)
	at := 0
	p.More = func(w *dicomtest.Writer) {
		w.Head(dicomtest.PerFrame, "SQ", 10)
		at = w.Len()
		w.Short(inside, 7)
	}
	meta := 128 + 4 + 8 + (len(dicomtest.Explicit)+1)/2*2
	_, err := readAll("f.dcm", p.File())
	var bad *FormatError
	must.Equal(t, errors.As(err, &bad), true, bad, meta+at)
	must.Equal(t, bad.Offset, int64(meta+at), bad, meta+at)
}

// TestJPEGOfStatedSize reads a JPEG picture, and rejects one whose header claims more pixels than
// its bytes can have.
func TestJPEGOfStatedSize(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 8, 8))
	for i := range m.Pix {
		m.Pix[i] = byte(4 * i)
	}
	var b bytes.Buffer
	must.Do(t, stdjpeg.Encode(&b, m, nil))
	p := dicomtest.Grey(dicomtest.JPEG)
	p.Width, p.Height, p.Allocated, p.Stored, p.High, p.Pixels = 8, 8, 8, 8, 7, b.Bytes()
	decoded := must.Get(stdjpeg.Decode(bytes.NewReader(b.Bytes())))(t).(*image.Gray)
	for i, v := range valuesOf(t, p) {
		must.Equal(t, v, float32(decoded.Pix[i]), i)
	}
	huge := bytes.Clone(b.Bytes())
	size := bytes.Index(huge, []byte{0xff, 0xc0}) + 5
	copy(huge[size:], []byte{0x20, 0, 0x20, 0})
	p.Width, p.Height, p.Pixels = 8192, 8192, huge
	_, err := readAll("f.dcm", p.File())
	var bad *FormatError
	must.As(t, err, &bad, "8192 x 8192 pixels cannot be in")
}
