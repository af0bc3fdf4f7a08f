package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// Version is the first byte of every message. It changes with any change of the messages.
const Version = 18

const (
	headerSize = 6
	maxInt     = 1<<53 - 1 // the largest whole number that a JavaScript number holds exactly
	maxLength  = math.MaxUint32
)

// Kinds of value in a field of type any.
const (
	anyString = iota
	anyBool
	anyInt
	anyFloat
)

// A Message is a body, one of the struct types of Bodies, with the ID of its request.
type Message struct {
	ID   uint32
	Body any
}

// Append appends m to dst. It returns an error for a body that is not in Bodies, for whole numbers
// outside ±(2^53 - 1) and for lists of more than 2^32 - 1 elements. Invalid UTF-8 in a string is
// replaced by U+FFFD, so that JavaScript can decode it.
func Append(dst []byte, m Message) ([]byte, error) {
	at := slices.IndexFunc(Bodies(),
		func(body any) bool { return reflect.TypeOf(body) == reflect.TypeOf(m.Body) })
	if at < 0 {
		return dst, fmt.Errorf("wire: %T is not a message", m.Body)
	}
	dst = append(dst, Version, byte(at+1))
	dst = binary.LittleEndian.AppendUint32(dst, m.ID)
	return appendValue(dst, reflect.ValueOf(m.Body))
}

// appendValue appends a value in the form of the package documentation. A struct is its fields.
func appendValue(dst []byte, v reflect.Value) (out []byte, err error) {
	switch v.Kind() {
	case reflect.Bool:
		return append(dst, bit(v.Bool())), nil
	case reflect.Int:
		return appendInt(dst, v.Int())
	case reflect.Uint64:
		return binary.LittleEndian.AppendUint64(dst, v.Uint()), nil
	case reflect.Float64:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v.Float())), nil
	case reflect.Float32:
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(v.Float()))), nil
	case reflect.String:
		s := v.String()
		if !utf8.ValidString(s) {
			s = strings.ToValidUTF8(s, "\uFFFD")
		}
		if dst, err = appendLength(dst, len(s)); err != nil {
			return dst, err
		}
		return append(dst, s...), nil
	case reflect.Pointer:
		if v.IsNil() {
			return append(dst, 0), nil
		}
		return appendValue(append(dst, 1), v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if dst, err = appendValue(dst, v.Field(i)); err != nil {
				return dst, err
			}
		}
		return dst, nil
	case reflect.Slice:
		return appendSlice(dst, v)
	case reflect.Map:
		return appendMap(dst, v)
	case reflect.Interface:
		return appendAny(dst, v.Elem())
	}
	return dst, msg.Errorf("wire: a %v cannot be sent", v.Type())
}

// appendSlice appends the length of a list and its elements.
func appendSlice(dst []byte, v reflect.Value) (out []byte, err error) {
	if dst, err = appendLength(dst, v.Len()); err != nil {
		return dst, err
	}
	// Lists of numbers have loops of their own. Reflection on every value of a bag would take
	// longer than the rest of a request.
	switch s := v.Interface().(type) {
	case []byte:
		return append(dst, s...), nil
	case []bool:
		for _, b := range s {
			dst = append(dst, bit(b))
		}
		return dst, nil
	case []float32:
		dst = slices.Grow(dst, 4*len(s))
		for _, x := range s {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
		}
		return dst, nil
	case []float64:
		return appendFloats(dst, s), nil
	case []ask.Number:
		return appendFloats(dst, s), nil
	}
	for i := range v.Len() {
		if dst, err = appendValue(dst, v.Index(i)); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// appendFloats appends numbers of eight bytes.
func appendFloats[F ~float64](dst []byte, list []F) []byte {
	dst = slices.Grow(dst, 8*len(list))
	for _, x := range list {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(float64(x)))
	}
	return dst
}

// appendMap appends the number of keys, and each key with its value in ascending order.
func appendMap(dst []byte, v reflect.Value) (out []byte, err error) {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		return strings.Compare(a.String(), b.String())
	})
	if dst, err = appendLength(dst, len(keys)); err != nil {
		return dst, err
	}
	for _, key := range keys {
		if dst, err = appendValue(dst, key); err != nil {
			return dst, err
		}
		if dst, err = appendValue(dst, v.MapIndex(key)); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// appendAny appends the kind of a value and the value.
func appendAny(dst []byte, v reflect.Value) ([]byte, error) {
	switch v.Kind() {
	case reflect.String:
		return appendValue(append(dst, anyString), v)
	case reflect.Bool:
		return appendValue(append(dst, anyBool), v)
	case reflect.Int:
		return appendValue(append(dst, anyInt), v)
	case reflect.Float64:
		return appendValue(append(dst, anyFloat), v)
	}
	return dst, msg.Errorf(
		"wire: a value of kind %v cannot be sent; string, bool, int and float64 can", v.Kind())
}

// appendInt appends a whole number that a JavaScript number represents exactly.
func appendInt(dst []byte, n int64) ([]byte, error) {
	if n > maxInt || n < -maxInt {
		return dst, fmt.Errorf("wire: %d is outside the numbers that JavaScript represents exactly",
			n)
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(n)), nil
}

// appendLength appends the number of elements of a list, or of bytes of a string.
func appendLength(dst []byte, n int) ([]byte, error) {
	if uint64(n) > maxLength {
		return dst, fmt.Errorf("wire: a list of %d elements is too long for a message", n)
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(n)), nil
}

// bit returns 1 for true and 0 for false.
func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}
