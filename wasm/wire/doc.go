// Package wire defines the messages between the Go engine and its clients in JavaScript and Python,
// and their encoding. The types of this package are the only source: wasm/wire/gen writes the
// TypeScript and the Python side from them. The tests of all three languages read
// testdata/vectors.json.
//
// A message is
//
//	version  1 byte
//	kind     1 byte, the place of its type in Bodies, from 1
//	id       4 bytes, the ID of the request, also in its answer
//	body     the fields of its struct, in order
//
// with numbers little-endian and
//
//	bool              1 byte, 0 or 1
//	int               8 bytes, two's complement, within ±(2^53 - 1), exact in JavaScript
//	uint64            8 bytes
//	float64           8 bytes
//	string            length in bytes (4 bytes), UTF-8
//	[]byte            length (4 bytes), bytes
//	[]float32, []T    count (4 bytes), elements
//	map[string]T      count (4 bytes), keys in ascending order, each with its value
//	pointer           1 byte, 0 for nil, or 1 and the value
//	any               1 byte, 0 string, 1 bool, 2 int, 3 float64, and the value
//
// A message must match its type to the last byte, otherwise Decode returns an error. A count is
// compared with the remaining bytes before memory is allocated for it.
package wire

//go:generate go run ./gen ../..
