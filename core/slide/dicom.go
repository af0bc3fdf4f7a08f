package slide

import (
	"cmp"
	"errors"
	"image"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core/dicom"
	"github.com/bagscope/bagscope/internal/msg"
)

// IsDICOM reports whether a file states that it is a DICOM file of a whole slide. One that is a
// TIFF file, too (PS3.10, section 7.1), is read as TIFF. It reads the file's beginning.
func IsDICOM(name string, r io.ReaderAt, size int64) bool {
	var head [4]byte
	if n, _ := r.ReadAt(head[:], 0); n == len(head) && IsSlide(head[:]) {
		return false
	}
	return dicom.IsSlide(name, r, size)
}

// openDICOM reads a whole slide of DICOM (PS3.3, section A.32.8): a file and, from o.Beside, the
// others of its series. Each holds a level, a part of one, or a picture beside the tissue. Frames
// that no file has are white. Errors are those of [Open].
func openDICOM(name string, r io.ReaderAt, size int64, o Options) (*Slide, error) {
	c := &container{name: name, r: r, size: size, memory: o.Memory,
		most: cmp.Or(o.Pixels, mostPixels)}
	first, err := c.openDICOM()
	if err != nil {
		return nil, err
	}
	parts := []*dicomPart{first}
	if o.Beside != nil {
		if parts, err = withBeside(first, o.Beside); err != nil {
			return nil, err
		}
	}
	s := &Slide{name: name, Format: "DICOM", most: c.most, blocks: newPixelCache(c.memory)}
	for len(parts) > 0 {
		picture, others := samePicture(parts)
		s.addDICOM(picture)
		parts = others
	}
	if len(s.Levels) == 0 {
		return nil, bad(name, "it is the %s of a slide; give a file of its tissue, or the folder "+
			"of all files of the slide", msg.Text(kindOf(first.file.Matrix)))
	}
	return s, s.order()
}

// A dicomPart is a file of a slide.
type dicomPart struct {
	*container
	file *dicom.File
}

// openDICOM reads the header of a file of a slide.
func (c *container) openDICOM() (*dicomPart, error) {
	o := dicom.Options{Pixels: math.MaxInt64, Memory: c.memory}
	f, err := dicom.Open(c.name, c.r, c.size, o)
	if err != nil {
		return nil, ofDICOM(c.name, err)
	}
	if wide, high := int64(f.Width), int64(f.Height); wide*high > c.most {
		f.Close()
		return nil, tooLarge(c.name, "a tile", wide, high, c.most)
	}
	// What a deflated file unpacks to stays in memory as long as the slide.
	return &dicomPart{c, f}, nil
}

// ofDICOM returns the error of a DICOM file in this package's types. Errors of memory stay as they
// are.
func ofDICOM(name string, err error) error {
	var format *dicom.FormatError
	var unsupported *dicom.UnsupportedError
	var limit *dicom.LimitError
	switch {
	case errors.As(err, &format):
		return &FormatError{File: name, Reason: format.Reason, Err: format.Err}
	case errors.As(err, &unsupported), errors.As(err, &limit):
		return &FormatError{File: name, Reason: strings.TrimPrefix(err.Error(), name+": ")}
	}
	return err
}

// mostBeside bounds the files of a folder that are looked into.
const mostBeside = 1 << 14

// withBeside returns the files of the slide that a file belongs to, from the folder that it is in.
// Files that cannot be read, and those of other slides, are left out.
func withBeside(first *dicomPart, files fs.FS) ([]*dicomPart, error) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, because(withoutPath(err), first.name, "its folder cannot be read")
	}
	parts := []*dicomPart{first}
	for _, e := range entries[:min(len(entries), mostBeside)] {
		info, err := fs.Stat(files, e.Name())
		if e.Name() == first.name || err != nil || !info.Mode().IsRegular() {
			continue
		}
		r := reopened{files, e.Name()}
		if !dicom.IsSlide(e.Name(), r, info.Size()) {
			continue
		}
		c := &container{name: e.Name(), r: r, size: info.Size(), memory: first.memory,
			most: first.most}
		part, err := c.openDICOM()
		if err != nil {
			var format *FormatError
			if !errors.As(err, &format) {
				return nil, err
			}
			continue
		}
		if part.file.Series == first.file.Series && part.file.Series != "" {
			parts = append(parts, part)
		} else {
			part.file.Close()
		}
	}
	return parts, nil
}

