package bagio

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

const npyMagic = "\x93NUMPY"

// maxRank is the maximum number of axes of an array, NumPy's bound before version 2.
const maxRank = 32

// An npyHeader is the content of the header of an .npy file.
type npyHeader struct {
	dtype   dtype
	fortran bool
	shape   []int
	size    int // size of the header in bytes
}

// readNpyHeader parses the header of an .npy file of format version 1, 2 or 3.
func readNpyHeader(file string, data []byte) (*npyHeader, error) {
	if len(data) < 10 || string(data[:6]) != npyMagic {
		return nil, bad(file, "it does not begin like an .npy file")
	}
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
	if length > uint64(len(data)-start) {
		return nil, badAt(file, 8, "the header claims %d bytes and the file has %d", length,
			len(data)-start)
	}
	end := start + int(length)
	p := headerParser{file: file, text: string(data[:end]), at: start}
	h, err := p.parse()
	if err != nil {
		return nil, err
	}
	h.size = end
	return h, nil
}

// A headerParser parses the Python dictionary of an .npy header: three keys, each once, with a
// string, a bool and a tuple of integers as values. It supports no other Python syntax.
type headerParser struct {
	file string
	text string
	at   int
}

func (p *headerParser) parse() (*npyHeader, error) {
	h := &npyHeader{}
	seen := map[string]bool{}
	if err := p.expect('{'); err != nil {
		return nil, err
	}
	for p.peek() != '}' {
		key, err := p.quoted()
		if err != nil {
			return nil, err
		}
		if seen[key] {
			return nil, p.fail("the key %q occurs twice", key)
		}
		seen[key] = true
		if err := p.expect(':'); err != nil {
			return nil, err
		}
		if err := p.value(h, key); err != nil {
			return nil, err
		}
		if p.peek() != '}' {
			if err := p.expect(','); err != nil {
				return nil, err
			}
		}
	}
	p.at++
	if p.peek() != 0 {
		return nil, p.fail("there is text after the closing brace")
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return nil, p.fail("the key %q is missing", key)
		}
	}
	return h, nil
}

func (p *headerParser) value(h *npyHeader, key string) (err error) {
	switch key {
	case "descr":
		h.dtype, err = p.descr()
	case "fortran_order":
		h.fortran, err = p.truth()
	case "shape":
		h.shape, err = p.tuple()
	default:
		err = p.fail("the key %q is not known", key)
	}
	return err
}

// descr parses a NumPy type string: byte order, kind, size.
func (p *headerParser) descr() (dtype, error) {
	if c := p.peek(); c == '[' || c == '(' {
		return dtype{}, p.fail(
			"the array holds records of several fields; save one plain array of numbers")
	}
	text, err := p.quoted()
	if err != nil {
		return dtype{}, err
	}
	digits := strings.TrimLeft(text, "<>|=")
	if len(text)-len(digits) > 1 || digits == "" {
		return dtype{}, p.fail("the type %q is not known", text)
	}
	e := dtype{kind: digits[0], big: text[0] == '>'}
	if e.kind == 'O' {
		return e, p.fail("the array holds pickled Python objects, which bagscope never loads; " +
			"save it as numbers or as a plain string array")
	}
	size, err := strconv.ParseUint(digits[1:], 10, 24)
	if err != nil {
		return e, p.fail("the type %q is not known", text)
	}
	e.size = int(size)
	if e.kind == 'U' {
		e.size *= 4
	}
	if !e.known() {
		return e, p.fail("the type %q is not supported; float16 to float64, integers of 8 to 64 "+
			"bits and bool are", text)
	}
	if e.size == 1 {
		e.big = false
	}
	return e, nil
}

func (e dtype) known() bool {
	switch e.kind {
	case 'f':
		return e.size == 2 || e.size == 4 || e.size == 8
	case 'i', 'u':
		return e.size == 1 || e.size == 2 || e.size == 4 || e.size == 8
	case 'b':
		return e.size == 1
	}
	return e.isText() && e.size > 0
}

func (p *headerParser) truth() (bool, error) {
	p.peek()
	rest := p.text[p.at:]
	switch {
	case strings.HasPrefix(rest, "True"):
		p.at += 4
		return true, nil
	case strings.HasPrefix(rest, "False"):
		p.at += 5
		return false, nil
	}
	return false, p.fail("True or False is expected")
}

func (p *headerParser) tuple() ([]int, error) {
	shape := []int{}
	if err := p.expect('('); err != nil {
		return nil, err
	}
	for p.peek() != ')' {
		n, err := p.integer()
		if err != nil {
			return nil, err
		}
		if shape = append(shape, n); len(shape) > maxRank {
			return nil, p.fail("the array has more than %d axes", maxRank)
		}
		if p.peek() == ',' {
			p.at++
		} else if len(shape) == 1 || p.peek() != ')' {
			return nil, p.fail("a comma is expected")
		}
	}
	p.at++
	return shape, nil
}

// integer parses a dimension of the shape. Python 2 wrote some with a trailing L.
func (p *headerParser) integer() (int, error) {
	p.peek()
	from := p.at
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		p.at++
	}
	n, err := strconv.ParseInt(p.text[from:p.at], 10, 48)
	if err != nil || int64(int(n)) != n {
		p.at = from
		return 0, p.fail("an array dimension is expected, an integer from 0 to 2^47")
	}
	if p.peek() == 'L' {
		p.at++
	}
	return int(n), nil
}

func (p *headerParser) quoted() (string, error) {
	quote := p.peek()
	if quote != '\'' && quote != '"' {
		return "", p.fail("a string in quotes is expected")
	}
	text, _, closed := strings.Cut(p.text[p.at+1:], string(rune(quote)))
	if !closed {
		return "", p.fail("a string is not closed")
	}
	p.at += len(text) + 2
	return text, nil
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

func (p *headerParser) expect(c byte) error {
	if p.peek() != c {
		return p.fail("%q is expected", c)
	}
	p.at++
	return nil
}

func (p *headerParser) fail(format string, args ...any) error {
	return badAt(p.file, p.at, "in the header, %s", fmt.Sprintf(format, args...))
}
