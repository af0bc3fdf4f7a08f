// Package dicomtest writes DICOM files for tests. It does not import package dicom.
package dicomtest

import (
	"bytes"
	"encoding/binary"
	"image"
	stdjpeg "image/jpeg"
	"strconv"

	"github.com/klauspost/compress/flate"
)

// A Tag is the group and the element of an attribute.
type Tag uint32

// Attributes that the tests write.
const (
	MediaClass     Tag = 0x0002_0002
	Syntax         Tag = 0x0002_0010
	Class          Tag = 0x0008_0016
	Modality       Tag = 0x0008_0060
	Position       Tag = 0x0020_0032
	Orientation    Tag = 0x0020_0037
	PlanePosition  Tag = 0x0020_9113
	PlaneOrient    Tag = 0x0020_9116
	SamplesOfPixel Tag = 0x0028_0002
	Photometric    Tag = 0x0028_0004
	Planar         Tag = 0x0028_0006
	Frames         Tag = 0x0028_0008
	Rows           Tag = 0x0028_0010
	Columns        Tag = 0x0028_0011
	Allocated      Tag = 0x0028_0100
	Stored         Tag = 0x0028_0101
	HighBit        Tag = 0x0028_0102
	Signed         Tag = 0x0028_0103
	Intercept      Tag = 0x0028_1052
	Slope          Tag = 0x0028_1053
	Transformation Tag = 0x0028_9145
	PerFrame       Tag = 0x5200_9230
	Pixels         Tag = 0x7fe0_0010
	Item           Tag = 0xfffe_e000
	ItemEnd        Tag = 0xfffe_e00d
	SequenceEnd    Tag = 0xfffe_e0dd
)

// Attributes of a series.
const (
	Series       Tag = 0x0020_000e
	SeriesNumber Tag = 0x0020_0011
	Instance     Tag = 0x0020_0013
	BurnedIn     Tag = 0x0028_0301
)

// UIDs of transfer syntaxes.
const (
	Implicit  = "1.2.840.10008.1.2"
	Explicit  = "1.2.840.10008.1.2.1"
	Parts     = "1.2.840.10008.1.2.1.98"
	Deflated  = "1.2.840.10008.1.2.1.99"
	BigEndian = "1.2.840.10008.1.2.2"
	JPEG      = "1.2.840.10008.1.2.4.50"
	Extended  = "1.2.840.10008.1.2.4.51"
	Lossless  = "1.2.840.10008.1.2.4.70"
	JPEGLS    = "1.2.840.10008.1.2.4.80"
	JPEG2000  = "1.2.840.10008.1.2.4.90"
	HTJ2K     = "1.2.840.10008.1.2.4.201"
	RLE       = "1.2.840.10008.1.2.5"
)

// undefined is the length of a value that ends by a delimiter.
const undefined = 0xffffffff

// long are the value representations with a length of 32 bits.
const long = "OB OD OF OL OV OW SQ SV UC UN UR UT UV"

// A Writer writes a file element by element.
type Writer struct {
	bytes.Buffer
	order    binary.AppendByteOrder
	implicit bool
}

// Add writes an element. Values have an even length.
func (w *Writer) Add(t Tag, vr string, value []byte) {
	if len(value)%2 == 1 {
		value = append(value, ' ')
	}
	w.Head(t, vr, uint32(len(value)))
	w.Write(value)
}

// Head writes the head of an element.
func (w *Writer) Head(t Tag, vr string, length uint32) {
	b := w.order.AppendUint16(w.order.AppendUint16(nil, uint16(t>>16)), uint16(t))
	switch {
	case w.implicit || vr == "":
		b = w.order.AppendUint32(b, length)
	case bytes.Contains([]byte(long), []byte(vr)):
		b = w.order.AppendUint32(append(append(b, vr...), 0, 0), length)
	default:
		b = w.order.AppendUint16(append(b, vr...), uint16(length))
	}
	w.Write(b)
}

// Text writes an element of text.
func (w *Writer) Text(t Tag, vr, value string) { w.Add(t, vr, []byte(value)) }

// Short writes an element of a 16-bit number.
func (w *Writer) Short(t Tag, v int) { w.Add(t, "US", w.order.AppendUint16(nil, uint16(v))) }

// A Picture holds the attributes of pixels of a file of tests.
type Picture struct {
	UID, Photometric                        string
	Width, Height, Frames, Samples          int
	Planar, Allocated, Stored, High, Signed int
	Pixels                                  []byte
	Fragments                               [][]byte        // instead of Pixels, even ones
	Table                                   []byte          // the table of frames in Fragments
	Class                                   string          // "" for none
	More                                    func(w *Writer) // writes further attributes
}

