package dicom

import (
	"bytes"
	"encoding/binary"
	"image"
	stdjpeg "image/jpeg"

	"github.com/bagscope/bagscope/core/internal/jpegframe"
)

// A Frame is a decoded picture of a file.
type Frame struct {
	file    *File
	format  format // the format of pix
	pix     []byte // samples in little endian, pixel by pixel, colours together
	rgb     bool   // pix are red, green and blue, whatever the file states
	rescale rescale
	window  *window // nil for one that covers all values
}

// FrameBytes returns the memory that Frame and Frame.Shown take for each pixel at most.
func (f *File) FrameBytes() int64 {
	n := 2*int64(f.format.samples)*int64(f.format.bytes()) + 4
	if f.syntax.packing == jpeg {
		n += 28 // a progressive picture with its coefficients
	}
	return n
}

// Frame decodes frame i, from 0. Errors are those of [Open].
func (f *File) Frame(i int) (*Frame, error) {
	r := &Frame{file: f, format: f.format}
	var err error
	if r.rescale, err = f.rescale(i); err != nil {
		return nil, err
	}
	if r.window, err = f.window(i); err != nil {
		return nil, err
	}
	if err := r.read(i); err != nil {
		return nil, err
	}
	if !r.rgb && f.format.samples == 3 && f.format.photometric != "RGB" {
		if f.format.allocated != 8 {
			return nil, &UnsupportedError{f.name, "YBR colours of more than 8 bits", decompress}
		}
		toRGB(r.pix)
	}
	return r, nil
}

// read reads the samples of frame i.
func (r *Frame) read(i int) error {
	f := r.file
	if f.syntax.packing == native {
		return r.readNative(i)
	}
	packed, err := f.packed(i)
	if err != nil {
		return err
	}
	switch f.syntax.packing {
	case jpeg:
		return r.readJPEG(packed)
	case jpeg2000, jpegLS:
		return r.decode(packed)
	case rle:
		r.pix, err = f.unRLE(packed)
		return err
	}
	if int64(len(packed)) < f.frameBytes() {
		return bad(f.name, "a frame has %d bytes instead of %d", len(packed), f.frameBytes())
	}
	if r.pix = packed; f.format.planar {
		r.pix = f.interleave(packed)
	}
	return nil
}

// readNative reads a frame that is not compressed.
func (r *Frame) readNative(i int) error {
	f := r.file
	if f.format.allocated == 1 {
		return r.readBits(i)
	}
	n := f.frameBytes()
	at := f.pixels.at + int64(i)*n
	// Bytes in swapped words: a frame of an odd length begins within one.
	head, length := int64(0), n
	if f.format.swapped {
		head = int64(i) * n % 2
		length = head + n
		length = min(length+length%2, f.size-(at-head))
	}
	pix := make([]byte, length)
	if err := fill(f.name, f.r, pix, at-head); err != nil {
		return err
	}
	big := f.syntax.order.Uint16([]byte{0, 1}) == 1
	switch {
	case f.format.swapped:
		swapPairs(pix)
		pix = pix[head:min(head+n, length)]
	case big && f.format.allocated == 16:
		swapPairs(pix)
	case big && f.format.allocated == 32:
		for j := 0; j+3 < len(pix); j += 4 {
			binary.LittleEndian.PutUint32(pix[j:], binary.BigEndian.Uint32(pix[j:]))
		}
	}
	switch {
	case f.format.halved:
		pix = wholeWidth(pix)
	case f.format.planar:
		pix = f.interleave(pix)
	}
	r.pix = pix
	return nil
}

// swapPairs exchanges the bytes of each word of 16 bits.
func swapPairs(pix []byte) {
	for ; len(pix) > 1; pix = pix[2:] {
		pix[0], pix[1] = pix[1], pix[0]
	}
}

