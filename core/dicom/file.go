package dicom

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core/quota"
)

// Options bounds what reading a file may take. Zero fields have their defaults.
type Options struct {
	Pixels int64 // pixels of one frame; default 2^26
	Bytes  int64 // bytes that a deflated file unpacks to; default 1 GiB
	// Memory reserves what a deflated file unpacks to; nil means no bound beside the others.
	Memory *quota.Memory
}

// A File is a DICOM file with pictures.
type File struct {
	Width, Height int // pixels of a frame
	Frames        int
	Colour        bool   // frames are shown as red, green and blue
	Modality      string // "CT", or "" if the file states none in capital letters
	// Series joins the files of a series. It is a UID, which identifies a patient to those who have
	// the archive: compare it, and do not show it.
	Series string
	// SeriesNumber and Instance are the numbers of the series and of the file in it; Numbered and
	// Counted say whether the file states them.
	SeriesNumber, Instance int
	Numbered, Counted      bool
	Thickness              float64 // mm of a slice, 0 if the file does not state it
	BurnedIn               bool    // the file states that its pixels show text of the patient
	Matrix                 *Matrix // the picture that frames are tiles of; nil but for whole slides
	Result                 string  // why frames are marks on other pictures, or ""

	name    string
	r       io.ReaderAt
	size    int64
	syntax  syntax
	slide   bool // the meta information states a whole slide
	pixels  element
	format  format
	palette *palette
	shared  item // functional groups of all frames, or nil
	each    []item
	top     item
	parts   []span // fragments, if frames are encapsulated
	offsets []uint32
	starts  []int // the first fragment of each frame, if there are more fragments and no offsets

	memory     *quota.Memory
	reserved   int64
	identified bool // identifying attributes are kept
}

// A format is how samples are stored.
type format struct {
	samples     int    // numbers of a pixel
	photometric string // "MONOCHROME2"
	planar      bool   // colour by colour
	allocated   int    // bits
	stored      int
	shift       int // bits below the stored ones
	signed      bool
	swapped     bool // bytes of 8 bits are stored in words of the other order
	halved      bool // uncompressed chroma of half the width
}

// bytes returns the bytes of a sample after unpacking, and of a pixel.
func (f format) bytes() int { return max(1, f.allocated/8) }

// Is reports whether data begin as a DICOM file: with the letters DICM behind 128 bytes, or
// with an element of the groups 0002 or 0008, as files without that preamble do.
func Is(head []byte) bool {
	if len(head) >= 132 && string(head[128:132]) == "DICM" {
		return true
	}
	_, ok := bare(head)
	return ok
}

// bare returns the syntax of a data set without preamble, and whether head begins as one.
func bare(head []byte) (syntax, bool) {
	if len(head) < 16 {
		return syntax{}, false
	}
	for _, uid := range []string{uidExplicit, "1.2.840.10008.1.2.2", uidImplicit} {
		s := syntaxes[uid]
		group, number := s.order.Uint16(head), s.order.Uint16(head[2:])
		if group != 2 && group != 8 || number > 0x18 {
			continue
		}
		if !s.implicit && isVR(head[4:6]) {
			return s, true
		}
		if s.implicit && group == 8 && s.order.Uint32(head[4:]) < 256 {
			return s, true
		}
	}
	return syntax{}, false
}

// Open reads the header of a file of size bytes, and no pixels. It returns a *[FormatError] for a
// file that is damaged or has no pictures, an *[UnsupportedError] for a kind that is not read, and
// a *[LimitError] or an error of o.Memory for one that is too large. The caller closes the file.
func Open(name string, r io.ReaderAt, size int64, o Options) (*File, error) {
	return open(&File{name: name, r: r, size: size}, o)
}

