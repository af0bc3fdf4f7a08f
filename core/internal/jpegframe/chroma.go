package jpegframe

import (
	"image"
	"image/jpeg"
	"io"
)

// Decode decodes a JPEG picture. Chroma of half the resolution is interpolated.
func Decode(r io.Reader) (image.Image, error) {
	m, err := jpeg.Decode(r)
	if err != nil {
		return nil, err
	}
	if ycc, ok := m.(*image.YCbCr); ok {
		return toRGB(ycc), nil
	}
	return m, nil
}

// toRGB converts a picture to opaque RGB (JFIF 1.02). Chroma of half the resolution is
// interpolated between the centres of its pixels, as libjpeg does by default ("fancy upsampling"),
// so that pixels equal those of viewers and of training pipelines. Like libjpeg, it repeats chroma
// of half the width that has at most two pixels in a row.
func toRGB(m *image.YCbCr) *image.RGBA {
	width, height := m.Rect.Dx(), m.Rect.Dy()
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	up := nearest
	switch ratio := m.SubsampleRatio; {
	case ratio == image.YCbCrSubsampleRatio440:
		up = halfHeight
	case width <= 4: // two pixels of chroma of half the width
	case ratio == image.YCbCrSubsampleRatio422:
		up = halfWidth
	case ratio == image.YCbCrSubsampleRatio420:
		up = halfBoth
	}
	cb, cr := make([]int32, width+1), make([]int32, width+1)
	for y := range height {
		up(cb, m, m.Cb, y)
		up(cr, m, m.Cr, y)
		luma := m.Y[y*m.YStride:][:width]
		row := out.Pix[y*out.Stride:][:4*width]
		for x, v := range luma {
			r, g, b := RGB(int32(v), cb[x]-128, cr[x]-128)
			p := row[4*x:][:4]
			p[0], p[1], p[2], p[3] = r, g, b, 255
		}
	}
	return out
}

// RGB converts a pixel. The chroma is without its offset of 128; the constants are in 1/65536.
func RGB(y, cb, cr int32) (r, g, b byte) {
	y <<= 16
	return level(y + 91881*cr + 1<<15), level(y - 22554*cb - 46802*cr + 1<<15),
		level(y + 116130*cb + 1<<15)
}

// level returns the whole part of a value in 1/65536, within 0..255.
func level(v int32) byte { return byte(min(max(v>>16, 0), 255)) }

// The functions below write the chroma of the pixels of row y to dst, which has room for one more.

// nearest repeats the chroma of other ratios.
func nearest(dst []int32, m *image.YCbCr, plane []byte, y int) {
	for x := range m.Rect.Dx() {
		dst[x] = int32(plane[m.COffset(m.Rect.Min.X+x, m.Rect.Min.Y+y)])
	}
}

// chromaRow returns a row of a plane, of half the width for wide == 2.
func chromaRow(m *image.YCbCr, plane []byte, row, wide int) []byte {
	return plane[row*m.CStride:][:(m.Rect.Dx()+wide-1)/wide]
}

// halfWidth interpolates along the row: the nearer centre has weight 3/4.
func halfWidth(dst []int32, m *image.YCbCr, plane []byte, y int) {
	row := chromaRow(m, plane, y, 2)
	last := len(row) - 1
	for i, v := range row {
		near := 3 * int32(v)
		dst[2*i] = (near + int32(row[max(i-1, 0)]) + 1) >> 2
		dst[2*i+1] = (near + int32(row[min(i+1, last)]) + 2) >> 2
	}
}

// besides returns the row of chroma that pixel row y lies in, and the next nearest one.
func besides(m *image.YCbCr, y int) (near, far int) {
	rows := (m.Rect.Dy() + 1) / 2
	near, far = y/2, y/2-1
	if y%2 == 1 {
		far = near + 1
	}
	return near, min(max(far, 0), rows-1)
}

// halfHeight interpolates between rows.
func halfHeight(dst []int32, m *image.YCbCr, plane []byte, y int) {
	near, far := besides(m, y)
	a, b := chromaRow(m, plane, near, 1), chromaRow(m, plane, far, 1)
	bias := int32(1 + y%2)
	for x := range a {
		dst[x] = (3*int32(a[x]) + int32(b[x]) + bias) >> 2
	}
}

// halfBoth interpolates between rows, then along the row.
func halfBoth(dst []int32, m *image.YCbCr, plane []byte, y int) {
	near, far := besides(m, y)
	a, b := chromaRow(m, plane, near, 2), chromaRow(m, plane, far, 2)
	sum := func(i int) int32 { return 3*int32(a[i]) + int32(b[i]) }
	last := len(a) - 1
	before, here := sum(0), sum(0)
	for i := range a {
		next := sum(min(i+1, last))
		dst[2*i] = (3*here + before + 8) >> 4
		dst[2*i+1] = (3*here + next + 7) >> 4
		before, here = here, next
	}
}
