package bagio

import (
	"cmp"
	"errors"
	"image"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/dicom"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/msg"
)

// isDICOM reports whether a file is a DICOM file. The 128 bytes before its letters may be those of
// a TIFF file, so that readers of both read it (PS3.10, section 7.1): it is then read as TIFF.
func isDICOM(s *source) bool {
	if !dicom.Is(s.head) || !slide.IsSlide(s.head) {
		return dicom.Is(s.head)
	}
	_, err := slide.OpenWith(s.name, s, s.size, slide.Options{})
	return err != nil
}

// openDICOMFile reads the header of a DICOM file. Files of results, such as segmentations, hold no
// pictures.
func openDICOMFile(s *source, l Limits) (*dicom.File, error) {
	f, err := dicom.Open(s.name, s, s.size, dicom.Options{Pixels: l.Pixels, Bytes: l.Bytes,
		Memory: l.Memory})
	if err == nil && f.Result != "" {
		f.Close()
		return nil, &FormatError{File: s.name, Reason: f.Result, Err: dicom.ErrNoPictures}
	}
	return f, dicomError(s.name, err)
}

// dicomError returns the error of a DICOM file in this package's types. Errors of memory stay as
// they are.
func dicomError(name string, err error) error {
	var format *dicom.FormatError
	var unsupported *dicom.UnsupportedError
	var limit *dicom.LimitError
	switch {
	case errors.As(err, &format):
		return &FormatError{File: name, Offset: format.Offset, Reason: format.Reason,
			Err: format.Err}
	case errors.As(err, &unsupported):
		return bad(name, "%s", msg.Text(strings.TrimPrefix(err.Error(), name+": ")))
	case errors.As(err, &limit):
		return &LimitError{name, limit.What, limit.Setting, limit.Limit}
	}
	return err
}

// setFromDICOM returns the patches of a DICOM file of one picture, and the frames of one of several
// as instances.
func setFromDICOM(s *source, o Options) (*Set, error) {
	f, err := openDICOMFile(s, o.Limits)
	if err != nil {
		return nil, err
	}
	frames := f.Frames
	f.Close()
	if frames == 1 || isWholeSlide(s) {
		return setFromPicture(s, o)
	}
	return readSeries([]seriesFile{{s.name, func() (*source, func(), error) {
		return s, func() {}, nil
	}}}, s.name, o)
}

// openDICOM opens the picture of a DICOM file. Patches hold what its pixels stand for, such as
// Hounsfield units, unless these are bytes or colours; it is drawn under its window.
func openDICOM(s *source, l Limits) (*pictureFile, error) {
	f, err := openDICOMFile(s, l)
	if err != nil {
		return nil, err
	}
	if f.Frames > 1 {
		return nil, bad(s.name, "it has %d frames, which are the instances of a bag", f.Frames)
	}
	pixels := int64(f.Width) * int64(f.Height)
	p := &pictureFile{width: f.Width, height: f.Height, grey: !f.Colour,
		bytes: pixels * (f.FrameBytes() + 8), notes: burnedIn(s.name, f.BurnedIn),
		origin: f.Origin(), kind: msg.Sprintf("%s picture",
			msg.Text(cmp.Or(f.Modality, "DICOM")))}
	p.decode = func() (image.Image, error) {
		r, err := f.Frame(0)
		if err != nil {
			return nil, dicomError(s.name, err)
		}
		if !f.Colour {
			p.values = &plane{width: f.Width, values: make([]float32, r.Len()), bytes: f.Bytes()}
			r.Values(p.values.values)
		}
		return r.Shown(), nil
	}
	return p, nil
}

// burnedIn says that a picture shows text about the patient.
func burnedIn(name string, stated bool) []string {
	if !stated {
		return nil
	}
	return []string{msg.Sprintf("%s states that text about the patient is burned into its pixels; "+
		"drawings and reports of it show that text.", name)}
}

// A plane holds the values of a picture without colours, row by row. bytes says that they are
// 0..255, as the pixels of other pictures are.
type plane struct {
	width   int
	values  []float32
	bytes   bool
	windows core.Windows // windows under which values become pixels, or none
}

// patches returns the values of rectangles as an array (patch, channel, row, column). All channels
// hold the same values.
func (p *plane) patches(name string, boxes []image.Rectangle, c *Cut) *Array {
	out := newValues(len(boxes)*c.Channels*c.Size*c.Size, p.bytes || len(p.windows) > 0)
	for _, b := range boxes {
		for channel := range c.Channels {
			for y := b.Min.Y; y < b.Max.Y; y++ {
				row := p.values[y*p.width+b.Min.X:][:b.Dx()]
				if len(p.windows) > 0 {
					out.addPixels(row, p.windows.Of(channel))
				} else {
					out.add(row)
				}
			}
		}
	}
	return out.array(name, []int{len(boxes), c.Channels, c.Size, c.Size})
}

// values are the numbers of an array that is being made: bytes, or float32.
type values struct {
	bytes  []byte
	floats []float32
}

// newValues returns room for n numbers.
func newValues(n int, bytes bool) *values {
	if bytes {
		return &values{bytes: make([]byte, 0, n)}
	}
	return &values{floats: make([]float32, 0, n)}
}

// add appends numbers.
func (v *values) add(numbers []float32) {
	if v.bytes == nil {
		v.floats = append(v.floats, numbers...)
		return
	}
	for _, x := range numbers {
		v.bytes = append(v.bytes, byte(x))
	}
}

// array returns the numbers in a shape.
func (v *values) array(file string, shape []int) *Array {
	if v.bytes != nil {
		return &Array{Shape: shape, dtype: dtype{kind: 'u', size: 1}, data: v.bytes, file: file,
			start: -1}
	}
	return arrayOf(file, shape, v.floats)
}
