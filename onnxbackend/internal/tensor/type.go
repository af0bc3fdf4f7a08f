// Package tensor has the arrays that are the values of a graph, their element types and
// conversions.
package tensor

import (
	"fmt"
	"math"
)

// Type is an element type, numbered as ONNX's TensorProto.DataType is.
type Type int32

// Element types. Float16 and BFloat16 exist only in files; in memory, such values are Float32. In
// memory, elements of 8 bits or fewer have a byte each. Floating-point types among them are stored
// as their code, see FromMini.
const (
	Undefined Type = 0
	Float32   Type = 1
	Uint8     Type = 2
	Int8      Type = 3
	Uint16    Type = 4
	Int16     Type = 5
	Int32     Type = 6
	Int64     Type = 7
	String    Type = 8
	Bool      Type = 9
	Float16   Type = 10
	Float64   Type = 11
	Uint32    Type = 12
	Uint64    Type = 13
	BFloat16  Type = 16

	Float8E4M3FN   Type = 17
	Float8E4M3FNUZ Type = 18
	Float8E5M2     Type = 19
	Float8E5M2FNUZ Type = 20
	Uint4          Type = 21
	Int4           Type = 22
	Float4E2M1     Type = 23
	Float8E8M0     Type = 24
	Uint2          Type = 25
	Int2           Type = 26
)

// typeNames has the names of types in messages, also of types that the engine does not support.
var typeNames = map[Type]string{
	Undefined: "undefined", Float32: "float32", Uint8: "uint8", Int8: "int8", Uint16: "uint16",
	Int16: "int16", Int32: "int32", Int64: "int64", String: "string", Bool: "bool",
	Float16: "float16", Float64: "float64", Uint32: "uint32", Uint64: "uint64",
	14: "complex64", 15: "complex128", BFloat16: "bfloat16",
	Float8E4M3FN: "float8e4m3fn", Float8E4M3FNUZ: "float8e4m3fnuz",
	Float8E5M2: "float8e5m2", Float8E5M2FNUZ: "float8e5m2fnuz",
	Uint4: "uint4", Int4: "int4", Float4E2M1: "float4e2m1", Float8E8M0: "float8e8m0",
	Uint2: "uint2", Int2: "int2",
}

// String returns the type's name, such as "float32".
func (t Type) String() string {
	if s, ok := typeNames[t]; ok {
		return s
	}
	return fmt.Sprintf("type %d", int32(t))
}

// Size returns the bytes of one element in memory, or 0 for a type that the engine does not store.
func (t Type) Size() int {
	switch t {
	case Uint8, Int8, Bool, Uint4, Int4, Uint2, Int2, Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2,
		Float8E5M2FNUZ, Float4E2M1, Float8E8M0:
		return 1
	case Uint16, Int16:
		return 2
	case Float32, Int32, Uint32:
		return 4
	case Float64, Int64, Uint64:
		return 8
	}
	return 0
}

// Bits returns the bits of one element of the type in a file.
func (t Type) Bits() int {
	switch t {
	case Uint4, Int4, Float4E2M1:
		return 4
	case Uint2, Int2:
		return 2
	case Float16, BFloat16:
		return 16
	}
	return 8 * t.Size()
}

// Integer returns the smallest and the largest number of an integer type, rounded to float64. It
// reports false for other types.
func (t Type) Integer() (least, largest float64, ok bool) {
	switch t {
	case Uint2, Uint4, Uint8, Uint16, Uint32, Uint64:
		return 0, math.Ldexp(1, t.Bits()) - 1, true
	case Int2, Int4, Int8, Int16, Int32, Int64:
		half := math.Ldexp(1, t.Bits()-1)
		return -half, half - 1, true
	}
	return 0, 0, false
}

// Runtime returns the type in memory of values of a type in a file: Float32 for the 16-bit floats,
// the same type for others.
func (t Type) Runtime() Type {
	if t == Float16 || t == BFloat16 {
		return Float32
	}
	return t
}

// Float reports whether the type is floating-point with 16 bits or more.
func (t Type) Float() bool {
	return t == Float32 || t == Float64 || t == Float16 || t == BFloat16
}
