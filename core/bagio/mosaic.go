package bagio

import (
	"image"

	"golang.org/x/image/draw"
)

// mosaicSide is the longer side of a mosaic at most, in pixels.
const mosaicSide = 2048

// mosaic returns the pictures of a set, (N, channels, height, width) of bytes, at their boxes, on
// white and made small, for drawings. It returns nil if there is no memory for it.
func (s *Set) mosaic(pixels []byte, l Limits) *image.RGBA {
	var all image.Rectangle
	for _, b := range s.boxes {
		all = all.Union(b)
	}
	scale := min(1, mosaicSide/float64(max(all.Max.X, all.Max.Y)))
	scaled := func(v int) int { return int(float64(v) * scale) }
	size := image.Rect(0, 0, max(1, scaled(all.Max.X)), max(1, scaled(all.Max.Y)))
	if l.reserve("a picture of the tiles", 4*int64(size.Dx())*int64(size.Dy())) != nil {
		return nil
	}
	out := image.NewRGBA(size)
	draw.Draw(out, size, image.White, image.Point{}, draw.Src)
	channels, high, wide := s.shape[0], s.shape[1], s.shape[2]
	tile := image.NewRGBA(image.Rect(0, 0, wide, high))
	for i, b := range s.boxes {
		planes := pixels[i*channels*high*wide:]
		for at := range high * wide {
			p := tile.Pix[4*at:][:4]
			for c := range 3 {
				p[c] = planes[min(c, channels-1)*high*wide+at]
			}
			p[3] = 255
		}
		to := image.Rect(scaled(b.Min.X), scaled(b.Min.Y), scaled(b.Max.X), scaled(b.Max.Y))
		draw.ApproxBiLinear.Scale(out, to, tile, tile.Rect, draw.Src, nil)
	}
	return out
}
