package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strings"
)

// Version is the first byte of every message. It changes with any change of the messages.
const Version = 8

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

// Append writes m behind dst. It fails on a body that is none of Bodies, on whole numbers beyond
// ±(2^53 - 1) and on lists beyond 2^32 - 1 elements. Strings that are not UTF-8 are mended with
// U+FFFD.
func Append(dst []byte, m Message) ([]byte, error) {
	v := reflect.ValueOf(m.Body)
	kind, ok := kindOf(v)
	if !ok {
		return dst, fmt.Errorf("wire: %T is no message", m.Body)
	}
	dst = append(dst, Version, kind)
	dst = binary.LittleEndian.AppendUint32(dst, m.ID)
	return appendValue(dst, v)
}

func kindOf(v reflect.Value) (byte, bool) {
	if !v.IsValid() {
		return 0, false
	}
	for n, body := range Bodies() {
		if reflect.TypeOf(body) == v.Type() {
			return byte(n + 1), true
		}
	}
	return 0, false
}

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
		s := strings.ToValidUTF8(v.String(), "\uFFFD")
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
	case reflect.Interface:
		return appendAny(dst, v.Interface())
	}
	return dst, fmt.Errorf("wire: a %v cannot be sent", v.Type())
}

func appendSlice(dst []byte, v reflect.Value) (out []byte, err error) {
	if dst, err = appendLength(dst, v.Len()); err != nil {
		return dst, err
	}
	// The long ones first: reflection on every element of a bag would take longer than the rest of
	// a request.
	switch s := v.Interface().(type) {
	case []byte:
		return append(dst, s...), nil
	case []float32:
		for _, x := range s {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
		}
		return dst, nil
	case []float64:
		for _, x := range s {
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
		}
		return dst, nil
	case []bool:
		for _, x := range s {
			dst = append(dst, bit(x))
		}
		return dst, nil
	}
	for i := range v.Len() {
		if dst, err = appendValue(dst, v.Index(i)); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func appendAny(dst []byte, v any) ([]byte, error) {
	switch x := v.(type) {
	case string:
		return appendValue(append(dst, anyString), reflect.ValueOf(x))
	case bool:
		return append(dst, anyBool, bit(x)), nil
	case int:
		return appendInt(append(dst, anyInt), int64(x))
	case float64:
		return binary.LittleEndian.AppendUint64(append(dst, anyFloat), math.Float64bits(x)), nil
	}
	return dst, fmt.Errorf(
		"wire: a value of type %T cannot be sent; string, bool, int and float64 can", v)
}

func appendInt(dst []byte, n int64) ([]byte, error) {
	if n > maxInt || n < -maxInt {
		return dst, fmt.Errorf("wire: %d is beyond what a JavaScript number holds exactly", n)
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(n)), nil
}

func appendLength(dst []byte, n int) ([]byte, error) {
	if uint64(n) > maxLength {
		return dst, fmt.Errorf("wire: a list of %d elements is too long to be sent", n)
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(n)), nil
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}
