package dicom

import (
	"bytes"
	"image"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/internal/must"
)

// TestByteOrder reads samples of 8, 16 and 32 bits from both orders of bytes, colour by colour
// and pixel by pixel. Frames have an odd length, so that the second begins within a word.
func TestByteOrder(t *testing.T) {
	for _, c := range []struct {
		name              string
		uid               string
		allocated, planar int
		samples           int
		pixels            []byte
		want              [2][]float32
	}{
		{"bytes", dicomtest.Explicit, 8, 0, 1, []byte{1, 2, 3, 4, 5, 6},
			[2][]float32{{1, 2, 3}, {4, 5, 6}}},
		{"bytes in swapped words", dicomtest.BigEndian, 8, 0, 1, []byte{2, 1, 4, 3, 6, 5},
			[2][]float32{{1, 2, 3}, {4, 5, 6}}},
		{"16 bits", dicomtest.BigEndian, 16, 0, 1, []byte{1, 0, 2, 1, 3, 0, 4, 0, 5, 0, 6, 7},
			[2][]float32{{256, 513, 768}, {1024, 1280, 1543}}},
		{"32 bits", dicomtest.BigEndian, 32, 0, 1, slices.Concat([]byte{0, 0, 1, 2},
			make([]byte, 16), []byte{0, 1, 0, 3}), [2][]float32{{258, 0, 0}, {0, 0, 65539}}},
		{"little 32 bits", dicomtest.Explicit, 32, 0, 1, slices.Concat([]byte{2, 1, 0, 0},
			make([]byte, 16), []byte{3, 0, 1, 0}), [2][]float32{{258, 0, 0}, {0, 0, 65539}}},
		{"colour by colour", dicomtest.Explicit, 8, 1, 3,
			[]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19},
			[2][]float32{{1, 4, 7, 2, 5, 8, 3, 6, 9}, {11, 14, 17, 12, 15, 18, 13, 16, 19}}},
		{"parts, colour by colour", dicomtest.Parts, 8, 1, 3, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 0},
			[2][]float32{{1, 4, 7, 2, 5, 8, 3, 6, 9}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := dicomtest.Grey(c.uid)
			p.Width, p.Height, p.Frames, p.Samples, p.Planar = 3, 1, 2, c.samples, c.planar
			p.Allocated, p.Stored, p.High, p.Pixels = c.allocated, c.allocated, c.allocated-1,
				c.pixels
			if c.samples == 3 {
				p.Photometric = "RGB"
			}
			if c.want[1] == nil {
				p.Frames = 1
			}
			frames := must.Get(readAll("f.dcm", p.File()))(t)
			for i, f := range frames {
				got := make([]float32, f.Len())
				if f.Values(got); !slices.Equal(got, c.want[i]) {
					t.Errorf("frame %d: %v, want %v", i, got, c.want[i])
				}
			}
		})
	}
}

// TestTablesOfValues rescales by a table of values, and shows grey by a table of brightness, of 16
// bits and of 8 bits in words of either order. Numbers outside have the nearest entry.
func TestTablesOfValues(t *testing.T) {
	for _, c := range []struct {
		uid  string
		bits byte
		data []byte
	}{
		{dicomtest.Explicit, 16, []byte{7, 0, 9, 0, 255, 0}},
		{dicomtest.Explicit, 8, []byte{7, 9, 255, 0}},
		{dicomtest.BigEndian, 8, []byte{9, 7, 0, 255}},
	} {
		p := dicomtest.Grey(c.uid)
		p.Width, p.Height, p.Allocated, p.Stored, p.High = 4, 1, 8, 8, 7
		p.Pixels = []byte{0, 2, 3, 4}
		descriptor := []byte{3, 0, 2, 0, c.bits, 0}
		if c.uid == dicomtest.BigEndian { // words of the other order
			p.Pixels, descriptor = []byte{2, 0, 4, 3}, []byte{0, 3, 0, 2, 0, c.bits}
		}
		read := func(sequence dicomtest.Tag) (*File, *Frame) {
			p.More = func(w *dicomtest.Writer) {
				w.Sequence(sequence, 1, func(int) {
					w.Add(0x0028_3002, "US", descriptor)
					w.Add(0x0028_3006, "OW", c.data)
				})
			}
			data := p.File()
			f := must.Get(Open("f.dcm", bytes.NewReader(data), int64(len(data)), Options{}))(t)
			return f, must.Get(f.Frame(0))(t)
		}
		f, frame := read(0x0028_3000)
		got := make([]float32, 4)
		if frame.Values(got); !slices.Equal(got, []float32{7, 7, 9, 255}) || f.Bytes() {
			t.Errorf("%s of %d bits: values %v", c.uid, c.bits, got)
		}
		f, frame = read(0x0028_3010)
		most := 1<<c.bits - 1
		want := []byte{byte(7*255/most + 0), byte(7 * 255 / most), byte(9 * 255 / most),
			byte(255 * 255 / most)}
		if c.bits == 16 {
			want = []byte{0, 0, 0, 1} // 255 of 65535
		}
		must.EqualSlices(t, frame.Shown().(*image.Gray).Pix, want, c.uid, c.bits)
		must.Equal(t, f.Bytes(), true, c.uid, c.bits)
	}
}

