// Package jsonvalues bounds the memory of parsing JSON by github.com/valyala/fastjson.
package jsonvalues

import "bytes"

// valueBytes is what a value takes while it is parsed: the lists of values grow to twice.
const valueBytes = 512

// Bytes returns the most bytes that parsing a text takes beside it. A value can have two bytes,
// such as "1,", so that the length of the text says little.
func Bytes(text []byte) int64 {
	// A value stands behind one of these.
	n := 1 + bytes.Count(text, []byte(":")) + bytes.Count(text, []byte(",")) +
		bytes.Count(text, []byte("["))
	return valueBytes*int64(n) + 2*int64(len(text)) // and a copy of keys and texts
}
