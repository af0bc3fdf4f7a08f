package bagio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/bagscope/bagscope/internal/msg"
)

// WriteNpy writes values as an .npy file of format version 1, in C order and little-endian. It
// returns an error if the number of values does not match the shape.
func WriteNpy[T uint8 | int32 | int64 | float32 | float64](
	w io.Writer, shape []int, values []T,
) error {
	if n := product(shape); n != len(values) {
		return msg.Errorf("an array of shape %s has %d elements, and %d values are given",
			shapeText(shape), n, len(values))
	}
	descr := map[string]string{"uint8": "|u1", "int32": "<i4", "int64": "<i8", "float32": "<f4",
		"float64": "<f8"}[fmt.Sprintf("%T", *new(T))]
	if _, err := w.Write(npyHeaderBytes(descr, shape)); err != nil {
		return err
	}
	return binary.Write(w, binary.LittleEndian, values)
}

// writeWords writes strings as an .npy array of Unicode strings.
func writeWords(w io.Writer, words []string) error {
	width := 1 // NumPy has no type for strings of no characters
	for _, s := range words {
		width = max(width, utf8.RuneCountInString(s))
	}
	out := bytes.NewBuffer(npyHeaderBytes(fmt.Sprintf("<U%d", width), []int{len(words)}))
	for _, s := range words {
		entry := make([]byte, 4*width)
		for i, r := range []rune(s) {
			binary.LittleEndian.PutUint32(entry[4*i:], uint32(r))
		}
		out.Write(entry)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// npyHeaderBytes returns a header, padded so that the values start at a multiple of 64 bytes.
func npyHeaderBytes(descr string, shape []int) []byte {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr,
		shapeText(shape))
	// The length field and the newline at the end are part of the format; NumPy aligns values to
	// 64.
	text += strings.Repeat(" ", 63-(10+len(text))%64) + "\n"
	out := append([]byte(npyMagic), 1, 0)
	out = binary.LittleEndian.AppendUint16(out, uint16(len(text)))
	return append(out, text...)
}
