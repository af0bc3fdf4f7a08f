package dicom

import (
	"bytes"
	"encoding/binary"
	"image"
	stdjpeg "image/jpeg"

	"github.com/klauspost/compress/flate"
)

// A file of tests is written element by element.
type written struct {
	bytes.Buffer
	order    binary.AppendByteOrder
	implicit bool
}

// add writes an element. Values have an even length.
func (w *written) add(t tag, vr string, value []byte) {
	if len(value)%2 == 1 {
		value = append(value, ' ')
	}
	w.head(t, vr, uint32(len(value)))
	w.Write(value)
}

// head writes the head of an element.
func (w *written) head(t tag, vr string, length uint32) {
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

func (w *written) text(t tag, vr, value string) { w.add(t, vr, []byte(value)) }

func (w *written) short(t tag, v int) { w.add(t, "US", w.order.AppendUint16(nil, uint16(v))) }

// picture are the attributes of pixels of a file of tests.
type picture struct {
	uid, photometric                      string
	width, height, frames, samples        int
	planar, allocated, stored, high, sign int
	pixels                                []byte
	more                                  func(w *written) // attributes between, in any order
}

// file returns a DICOM file of a picture.
func (p picture) file() []byte {
	meta := &written{order: binary.LittleEndian}
	meta.Write(append(make([]byte, 128), "DICM"...))
	meta.text(tagSyntax, "UI", p.uid)
	s := syntaxes[p.uid]
	w := &written{order: binary.LittleEndian, implicit: s.implicit}
	if s.order == binary.BigEndian {
		w.order = binary.BigEndian
	}
	w.text(tagModality, "CS", "CT")
	w.short(tagSamples, p.samples)
	w.text(tagPhotometric, "CS", p.photometric)
	w.short(tagPlanar, p.planar)
	if p.frames > 1 {
		w.text(tagFrames, "IS", string(rune('0'+p.frames)))
	}
	w.short(tagRows, p.height)
	w.short(tagColumns, p.width)
	w.short(tagAllocated, p.allocated)
	w.short(tagStored, p.stored)
	w.short(tagHighBit, p.high)
	w.short(tagSigned, p.sign)
	if p.more != nil {
		p.more(w)
	}
	if s.packing == native {
		w.add(tagPixels, "OW", p.pixels)
	} else {
		w.head(tagPixels, "OB", undefined)
		w.head(tagItem, "", 0)
		w.add(tagItem, "", p.pixels)
		w.head(tagSequenceEnd, "", 0)
	}
	if !s.deflated {
		return append(meta.Bytes(), w.Bytes()...)
	}
	packer, _ := flate.NewWriter(meta, 9)
	packer.Write(w.Bytes())
	packer.Close()
	return meta.Bytes()
}

// grey returns a picture of 4 x 3 pixels of 16 bits, of which 12 are stored.
func grey(uid string) picture {
	p := picture{uid: uid, photometric: "MONOCHROME2", width: 4, height: 3, samples: 1,
		allocated: 16, stored: 12, high: 11}
	for i := range 12 {
		p.pixels = append(p.pixels, byte(20*i), byte(i))
	}
	return p
}

// samples returns a small file of each kind.
func samples() [][]byte {
	var out [][]byte
	for _, uid := range []string{uidImplicit, uidExplicit, uidExplicit + ".99",
		"1.2.840.10008.1.2.2"} {
		out = append(out, grey(uid).file())
	}
	packed := grey("1.2.840.10008.1.2.5")
	packed.pixels = binary.LittleEndian.AppendUint32(nil, 2)
	for _, at := range []uint32{64, 66} {
		packed.pixels = binary.LittleEndian.AppendUint32(packed.pixels, at)
	}
	packed.pixels = append(packed.pixels, make([]byte, 64-len(packed.pixels))...)
	packed.pixels = append(packed.pixels, 245, 1, 5, 1, 2, 3, 4, 5, 6, 251, 7)
	var b bytes.Buffer
	stdjpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 3)), nil)
	photo := grey("1.2.840.10008.1.2.4.50")
	photo.allocated, photo.stored, photo.high, photo.pixels = 8, 8, 7, b.Bytes()
	enhanced := grey(uidExplicit)
	enhanced.more = frameGroups
	return append(out, packed.file(), photo.file(), enhanced.file())
}

// frameGroups writes functional groups of one frame: its place, and how its values are rescaled.
func frameGroups(w *written) {
	w.head(tagPerFrame, "SQ", undefined)
	w.head(tagItem, "", undefined)
	for t, values := range map[tag]map[tag]string{
		tagPlanePosition:  {tagPosition: `1\2\3`},
		tagPlaneOrient:    {tagOrientation: `1\0\0\0\1\0`},
		tagTransformation: {tagSlope: "2", tagIntercept: "-1024"},
	} {
		w.head(t, "SQ", undefined)
		w.head(tagItem, "", undefined)
		for t, v := range values {
			w.text(t, "DS", v)
		}
		w.head(tagItemEnd, "", 0)
		w.head(tagSequenceEnd, "", 0)
	}
	w.head(tagItemEnd, "", 0)
	w.head(tagSequenceEnd, "", 0)
}
