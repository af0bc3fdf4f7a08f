package bagio

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/jpegframe"
	"github.com/bagscope/bagscope/core/internal/webpframe"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/msg"
)

// A pictureFile is a picture whose size is known and whose pixels are not decoded.
type pictureFile struct {
	width, height int
	grey          bool     // its pixels have no colours
	notes         []string // what of the file is not used; decode and small add to them
	bytes         int64    // memory that decoding takes, with its copy of 8-bit RGB
	decode        func() (image.Image, error)
	// raster is that of a picture which is too large to be decoded at once, and nil for others.
	// small returns such a picture made small, for drawings; it is nil if there is none.
	raster *raster
	small  func() (image.Image, error)
	origin *core.Origin // the DICOM file, or nil
	kind   string       // what it is called, or "" if its format says it
	values *plane       // what patches hold instead of pixels, or nil; decode sets it
}

// open returns the pixels of a picture, and a picture for drawings of its patches or nil. It
// reserves what they take.
func (p *pictureFile) open(name string, l Limits) (raster, image.Image, error) {
	if p.raster == nil {
		if err := l.reserve(name, p.bytes); err != nil {
			return raster{}, nil, err
		}
		img, err := p.decode()
		if err != nil {
			return raster{}, nil, err
		}
		r := rasterOf(img)
		r.values = p.values
		return r, img, nil
	}
	if p.small == nil {
		return *p.raster, nil, nil
	}
	if err := l.reserve(name, smallBytes); err != nil {
		return raster{}, nil, err
	}
	img, err := p.small()
	return *p.raster, img, err
}

// PictureOf returns what the picture of a file is called, its size in pixels and what of the file
// is not used. It decodes no pixel. Errors are those of [Read].
func PictureOf(f File, l Limits) (kind string, size image.Point, notes []string, err error) {
	p, err := f.picture(l.withDefaults())
	if err != nil {
		return "", size, nil, err
	}
	return cmp.Or(p.kind, "picture"), image.Pt(p.width, p.height), p.notes, nil
}

// openPicture reads the size of a picture without decoding it. It returns an error if the picture
// exceeds the limit or its file is too short for that number of pixels.
func openPicture(s *source, l Limits) (*pictureFile, error) {
	open := openWhole
	switch {
	case isWholeSlide(s), isOMEZarr(s, l):
		open = openSlide
	case isDICOM(s):
		return openDICOM(s, l)
	case pictureKindOf(s.head) == nil:
		return nil, bad(s.name, "it is not a %s picture", pictureNames("or"))
	case slide.IsSlide(s.head):
		open = openSlide
	}
	p, err := open(s, l)
	if err != nil {
		return nil, err
	}
	// A small file may claim a huge picture, for which the decoder would allocate memory.
	if err := l.pixels(s.name, p.width, p.height); err != nil {
		return nil, err
	}
	return p, nil
}

// openWhole reads the size of a picture that the standard library's image.Decode decodes from the
// bytes of its file.
func openWhole(s *source, l Limits) (*pictureFile, error) {
	data, err := s.take(0, s.size, l)
	if err != nil {
		return nil, err
	}
	if begins(data, jpegMagic) {
		if err := jpegframe.Check(data); err != nil {
			return nil, unreadable(s.name, err)
		}
	}
	if isAnimated(data) {
		return nil, bad(s.name, "animated WebP pictures are not supported; libvips writes the "+
			"first frame: vips copy FILE frame.png")
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, unreadable(s.name, err)
	}
	if err := l.pixels(s.name, c.Width, c.Height); err != nil {
		return nil, err
	}
	if int64(c.Width)*int64(c.Height) > pictureKindOf(data).most(data) {
		return nil, bad(s.name, "the picture claims %d x %d pixels, which %d bytes cannot hold",
			c.Width, c.Height, len(data))
	}
	p := &pictureFile{width: c.Width, height: c.Height, grey: isGrey(c.ColorModel),
		bytes: decodedBytes(c, data), notes: orientationNotes(s.name, orientationOf(data))}
	p.decode = func() (image.Image, error) {
		img, err := decodePicture(data)
		if err != nil {
			return nil, unreadable(s.name, err)
		}
		largest := largestOf(img)
		p.notes = append(p.notes, slide.DimNotes(s.name, largest)...)
		return img, checkDepth(s.name, largest)
	}
	return p, nil
}

