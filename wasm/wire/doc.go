// Package wire is the contract between the Go engine and the JavaScript around it: the messages,
// and their form as bytes. The types of messages.go are its only source; wasm/wire/gen writes the
// TypeScript side from them, and testdata/vectors.json is read by the tests of both languages.
//
// A message is
//
//	version  1 byte
//	kind     1 byte, the place of its type in Bodies, from 1
//	id       4 bytes, of the request that it is or answers
//	body     the fields of its struct, in order
//
// with numbers little-endian and
//
//	bool              1 byte, 0 or 1
//	int               8 bytes, two's complement, within ±(2^53 - 1) so that JavaScript holds it exactly
//	uint64            8 bytes
//	float64           8 bytes
//	string            length in bytes (4 bytes), UTF-8
//	[]byte            length (4 bytes), bytes
//	[]float32, []T    count (4 bytes), elements
//	pointer           1 byte, 0 for nil, or 1 and the value
//	any               1 byte, 0 string, 1 bool, 2 int, 3 float64, and the value
//
// There is no reflection over what the other side sends: a message either fits its type to the last
// byte or is refused, and a count is checked against the bytes that are left before anything is
// allocated for it.
package wire

//go:generate go run ./gen ../npm/src