// A reopened file is opened for each read, so that nothing has to be closed.
type reopened struct {
	files fs.FS
	name  string
}

// ReadAt implements io.ReaderAt.
func (f reopened) ReadAt(p []byte, at int64) (int, error) {
	file, err := f.files.Open(f.name)
	if err != nil {
		return 0, withoutPath(err)
	}
	defer file.Close()
	if r, ok := file.(io.ReaderAt); ok {
		return r.ReadAt(p, at)
	}
	if _, err := io.CopyN(io.Discard, file, at); err != nil {
		return 0, err
	}
	return io.ReadFull(file, p)
}

// samePicture returns the files of the picture that the first file is a part of, and the others.
func samePicture(parts []*dicomPart) (picture, others []*dicomPart) {
	a := parts[0].file
	for i, p := range parts {
		b := p.file
		if i == 0 || a.Matrix.Whole != "" && b.Matrix.Whole == a.Matrix.Whole &&
			b.Width == a.Width && b.Height == a.Height &&
			b.Matrix.Width == a.Matrix.Width && b.Matrix.Height == a.Matrix.Height {
			picture = append(picture, p)
		} else {
			others = append(others, p)
		}
	}
	return picture, others
}

// kindOf returns the kind of an [Associated] for a picture that does not show tissue alone.
func kindOf(m *dicom.Matrix) string {
	switch m.Kind {
	case "LABEL":
		return "label"
	case "THUMBNAIL":
		return "thumbnail"
	}
	return "macro"
}

// addDICOM adds a picture of one or several files to the slide. Of two levels of a size the first
// one is taken.
func (s *Slide) addDICOM(parts []*dicomPart) {
	f := parts[0].file
	m := f.Matrix
	l := &layout{directory: &directory{container: parts[0].container}, width: m.Width,
		height: m.Height, block: image.Pt(f.Width, f.Height), tiled: true, photometric: isRGB}
	if !f.Colour {
		l.photometric = blackIsZero
	}
	l.tile = dicomTiles{l, parts}.decode
	if kind := kindOf(m); !m.ShowsTissue() {
		if l.what = "the " + kind; len(s.Associated) < mostAssociated {
			s.Associated = append(s.Associated, Associated{kind, m.Width, m.Height, l})
		}
		return
	}
	l.what = msg.Sprintf("the level of %d x %d pixels", m.Width, m.Height)
	if slices.ContainsFunc(s.Levels, func(other Level) bool {
		return other.Width == m.Width && other.Height == m.Height
	}) || len(s.Levels) == mostLevels {
		return
	}
	if !slices.ContainsFunc(s.Levels, func(other Level) bool { return other.Width > m.Width }) {
		s.MicronsX, s.MicronsY, s.Magnification = m.MicronsX, m.MicronsY, m.Magnification
		s.Origin = f.Origin()
		for _, p := range parts[1:] {
			s.Origin.Images = append(s.Origin.Images, p.file.Origin().Images...)
		}
	}
	s.Levels = append(s.Levels, Level{Width: m.Width, Height: m.Height, TileWidth: f.Width,
		TileHeight: f.Height, layout: l})
}

// dicomTiles are the tiles of a picture in one or several files.
type dicomTiles struct {
	*layout
	parts []*dicomPart
}

// decode decodes a tile, and returns nil for one that no file has.
func (t dicomTiles) decode(column, row int) (*image.RGBA, error) {
	for _, p := range t.parts {
		i, ok := p.file.Matrix.Frame(p.file, column, row)
		if !ok {
			continue
		}
		work := &workspace{container: t.container}
		defer work.end()
		if err := work.take(p.file.FrameBytes() * int64(t.block.X) * int64(t.block.Y)); err != nil {
			return nil, err
		}
		frame, err := p.file.Frame(i)
		if err != nil {
			return nil, ofDICOM(p.name, err)
		}
		m := frame.Shown()
		if rgba, ok := m.(*image.RGBA); ok {
			return rgba, nil
		}
		return copied(m, m.Bounds()), nil
	}
	return nil, nil
}
