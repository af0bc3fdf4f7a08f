package dicom

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
)

// meta reads the elements of group 0002, which are in explicit VR, little endian, and returns those
// that are wanted.
func (p *parser) meta() (out item, err error) {
	p.order = binary.LittleEndian
	for p.at < p.size-8 {
		b, err := p.peek(p.at, 8)
		if err != nil {
			return nil, err
		}
		if binary.LittleEndian.Uint16(b) != 2 {
			break
		}
		e, err := p.head()
		if err != nil {
			return nil, err
		}
		if e.length == undefined {
			return nil, badAt(p.name, p.at, "its meta information is damaged")
		}
		if e.tag.wanted() {
			a := attribute{tag: e.tag}
			if a.bytes, err = p.value(e); err != nil {
				return nil, err
			}
			if out, err = p.keep(out, a); err != nil {
				return nil, err
			}
		}
		p.at = e.at + e.length
	}
	return out, nil
}

// inflated returns the parser of the data set that a deflated file unpacks to.
func (f *File) inflated(p *parser, o Options) (*parser, error) {
	r := flate.NewReader(io.NewSectionReader(p.r, p.at, p.size-p.at))
	data, err := o.Memory.ReadAll(io.LimitReader(r, o.Bytes+1), 0, "reading "+p.name)
	switch {
	case int64(len(data)) > o.Bytes:
		o.Memory.Release(int64(cap(data)))
		return nil, &LimitError{p.name, "it unpacks to too many bytes", "bytes", o.Bytes}
	case err != nil && o.Memory == nil, err == io.ErrUnexpectedEOF:
		e := bad(p.name, "it cannot be unpacked: %v", err)
		e.Err = err
		return nil, e
	case err != nil:
		return nil, err
	}
	f.reserved = int64(cap(data))
	return &parser{name: p.name, r: bytes.NewReader(data), size: int64(len(data)), order: p.order,
		implicit: p.implicit}, nil
}

// sizeText returns the size of a frame for messages.
func sizeText(width, height int) string {
	return fmt.Sprintf("a frame has %d x %d pixels", width, height)
}

// orNone returns a word of a file for messages, or "none".
func orNone(word string) string {
	if word == "" || len(word) > 16 {
		return "none"
	}
	return word
}