func open(f *File, o Options) (*File, error) {
	o.Pixels, o.Bytes = cmp.Or(o.Pixels, 1<<26), cmp.Or(o.Bytes, 1<<30)
	f.memory = o.Memory
	if err := f.open(o); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// open reads the header.
func (f *File) open(o Options) error {
	p, err := f.begin(o)
	if err != nil {
		return err
	}
	p.identifiers = f.identified
	if f.top, err = p.dataset(p.size, 0); err != nil {
		return err
	}
	f.r, f.size = p.r, p.size
	return f.read(p, o)
}

// begin reads the meta information of a file, and returns the parser of its data set.
func (f *File) begin(o Options) (*parser, error) {
	head := make([]byte, min(f.size, 132))
	if err := fill(f.name, f.r, head, 0); err != nil {
		return nil, err
	}
	p := &parser{name: f.name, r: f.r, size: f.size}
	if len(head) == 132 && string(head[128:]) == "DICM" {
		p.at = 132
	} else if _, ok := bare(head); !ok {
		return nil, bad(f.name, "it does not begin as a DICOM file")
	}
	meta, err := p.meta()
	if err != nil {
		return nil, err
	}
	uid := meta.text(tagSyntax)
	f.slide = strings.HasPrefix(meta.text(tagMediaClass), uidSlide)
	if uid == "" { // the first element shows it
		b, err := p.peek(p.at, int(min(16, p.size-p.at)))
		if err != nil {
			return nil, err
		}
		s, ok := bare(b)
		if !ok {
			return nil, bad(f.name, "it states no transfer syntax, and its first element does not "+
				"show it")
		}
		f.syntax = s
	} else if f.syntax, err = syntaxOf(f.name, uid); err != nil {
		return nil, err
	}
	p.order, p.implicit, p.buffer, p.start = f.syntax.order, f.syntax.implicit, nil, 0
	if f.syntax.deflated {
		return f.inflated(p, o)
	}
	return p, nil
}

// read sets the fields of the file from its attributes.
func (f *File) read(p *parser, o Options) error {
	top := f.top
	if top.text(tagClass) == uidDirectory {
		return without(f.name, "it is a DICOMDIR, a list of files; open the folder that holds them")
	}
	f.Modality = capitals(top.text(tagModality))
	f.Result = resultOf(top.text(tagClass))
	if p.pixels == nil {
		return without(f.name, cmp.Or(f.Result, "it holds no pictures"))
	}
	if slide := strings.HasPrefix(top.text(tagClass), uidSlide); slide != f.slide {
		return bad(f.name, "only a part of it states that it is of a whole slide; write it again "+
			"by the program that made it")
	}
	f.pixels = *p.pixels
	f.Series = top.text(tagSeries)
	f.SeriesNumber, f.Numbered = top.whole(tagSeriesNumber)
	f.Instance, f.Counted = top.whole(tagInstance)
	f.Thickness, _ = top.number(tagThickness)
	f.BurnedIn = top.text(tagBurnedIn) == "YES"
	f.shared = top.first(tagShared)
	if a := top.find(tagPerFrame); a != nil {
		f.each = a.items
	}
	if err := f.readFormat(o); err != nil {
		return err
	}
	if f.slide {
		if err := f.readMatrix(); err != nil {
			return err
		}
	}
	if f.format.photometric == "PALETTE COLOR" {
		var err error
		if f.palette, err = readPalette(f.name, top); err != nil {
			return err
		}
	}
	if f.syntax.packing == native {
		return f.checkNative()
	}
	return f.readFragments(p)
}

// without returns the error for a file without pictures.
func without(name, reason string) error {
	return &FormatError{File: name, Reason: reason, Err: ErrNoPictures}
}

// Close releases the memory that the file reserved.
func (f *File) Close() {
	f.memory.Release(f.reserved)
	f.reserved = 0
}

// capitals returns a code of at most 16 capital letters, or "".
func capitals(text string) string {
	other := func(c rune) bool { return c < 'A' || c > 'Z' }
	if len(text) > 16 || strings.ContainsFunc(text, other) {
		return ""
	}
	return text
}

// photometrics are the kinds of pixels that are read, with their samples.
var photometrics = map[string]int{"MONOCHROME1": 1, "MONOCHROME2": 1, "PALETTE COLOR": 1, "RGB": 3,
	"YBR_FULL": 3, "YBR_FULL_422": 3, "YBR_ICT": 3, "YBR_RCT": 3}

// ofJPEG2000 reports whether colours are transformed as only streams of JPEG 2000 do.
func ofJPEG2000(photometric string) bool {
	return photometric == "YBR_ICT" || photometric == "YBR_RCT"
}

// readFormat sets the size and the format of frames.
func (f *File) readFormat(o Options) error {
	var g format
	short := func(t tag, usual int) int {
		if v, ok := f.top.short(t); ok {
			return v
		}
		return usual
	}
	f.Width, f.Height = short(tagColumns, 0), short(tagRows, 0)
	g.samples = short(tagSamples, 1)
	g.photometric = f.top.text(tagPhotometric)
	g.planar = short(tagPlanar, 0) == 1 && g.samples > 1
	g.allocated = short(tagAllocated, 0)
	g.stored = short(tagStored, g.allocated)
	g.shift = short(tagHighBit, g.stored-1) + 1 - g.stored
	g.signed = short(tagSigned, 0) == 1
	frames, stated := f.top.whole(tagFrames)
	f.Frames = max(1, frames)
	samples, known := photometrics[g.photometric]
	switch {
	case f.Width < 1 || f.Height < 1:
		return bad(f.name, "its pictures have %d x %d pixels", f.Width, f.Height)
	case !stated && f.top.text(tagFrames) != "":
		return bad(f.name, "its number of frames is not a whole number")
	case !known || ofJPEG2000(g.photometric) && f.syntax.packing != jpeg2000:
		return &UnsupportedError{f.name, "the photometric interpretation " +
			orNone(g.photometric), decompress}
	case samples != g.samples:
		return bad(f.name, "it has %d samples of a pixel, but %s has %d", g.samples, g.photometric,
			samples)
	case !slices.Contains([]int{1, 8, 16, 32}, g.allocated):
		return &UnsupportedError{f.name, "samples of an unusual number of bits", decompress}
	case g.stored < 1 || g.stored > g.allocated || g.shift < 0 || g.shift+g.stored > g.allocated:
		return bad(f.name, "it states %d bits of which %d are stored up to bit %d", g.allocated,
			g.stored, g.shift+g.stored-1)
	case g.allocated == 1 && (g.samples > 1 || f.syntax.packing != native):
		return &UnsupportedError{f.name, "packed bits in colours or in fragments", decompress}
	case int64(f.Width)*int64(f.Height) > o.Pixels:
		return &LimitError{f.name, sizeText(f.Width, f.Height), "pixels", o.Pixels}
	}
	g.swapped = f.pixels.vr == "OW" && g.allocated == 8 && f.syntax.order.Uint16([]byte{0, 1}) == 1
	f.Colour = g.samples == 3 || g.photometric == "PALETTE COLOR"
	f.format = g
	return nil
}

// frameBytes returns the bytes of a frame without compression. A packed bit counts as a byte.
func (f *File) frameBytes() int64 {
	n := int64(f.Width) * int64(f.Height) * int64(f.format.samples) * int64(f.format.bytes())
	if f.format.halved {
		n = n / 3 * 2
	}
	return n
}

// checkNative returns an error unless the file holds the bytes of all frames.
func (f *File) checkNative() error {
	if f.pixels.length == undefined {
		return badAt(f.name, f.pixels.at, "its pixels are in fragments, which its transfer syntax "+
			"does not have")
	}
	most := int64(math.MaxInt64) / int64(f.Frames)
	if f.frameBytes() > most {
		return bad(f.name, "it claims %d frames", f.Frames)
	}
	need := func() int64 {
		if f.format.allocated == 1 {
			return (int64(f.Width)*int64(f.Height)*int64(f.Frames) + 7) / 8
		}
		return f.frameBytes() * int64(f.Frames)
	}
	held := min(f.pixels.length, f.size-f.pixels.at)
	if f.format.photometric == "YBR_FULL_422" && f.format.allocated == 8 && f.Width%2 == 0 {
		f.format.halved = held < need()
	}
	if held < need() {
		return badAt(f.name, f.pixels.at, "its pixels have %d bytes, but %d frames of %d x "+
			"%d pixels have %d: the file is cut off or damaged; copy it again", held, f.Frames,
			f.Width, f.Height, need())
	}
	return nil
}
