package dicom

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// An item is a data set as far as it is read: its wanted attributes in the order of the file.
type item []attribute

// An attribute is a wanted attribute: its bytes, or the items of a sequence.
type attribute struct {
	tag   tag
	bytes []byte
	items []item
	order binary.ByteOrder
}

// find returns the attribute of a tag, or nil.
func (it item) find(t tag) *attribute {
	for i := range it {
		if it[i].tag == t {
			return &it[i]
		}
	}
	return nil
}

// text returns a text without padding, or "".
func (it item) text(t tag) string {
	a := it.find(t)
	if a == nil {
		return ""
	}
	return strings.Trim(string(a.bytes), " \x00")
}

// short returns the first 16-bit number, and whether there is one.
func (it item) short(t tag) (int, bool) {
	a := it.find(t)
	if a == nil || len(a.bytes) < 2 {
		return 0, false
	}
	return int(a.order.Uint16(a.bytes)), true
}

// long returns the first 32-bit number without a sign, and whether there is one.
func (it item) long(t tag) (int64, bool) {
	a := it.find(t)
	if a == nil || len(a.bytes) < 4 {
		return 0, false
	}
	return int64(a.order.Uint32(a.bytes)), true
}

// signed returns the first 32-bit number with a sign, and whether there is one.
func (it item) signed(t tag) (int64, bool) {
	v, ok := it.long(t)
	return int64(int32(v)), ok
}

// numbers returns the decimal numbers of a text, nil if one of them is none or is not finite.
func (it item) numbers(t tag) []float64 {
	text := it.text(t)
	if text == "" {
		return nil
	}
	var out []float64
	for part := range strings.SplitSeq(text, `\`) {
		v, err := strconv.ParseFloat(strings.Trim(part, " \x00"), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		out = append(out, v)
	}
	return out
}

// number returns the first decimal number, and whether there is one.
func (it item) number(t tag) (float64, bool) {
	if v := it.numbers(t); len(v) > 0 {
		return v[0], true
	}
	return 0, false
}

// whole returns the first decimal number if it is whole and within ±2^31, and whether it is.
func (it item) whole(t tag) (int, bool) {
	v, ok := it.number(t)
	if !ok || v != math.Trunc(v) || math.Abs(v) > math.MaxInt32 {
		return 0, false
	}
	return int(v), true
}

// first returns the first item of a sequence, or nil.
func (it item) first(t tag) item {
	if a := it.find(t); a != nil && len(a.items) > 0 {
		return a.items[0]
	}
	return nil
}
