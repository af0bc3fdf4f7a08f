package annotation

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/msg"
)

// Limits of masks.
const (
	// Pixels of a PNG picture, which is decoded whole.
	mostPixels = 1 << 26
	// Longer side of what is kept of a mask. Of a larger one, a pixel is marked if one of the
	// pixels is that it stands for.
	mostSide = 8192
	// Colours of a mask: labels, or the shades of smoothed edges.
	mostColours = 256
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// IsPicture reports whether a file begins as PNG or TIFF, the forms of masks.
func IsPicture(data []byte) bool {
	for _, begin := range []string{pngSignature, "II*\x00", "MM\x00*", "II+\x00", "MM\x00+"} {
		if bytes.HasPrefix(data, []byte(begin)) {
			return true
		}
	}
	return false
}

// readMask returns the mask of a picture, without a scale, and whether GrandQC wrote it.
func readMask(ctx context.Context, file string, data []byte) (*slide.Mask, bool, error) {
	r := &maskReader{file: file, colours: map[color.RGBA]bool{}}
	read := r.tiff
	if bytes.HasPrefix(data, []byte(pngSignature)) {
		read = r.png
	}
	if err := read(ctx, data); err != nil {
		return nil, false, err
	}
	if len(r.colours) > mostColours {
		return nil, false, r.fail("it is a picture with many colours, and no mask: a mask is " +
			"black where nothing is marked")
	}
	for _, marked := range r.mask.Tissue {
		if marked {
			return r.mask, r.clean != nil, nil
		}
	}
	if r.clean != nil {
		return nil, false, r.fail("it is a mask of GrandQC without clean tissue")
	}
	return nil, false, r.fail("it is a mask that is all black: it marks nothing")
}

// maskReader makes a mask of the pixels of a picture, part by part.
type maskReader struct {
	file    string
	mask    *slide.Mask
	times   int                 // sides of the picture divided by those of the mask
	colours map[color.RGBA]bool // those seen, mostColours and one at most
	clean   *uint8              // the grey of clean tissue in a mask of GrandQC, else nil
}

func (r *maskReader) fail(format string, args ...any) error {
	return &geojson.FormatError{File: r.file, Reason: msg.Sprintf(format, args...)}
}

// begin makes the mask of a picture. It reserves its memory and that of its table of sums.
func (r *maskReader) begin(ctx context.Context, width, height int) error {
	r.times = (max(width, height)-1)/mostSide + 1
	m := &slide.Mask{Width: (width-1)/r.times + 1, Height: (height-1)/r.times + 1}
	err := quota.MemoryOf(ctx).Reserve(6*int64(m.Width)*int64(m.Height), "the mask "+r.file)
	m.Tissue = make([]bool, m.Width*m.Height)
	r.mask = m
	return err
}

// add marks the pixels of a part of the picture that are not black, or are clean tissue.
func (r *maskReader) add(m *image.RGBA, at image.Point) {
	last := color.RGBA{}
	for y := range m.Rect.Dy() {
		row := r.mask.Tissue[(at.Y+y)/r.times*r.mask.Width:]
		for x := range m.Rect.Dx() {
			p := m.Pix[y*m.Stride+4*x:][:4]
			c := color.RGBA{p[0], p[1], p[2], p[3]}
			if c != last && len(r.colours) <= mostColours {
				r.colours[c] = true
				last = c
			}
			marked := c.A > 0 && (c.R > 0 || c.G > 0 || c.B > 0)
			if r.clean != nil {
				marked = c.R == *r.clean
			}
			if marked {
				row[(at.X+x)/r.times] = true
			}
		}
	}
}

// cleanIn returns the grey of clean tissue if GrandQC wrote a mask, else nil. The mask of its
// search for tissue, SLIDE_MASK.png, is 0 in tissue and 1 beside it. That of quality,
// SLIDE_mask.png, is 1 in clean tissue, 7 beside tissue, 2 to 6 in folds, spots, pen, bubbles and
// blur, and 0 right of and below its last whole patch.
func cleanIn(file string, m image.Image) *uint8 {
	grey, ok := m.(*image.Gray)
	if !ok || len(grey.Pix) == 0 {
		return nil
	}
	clean, most := new(uint8), slices.Max(grey.Pix)
	switch {
	case strings.HasSuffix(file, "_MASK.png") && most <= 1:
		return clean
	case strings.HasSuffix(file, "_mask.png") && most > 1 && most <= 7:
		*clean = 1
		return clean
	}
	return nil
}

// png reads a picture in PNG, row by row after it is decoded.
func (r *maskReader) png(ctx context.Context, data []byte) error {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return r.fail("it is a damaged picture: %s", err.Error())
	}
	if int64(c.Width)*int64(c.Height) > mostPixels {
		return r.fail("it has %d x %d pixels; a mask in PNG may have %d, which is enough at a "+
			"lower magnification", c.Width, c.Height, mostPixels)
	}
	memory := quota.MemoryOf(ctx)
	// Samples of 16 bits, and a second copy of an interlaced picture.
	held := 16 * int64(c.Width) * int64(c.Height)
	if err := memory.Reserve(held, "the mask "+r.file); err != nil {
		return err
	}
	defer memory.Release(held)
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return r.fail("it is a damaged picture: %s", err.Error())
	}
	r.clean = cleanIn(r.file, m)
	if err := r.begin(ctx, c.Width, c.Height); err != nil {
		return err
	}
	row := image.NewRGBA(image.Rect(0, 0, c.Width, 1))
	for y := range c.Height {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for x := range c.Width {
			row.Set(x, 0, m.At(m.Bounds().Min.X+x, m.Bounds().Min.Y+y))
		}
		r.add(row, image.Pt(0, y))
	}
	return nil
}

// tiff reads the smallest level of a TIFF picture that is not smaller than a mask may be, tile by
// tile.
func (r *maskReader) tiff(ctx context.Context, data []byte) error {
	s, err := slide.OpenWith(r.file, bytes.NewReader(data), int64(len(data)),
		slide.Options{Memory: quota.MemoryOf(ctx)})
	if err != nil {
		return err
	}
	level := 0
	for i, l := range s.Levels {
		if max(l.Width, l.Height) >= mostSide/2 {
			level = i
		}
	}
	l := s.Levels[level]
	if err := r.begin(ctx, l.Width, l.Height); err != nil {
		return err
	}
	for y := 0; y < l.Height; y += l.TileHeight {
		for x := 0; x < l.Width; x += l.TileWidth {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			m, err := s.Tile(level, x/l.TileWidth, y/l.TileHeight)
			if err != nil {
				return err
			}
			part := image.Rect(0, 0, min(m.Rect.Dx(), l.Width-x), min(m.Rect.Dy(), l.Height-y))
			r.add(m.SubImage(part.Add(m.Rect.Min)).(*image.RGBA), image.Pt(x, y))
		}
	}
	return nil
}
