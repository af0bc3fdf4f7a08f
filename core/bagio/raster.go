package bagio

import (
	"image"

	"github.com/bagscope/bagscope/core/slide"
)

// A raster is a picture as opaque 8-bit RGB, whose pixels are read part by part, so that a large
// one is never held as a whole.
type raster struct {
	bounds image.Rectangle
	// read returns the pixels of a rectangle within bounds, at its place. They must not be changed.
	read func(r image.Rectangle) (*image.RGBA, error)
	// values are what patches hold instead of pixels, which are then drawn and decide which patches
	// are background; nil for pixels.
	values *plane
}

// rasterOf returns the raster of a decoded picture.
func rasterOf(img image.Image) raster {
	rgb := onWhite(img) // transparent parts become background
	return raster{bounds: img.Bounds(), read: func(r image.Rectangle) (*image.RGBA, error) {
		return rgb.SubImage(r).(*image.RGBA), nil
	}}
}

// slideRaster returns the raster of a slide's largest level.
func slideRaster(name string, file *slide.Slide) raster {
	bounds := image.Rect(0, 0, file.Levels[0].Width, file.Levels[0].Height)
	return raster{bounds: bounds, read: func(r image.Rectangle) (*image.RGBA, error) {
		m, err := file.Region(0, r)
		if err != nil {
			return nil, slideError(name, err)
		}
		return &image.RGBA{Pix: m.Pix, Stride: m.Stride, Rect: r}, nil
	}}
}

// pixelRaster returns the raster of a source that holds RGBA pixels, row by row.
func pixelRaster(s *source, width, height int) raster {
	bounds := image.Rect(0, 0, width, height)
	return raster{bounds: bounds, read: func(r image.Rectangle) (*image.RGBA, error) {
		img := &image.NRGBA{Stride: 4 * r.Dx(), Rect: r}
		if s.held() {
			img.Pix, img.Stride = s.data, 4*width
			img.Rect = bounds
			img = img.SubImage(r).(*image.NRGBA)
			return opaque(img), nil
		}
		// Most of a row is read with all of it: each read of a browser's file takes a while.
		if 2*r.Dx() >= width {
			img.Stride, img.Rect = 4*width, image.Rect(0, r.Min.Y, width, r.Max.Y)
		}
		img.Pix = make([]byte, img.Stride*r.Dy())
		rows := 1 // that are read at once
		if img.Rect.Dx() == width {
			rows = r.Dy()
		}
		for y := 0; y < r.Dy(); y += rows {
			at := 4 * (int64(r.Min.Y+y)*int64(width) + int64(img.Rect.Min.X))
			if err := s.fill(img.Pix[y*img.Stride:][:rows*img.Stride], at); err != nil {
				return nil, err
			}
		}
		return opaque(img.SubImage(r).(*image.NRGBA)), nil
	}}
}

// opaque returns a picture composited on white; it shares the memory of one without transparency.
func opaque(img *image.NRGBA) *image.RGBA {
	if img.Opaque() {
		return &image.RGBA{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect}
	}
	return onWhite(img)
}

// openPixels opens a source that holds RGBA pixels. It returns a *FormatError unless it has the
// bytes of so many pixels.
func openPixels(s *source, width, height int, l Limits) (*pictureFile, error) {
	if width < 1 || height < 1 {
		return nil, bad(s.name, "the picture has %d x %d pixels, but must have at least one", width,
			height)
	}
	if err := l.pixels(s.name, width, height); err != nil {
		return nil, err
	}
	if n := 4 * int64(width) * int64(height); s.size != n {
		return nil, bad(s.name, "a picture of %d x %d pixels has %d bytes, not %d", width, height,
			n, s.size)
	}
	r := pixelRaster(s, width, height)
	whole := func() (image.Image, error) { return r.read(r.bounds) }
	p := &pictureFile{width: width, height: height, decode: whole}
	if !s.held() {
		p.raster = &r
	}
	return p, nil
}