// checkDepth returns a *FormatError for a picture of 16 bits whose upper eight are nearly black.
func checkDepth(name string, largest int) error {
	if what, way := slide.LowDepth(largest); what != "" {
		return bad(name, "pictures with %s are not supported; %s", what, msg.Text(way))
	}
	return nil
}

// largestOf returns the largest sample of a picture of 16 bits, without its opacity, and 0 for
// others.
func largestOf(img image.Image) int {
	var pix []byte
	step := 8 // bytes of a pixel; of four samples the last one is the opacity
	switch m := img.(type) {
	case *image.Gray16:
		pix, step = m.Pix, 2
	case *image.RGBA64:
		pix = m.Pix
	case *image.NRGBA64:
		pix = m.Pix
	}
	largest := uint16(0)
	for i := 0; i < len(pix); i += step {
		for at := i; at < i+min(step, 6); at += 2 {
			largest = max(largest, binary.BigEndian.Uint16(pix[at:]))
		}
	}
	return int(largest)
}

// decodedBytes returns the bytes that a picture takes while it is decoded, and its copy of 8-bit
// RGB.
func decodedBytes(c image.Config, data []byte) int64 {
	width, height := int64(c.Width), int64(c.Height)
	// Decoders of JPEG and WebP round sides up to 32 pixels at most.
	padded := (width + 32) * (height + 32)
	perPixel := int64(4) // the copy
	switch {
	case isWebP(data):
		each, once := webpframe.Bytes(data)
		return (perPixel+each)*padded + once
	case begins(data, jpegMagic):
		return (perPixel + jpegframe.Bytes(data)) * padded
	}
	perPixel += 4 + 2 // the picture, and a pass of an interlaced one
	switch c.ColorModel {
	case color.RGBA64Model, color.NRGBA64Model, color.Gray16Model:
		perPixel += 6
	}
	return perPixel*width*height + 2*8*width // and two rows
}

// onWhite returns a picture as opaque 8-bit RGB, composited on white. Of more than eight bits for
// each channel, the upper eight remain. It returns the picture itself if it is of that kind.
func onWhite(img image.Image) *image.RGBA {
	if rgba, ok := img.(*image.RGBA); ok && rgba.Opaque() {
		return rgba
	}
	// The background of slides and of scans is white; black would look like dark tissue.
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(out, out.Rect, img, out.Rect.Min, draw.Over)
	return out
}

// appendPlanes appends the pixels of r channel by channel: red, green and blue, or one channel of
// luma.
func appendPlanes(dst []byte, img *image.RGBA, r image.Rectangle, channels int) []byte {
	for c := range channels {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			row := img.Pix[img.PixOffset(r.Min.X, y):]
			for x := range r.Dx() {
				p := row[4*x : 4*x+3]
				if channels == 1 {
					dst = append(dst, color.GrayModel.Convert(color.RGBA{p[0], p[1], p[2],
						255}).(color.Gray).Y)
				} else {
					dst = append(dst, p[c])
				}
			}
		}
	}
	return dst
}

// channelsOf returns the number of channels of pictures for instances of the given shape: 1 or
// 3, or 0 if the shape does not determine it. A shape of rows and columns has one channel.
func channelsOf(name string, shape []int) (int, error) {
	if len(shape) == 2 {
		return 1, nil
	}
	if len(shape) != 3 || shape[0] <= 0 {
		return 0, nil
	}
	if last := shape[2]; shape[0] != 1 && shape[0] != 3 && (last == 1 || last == 3) {
		return 0, bad(name, "the model takes pictures of shape %s, with channels last; export it "+
			"with channels first", shapeText(shape))
	}
	if shape[0] != 1 && shape[0] != 3 {
		return 0, bad(name, "the model takes instances of shape %s, but a picture has 1 or 3 "+
			"channels, then rows and columns; save its patches as an array of that shape (.npy)",
			shapeText(shape))
	}
	return shape[0], nil
}

// patchText returns the size of a patch for messages.
func patchText(p PatchOptions) string { return fmt.Sprintf("%d x %d pixels", p.Size, p.Size) }
