package dicom

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
)

// codecFile returns a file of the tests of package codec.
func codecFile(t testing.TB, name string) []byte {
	return must.Get(os.ReadFile("../codec/testdata/" + name))(t)
}

// streamOf returns a picture whose frame is a stream of the tests of package codec.
func streamOf(t testing.TB, name string, samples, bits int) dicomtest.Picture {
	p := dicomtest.Picture{UID: dicomtest.JPEG2000, Photometric: "MONOCHROME2", Width: 62,
		Height: 44, Samples: samples, Allocated: 16, Stored: bits, High: bits - 1,
		Pixels: codecFile(t, name)}
	if samples == 3 {
		p.Photometric = "YBR_RCT"
	}
	switch {
	case strings.HasSuffix(name, ".jls"):
		p.UID = dicomtest.JPEGLS
	case strings.HasPrefix(name, "lossless_"):
		p.UID = dicomtest.Lossless
	case strings.HasSuffix(name, ".jpg"):
		p.UID = dicomtest.Extended
	}
	if bits <= 8 {
		p.Allocated = 8
	}
	return p
}

// TestCompressed reads streams in each kind of samples, bare and as a file in the format JP2, and
// compares all of them with what was encoded. The bits are those of the stream, and the sign is
// that which the file states.
func TestCompressed(t *testing.T) {
	type picture = dicomtest.Picture
	wrap := func(p *picture) {
		p.Pixels = append([]byte(jp2Head+"\x00\x00\x00\x00jp2c"), p.Pixels...)
	}
	for _, c := range []struct {
		name, stream  string
		samples, bits int
		change        func(*picture)
		value         func(stored uint16) float32 // nil for the sample itself
		raw           string                      // file of the samples, if not named as the stream
	}{
		{"12 bits", "grey_12", 1, 12, nil, nil, ""},
		{"HTJ2K", "grey_ht", 1, 12, func(p *picture) { p.UID = dicomtest.HTJ2K }, nil, ""},
		{"bits of the stream", "grey_12", 1, 10, nil, nil, ""},
		{"a sign", "grey_16_signed", 1, 16, func(p *picture) { p.Signed = 1 },
			func(v uint16) float32 { return float32(int16(v)) }, ""},
		{"a sign that the stream lacks", "grey_12", 1, 12, func(p *picture) { p.Signed = 1 },
			func(v uint16) float32 { return float32(int16(v<<4) >> 4) }, ""},
		{"a sign that the file lacks", "grey_16_signed", 1, 16, nil, nil, ""},
		{"8 bits of 16", "grey_tiles", 1, 8, func(p *picture) { p.Allocated = 16 }, nil, ""},
		{"JP2", "grey_12", 1, 12, wrap, nil, ""},
		{"colours", "rgb_lossless", 3, 8, nil, nil, ""},
		{"JPEG-LS", "grey_12.jls", 1, 12, nil, nil, ""},
		{"JPEG-LS with a sign", "grey_12.jls", 1, 12, func(p *picture) { p.Signed = 1 },
			func(v uint16) float32 { return float32(int16(v<<4) >> 4) }, ""},
		{"JPEG-LS in colours", "rgb_pixels.jls", 3, 8,
			func(p *picture) { p.Photometric = "RGB" }, nil, ""},
		{"lossless JPEG", "lossless_6.jpg", 1, 12, nil, nil, "grey_12"},
		{"lossless JPEG with a sign", "lossless_1.jpg", 1, 12,
			func(p *picture) { p.Signed = 1 },
			func(v uint16) float32 { return float32(int16(v<<4) >> 4) }, "grey_12"},
		{"lossless JPEG in colours", "lossless_rgb.jpg", 3, 8,
			func(p *picture) { p.Photometric = "RGB" }, nil, "rgb_lossless"},
	} {
		t.Run(c.name, func(t *testing.T) {
			stream, raw := c.stream+".j2k", c.stream
			if name, ok := strings.CutSuffix(c.stream, ".jls"); ok {
				stream, raw = c.stream, name+"_ls"
			} else if c.raw != "" {
				stream, raw = c.stream, c.raw
			}
			p := streamOf(t, stream, c.samples, c.bits)
			if c.change != nil {
				c.change(&p)
			}
			want := codecFile(t, raw+".raw")
			width := len(want) / (62 * 44 * c.samples)
			got := valuesOf(t, p)
			for i, v := range got {
				stored := uint16(want[i*width])
				if width == 2 {
					stored = binary.LittleEndian.Uint16(want[2*i:])
				}
				value := float32(stored)
				if c.value != nil {
					value = c.value(stored)
				}
				must.Equal(t, v, value, i)
			}
		})
	}
}

