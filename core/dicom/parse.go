package dicom

import (
	"encoding/binary"
	"io"
	"strings"
)

// What a data set may hold, so that files of many tiny elements take no more memory than pictures.
const (
	mostDepth  = 16      // sequences within sequences
	mostKept   = 1 << 20 // attributes and items that are kept
	mostValue  = 1 << 18 // bytes of a value; a table of 65536 entries of 16 bits has half of it
	mostValues = 64 << 20
)

// undefined is the length of a value that ends by a delimiter.
const undefined = 0xffffffff

// A parser reads the elements of a data set from a file, from place at on.
type parser struct {
	name     string
	r        io.ReaderAt
	at, size int64
	order    binary.ByteOrder
	implicit bool
	kept     int   // attributes and items so far
	bytes    int64 // size of their values
	buffer   []byte
	start    int64 // place of the buffer in the file
	pixels   *element
	// identifiers says that identifying attributes of the data set are kept, too
	identifiers bool
}

// An element is the head of an element, whose value begins at a place and has a length.
type element struct {
	tag    tag
	vr     string // "" in implicit VR, and of items
	at     int64
	length int64 // undefined for one that ends by a delimiter
}

// long are the value representations with a length of 32 bits (PS3.5, section 7.1.2).
const long = "OB OD OF OL OV OW SQ SV UC UN UR UT UV"

// peek returns n bytes at a place, n at most 16. They are valid until the next call.
func (p *parser) peek(at int64, n int) ([]byte, error) {
	if at < p.start || at+int64(n) > p.start+int64(len(p.buffer)) {
		if at+int64(n) > p.size {
			return nil, badAt(p.name, at, "it ends within an element: it is cut off; copy it again")
		}
		if p.buffer == nil {
			p.buffer = make([]byte, 4096)
		}
		p.buffer = p.buffer[:min(int64(cap(p.buffer)), p.size-at)]
		p.start = at
		if err := p.fill(p.buffer, at); err != nil {
			return nil, err
		}
	}
	return p.buffer[at-p.start:][:n], nil
}

// fill fills b with the bytes at a place, which must be in the file.
func (p *parser) fill(b []byte, at int64) error { return fill(p.name, p.r, b, at) }

// fill fills b with the bytes of a file at a place. A file that became shorter is a *FormatError.
func fill(name string, r io.ReaderAt, b []byte, at int64) error {
	n, err := r.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	e := badAt(name, at+int64(n), "it cannot be read (%v); open it again", err)
	e.Err = err
	return e
}

// head reads the head of an element.
func (p *parser) head() (e element, err error) {
	b, err := p.peek(p.at, 8)
	if err != nil {
		return e, err
	}
	e.tag = tag(p.order.Uint16(b))<<16 | tag(p.order.Uint16(b[2:]))
	e.at = p.at + 8
	delimiter := e.tag>>16 == 0xfffe
	// Some writers put implicit elements into explicit files.
	if p.implicit || delimiter || !isVR(b[4:6]) {
		e.length = int64(p.order.Uint32(b[4:]))
		return e, p.within(e)
	}
	e.vr = string(b[4:6])
	if !strings.Contains(long, e.vr) {
		e.length = int64(p.order.Uint16(b[6:]))
		return e, p.within(e)
	}
	if b, err = p.peek(p.at, 12); err != nil {
		return e, err
	}
	e.at = p.at + 12
	e.length = int64(p.order.Uint32(b[8:]))
	return e, p.within(e)
}

// within returns an error for an element whose value the file does not hold. Pixels are compared
// with what they must be.
func (p *parser) within(e element) error {
	if e.length == undefined || e.length <= p.size-e.at || e.tag == tagPixels {
		return nil
	}
	return badAt(p.name, p.at, "an element claims %d bytes, but %d are left: the file is cut off "+
		"or damaged; copy it again", e.length, p.size-e.at)
}

// isVR reports whether two bytes can be a value representation.
func isVR(b []byte) bool {
	return b[0] >= 'A' && b[0] <= 'Z' && b[1] >= 'A' && b[1] <= 'Z'
}

// dataset reads elements up to a place, or up to the delimiter of an item.
func (p *parser) dataset(end int64, depth int) (item, error) {
	var out item
	for p.at < end {
		e, err := p.head()
		if err != nil {
			return nil, err
		}
		p.at = e.at
		switch {
		case e.tag == tagItemEnd || e.tag == tagSequenceEnd:
			return out, nil
		case e.tag == tagPixels && depth == 0:
			p.pixels = &e
			return out, nil // what follows are signatures and padding
		case e.tag == tagFloatPixels || e.tag == tagDoublePixels:
			return nil, &UnsupportedError{p.name, "pixels in floating point", byPydicom(
				"numpy.save('FILE.npy', d.pixel_array[None])")}
		}
		if e.tag.nested() || e.length == undefined {
			a := attribute{tag: e.tag}
			if a.items, err = p.sequence(e, depth+1); err != nil {
				return nil, err
			}
			if !e.tag.nested() {
				continue
			}
			if out, err = p.keep(out, a); err != nil {
				return nil, err
			}
			continue
		}
		if e.tag.wanted() || p.identifiers && depth == 0 && identifying[e.tag] != "" {
			a := attribute{tag: e.tag, order: p.order}
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

// keep appends an attribute.
func (p *parser) keep(it item, a attribute) (item, error) {
	if p.kept++; p.kept > mostKept {
		return nil, bad(p.name, "it has more than %d attributes of frames", mostKept)
	}
	return append(it, a), nil
}

// value reads the value of an element.
func (p *parser) value(e element) ([]byte, error) {
	p.bytes += e.length
	if e.length > mostValue || p.bytes > mostValues {
		return nil, badAt(p.name, e.at, "an attribute of its pixels has %d bytes", e.length)
	}
	out := make([]byte, e.length)
	return out, p.fill(out, e.at)
}

// sequence reads the items of a sequence, and keeps those of nested ones. A value of undefined
// length that is no sequence, as of encapsulated pixels below the top, has fragments for items.
func (p *parser) sequence(e element, depth int) ([]item, error) {
	if depth > mostDepth {
		return nil, badAt(p.name, e.at, "its sequences are nested more than %d deep", mostDepth)
	}
	implicit := p.implicit
	defer func() { p.implicit = implicit }()
	if e.vr == "UN" { // PS3.5, section 6.2.2
		p.implicit = true
	}
	end := p.size
	if e.length != undefined {
		end = e.at + e.length
	}
	var items []item
	for p.at < end {
		i, err := p.head()
		if err != nil {
			return nil, err
		}
		p.at = i.at
		if i.tag == tagSequenceEnd {
			return items, nil
		}
		if i.tag != tagItem {
			return nil, badAt(p.name, p.at-8, "a sequence holds something else than items; the "+
				"file is damaged")
		}
		if i.length != undefined && !e.tag.nested() {
			p.at += i.length // not looked into: it may hold anything
			continue
		}
		to := p.size
		if i.length != undefined {
			to = min(i.at+i.length, end)
		}
		in, err := p.dataset(to, depth)
		if err != nil {
			return nil, err
		}
		if i.length != undefined {
			p.at = i.at + i.length
		}
		if !e.tag.nested() {
			continue
		}
		if p.kept++; p.kept > mostKept {
			return nil, bad(p.name, "it has more than %d attributes of frames", mostKept)
		}
		items = append(items, in)
	}
	return items, nil
}
