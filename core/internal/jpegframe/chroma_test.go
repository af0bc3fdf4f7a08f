package jpegframe

import (
	"image"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestNarrowChroma converts pictures of few columns. libjpeg-turbo interpolates chroma
// of half the width only if a row has more than two of its pixels; the last column of a Deep Zoom
// picture can have fewer.
func TestNarrowChroma(t *testing.T) {
	for _, ratio := range []image.YCbCrSubsampleRatio{image.YCbCrSubsampleRatio422,
		image.YCbCrSubsampleRatio420} {
		for width := 1; width <= 5; width++ {
			m := image.NewYCbCr(image.Rect(0, 0, width, 6), ratio)
			for i := range m.Y {
				m.Y[i] = 128
			}
			for i := range m.Cb {
				m.Cb[i], m.Cr[i] = 128, uint8(100+20*(i%m.CStride)+5*(i/m.CStride))
			}
			repeated := true
			got := toRGB(m)
			for y := range 6 {
				for x := range width {
					r, g, b := RGB(128, 0, int32(m.Cr[m.COffset(x, y)])-128)
					p := got.RGBAAt(x, y)
					repeated = repeated && p.R == r && p.G == g && p.B == b
				}
			}
			must.Equal(t, repeated, (width < 5), ratio, width)
		}
	}
}

// TestTransposed: chroma of half the height is interpolated between rows as chroma of half the
// width is within a row, whose values other tests compare with those of libjpeg.
func TestTransposed(t *testing.T) {
	high := image.NewYCbCr(image.Rect(0, 0, 5, 8), image.YCbCrSubsampleRatio440)
	wide := image.NewYCbCr(image.Rect(0, 0, 8, 5), image.YCbCrSubsampleRatio422)
	for y := range 8 {
		for x := range 5 {
			from, to := high.COffset(x, y), wide.COffset(y, x)
			high.Y[high.YOffset(x, y)], wide.Y[wide.YOffset(y, x)] = 128, 128
			for i, planes := range [][2][]byte{{high.Cb, wide.Cb}, {high.Cr, wide.Cr}} {
				planes[0][from] = uint8(90 + 31*from%71 + i)
				planes[1][to] = planes[0][from]
			}
		}
	}
	got, want := toRGB(high), toRGB(wide)
	for y := range 8 {
		for x := range 5 {
			must.Equal(t, got.RGBAAt(x, y), want.RGBAAt(y, x), x, y)
		}
	}
}
