package mat

import (
	"bytes"

	"github.com/klauspost/compress/zlib"

	"github.com/bagscope/bagscope/internal/msg"
)

// Types of data elements (table 1-1 of the format).
const (
	miInt8       = 1
	miUint8      = 2
	miInt16      = 3
	miUint16     = 4
	miInt32      = 5
	miUint32     = 6
	miSingle     = 7
	miDouble     = 9
	miInt64      = 12
	miUint64     = 13
	miMatrix     = 14
	miCompressed = 15
	miUTF8       = 16
	miUTF16      = 17
	miUTF32      = 18
)

// sizes holds the bytes of a number of each type, 0 for types of no numbers.
var sizes = [...]int{miInt8: 1, miUint8: 1, miInt16: 2, miUint16: 2, miInt32: 4, miUint32: 4,
	miSingle: 4, miDouble: 8, miInt64: 8, miUint64: 8, miUTF8: 1, miUTF16: 2, miUTF32: 4}

// An element is a tagged list of bytes.
type element struct {
	kind int
	data []byte
	at   int64 // the place at which data begin
}

// numbers returns how many numbers an element has, or -1 for one without numbers.
func (e element) numbers() int {
	if e.kind >= len(sizes) || sizes[e.kind] == 0 {
		return -1
	}
	return len(e.data) / sizes[e.kind]
}

// A reader reads elements one after another.
type reader struct {
	f   *file
	b   []byte
	at  int64 // the place at which b begins
	pos int
}

func (r *reader) left() int { return len(r.b) - r.pos }

func (r *reader) fail(format string, args ...any) error {
	return &FormatError{r.at + int64(r.pos), msg.Sprintf(format, args...)}
}

// element reads an element. Those of at most four bytes lie in their tag; others are padded to
// eight bytes, but for packed ones.
func (r *reader) element() (element, error) {
	if r.left() < 8 {
		return element{}, r.fail("an element is cut off")
	}
	tag := r.f.order.Uint32(r.b[r.pos:])
	if n := int(tag >> 16); n > 0 {
		if n > 4 {
			return element{}, r.fail("a small element has %d bytes", n)
		}
		from := r.pos + 4
		r.pos += 8
		return element{int(tag & 0xffff), r.b[from : from+n : from+n], r.at + int64(from)}, nil
	}
	n := int64(r.f.order.Uint32(r.b[r.pos+4:]))
	from := r.pos + 8
	if n > int64(len(r.b)-from) {
		return element{}, r.fail("an element has %d bytes, and %d follow", n, len(r.b)-from)
	}
	r.pos = from + int(n)
	if tag != miCompressed {
		r.pos = min(len(r.b), (r.pos-from+7)&^7+from)
	}
	return element{int(tag), r.b[from : from+int(n) : from+int(n)], r.at + int64(from)}, nil
}

// of reads an element that must have one of some types.
func (r *reader) of(what string, kinds ...int) (element, error) {
	e, err := r.element()
	if err != nil {
		return e, err
	}
	for _, kind := range kinds {
		if e.kind == kind {
			return e, nil
		}
	}
	return e, r.fail("%s has the type %d", what, e.kind)
}

// unpack unpacks a packed element.
func (f *file) unpack(e element) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(e.data))
	if err != nil {
		return nil, &FormatError{e.at, msg.Sprintf("a packed variable does not begin as such: %v",
			err)}
	}
	return f.limits.Unpack(z)
}
