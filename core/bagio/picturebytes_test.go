package bagio

import (
	"bytes"
	"image"
	"image/color"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// zeroJPEG returns a JPEG picture of coefficients 0. sampling has the factors of each component,
// and start is the marker of its frame.
func zeroJPEG(start byte, width, height int, sampling ...byte) []byte {
	segment := func(marker byte, body ...byte) []byte {
		return append([]byte{0xff, marker, 0, byte(len(body) + 2)}, body...)
	}
	table := func(class byte) []byte { // one code of one bit, for 0
		return append([]byte{class, 1}, make([]byte, 16)...)
	}
	frame := []byte{8, byte(height >> 8), byte(height), byte(width >> 8), byte(width),
		byte(len(sampling))}
	scan := []byte{byte(len(sampling))}
	wide, high, blocks := 0, 0, 0
	for i, s := range sampling {
		frame = append(frame, byte(i+1), s, 0)
		scan = append(scan, byte(i+1), 0)
		wide, high = max(wide, int(s>>4)), max(high, int(s&15))
		blocks += int(s>>4) * int(s&15)
	}
	last := byte(63)
	if start == 0xc2 {
		last = 0 // the first scan of a progressive picture has one coefficient of a block
	}
	blocks *= (width + 8*wide - 1) / (8 * wide) * ((height + 8*high - 1) / (8 * high))
	adobe := segment(0xee, []byte("Adobe\x00\x64\x00\x00\x00\x00\x00")...)
	return bytes.Join([][]byte{{0xff, 0xd8}, adobe,
		segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...),
		segment(start, frame...), segment(0xc4, table(0)...),
		segment(0xc4, table(0x10)...), segment(0xda, append(scan, 0, last, 0)...),
		make([]byte, blocks/4+1), {0xff, 0xd9}}, nil)
}

// TestPictureBytes decodes pictures, also of one row or column: decoding takes at most what is
// reserved.
func TestPictureBytes(t *testing.T) {
	const long = 40_000
	files := map[string][]byte{}
	for name, r := range map[string]image.Rectangle{"square": image.Rect(0, 0, 300, 300),
		"row": image.Rect(0, 0, long, 1), "column": image.Rect(0, 0, 1, long)} {
		files["grey PNG, "+name] = pngFile(t, image.NewGray(r))
		files["PNG of 16 bits, "+name] = pngFile(t, image.NewNRGBA64(r))
		files["PNG of two colours, "+name] = pngFile(t, image.NewPaletted(r,
			color.Palette{color.Black, color.White}))
		for kind, sampling := range map[string][]byte{"grey": {0x11}, "whole": {0x11, 0x11, 0x11},
			"4:2:0": {0x22, 0x11, 0x11}, "4:1:0": {0x42, 0x11, 0x11},
			"CMYK": {0x22, 0x11, 0x11, 0x22}} {
			files["JPEG, "+kind+", "+name] = zeroJPEG(0xc0, r.Dx(), r.Dy(), sampling...)
			files["progressive JPEG, "+kind+", "+name] = zeroJPEG(0xc2, r.Dx(), r.Dy(), sampling...)
		}
	}
	for name, data := range files {
		t.Run(name, func(t *testing.T) {
			p := must.Get(openPicture(inMemory(name, data), Limits{}.withDefaults()))(t)
			before := allocated()
			img := must.Get(p.decode())(t)
			onWhite(img)
			const buffers = 1 << 18 // memory of decoders
			if took := int64(allocated() - before); took > p.bytes+buffers {
				t.Errorf("decoding takes %d bytes; %d are reserved", took, p.bytes)
			}
		})
	}
}
