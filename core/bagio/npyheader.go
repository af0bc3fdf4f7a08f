package bagio

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// npyMagic is the first six bytes of an .npy file. Two bytes with the format version follow.
const npyMagic = "\x93NUMPY"

// maxRank is the maximum number of axes of an array, NumPy's bound before version 2.
const maxRank = 32

// An npyHeader is the content of the header of an .npy file. The file is laid out as follows (NumPy
// reference, numpy.lib.format):
//
//	bytes 0 to 5     the magic number
//	bytes 6 and 7    the format version, 1.0 to 3.0
//	2 or 4 bytes     the length of the text below, little-endian; 4 bytes from version 2 on
//	text             a Python dictionary:
//	                 {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
//	values           the entries of the array without gaps
type npyHeader struct {
	dtype   dtype
	fortran bool
	shape   []int
	size    int // size of the header in bytes
}

// npyHeaderEnd returns the place behind the header of an .npy file, as the file claims, or 0.
func npyHeaderEnd(data []byte) int64 {
	switch {
	case len(data) < 12:
		return 0
	case data[6] == 1:
		return 10 + int64(binary.LittleEndian.Uint16(data[8:]))
	}
	return 12 + int64(binary.LittleEndian.Uint32(data[8:]))
}

// readNpyHeader parses the header of an .npy file of format version 1, 2 or 3, from the first bytes
// of a file of size bytes.
func readNpyHeader(file string, data []byte, size int64) (*npyHeader, error) {
	if len(data) < 10 || string(data[:6]) != npyMagic {
		return nil, bad(file, "it does not begin like an .npy file")
	}
	// Version 1 has a header of at most 64 KiB, versions 2 and 3 have four bytes for its length.
	start, length := 10, uint64(binary.LittleEndian.Uint16(data[8:]))
	switch version := data[6]; version {
	case 1:
	case 2, 3:
		if len(data) < 12 {
			return nil, bad(file, "it ends inside its header")
		}
		start, length = 12, uint64(binary.LittleEndian.Uint32(data[8:]))
	default:
		return nil, badAt(file, 6, ".npy format version %d is not supported; versions 1 to 3 are",
			version)
	}
	if length > uint64(size-int64(start)) {
		return nil, badAt(file, 8, "the header claims %d bytes and the file has %d", length,
			size-int64(start))
	}
	if length > uint64(len(data)-start) {
		return nil, badAt(file, 8, "the header has %d bytes, more than %d", length, maxNpyHeader)
	}
	end := start + int(length)
	p := headerParser{file: file, text: string(data[:end]), at: start}
	h, err := p.parse()
	h.size = end
	return h, err
}

// A headerParser parses the Python dictionary of an .npy header: three keys, each once, with a
// string, a bool and a tuple of integers as values. It supports no other Python syntax. The first
// fault is kept in err; later ones, which follow from it, are dropped, so that only loops and the
// end of parse need to check it.
type headerParser struct {
	file string
	text string
	at   int // bytes of text that are parsed
	err  error
}

// parse returns the header, without its size.
func (p *headerParser) parse() (*npyHeader, error) {
	h := &npyHeader{}
	seen := map[string]bool{}
	p.expect('{')
	for p.err == nil && p.peek() != '}' {
		key := p.quoted()
		if seen[key] {
			p.fail("the key %q occurs twice", key)
		}
		seen[key] = true
		p.expect(':')
		p.value(h, key)
		if p.peek() != '}' {
			p.expect(',')
		}
	}
	p.expect('}')
	if p.peek() != 0 {
		p.fail("there is text after the closing brace")
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			p.fail("the key %q is missing", key)
		}
	}
	return h, p.err
}

// value parses the value of a key and stores it in the header.
func (p *headerParser) value(h *npyHeader, key string) {
	switch key {
	case "descr":
		h.dtype = p.descr()
	case "fortran_order":
		h.fortran = p.truth()
	case "shape":
		h.shape = p.tuple()
	default:
		p.fail("the key %q is not known", key)
	}
}

