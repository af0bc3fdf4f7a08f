package jpegframe

import (
	"bytes"
	"image"
	"image/jpeg"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// segment returns a segment of a JPEG stream.
func segment(marker byte, content ...byte) []byte {
	n := len(content) + 2
	return append([]byte{0xff, marker, byte(n >> 8), byte(n)}, content...)
}

// TestJoin joins the tables and the rest of a picture, among fill bytes and a long comment. What is
// joined decodes like the picture, and its headers are those of the colour space that is stated.
func TestJoin(t *testing.T) {
	var b bytes.Buffer
	must.Do(t, jpeg.Encode(&b, image.NewYCbCr(image.Rect(0, 0, 16, 16),
		image.YCbCrSubsampleRatio420), nil))
	whole := b.Bytes()
	frame := bytes.Index(whole, []byte{0xff, firstFrame})
	comment := segment(0xfe, bytes.Repeat([]byte{0xff, startOfScan}, 300)...)
	tables := bytes.Join([][]byte{whole[:2], segment(adobe, make([]byte, 12)...), {0xff}, comment,
		whole[2:frame], {0xff, endOfImage}}, nil)
	block := bytes.Join([][]byte{whole[:2], segment(application0, 1, 2, 3), comment,
		whole[frame:]}, nil)
	want := must.Get(jpeg.Decode(bytes.NewReader(whole)))(t)
	for _, isRGB := range []bool{false, true} {
		joined := must.Get(Join(tables, block, isRGB))(t)
		transform, ok := AdobeTransform(joined)
		must.Equal(t, ok, isRGB, "an Adobe header")
		must.Equal(t, transform, 0)
		m := must.Get(jpeg.Decode(bytes.NewReader(joined)))(t)
		must.Equal(t, m.Bounds(), want.Bounds())
		_, isYCbCr := m.(*image.YCbCr)
		must.Equal(t, isYCbCr, !isRGB)
	}
	for at := range block[:len(block)-len(whole)+frame] {
		_, err := Join(nil, block[:at], false)
		must.Equal(t, err == nil, at == 2 || at == 9 || at == 9+len(comment), "cut at", at)
	}
}

// TestAdobeTransform reads the transform of a whole header before the scan.
func TestAdobeTransform(t *testing.T) {
	header := segment(adobe, []byte("Adobe\x00\x64\x00\x00\x00\x00\x01")...)
	other := bytes.Replace(header, []byte("Adobe"), []byte("Other"), 1)
	scan := segment(startOfScan, 1, 2)
	for _, c := range []struct {
		stream    []byte
		transform byte
		ok        bool
	}{
		{header, 1, true},
		{segment(adobe, header[4:15]...), 0, false},
		{other, 0, false},
		{append(other, header...), 1, true},
		{append(scan, header...), 0, false},
	} {
		transform, ok := AdobeTransform(append([]byte{0xff, startOfImage}, c.stream...))
		must.Equal(t, transform, c.transform, c.stream)
		must.Equal(t, ok, c.ok, c.stream)
	}
}

// TestUnread names the kinds of frames of T.81, table B.1, and of JPEG-LS, of 8 and of 12 bits.
func TestUnread(t *testing.T) {
	const arithmetic = "JPEG with arithmetic coding"
	for marker, want := range map[byte][2]string{
		0xc0: {"", MoreBits}, 0xc1: {"", MoreBits}, 0xc2: {"", MoreBits},
		0xc3: {Lossless, Lossless}, 0xc7: {Lossless, Lossless},
		0xc9: {arithmetic, arithmetic}, 0xca: {arithmetic, arithmetic},
		0xcb: {arithmetic, arithmetic}, 0xf7: {"JPEG-LS", "JPEG-LS"},
		0xc4: {Lossless, Lossless}, 0xbf: {Lossless, Lossless}, 0xf6: {Lossless, Lossless},
		startOfScan: {"", ""},
	} {
		for i, bits := range []byte{8, 12} {
			stream := append([]byte{0xff, startOfImage}, segment(marker, bits, 1)...)
			// what follows is read if the marker is no frame and no scan
			stream = append(stream, segment(0xc3, 8)...)
			must.Equal(t, Unread(stream), want[i], marker, bits)
		}
	}
	must.Equal(t, Unread([]byte{0xff, startOfImage, 0xff, firstFrame, 0, 2}), "", "an empty frame")
}

// TestBytes: a progressive picture and one of four components take more memory.
func TestBytes(t *testing.T) {
	for marker, want := range map[byte][2]int64{
		0xc0: {4, 8}, 0xc1: {4, 8}, 0xc2: {20, 24}, 0xbf: {4, 4}, 0xc3: {4, 4},
	} {
		for i, components := range []byte{3, 4} {
			stream := append([]byte{0xff, startOfImage}, segment(0xe1, 0, 0, 0, 0, 0, 4)...)
			stream = append(stream, segment(marker, 8, 0, 1, 0, 1, components)...)
			must.Equal(t, Bytes(append(stream, segment(0xc1, 8, 0, 1, 0, 1, 3)...)), want[i],
				marker, components)
		}
	}
}
