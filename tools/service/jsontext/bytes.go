package jsontext

import (
	"reflect"

	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// growth is how many bytes encoding/json holds for each byte of JSON, at most: its buffer grows by
// a quarter at a time, and two of them exist while it does.
const growth = 2.25

// EncodingBytes returns an upper bound of the bytes that Write takes for v, which consists of
// structs, maps, lists, text and numbers.
func EncodingBytes(v any) int64 {
	n := Bytes(v)
	if x, ok := v.(*ask.Explanation); ok {
		// One of the explanations is encoded at a time. The lists of scores are copies.
		largest := int64(0)
		for _, e := range x.Explanations {
			one := Bytes(e)
			n, largest = n-one, max(largest, one)
		}
		n = max(n, largest)
		for _, e := range x.Explanations {
			n += 8 * int64(len(e.Scores)+len(e.StdErr))
		}
	}
	return int64(growth * float64(n))
}

// Bounds of the bytes of JSON.
const (
	jsonBool   = 6  // false and a comma
	jsonNumber = 26 // -2.2250738585072014e-308 and a comma
	jsonByte   = 6  // a byte of text as \u0000
	jsonOpaque = 64 // a struct without exported fields, such as a time
)

// Bytes returns an upper bound of the bytes of v as JSON. v consists of structs, maps, lists,
// text and numbers. It does not visit the entries of lists of numbers.
func Bytes(v any) int64 { return jsonBytes(reflect.ValueOf(v)) }

func jsonBytes(v reflect.Value) int64 {
	n := int64(jsonNumber)
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return n + jsonBytes(v.Elem())
	case reflect.String:
		return n + jsonByte*int64(v.Len())
	case reflect.Slice, reflect.Array:
		switch kind := v.Type().Elem().Kind(); {
		case kind == reflect.Bool:
			return n + jsonBool*int64(v.Len())
		case reflect.Int <= kind && kind <= reflect.Float64:
			return n + jsonNumber*int64(v.Len())
		}
		for i := range v.Len() {
			n += jsonBytes(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			n += jsonBytes(key) + jsonBytes(v.MapIndex(key))
		}
	case reflect.Struct:
		n = jsonOpaque
		for i := range v.NumField() {
			f := v.Type().Field(i)
			n += int64(len(f.Name)+len(f.Tag)) + jsonBytes(v.Field(i))
		}
	}
	return n
}