// TestJPEGOfMoreBits reads a picture of 12 bits with loss. Samples are within a level of those of
// libjpeg, whose inverse transform is one of integers.
func TestJPEGOfMoreBits(t *testing.T) {
	want := codecFile(t, "dct_jpg.raw")
	for i, v := range valuesOf(t, streamOf(t, "dct.jpg", 1, 12)) {
		if w := float32(binary.LittleEndian.Uint16(want[2*i:])); !(v >= w-1 && v <= w+1) {
			t.Fatalf("value %d is %v, want %v", i, v, w)
		}
	}
}

// TestJPEG2000YBR converts colours that the stream has not transformed, as those of JPEG.
func TestJPEG2000YBR(t *testing.T) {
	p := streamOf(t, "rgb_lossless.j2k", 3, 8)
	p.Photometric = "YBR_FULL"
	want := codecFile(t, "rgb_lossless.raw")
	toRGB(want)
	for i, v := range valuesOf(t, p) {
		must.Equal(t, v, float32(want[i]), i, want[i])
	}
}

// TestFragments reads two frames in five fragments: by the table of frames and, without one, by the
// bytes that begin a stream. It refuses fragments whose frames it cannot tell apart.
func TestFragments(t *testing.T) {
	p := streamOf(t, "grey_12.j2k", 1, 12)
	one, other := p.Pixels, codecFile(t, "grey_ht.j2k")
	p.Frames = 2
	p.Fragments = [][]byte{one[:1000], one[1000:1002], one[1002:], other[:800], other[800:]}
	second := uint32(len(one) + 3*8)
	table := binary.LittleEndian.AppendUint32(make([]byte, 4), second)
	want := valuesOf(t, streamOf(t, "grey_12.j2k", 1, 12))
	for name, table := range map[string][]byte{"a table": table, "no table": nil} {
		p.Table = table
		frames := must.Get(readAll("f.dcm", p.File()))(t)
		must.Equal(t, len(frames), 2, name)
		for i, f := range frames {
			got := make([]float32, f.Len())
			if f.Values(got); !slices.Equal(got, want) {
				t.Errorf("%s: frame %d differs", name, i)
			}
		}
	}
	p.Frames, p.Table = 3, nil
	var e *UnsupportedError
	must.As(t, must.Err(readAll("f.dcm", p.File())), &e)
}

// TestJPEG2000Damaged expects errors in words for streams that are not those of the file, and for
// colours that only streams of JPEG 2000 have.
func TestJPEG2000Damaged(t *testing.T) {
	type picture = dicomtest.Picture
	for want, change := range map[string]func(*picture){
		"62 x 44 pixels of 1 samples of 12 bits, but the file states 63": func(p *picture) {
			p.Width = 63
		},
		"states 62 x 44 of 1 of 8": func(p *picture) {
			p.Allocated, p.Stored, p.High = 8, 8, 7
		},
		"states 62 x 44 of 3 of 16":       func(p *picture) { p.Samples, p.Photometric = 3, "RGB" },
		"cannot be read: it cannot be":    func(p *picture) { p.Pixels = p.Pixels[:1700] },
		"cannot be read: it does not":     func(p *picture) { p.Pixels = []byte("not a stream") },
		"interpretation YBR_RCT are":      func(p *picture) { *p = rctOfRLE() },
		"JPEG 2000 without a code stream": func(p *picture) { p.Pixels = []byte(jp2Head) },
		"its JPEG picture cannot be read: it cannot be decoded": func(p *picture) {
			*p = streamOf(t, "lossless_1.jpg", 1, 12)
			p.Pixels = p.Pixels[:1700]
		},
	} {
		p := streamOf(t, "grey_12.j2k", 1, 12)
		change(&p)
		_, err := readAll("f.dcm", p.File())
		must.Fail(t, err, want)
	}
}

const jp2Head = "\x00\x00\x00\x0cjP  \r\n\x87\n"

func rctOfRLE() dicomtest.Picture {
	p := dicomtest.Grey(dicomtest.RLE)
	p.Samples, p.Photometric = 3, "YBR_RCT"
	return p
}

// TestJPEG2000Memory expects a frame that needs more memory than is allowed to be refused before it
// is decoded, and decoding to release what it reserved.
func TestJPEG2000Memory(t *testing.T) {
	data := streamOf(t, "grey_12.j2k", 1, 12).File()
	for limit, ok := range map[int64]bool{4 << 20: false, 32 << 20: true} {
		memory := quota.NewMemory(limit)
		f := must.Get(Open("f.dcm", bytes.NewReader(data), int64(len(data)),
			Options{Memory: memory}))(t)
		_, err := f.Frame(0)
		var e *quota.MemoryError
		if ok != (err == nil) || !ok && !errors.As(err, &e) || memory.Held() != 0 {
			t.Errorf("with %d bytes: %v, and %d bytes are held", limit, err, memory.Held())
		}
	}
}