// TestSignOfTable: the first number of a table of brightness has a sign if rescaled values may be
// below zero, as in CT files whose samples have none.
func TestSignOfTable(t *testing.T) {
	p := dicomtest.Grey(dicomtest.Explicit)
	p.Width, p.Height, p.Pixels = 4, 1, []byte{0, 0, 2, 0, 3, 0, 9, 0}
	p.More = func(w *dicomtest.Writer) {
		w.Text(dicomtest.Slope, "DS", "1")
		w.Text(dicomtest.Intercept, "DS", "-4")
		w.Sequence(0x0028_3010, 1, func(int) {
			w.Add(0x0028_3002, "SS", []byte{3, 0, 0xfe, 0xff, 8, 0})
			w.Add(0x0028_3006, "OW", []byte{10, 0, 20, 0, 30, 0})
		})
	}
	got := must.Get(readAll("f.dcm", p.File()))(t)[0].Shown().(*image.Gray)
	must.EqualSlices(t, got.Pix, []byte{10, 10, 20, 30})
}

// TestBytes reports bytes only of unsigned ones of 8 bits that are not rescaled, and of colours.
func TestBytes(t *testing.T) {
	type picture = dicomtest.Picture
	rescaled := func(tag dicomtest.Tag, value string) func(*picture) {
		return func(p *picture) {
			p.More = func(w *dicomtest.Writer) { w.Text(tag, "DS", value) }
		}
	}
	for _, c := range []struct {
		name   string
		change func(*picture)
		want   bool
	}{
		{"bytes", func(*picture) {}, true},
		{"a slope of 1", rescaled(dicomtest.Slope, "1"), true},
		{"a slope", rescaled(dicomtest.Slope, "2"), false},
		{"an intercept", rescaled(dicomtest.Intercept, "1"), false},
		{"a slope without a number", rescaled(dicomtest.Slope, "a"), false},
		{"the group of a frame", func(p *picture) { p.More = dicomtest.FrameGroups }, false},
		{"a sign", func(p *picture) { p.Signed = 1 }, false},
		{"7 bits", func(p *picture) { p.Stored, p.High = 7, 6 }, false},
		{"16 bits", func(p *picture) { p.Allocated = 16 }, false},
		{"colours", func(p *picture) { p.Samples, p.Photometric, p.Height = 3, "RGB", 1 }, true},
	} {
		p := dicomtest.Grey(dicomtest.Explicit)
		p.Allocated, p.Stored, p.High = 8, 8, 7
		c.change(&p)
		data := p.File()
		f := must.Get(Open("f.dcm", bytes.NewReader(data), int64(len(data)), Options{}))(t)
		must.Equal(t, f.Bytes(), c.want, c.name)
	}
}

// TestShownColours shows the upper 8 bits of colours of more bits, with and without a sign, and
// spreads those of fewer over 0 to 255.
func TestShownColours(t *testing.T) {
	for _, c := range []struct {
		allocated, stored, signed int
		pixels, want              []byte
	}{
		{8, 8, 0, []byte{1, 128, 255}, []byte{1, 128, 255}},
		{8, 4, 0, []byte{0, 1, 15}, []byte{0, 17, 255}},
		{8, 8, 1, []byte{128, 0, 127}, []byte{0, 128, 255}},
		{16, 12, 0, []byte{0x0f, 0, 0x10, 0, 0xff, 0x0f}, []byte{0, 1, 255}},
	} {
		p := dicomtest.Grey(dicomtest.Explicit)
		p.Photometric, p.Samples, p.Width, p.Height, p.Signed = "RGB", 3, 1, 1, c.signed
		p.Allocated, p.Stored, p.High, p.Pixels = c.allocated, c.stored, c.stored-1, c.pixels
		got := must.Get(readAll("f.dcm", p.File()))(t)[0].Shown().(*image.RGBA)
		must.EqualSlices(t, got.Pix[:3], c.want, c.stored, c.allocated, got.Pix)
	}
}

