package bagio

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// An Array is an array of numbers or strings in the data type of its file. Bag converts numbers to
// float32.
type Array struct {
	Shape []int // no dimension is negative

	dtype dtype
	data  []byte // row-major, in the file's byte order
	file  string
	start int // bytes of the file before the values; -1 if the values were reordered or converted
	// the values were of a type of two bytes without a name, and are taken for bfloat16
	unnamed bool
	// instance writes one instance, if data is nil because values are read when a bag is
	instance func(i int, dst []float32) error
}

// A dtype is the type of an array's entries.
type dtype struct {
	kind byte // f i u b, or U S for text
	size int  // size of an entry in bytes
	big  bool // big-endian
}

// String returns the kind and the size, such as f4, as in a NumPy type string without byte order.
func (e dtype) String() string {
	return fmt.Sprintf("%c%d", e.kind, e.size)
}

// isText reports whether entries are strings, of four bytes for each character (U) or of bytes (S).
func (e dtype) isText() bool { return e.kind == 'U' || e.kind == 'S' }

// newArray returns an array of the values that follow the first start bytes of a file. It returns a
// *LimitError for too many elements, and a *FormatError if their number does not match the shape.
// Both are checked before the values are read.
func newArray(s *source, shape []int, e dtype, start int, l Limits) (*Array, error) {
	n, err := l.elements(s.name, shape)
	if err != nil {
		return nil, err
	}
	follow := s.size - int64(start)
	if int64(n) != follow/int64(e.size) || follow%int64(e.size) != 0 {
		return nil, badAt(s.name, start,
			"an array of shape %s and type %v takes %d bytes, and %d follow the header",
			shapeText(shape), e, int64(n)*int64(e.size), follow)
	}
	values, err := s.take(int64(start), follow, l)
	if err != nil {
		return nil, err
	}
	return &Array{Shape: shape, dtype: e, data: values, file: s.name, start: start}, nil
}

// Len returns the length of the first axis.
func (a *Array) Len() int {
	if len(a.Shape) == 0 {
		return 0
	}
	return a.Shape[0]
}

// Raw reports whether the entries are unsigned bytes, which are pixels.
func (a *Array) Raw() bool { return a.dtype.kind == 'u' && a.dtype.size == 1 }

// Bag returns a bag of the instances with the given indices along the first axis, in that order. It
// panics if an index is out of range, as indexing a slice does. It returns a *FormatError for a
// value that is NaN, infinite or too large for a float32.
func (a *Array) Bag(name string, instances []int) (*core.Bag, error) {
	if len(a.Shape) < 2 {
		return nil, bad(a.file, "it holds an array of shape %s; a bag needs an axis of instances "+
			"and at least one of values", shapeText(a.Shape))
	}
	if err := a.numbers(); err != nil {
		return nil, err
	}
	b := &core.Bag{Name: name, Shape: slices.Clone(a.Shape[1:]), Raw: a.Raw()}
	// Only the chosen instances are converted, because a data set may be far larger than a bag.
	s := b.Stride()
	b.Values = make([]float32, len(instances)*s)
	for n, i := range instances {
		if at := a.floats(b.Values[n*s:(n+1)*s], i*s); at >= 0 {
			return nil, a.nonFinite(at,
				msg.Sprintf("%s of instance %d", featureText(b.Shape, at-i*s), i))
		}
	}
	if err := b.Validate(); err != nil {
		return nil, err
	}
	return b, nil
}

// Ints returns all entries as integers, row-major. It returns a *FormatError for an entry that is
// not an integer.
func (a *Array) Ints() ([]int, error) {
	if a.dtype.isText() {
		return nil, bad(a.file, "it holds text (%v); integers are expected", a.dtype)
	}
	get, size := a.dtype.integer(), a.dtype.size
	out := make([]int, len(a.data)/size)
	for i := range out {
		var ok bool
		if out[i], ok = get(a.data[i*size:]); ok {
			continue
		}
		fault := "too large for a signed integer"
		if a.dtype.kind == 'f' {
			fault = msg.Sprintf("%v, not an integer", a.dtype.float()(a.data[i*size:]))
		}
		return nil, badAt(a.file, a.offset(i), "entry %d is %s", i, fault)
	}
	return out, nil
}

// numbers returns a *FormatError for an array of strings.
func (a *Array) numbers() error {
	if a.dtype.isText() {
		return bad(a.file, "it holds text (%v); numbers are expected", a.dtype)
	}
	return nil
}

// floats writes len(dst) entries of an array of numbers to dst as float32, starting at entry from.
// It returns the first entry that is not a finite float32, or -1. Pixels and float32, the most
// frequent types, have their own loops, because a call for each entry takes several times as long.
func (a *Array) floats(dst []float32, from int) int {
	size := a.dtype.size
	src := a.data[from*size : (from+len(dst))*size]
	switch {
	case a.Raw():
		for i, v := range src {
			dst[i] = float32(v)
		}
		return -1
	case a.dtype == dtype{kind: 'f', size: 4}:
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
		}
	default:
		get := a.dtype.float()
		for i := range dst {
			dst[i] = float32(get(src[i*size:]))
		}
	}
	return firstNonFinite(dst, from)
}

// firstNonFinite returns the entry of the first NaN or infinity in values, which start at entry
// from, or -1. Models would turn such a value into NaN scores of the whole bag, without its place.
func firstNonFinite(values []float32, from int) int {
	for i, v := range values {
		if v-v != 0 { // NaN or an infinity
			return from + i
		}
	}
	return -1
}

// nonFinite returns the error for an entry that is not a finite float32, whose place is given in
// words. The message distinguishes numbers that are finite in the file but too large for a float32.
func (a *Array) nonFinite(entry int, place string) error {
	v := a.dtype.float()(a.data[entry*a.dtype.size:])
	what := "all values must be finite: replace it, or remove the instance"
	if v-v == 0 {
		what = "it is too large for a 32-bit number: scale the values, or remove the instance"
	}
	return bad(a.file, "%s, counted from 0, is %v; %s", place, v, what)
}

// offset returns the place of entry i in the file for error messages, or 0 if the entries are no
// longer in the order of the file.
func (a *Array) offset(i int) int {
	if a.start < 0 {
		return 0
	}
	return a.start + i*a.dtype.size
}

// words returns all entries of an array of strings, without the zeros that pad them. It returns a
// *FormatError for an entry that is not valid UTF-8 or Unicode.
func (a *Array) words() ([]string, error) {
	if !a.dtype.isText() {
		return nil, bad(a.file, "it holds numbers (%v); text is expected", a.dtype)
	}
	size := a.dtype.size
	out := make([]string, product(a.Shape))
	for i := range out {
		entry := a.data[i*size : (i+1)*size]
		word, ok := string(entry), utf8.Valid(entry)
		if a.dtype.kind == 'U' {
			word, ok = ucs4(entry, a.dtype.order())
		}
		if !ok {
			return nil, badAt(a.file, a.offset(i), "entry %d is not valid text", i)
		}
		out[i] = strings.TrimRight(word, "\x00") // NumPy pads strings with zeros
	}
	return out, nil
}

// ucs4 decodes text of four bytes for each character and reports whether it is valid Unicode.
func ucs4(entry []byte, order binary.ByteOrder) (string, bool) {
	runes := make([]rune, len(entry)/4)
	for i := range runes {
		c := order.Uint32(entry[4*i:])
		if c > utf8.MaxRune || !utf8.ValidRune(rune(c)) {
			return "", false
		}
		runes[i] = rune(c)
	}
	return string(runes), true
}