// descr parses a NumPy type string: byte order, kind, size. The size of text of kind U is in
// characters of four bytes, all other sizes are in bytes.
func (p *headerParser) descr() dtype {
	if c := p.peek(); c == '[' || c == '(' {
		p.fail("the array holds records of several fields; save one plain array of numbers")
	}
	text := p.quoted()
	digits := strings.TrimLeft(text, "<>|=")
	if len(text)-len(digits) > 1 || digits == "" {
		p.fail("the type %q is not known", text)
		return dtype{}
	}
	if digits == "V2" { // ml_dtypes, by which JAX and others have bfloat16 in NumPy
		return bfloat16
	}
	e := dtype{kind: digits[0], big: text[0] == '>'}
	if e.kind == 'O' {
		p.fail("the array holds pickled Python objects, which can run any program, so that "+
			"bagscope never loads them; if you trust the file, numpy writes each array in it as a "+
			"bag: python3 -c \"import numpy as n; a=n.load('FILE', allow_pickle=True)%s; "+
			"n.savez('bags.npz', **{f'bag{i}': x for i, x in enumerate(a)})\"",
			msg.Text(memberOf(p.file)))
	}
	size, err := strconv.ParseUint(digits[1:], 10, 24)
	if err != nil {
		p.fail("the type %q is not known", text)
	}
	e.size = int(size)
	if e.kind == 'U' {
		e.size *= 4
	}
	if !e.known() {
		p.fail("the type %q is not supported; float16 to float64, integers of 8 to 64 bits and "+
			"bool are", text)
	}
	e.big = e.big && e.size > 1 // equal types of one byte must be equal as structs
	return e
}

// memberOf returns how Python chooses the member of an archive in an array's file name, or "".
func memberOf(file string) string {
	_, member, ok := strings.Cut(file, ".npz/")
	if !ok || strings.ContainsAny(member, "'\\") {
		return ""
	}
	return msg.Sprintf("['%s']", strings.TrimSuffix(member, ".npy"))
}

// sizes lists the supported sizes of numbers in bytes, by kind.
var sizes = map[byte][]int{'f': {2, 4, 8}, 'i': {1, 2, 4, 8}, 'u': {1, 2, 4, 8}, 'b': {1}}

// known reports whether the type is supported.
func (e dtype) known() bool {
	return slices.Contains(sizes[e.kind], e.size) || e.isText() && e.size > 0
}

// truth parses True or False.
func (p *headerParser) truth() bool {
	p.peek()
	for word, value := range map[string]bool{"True": true, "False": false} {
		if strings.HasPrefix(p.text[p.at:], word) {
			p.at += len(word)
			return value
		}
	}
	p.fail("True or False is expected")
	return false
}

// tuple parses the shape. A tuple of one dimension needs a comma: (3,).
func (p *headerParser) tuple() []int {
	shape := []int{}
	p.expect('(')
	for p.err == nil && p.peek() != ')' {
		if shape = append(shape, p.integer()); len(shape) > maxRank {
			p.fail("the array has more than %d axes", maxRank)
		}
		if p.peek() == ',' {
			p.at++
		} else if len(shape) == 1 || p.peek() != ')' {
			p.fail("a comma is expected")
		}
	}
	p.expect(')')
	return shape
}

// integer parses a dimension of the shape. Python 2 wrote some with a trailing L.
func (p *headerParser) integer() int {
	p.peek()
	word := p.text[p.at:][:digits(p.text[p.at:])]
	n, err := strconv.ParseInt(word, 10, 48)
	if err != nil || int64(int(n)) != n {
		p.fail("an array dimension is expected, an integer from 0 to 2^47")
	}
	p.at += len(word)
	if p.peek() == 'L' {
		p.at++
	}
	return int(n)
}

// quoted parses a string in single or double quotes, without escapes.
func (p *headerParser) quoted() string {
	quote := p.peek()
	if quote != '\'' && quote != '"' {
		p.fail("a string in quotes is expected")
		return ""
	}
	text, _, closed := strings.Cut(p.text[p.at+1:], string(rune(quote)))
	if !closed {
		p.fail("a string is not closed")
		return ""
	}
	p.at += len(text) + 2
	return text
}

// peek skips white space and returns the next byte, or 0 at the end.
func (p *headerParser) peek() byte {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// expect skips white space and the given byte.
func (p *headerParser) expect(c byte) {
	if p.peek() != c {
		p.fail("%q is expected", c)
		return
	}
	p.at++
}

// fail records a fault at the current place, unless there is an earlier one.
func (p *headerParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = badAt(p.file, p.at, "in the header, %s", msg.Text(msg.Sprintf(format, args...)))
	}
}
