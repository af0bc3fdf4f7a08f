package bagio

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// utf16Order returns the byte order of a text that begins with the byte-order mark of UTF-16 and a
// character of ASCII, or nil. Excel saves tables so as "Unicode text".
func utf16Order(head []byte) binary.ByteOrder {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if len(head) >= 4 && order.Uint16(head) == 0xfeff &&
			order.Uint16(head[2:]) < utf8.RuneSelf {
			return order
		}
	}
	return nil
}

func isUTF16(head []byte) bool { return utf16Order(head) != nil }

// setFromUTF16 reads a table in UTF-16.
func setFromUTF16(file string, data []byte, o Options) (*Set, error) {
	order, l := utf16Order(data), o.Limits.withDefaults()
	if len(data)%2 != 0 {
		return nil, bad(file, "it is text of UTF-16 with an odd number of bytes")
	}
	// Two bytes become at most three.
	if err := l.reserve(file, 3*int64(len(data)/2)); err != nil {
		return nil, err
	}
	text := make([]byte, 0, 3*len(data)/2)
	for at := 2; at < len(data); at += 2 {
		r := rune(order.Uint16(data[at:]))
		if utf16.IsSurrogate(r) && at+2 < len(data) {
			if r = utf16.DecodeRune(r, rune(order.Uint16(data[at+2:]))); r != utf8.RuneError {
				at += 2
			}
		}
		text = utf8.AppendRune(text, r)
	}
	return setFromCSV(file, text, o)
}