// File returns a DICOM file of a picture.
func (p Picture) File() []byte {
	meta := &Writer{order: binary.LittleEndian}
	meta.Write(append(make([]byte, 128), "DICM"...))
	if p.Class != "" {
		meta.Text(MediaClass, "UI", p.Class)
	}
	meta.Text(Syntax, "UI", p.UID)
	w := &Writer{order: binary.LittleEndian, implicit: p.UID == Implicit}
	if p.UID == BigEndian {
		w.order = binary.BigEndian
	}
	if p.Class != "" {
		w.Text(Class, "UI", p.Class)
	}
	w.Text(Modality, "CS", "CT")
	w.Short(SamplesOfPixel, p.Samples)
	w.Text(Photometric, "CS", p.Photometric)
	w.Short(Planar, p.Planar)
	if p.Frames > 1 {
		w.Text(Frames, "IS", strconv.Itoa(p.Frames))
	}
	w.Short(Rows, p.Height)
	w.Short(Columns, p.Width)
	w.Short(Allocated, p.Allocated)
	w.Short(Stored, p.Stored)
	w.Short(HighBit, p.High)
	w.Short(Signed, p.Signed)
	if p.More != nil {
		p.More(w)
	}
	if p.UID == Implicit || p.UID == Explicit || p.UID == Deflated || p.UID == BigEndian {
		w.Add(Pixels, "OW", p.Pixels)
	} else {
		w.Head(Pixels, "OB", undefined)
		w.Add(Item, "", p.Table)
		if p.Fragments == nil {
			p.Fragments = [][]byte{p.Pixels}
		}
		for _, f := range p.Fragments {
			w.Add(Item, "", f)
		}
		w.Head(SequenceEnd, "", 0)
	}
	if p.UID != Deflated {
		return append(meta.Bytes(), w.Bytes()...)
	}
	packer, _ := flate.NewWriter(meta, 9)
	packer.Write(w.Bytes())
	packer.Close()
	return meta.Bytes()
}

// Grey returns a picture of 4 x 3 pixels of 16 bits, of which 12 are stored.
func Grey(uid string) Picture {
	p := Picture{UID: uid, Photometric: "MONOCHROME2", Width: 4, Height: 3, Samples: 1,
		Allocated: 16, Stored: 12, High: 11}
	for i := range 12 {
		p.Pixels = append(p.Pixels, byte(20*i), byte(i))
	}
	return p
}

// Samples returns a small file of each kind.
func Samples() [][]byte {
	var out [][]byte
	for _, uid := range []string{Implicit, Explicit, Deflated, BigEndian} {
		out = append(out, Grey(uid).File())
	}
	packed := Grey(RLE)
	packed.Pixels = binary.LittleEndian.AppendUint32(nil, 2)
	for _, at := range []uint32{64, 66} {
		packed.Pixels = binary.LittleEndian.AppendUint32(packed.Pixels, at)
	}
	packed.Pixels = append(packed.Pixels, make([]byte, 64-len(packed.Pixels))...)
	packed.Pixels = append(packed.Pixels, 245, 1, 5, 1, 2, 3, 4, 5, 6, 251, 7)
	var b bytes.Buffer
	stdjpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 3)), nil)
	photo := Grey(JPEG)
	photo.Allocated, photo.Stored, photo.High, photo.Pixels = 8, 8, 7, b.Bytes()
	enhanced := Grey(Explicit)
	enhanced.More = FrameGroups
	bits, colours, palette := Grey(Explicit), Grey(BigEndian), Grey(Explicit)
	bits.Allocated, bits.Stored, bits.High = 1, 1, 0
	colours.Photometric, colours.Samples, colours.Planar, colours.Height = "RGB", 3, 1, 2
	colours.Allocated, colours.Stored, colours.High = 8, 8, 7
	palette.Photometric = "PALETTE COLOR"
	palette.More = func(w *Writer) {
		for c := range Tag(3) {
			w.Add(0x0028_1101+c, "US", []byte{2, 0, 0, 0, 16, 0})
			w.Add(0x0028_1201+c, "OW", []byte{1, 2, 3, 4})
		}
	}
	tiles := SlideFile{Kind: "VOLUME", Picture: image.NewRGBA(image.Rect(0, 0, 4, 4)),
		Tile: image.Pt(2, 2), Spacing: `0.1\0.1`}
	sparse := tiles
	sparse.Places = []image.Point{{X: 2}}
	return append(out, packed.File(), photo.File(), enhanced.File(), bits.File(), colours.File(),
		palette.File(), tiles.File(), sparse.File())
}

// FrameGroups writes functional groups of one frame: its place, and how its values are rescaled.
func FrameGroups(w *Writer) {
	w.Head(PerFrame, "SQ", undefined)
	w.Head(Item, "", undefined)
	for t, values := range map[Tag]map[Tag]string{
		PlanePosition:  {Position: `1\2\3`},
		PlaneOrient:    {Orientation: `1\0\0\0\1\0`},
		Transformation: {Slope: "2", Intercept: "-1024"},
	} {
		w.Head(t, "SQ", undefined)
		w.Head(Item, "", undefined)
		for t, v := range values {
			w.Text(t, "DS", v)
		}
		w.Head(ItemEnd, "", 0)
		w.Head(SequenceEnd, "", 0)
	}
	w.Head(ItemEnd, "", 0)
	w.Head(SequenceEnd, "", 0)
}
