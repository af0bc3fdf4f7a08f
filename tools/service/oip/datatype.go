package oip

import (
	"encoding/binary"
	"math"
)

// A datatype is one of the protocol's number types, little-endian.
type datatype struct {
	name  string // name in the protocol
	ours  string // name in the engine
	bytes int
	get   func(b []byte) float64
	// nil for a type that is only read: the engine does not compute with it
	put func(b []byte, v float64) []byte
}

// datatypes lists the number types of the protocol. The engine widens half-precision numbers to
// float32, so that these types are only read.
var datatypes = []datatype{
	{"FP32", "float32", 4,
		func(b []byte) float64 { return float64(math.Float32frombits(little.Uint32(b))) },
		func(b []byte, v float64) []byte {
			return little.AppendUint32(b,
				math.Float32bits(float32(v)))
		}},
	{"FP64", "float64", 8,
		func(b []byte) float64 { return math.Float64frombits(little.Uint64(b)) },
		func(b []byte, v float64) []byte { return little.AppendUint64(b, math.Float64bits(v)) }},
	{"UINT8", "uint8", 1,
		func(b []byte) float64 { return float64(b[0]) },
		func(b []byte, v float64) []byte { return append(b, byte(v)) }},
	{"INT8", "int8", 1,
		func(b []byte) float64 { return float64(int8(b[0])) },
		func(b []byte, v float64) []byte { return append(b, byte(int8(v))) }},
	{"UINT16", "uint16", 2,
		func(b []byte) float64 { return float64(little.Uint16(b)) },
		func(b []byte, v float64) []byte { return little.AppendUint16(b, uint16(v)) }},
	{"INT16", "int16", 2,
		func(b []byte) float64 { return float64(int16(little.Uint16(b))) },
		func(b []byte, v float64) []byte { return little.AppendUint16(b, uint16(int16(v))) }},
	{"UINT32", "uint32", 4,
		func(b []byte) float64 { return float64(little.Uint32(b)) },
		func(b []byte, v float64) []byte { return little.AppendUint32(b, uint32(v)) }},
	{"INT32", "int32", 4,
		func(b []byte) float64 { return float64(int32(little.Uint32(b))) },
		func(b []byte, v float64) []byte { return little.AppendUint32(b, uint32(int32(v))) }},
	{"UINT64", "uint64", 8,
		func(b []byte) float64 { return float64(little.Uint64(b)) },
		func(b []byte, v float64) []byte { return little.AppendUint64(b, uint64(v)) }},
	{"INT64", "int64", 8,
		func(b []byte) float64 { return float64(int64(little.Uint64(b))) },
		func(b []byte, v float64) []byte { return little.AppendUint64(b, uint64(int64(v))) }},
	{"BOOL", "bool", 1,
		func(b []byte) float64 { return float64(min(b[0], 1)) },
		func(b []byte, v float64) []byte { return append(b, byte(min(v, 1))) }},
	{"FP16", "float16", 2, func(b []byte) float64 { return half(little.Uint16(b)) }, nil},
	{"BF16", "bfloat16", 2, func(b []byte) float64 {
		return float64(
			math.Float32frombits(uint32(little.Uint16(b)) << 16))
	}, nil},
}

// little is the byte order of binary tensors.
var little = binary.LittleEndian

// half converts an IEEE 754 half-precision number: a sign bit, 5 exponent bits, 10 fraction bits.
func half(h uint16) float64 {
	sign, exponent, fraction := 1-2*float64(h>>15), int(h>>10&31), float64(h&1023)
	switch {
	// The number is subnormal or zero.
	case exponent == 0:
		return sign * math.Ldexp(fraction, -24)
	case exponent < 31:
		return sign * math.Ldexp(1024+fraction, exponent-25)
	// The number is an infinity; otherwise it is NaN.
	case fraction == 0:
		return sign * math.Inf(1)
	}
	return math.NaN()
}

// rowOf returns the row with this name of the protocol, or nil.
func rowOf(name string) *datatype {
	for i := range datatypes {
		if datatypes[i].name == name {
			return &datatypes[i]
		}
	}
	return nil
}

// Datatype returns the protocol's name of a type of the engine. The engine widens half-precision
// numbers to float32.
func Datatype(ours string) string {
	for _, d := range datatypes {
		if d.ours == ours && d.put != nil {
			return d.name
		}
	}
	return "FP32"
}

// Type returns the engine's name of a datatype, or "" if the datatype is not numeric.
func Type(name string) string {
	if d := rowOf(name); d != nil {
		return d.ours
	}
	return ""
}