// readBits unpacks a frame of single bits, the lowest bit of a byte first. Frames follow each other
// without padding. In big endian the bytes are in swapped words (PS3.5, section 8.1.1).
func (r *Frame) readBits(i int) error {
	f := r.file
	n := int64(f.Width) * int64(f.Height)
	first := int64(i) * n
	from := first / 8
	from -= from % 2 // words
	held := min(f.pixels.length, f.size-f.pixels.at)
	packed := make([]byte, min((first+n+15)/16*2, held)-from)
	if err := fill(f.name, f.r, packed, f.pixels.at+from); err != nil {
		return err
	}
	swap := int64(0)
	if f.pixels.vr == "OW" && f.syntax.order.Uint16([]byte{0, 1}) == 1 {
		swap = 1
	}
	r.pix = make([]byte, n)
	for j := range r.pix {
		bit := first + int64(j) - 8*from
		at := bit / 8
		if other := at ^ swap; other < int64(len(packed)) {
			at = other
		}
		r.pix[j] = packed[at] >> (bit % 8) & 1
	}
	return nil
}

// interleave returns samples that are stored colour by colour pixel by pixel.
func (f *File) interleave(pix []byte) []byte {
	b, n := f.format.bytes(), f.Width*f.Height
	out := make([]byte, len(pix))
	for c := range f.format.samples {
		for i := range n {
			copy(out[(i*f.format.samples+c)*b:][:b], pix[(c*n+i)*b:])
		}
	}
	return out
}

// wholeWidth returns Y1 Y2 Cb Cr as Y1 Cb Cr Y2 Cb Cr.
func wholeWidth(pix []byte) []byte {
	out := make([]byte, 0, len(pix)/4*6)
	for ; len(pix) >= 4; pix = pix[4:] {
		out = append(out, pix[0], pix[2], pix[3], pix[1], pix[2], pix[3])
	}
	return out
}

// toRGB converts pixels of Y, Cb and Cr in 8 bits (PS3.3, C.7.6.3.1.2).
func toRGB(pix []byte) {
	for ; len(pix) >= 3; pix = pix[3:] {
		pix[0], pix[1], pix[2] = jpegframe.RGB(int32(pix[0]), int32(pix[1])-128, int32(pix[2])-128)
	}
}

// mostOfJPEG is the maximum number of pixels that a byte of a JPEG stream stands for: a block of 64
// pixels takes at least one bit, and a block of a subsampled component covers up to 16 blocks.
const mostOfJPEG = 8 * 64 * 16

// readJPEG decodes a frame of JPEG.
func (r *Frame) readJPEG(packed []byte) (err error) {
	f := r.file
	switch kind := jpegframe.Unread(packed); kind {
	case "":
	case jpegframe.Lossless, jpegframe.MoreBits:
		return r.decode(packed)
	default:
		return &UnsupportedError{f.name, "compression by " + kind, decompress}
	}
	if err := jpegframe.Check(packed); err != nil {
		return unreadable(f.name, err)
	}
	if f.format.samples == 3 {
		// An Adobe header states the colours; without it, the file does.
		rgb := f.format.photometric == "RGB"
		if transform, ok := jpegframe.AdobeTransform(packed); ok {
			rgb = transform == 0
		}
		if packed, err = jpegframe.Join(nil, packed, rgb); err != nil {
			return unreadable(f.name, err)
		}
	}
	c, err := stdjpeg.DecodeConfig(bytes.NewReader(packed))
	if err != nil {
		return unreadable(f.name, err)
	}
	if c.Width != f.Width || c.Height != f.Height || f.format.allocated != 8 {
		return bad(f.name, "its JPEG picture has %d x %d pixels of 8 bits, but the file states "+
			"%d x %d of %d", c.Width, c.Height, f.Width, f.Height, f.format.allocated)
	}
	if int64(c.Width)*int64(c.Height) > int64(len(packed))*mostOfJPEG {
		return bad(f.name, "a frame of %d x %d pixels cannot be in %d bytes of JPEG", c.Width,
			c.Height, len(packed))
	}
	m, err := jpegframe.Decode(bytes.NewReader(packed))
	if err != nil {
		return unreadable(f.name, err)
	}
	r.pix = make([]byte, 0, f.Width*f.Height*f.format.samples)
	switch m := m.(type) {
	case *image.Gray:
		if f.format.samples != 1 {
			break
		}
		for y := range f.Height {
			r.pix = append(r.pix, m.Pix[y*m.Stride:][:f.Width]...)
		}
		return nil
	case *image.RGBA:
		if f.format.samples != 3 {
			break
		}
		for y := range f.Height {
			for x := range f.Width {
				r.pix = append(r.pix, m.Pix[y*m.Stride+4*x:][:3]...)
			}
		}
		r.rgb = true
		return nil
	}
	return bad(f.name, "its JPEG picture has other components than the file states")
}

