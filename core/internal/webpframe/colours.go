package webpframe

import (
	"image"
	"io"

	"golang.org/x/image/webp"
)

// Decode decodes a WebP picture in the colours that libwebp gives. Lossy
// pictures are *image.RGBA without and *image.NRGBA with an opacity.
//
// golang.org/x/image/webp returns lossy pictures as image.YCbCr, which has the colours of JPEG:
// luma from 0 to 255. The luma of WebP is 16 to 235, and its chroma 16 to 240 (RFC 6386 section
// 9.2, ITU-R BT.601), so that white would be grey.
func Decode(r io.Reader) (image.Image, error) {
	m, err := webp.Decode(r)
	if err != nil {
		return nil, err
	}
	switch m := m.(type) {
	case *image.YCbCr:
		out := image.NewRGBA(image.Rect(0, 0, m.Rect.Dx(), m.Rect.Dy()))
		convert(out.Pix, m)
		return out, nil
	case *image.NYCbCrA:
		out := image.NewNRGBA(image.Rect(0, 0, m.Rect.Dx(), m.Rect.Dy()))
		convert(out.Pix, &m.YCbCr)
		for y := range m.Rect.Dy() {
			for x, a := range m.A[y*m.AStride:][:m.Rect.Dx()] {
				out.Pix[y*out.Stride+4*x+3] = a
			}
		}
		return out, nil
	}
	return m, nil
}

// convert writes the opaque pixels of a picture, whose chroma has half the resolution, row by row.
func convert(pix []byte, m *image.YCbCr) {
	width, height := m.Rect.Dx(), m.Rect.Dy()
	cb, cr := make([]int32, width+1), make([]int32, width+1)
	for y := range height {
		upsample(cb, m, m.Cb, y)
		upsample(cr, m, m.Cr, y)
		for x, v := range m.Y[y*m.YStride:][:width] {
			p := pix[4*(y*width+x):][:4]
			p[0], p[1], p[2] = rgb(int32(v), cb[x], cr[x])
			p[3] = 255
		}
	}
}

// rgb converts a pixel by BT.601. Factors are in 1/16384, and sums in 1/64, with half of one more
// for rounding, as in libwebp.
func rgb(y, cb, cr int32) (r, g, b byte) {
	luma := y * 19077 >> 8
	return level(luma + cr*26149>>8 - 14234), level(luma - cb*6419>>8 - cr*13320>>8 + 8708),
		level(luma + cb*33050>>8 - 17685)
}

// level returns the whole part of a value in 1/64, within 0..255.
func level(v int32) byte { return byte(min(max(v>>6, 0), 255)) }

// upsample writes the chroma of row y, interpolated between the nearest four places of a plane with
// the weights 9, 3, 3 and 1, as libwebp does by default. dst has room for one more.
func upsample(dst []int32, m *image.YCbCr, plane []byte, y int) {
	wide, high := (m.Rect.Dx()+1)/2, (m.Rect.Dy()+1)/2
	near, far := y/2, y/2-1
	if y%2 == 1 {
		far = near + 1
	}
	far = min(max(far, 0), high-1)
	a, b := plane[near*m.CStride:][:wide], plane[far*m.CStride:][:wide]
	between := func(i, beside int) int32 {
		beside = min(max(beside, 0), wide-1)
		first := int32(a[i])
		return ((first+3*(int32(a[beside])+int32(b[i]))+int32(b[beside])+8)>>3 + first) >> 1
	}
	for i := range wide {
		dst[2*i], dst[2*i+1] = between(i, i-1), between(i, i+1)
	}
}
