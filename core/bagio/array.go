package bagio

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bagscope/bagscope/core"
)

// An Array is a block of numbers, or of words, in as few bytes as its file had: conversion to
// float32 waits until a bag is taken out of it.
type Array struct {
	Shape []int // every side is at least zero

	element element
	data    []byte // row-major, in the file's byte order
	file    string
	start   int // bytes of the file before the values; -1 when their order in the file was another
}

// An element is the type of an array's entries.
type element struct {
	kind byte // f i u b, or U S for words
	size int  // in bytes
	big  bool // big-endian
}

func (e element) String() string {
	return fmt.Sprintf("%c%d", e.kind, e.size)
}

func (e element) words() bool { return e.kind == 'U' || e.kind == 'S' }

// Len returns the length of the first axis.
func (a *Array) Len() int {
	if len(a.Shape) == 0 {
		return 0
	}
	return a.Shape[0]
}

// Raw tells whether the entries are single unsigned bytes, which stand for pixels.
func (a *Array) Raw() bool { return a.element.kind == 'u' && a.element.size == 1 }

// Bag returns a bag of the instances with the given indices along the first axis, in that order.
// It panics when an index is out of range, as indexing a slice does. A value that is NaN or
// infinite, or too large for a float32, is a FormatError.
func (a *Array) Bag(name string, instances []int) (*core.Bag, error) {
	if len(a.Shape) < 2 {
		return nil, bad(a.file, "it holds an array of shape %s; a bag needs an axis of instances and at least one of values", shapeText(a.Shape))
	}
	b := &core.Bag{Name: name, Shape: slices.Clone(a.Shape[1:]), Raw: a.Raw()}
	s := b.Stride()
	b.Values = make([]float32, len(instances)*s)
	for n, i := range instances {
		if err := a.floats(b.Values[n*s:(n+1)*s], i*s); err != nil {
			return nil, err
		}
	}
	if err := b.Validate(); err != nil {
		return nil, err
	}
	return b, nil
}

// Ints returns all entries as integers, row-major. An entry with a fraction is a FormatError.
func (a *Array) Ints() ([]int, error) {
	if a.element.words() {
		return nil, bad(a.file, "it holds text (%v); integers are expected", a.element)
	}
	get, size := a.element.float(), a.element.size
	exact := a.element.integer()
	out := make([]int, len(a.data)/size)
	for i := range out {
		if exact != nil {
			v, ok := exact(a.data[i*size:])
			if !ok {
				return nil, badAt(a.file, a.offset(i), "entry %d is too large for a signed integer", i)
			}
			out[i] = v
			continue
		}
		v := get(a.data[i*size:])
		if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
			return nil, badAt(a.file, a.offset(i), "entry %d is %v, not an integer", i, v)
		}
		out[i] = int(v)
	}
	return out, nil
}

// floats converts len(dst) entries, beginning with entry from.
func (a *Array) floats(dst []float32, from int) error {
	if a.element.words() {
		return bad(a.file, "it holds text (%v); numbers are expected", a.element)
	}
	size := a.element.size
	src := a.data[from*size : (from+len(dst))*size]
	switch {
	case a.Raw():
		for i, v := range src {
			dst[i] = float32(v)
		}
		return nil
	case a.element == element{kind: 'f', size: 4}:
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
		}
	default:
		get := a.element.float()
		for i := range dst {
			dst[i] = float32(get(src[i*size:]))
		}
	}
	return a.finite(dst, from)
}

// finite reports the first of the values from entry from on that is none.
func (a *Array) finite(values []float32, from int) error {
	for i, v := range values {
		if v-v != 0 {
			return a.nonFinite(from + i)
		}
	}
	return nil
}

// nonFinite says where the entry is that no float32 holds.
func (a *Array) nonFinite(i int) error {
	v, stride := a.element.float()(a.data[i*a.element.size:]), 1
	for _, d := range a.Shape[1:] {
		stride *= d
	}
	what := fmt.Sprintf("%v; all values must be finite", v)
	if v-v == 0 {
		what = fmt.Sprintf("%v, too large for a 32-bit number", v)
	}
	return badAt(a.file, a.offset(i), "value %d of instance %d is %s", i%stride, i/stride, what)
}

func (a *Array) offset(i int) int {
	if a.start < 0 {
		return 0
	}
	return a.start + i*a.element.size
}

// words returns all entries of an array of words.
func (a *Array) words() ([]string, error) {
	if !a.element.words() {
		return nil, bad(a.file, "it holds numbers (%v); text is expected", a.element)
	}
	n, size := 1, a.element.size
	for _, d := range a.Shape {
		n *= d
	}
	out := make([]string, n)
	for i := range out {
		entry := a.data[i*size : (i+1)*size]
		word, ok := string(entry), utf8.Valid(entry)
		if a.element.kind == 'U' {
			word, ok = ucs4(entry, a.element.order())
		}
		if !ok {
			return nil, badAt(a.file, a.offset(i), "entry %d is not valid text", i)
		}
		out[i] = strings.TrimRight(word, "\x00")
	}
	return out, nil
}

// ucs4 decodes text of four bytes a character, and reports whether all of them are characters.
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
