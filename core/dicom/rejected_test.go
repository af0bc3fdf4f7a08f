package dicom

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
)

// TestRejected expects an error in words for each fault that a header or a frame can have.
func TestRejected(t *testing.T) {
	type (
		picture = dicomtest.Picture
		writer  = dicomtest.Writer
	)
	text := func(tag dicomtest.Tag, value string) func(*picture) {
		return func(p *picture) { p.More = func(w *writer) { w.Text(tag, "DS", value) } }
	}
	table := func(tag dicomtest.Tag, descriptor, data []byte) func(*picture) {
		return func(p *picture) {
			p.More = func(w *writer) {
				w.Sequence(tag, 1, func(int) {
					w.Add(0x0028_3002, "US", descriptor)
					w.Add(0x0028_3006, "OW", data)
				})
			}
		}
	}
	deep := func(depth int) func(*picture) {
		return func(p *picture) {
			p.More = func(w *writer) {
				for range depth {
					w.Head(dicomtest.Shared, "SQ", 0xffff_ffff)
					w.Head(dicomtest.Item, "", 0xffff_ffff)
				}
				for range depth {
					w.Head(dicomtest.ItemEnd, "", 0)
					w.Head(dicomtest.SequenceEnd, "", 0)
				}
			}
		}
	}
	for _, c := range []struct {
		want   string // "" for a file that is read
		uid    string
		change func(*picture)
	}{
		{"pictures have 0 x 3", dicomtest.Explicit, func(p *picture) { p.Width = 0 }},
		{"pictures have 4 x 0", dicomtest.Explicit, func(p *picture) { p.Height = 0 }},
		{"frames is not a whole", dicomtest.Explicit, text(dicomtest.Frames, "1.5")},
		{"frames is not a whole", dicomtest.Explicit, text(dicomtest.Frames, "2147483648")},
		{"24 bytes, but 2147483647 frames", dicomtest.Explicit,
			text(dicomtest.Frames, "2147483647")},
		{"24 bytes, but 2 frames", dicomtest.Explicit, func(p *picture) { p.Frames = 2 }},
		{"3 samples of a pixel, but MONOCHROME2 has 1", dicomtest.Explicit,
			func(p *picture) { p.Samples = 3 }},
		{"interpretation CMYK", dicomtest.Explicit, func(p *picture) { p.Photometric = "CMYK" }},
		{"unusual number of bits", dicomtest.Explicit, func(p *picture) { p.Allocated = 24 }},
		{"16 bits of which 0", dicomtest.Explicit, func(p *picture) { p.Stored = 0 }},
		{"16 bits of which 17", dicomtest.Explicit,
			func(p *picture) { p.Stored, p.High = 17, 16 }},
		{"16 bits of which 12 are stored up to bit 16", dicomtest.Explicit,
			func(p *picture) { p.High = 16 }},
		{"16 bits of which 12 are stored up to bit 10", dicomtest.Explicit,
			func(p *picture) { p.High = 10 }},
		{"packed bits in colours", dicomtest.Explicit, func(p *picture) {
			p.Photometric, p.Samples, p.Allocated, p.Stored, p.High = "RGB", 3, 1, 1, 0
		}},
		{"packed bits in colours or in fragments", dicomtest.RLE,
			func(p *picture) { p.Allocated, p.Stored, p.High = 1, 1, 0 }},
		{"YBR colours of more than 8 bits", dicomtest.Explicit, func(p *picture) {
			p.Photometric, p.Samples, p.Height = "YBR_FULL", 3, 1
		}},
		{"only a part of it states", dicomtest.Explicit,
			text(dicomtest.Class, dicomtest.WholeSlide)},
		{"DICOMDIR", dicomtest.Explicit, text(dicomtest.Class, "1.2.840.10008.1.3.10")},
		{"floating point", dicomtest.Explicit, func(p *picture) {
			p.More = func(w *writer) { w.Add(0x7fe0_0008, "OF", make([]byte, 48)) }
		}},
		{"slope or the intercept", dicomtest.Explicit, text(dicomtest.Slope, "two")},
		{"lacks its descriptor", dicomtest.Explicit, table(0x0028_3000, []byte{2, 0}, nil)},
		{"2 values of 16 bits has 2 bytes", dicomtest.Explicit,
			table(0x0028_3010, []byte{2, 0, 0, 0, 16, 0}, make([]byte, 2))},
		{"2 values of 7 bits", dicomtest.Explicit,
			table(0x0028_3000, []byte{2, 0, 0, 0, 7, 0}, make([]byte, 4))},
		{"2 values of 17 bits", dicomtest.Explicit,
			table(0x0028_3010, []byte{2, 0, 0, 0, 17, 0}, make([]byte, 4))},
		{"lacks its descriptor", dicomtest.Explicit,
			func(p *picture) { p.Photometric = "PALETTE COLOR" }},
		{"palette in segments", dicomtest.Explicit, func(p *picture) {
			p.Photometric = "PALETTE COLOR"
			text(0x0028_1221, "1")(p)
		}},
		{"", dicomtest.Explicit, deep(mostDepth - 1)},
		{"nested more than 16 deep", dicomtest.Explicit, deep(mostDepth + 1)},
		{"has 262146 bytes", dicomtest.Explicit, func(p *picture) {
			p.More = func(w *writer) { w.Add(0x0028_1201, "OW", make([]byte, mostValue+2)) }
		}},
		{"", dicomtest.Explicit, text(0x0009_1001, strings.Repeat("1", 60_000))},
		{"pixels of 1", dicomtest.RLE, func(p *picture) { p.Frames = 2 }},
		{"shorter than its header", dicomtest.RLE, func(p *picture) {}},
		{"has 0 segments", dicomtest.RLE, func(p *picture) { p.Pixels = make([]byte, 64) }},
		{"in 66 bytes of RLE", dicomtest.RLE, func(p *picture) {
			p.Width, p.Pixels = 4000, make([]byte, 66)
			p.Pixels[0] = 2
		}},
		{"RLE lies outside", dicomtest.RLE, func(p *picture) {
			p.Pixels = make([]byte, 66)
			p.Pixels[0] = 2
		}},
		{"RLE is cut off", dicomtest.RLE, func(p *picture) {
			p.Pixels = make([]byte, 66)
			p.Pixels[0], p.Pixels[4], p.Pixels[8] = 2, 64, 66
		}},
		{"a frame has 2 bytes instead of 24", dicomtest.Parts,
			func(p *picture) { p.Pixels = make([]byte, 2) }},
	} {
		t.Run(c.want, func(t *testing.T) {
			p := dicomtest.Grey(c.uid)
			c.change(&p)
			_, err := readAll("f.dcm", p.File())
			if c.want == "" {
				must.Do(t, err)
				return
			}
			if refusedByName(t, "f.dcm", err); !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// TestNotPictures expects a typed error for bytes that are no whole file, and one that callers can
// skip for a file without pictures.
func TestNotPictures(t *testing.T) {
	data := dicomtest.Grey(dicomtest.Explicit).File()
	pixels := bytes.LastIndex(data, []byte("\xe0\x7f\x10\x00OW"))
	pastLength := bytes.Clone(data)
	pastLength[pixels-4] = 200 // the length of the element before the pixels
	for want, data := range map[string][]byte{
		"holds no pictures":           data[:pixels],
		"it ends within an element":   data[:pixels+3],
		"200 bytes, but":              pastLength,
		"does not begin as a DICOM":   []byte("a text that is long enough"),
		"23 bytes, but 1 frames of 4": data[:len(data)-1],
		"states no transfer syntax":   append(make([]byte, 128), "DICM and no element at all"...),
		"meta information is damaged": append(make([]byte, 128),
			"DICM\x02\x00\x02\x00OB\x00\x00\xff\xff\xff\xff__"...),
		"pixels are in fragments":      append(data[:pixels+8:pixels+8], "\xff\xff\xff\xff"...),
		"its pixels are not in fragme": swapSyntax(dicomtest.RLE),
	} {
		_, err := Open("f.dcm", bytes.NewReader(data), int64(len(data)), Options{})
		if refusedByName(t, "f.dcm", err); err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		must.Equal(t, errors.Is(err, ErrNoPictures), want == "holds no pictures")
	}
}

// swapSyntax returns an uncompressed file that states another transfer syntax of the same length.
func swapSyntax(uid string) []byte {
	data := dicomtest.Grey(dicomtest.Explicit).File()
	return bytes.Replace(data, []byte(dicomtest.Explicit+"\x20"),
		[]byte(uid+strings.Repeat("\x20", len(dicomtest.Explicit)+1-len(uid))), 1)
}

// TestLimits opens files at each limit of the options, and rejects them above it.
func TestLimits(t *testing.T) {
	deflated, plain := dicomtest.Grey(dicomtest.Deflated).File(),
		dicomtest.Grey(dicomtest.Explicit).File()
	unpacked := int64(len(plain) - (128 + 4 + 8 + len(dicomtest.Explicit) + 1))
	for _, c := range []struct {
		data []byte
		o    Options
		ok   bool
	}{
		{plain, Options{Pixels: 12}, true},
		{plain, Options{Pixels: 11}, false},
		{deflated, Options{Bytes: unpacked}, true},
		{deflated, Options{Bytes: unpacked - 1}, false},
	} {
		f, err := Open("f.dcm", bytes.NewReader(c.data), int64(len(c.data)), c.o)
		var limit *LimitError
		if c.ok != (err == nil) || !c.ok && !errors.As(err, &limit) {
			t.Errorf("%+v: %v", c.o, err)
		}
		if err == nil {
			f.Close()
		}
	}
	memory := quota.NewMemory(16)
	_, err := Open("f.dcm", bytes.NewReader(deflated), int64(len(deflated)),
		Options{Memory: memory})
	var e *quota.MemoryError
	must.As(t, err, &e)
	must.Equal(t, memory.Held(), 0)
	_, err = Open("f.dcm", bytes.NewReader(deflated), int64(len(deflated))-9, Options{})
	must.Is(t, err, io.ErrUnexpectedEOF, "a deflated file that is cut off")
}

// A failing reader fails from the n-th call on.
type failing struct {
	r    io.ReaderAt
	left int
}

func (f *failing) ReadAt(b []byte, at int64) (int, error) {
	if f.left--; f.left < 0 {
		return 0, os.ErrClosed
	}
	return f.r.ReadAt(b, at)
}

// TestReadErrors makes each call that reads a file fail, of all kinds of files. Opening the file or
// one of its frames returns the error.
func TestReadErrors(t *testing.T) {
	files := seeds(t)
	two := streamOf(t, "grey_12.j2k", 1, 12)
	two.Frames, two.Fragments = 2, [][]byte{two.Pixels[:1000], two.Pixels[1000:], two.Pixels}
	two.Table = slices.Concat(make([]byte, 4), []byte{0xff, 0, 0, 0})
	for i, data := range append(files, two.File()) {
		for calls := 0; ; calls++ {
			r := &failing{bytes.NewReader(data), calls}
			err := readFrames(r, int64(len(data)))
			if r.left >= 0 {
				break // this many calls read all
			}
			must.Is(t, err, os.ErrClosed, i, calls+1)
			if calls == 0 && IsSlide("f.dcm", &failing{}, int64(len(data))) {
				t.Error("a file that cannot be read is one of a slide")
			}
		}
	}
}

// readFrames opens a file and its frames, and returns the first error.
func readFrames(r io.ReaderAt, size int64) error {
	f, err := Open("f.dcm", r, size, Options{})
	if err != nil {
		return err
	}
	for i := range f.Frames {
		if _, err := f.Frame(i); err != nil {
			return fmt.Errorf("frame %d: %w", i, err)
		}
	}
	return nil
}