// TestNarrowWindows shows greys by windows of half a value, which only LINEAR does not allow: all
// values of the frame are shown then. A window of one value is a threshold (PS3.3, C.11.2.1).
func TestNarrowWindows(t *testing.T) {
	for _, c := range []struct {
		function, width string
		want            []byte
	}{
		{"LINEAR", "0.5", []byte{0, 64, 128, 255}},
		{"", "0.5", []byte{0, 64, 128, 255}},
		{"LINEAR", "1", []byte{0, 0, 255, 255}},
		{"LINEAR_EXACT", "0.5", []byte{0, 0, 128, 255}},
		{"SIGMOID", "0.5", []byte{0, 0, 128, 255}},
		{"SIGMOID", "0", []byte{0, 64, 128, 255}},
	} {
		p := dicomtest.Grey(dicomtest.Explicit)
		p.Width, p.Height, p.Pixels = 4, 1, []byte{0, 0, 1, 0, 2, 0, 4, 0}
		p.More = func(w *dicomtest.Writer) {
			w.Text(0x0028_1050, "DS", "2")
			w.Text(0x0028_1051, "DS", c.width)
			w.Text(0x0028_1056, "LO", c.function)
		}
		got := must.Get(readAll("f.dcm", p.File()))(t)[0].Shown().(*image.Gray)
		must.EqualSlices(t, got.Pix, c.want, c.function, c.width)
	}
}

// TestFrameBytes: a pixel takes its samples twice and four bytes of what is shown, and the
// coefficients of a progressive picture.
func TestFrameBytes(t *testing.T) {
	photo := dicomtest.Grey(dicomtest.JPEG)
	photo.Allocated, photo.Stored, photo.High = 8, 8, 7
	colours := dicomtest.Grey(dicomtest.Explicit)
	colours.Samples, colours.Photometric, colours.Height = 3, "RGB", 1
	for _, c := range []struct {
		p    dicomtest.Picture
		want int64
	}{
		{dicomtest.Grey(dicomtest.Explicit), 2*2 + 4}, {colours, 2*3*2 + 4}, {photo, 2 + 4 + 28},
	} {
		data := c.p.File()
		f := must.Get(Open("f.dcm", bytes.NewReader(data), int64(len(data)), Options{}))(t)
		must.Equal(t, f.FrameBytes(), c.want, c.p.UID)
	}
}

// TestHeader reads what a header states beside its pixels, and nothing from one that states none or
// no number.
func TestHeader(t *testing.T) {
	type header struct {
		series, instance  int
		numbered, counted bool
		thickness         float64
		burned            bool
	}
	for _, c := range []struct {
		series, instance, thickness, burned string
		want                                header
	}{
		{"", "", "", "", header{}},
		{"7", "3", "2.5", "YES", header{7, 3, true, true, 2.5, true}},
		{"x", "1.5", "thin", "NO", header{}},
		{"-1", "0", "0", "yes", header{-1, 0, true, true, 0, false}},
	} {
		p := dicomtest.Grey(dicomtest.Explicit)
		p.More = func(w *dicomtest.Writer) {
			w.Text(dicomtest.SeriesNumber, "IS", c.series)
			w.Text(dicomtest.Instance, "IS", c.instance)
			w.Text(0x0018_0050, "DS", c.thickness)
			w.Text(dicomtest.BurnedIn, "CS", c.burned)
		}
		data := p.File()
		for _, begins := range [][]byte{data, data[132:]} { // with a preamble and without
			f := must.Get(Open("f.dcm", bytes.NewReader(begins), int64(len(begins)), Options{}))(t)
			got := header{f.SeriesNumber, f.Instance, f.Numbered, f.Counted, f.Thickness,
				f.BurnedIn}
			if got != c.want || f.Modality != "CT" || !Is(begins) {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		}
	}
}