// unreadable returns the error for pixels that their decoder rejected.
func unreadable(name string, err error) error {
	e := bad(name, "its JPEG picture cannot be read: %v", err)
	e.Err = err
	return e
}

// Len returns the number of samples.
func (r *Frame) Len() int { return r.file.Width * r.file.Height * r.file.format.samples }

// stored returns a sample as it is stored, without unused bits.
func (r *Frame) stored(i int) int64 {
	g := r.format
	var v uint64
	switch g.allocated {
	case 16:
		v = uint64(binary.LittleEndian.Uint16(r.pix[2*i:]))
	case 32:
		v = uint64(binary.LittleEndian.Uint32(r.pix[4*i:]))
	default:
		v = uint64(r.pix[i])
	}
	unused := 64 - g.stored
	v = v >> g.shift << unused
	if g.signed {
		return int64(v) >> unused
	}
	return int64(v >> unused)
}

// value returns the rescaled value of a sample.
func (r *Frame) value(i int) float64 { return r.rescale.apply(float64(r.stored(i))) }

// Values writes the rescaled values of a picture without colours to dst, row by row: what the
// pixels stand for, such as Hounsfield units. Of colours it writes the samples, colours together.
func (r *Frame) Values(dst []float32) {
	if g := r.format; g.allocated == 16 && g.samples == 1 && r.rescale.table == nil {
		r.shortValues(dst)
		return
	}
	for i := range dst[:r.Len()] {
		if r.file.format.samples == 1 {
			dst[i] = float32(r.value(i))
		} else {
			dst[i] = float32(r.stored(i))
		}
	}
}

// shortValues is Values for samples of 16 bits without a table, those of nearly all series: it does
// for all samples at once what value does for each.
func (r *Frame) shortValues(dst []float32) {
	shift, unused := r.format.shift, 16-r.format.stored
	slope, intercept := r.rescale.slope, r.rescale.intercept
	pix := r.pix[:2*r.Len()]
	for i := range dst[:r.Len()] {
		v := binary.LittleEndian.Uint16(pix[2*i:]) >> shift << unused
		sample := float64(v >> unused)
		if r.format.signed {
			sample = float64(int16(v) >> unused)
		}
		dst[i] = float32(sample*slope + intercept)
	}
}

// Shown returns the picture as a person sees it: colours, or greys by the window of the file, and
// by all values of the frame if it states none. Of more than 8 bits the upper ones remain.
func (r *Frame) Shown() image.Image {
	f := r.file
	rect := image.Rect(0, 0, f.Width, f.Height)
	if !f.Colour {
		return r.grey(rect)
	}
	m := image.NewRGBA(rect)
	for i := range f.Width * f.Height {
		p := m.Pix[4*i:][:4]
		p[3] = 255
		if f.palette != nil {
			c := f.palette.colour(float64(r.stored(i)))
			copy(p, c[:])
			continue
		}
		for c := range 3 {
			p[c] = r.upper(3*i + c)
		}
	}
	return m
}

// upper returns the upper 8 bits of a sample.
func (r *Frame) upper(i int) byte {
	v, stored := r.stored(i), r.format.stored
	if r.format.signed {
		v += 1 << (stored - 1)
	}
	if stored < 8 {
		return byte(v * 255 / (1<<stored - 1))
	}
	return byte(v >> (stored - 8))
}

// grey returns a picture without colours under its window.
func (r *Frame) grey(rect image.Rectangle) *image.Gray {
	w := r.window
	if w == nil {
		w = r.over()
	}
	inverted := r.file.format.photometric == "MONOCHROME1"
	m := image.NewGray(rect)
	for i := range m.Pix {
		v := w.at(r.value(i))
		if inverted {
			v = 1 - v
		}
		m.Pix[i] = uint8(v*255 + 0.5)
	}
	return m
}
