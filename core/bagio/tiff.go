package bagio

import (
	"context"
	"errors"
	"image"
	"strings"

	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/msg"
)

// mostWhole is the number of pixels of a TIFF picture that are decoded at once, in 64 MB. A larger
// one is read part by part, and drawn by an overview of at most overviewSide pixels.
const (
	mostWhole    = 1 << 24
	overviewSide = 1 << 12
	smallBytes   = 4 * overviewSide * overviewSide
)

// openSlide reads the layout of a TIFF file, a slide of DICOM or an OME-Zarr picture: a picture, or
// a pyramid of which the largest level is read. Blocks of pixels are read and decoded one by one.
func openSlide(s *source, l Limits) (*pictureFile, error) {
	file, err := slide.OpenWith(s.name, s, s.size, slide.Options{Memory: l.Memory,
		Pixels: l.Pixels, Beside: s.beside})
	if err != nil {
		return nil, slideError(s.name, err)
	}
	largest := file.Levels[0]
	p := &pictureFile{width: largest.Width, height: largest.Height, grey: file.Grey(),
		notes:  append(file.PageNotes(), orientationNotes(s.name, file.Orientation())...),
		origin: file.Origin,
		// The slide reserves what blocks take until they are copied.
		bytes: 4 * int64(largest.Width) * int64(largest.Height)}
	p.decode = func() (image.Image, error) {
		m, err := file.Region(0, image.Rect(0, 0, largest.Width, largest.Height))
		if err != nil {
			return nil, slideError(s.name, err)
		}
		p.notes = append(p.notes, file.DimNotes()...)
		return m, nil
	}
	if file.FourthUnread() {
		p.notes = append(p.notes, msg.Sprintf("%s has a fourth channel that the file does not "+
			"state to be the opacity; it is left out.", s.name))
	}
	if int64(p.width)*int64(p.height) > mostWhole {
		r := slideRaster(s.name, file)
		p.raster = &r
		p.small = func() (image.Image, error) {
			m, _, err := file.Overview(context.Background(), overviewSide)
			if err != nil {
				return nil, slideError(s.name, err)
			}
			p.notes = append(p.notes, file.DimNotes()...)
			return m, nil
		}
	}
	return p, nil
}

// slideError returns the error of a slide in this package's types. Errors of memory stay as they
// are.
func slideError(name string, err error) error {
	var format *slide.FormatError
	var unsupported *slide.UnsupportedError
	var limit *slide.LimitError
	switch {
	case errors.As(err, &format):
		return &FormatError{File: name, Reason: format.Reason, Err: format.Err}
	case errors.As(err, &unsupported):
		return bad(name, "%s", msg.Text(strings.TrimPrefix(err.Error(), name+": ")))
	case errors.As(err, &limit):
		return &LimitError{name, limit.Size(), "pixels", limit.Limit}
	}
	return err
}
