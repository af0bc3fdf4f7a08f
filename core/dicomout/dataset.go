package dicomout

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A tag is the number of an attribute with its value representation (PS3.6).
type tag struct {
	number uint32 // group and element
	vr     string
}

// A dataset is the attributes of a file or of an item of a sequence, in any order.
type dataset struct{ elements []element }

// An element is an attribute: its value, padded to an even length, or the items of a sequence.
type element struct {
	tag   tag
	value []byte
	items []*dataset
}

// set appends an attribute.
func (d *dataset) set(t tag, value []byte) {
	if len(value)%2 == 1 {
		pad := byte(' ')
		if t.vr == "UI" || t.vr == "OB" {
			pad = 0
		}
		value = append(value, pad)
	}
	d.elements = append(d.elements, element{tag: t, value: value})
}

// text appends an attribute of texts, each cut to the characters that its value representation
// allows (PS3.5, section 6.2).
func (d *dataset) text(t tag, values ...string) {
	for i, v := range values {
		values[i] = within(v, mostLetters[t.vr])
	}
	d.set(t, []byte(strings.Join(values, `\`)))
}

// mostLetters are the characters of texts of a value representation; absent ones have no bound that
// this package reaches.
var mostLetters = map[string]int{"CS": 16, "LO": 64, "SH": 16, "PN": 64, "ST": 1024, "UC": 1024}

// within returns a text of one line of at most so many characters, 0 for any number. A backslash,
// which separates values, becomes a slash.
func within(text string, most int) string {
	runes := []rune(strings.ToValidUTF8(text, "?"))
	for i, r := range runes {
		switch {
		case r == '\\':
			runes[i] = '/'
		case unicode.IsControl(r):
			runes[i] = ' '
		}
	}
	if most > 0 && len(runes) > most {
		runes = runes[:most]
	}
	return string(runes)
}

// short appends an attribute of 16-bit numbers without a sign.
func (d *dataset) short(t tag, values ...int) {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint16(b, uint16(v))
	}
	d.set(t, b)
}

// long appends an attribute of 32-bit numbers.
func (d *dataset) long(t tag, values ...int) {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	d.set(t, b)
}

// single appends an attribute of numbers in single precision.
func (d *dataset) single(t tag, values ...float64) {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	}
	d.set(t, b)
}

// double appends an attribute of numbers in double precision.
func (d *dataset) double(t tag, values ...float64) {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	d.set(t, b)
}

// decimal appends an attribute of numbers as text.
func (d *dataset) decimal(t tag, values ...float64) {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = decimal(v)
	}
	d.text(t, texts...)
}

// decimal returns a finite number in at most 16 characters (PS3.5, section 6.2, DS).
func decimal(v float64) string {
	const most = 16
	text := strconv.FormatFloat(v, 'g', -1, 64)
	for digits := most; len(text) > most; digits-- {
		text = strconv.FormatFloat(v, 'g', digits, 64)
	}
	return text
}

// pointer appends an attribute that names another one.
func (d *dataset) pointer(t, to tag) { d.short(t, int(to.number>>16), int(to.number&0xffff)) }

// sequence appends a sequence.
func (d *dataset) sequence(t tag, items ...*dataset) {
	d.elements = append(d.elements, element{tag: t, items: items})
}

// longVRs are the value representations with a length of 32 bits (PS3.5, section 7.1.2).
var longVRs = []string{"OB", "SQ", "UC", "UT"}

const (
	itemTag     = 0xfffe_e000
	sequenceEnd = 0xfffe_e0dd
	undefined   = math.MaxUint32
)

// append appends the attributes in the order of their tags.
func (d *dataset) append(to []byte) []byte {
	slices.SortStableFunc(d.elements, func(a, b element) int {
		return cmp.Compare(a.tag.number, b.tag.number)
	})
	for _, e := range d.elements {
		value := e.value
		if e.tag.vr == "SQ" {
			value = nil
			for _, item := range e.items {
				body := item.append(nil)
				value = append(appendHead(value, tag{number: itemTag}, uint32(len(body))), body...)
			}
		}
		to = append(appendHead(to, e.tag, uint32(len(value))), value...)
	}
	return to
}

// appendHead appends the head of an element, or of an item if t has no value representation.
func appendHead(to []byte, t tag, length uint32) []byte {
	to = binary.LittleEndian.AppendUint16(to, uint16(t.number>>16))
	to = binary.LittleEndian.AppendUint16(to, uint16(t.number))
	switch {
	case t.vr == "":
		return binary.LittleEndian.AppendUint32(to, length)
	case slices.Contains(longVRs, t.vr):
		return binary.LittleEndian.AppendUint32(append(append(to, t.vr...), 0, 0), length)
	}
	return binary.LittleEndian.AppendUint16(append(to, t.vr...), uint16(length))
}

// appendPixels appends the attribute of encapsulated frames, each in a fragment (PS3.5, A.4).
func appendPixels(to []byte, frames [][]byte) []byte {
	to = appendHead(to, pixelData, undefined)
	table, at := make([]byte, 0, 4*len(frames)), 0
	for _, f := range frames {
		table = binary.LittleEndian.AppendUint32(table, uint32(at))
		at += 8 + len(f)
	}
	to = append(appendHead(to, tag{number: itemTag}, uint32(len(table))), table...)
	for _, f := range frames {
		to = append(appendHead(to, tag{number: itemTag}, uint32(len(f))), f...)
	}
	return appendHead(to, tag{number: sequenceEnd}, 0)
}
