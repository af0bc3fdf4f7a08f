// Package tensor holds the arrays that flow through a graph.
package tensor

import "fmt"

// Type is an element type, numbered as ONNX's TensorProto.DataType is.
type Type int32

// Element types. Float16 and BFloat16 exist in files only: values are widened to Float32.
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
)

var typeNames = map[Type]string{
	Undefined: "undefined", Float32: "float32", Uint8: "uint8", Int8: "int8", Uint16: "uint16", Int16: "int16",
	Int32: "int32", Int64: "int64", String: "string", Bool: "bool", Float16: "float16", Float64: "float64",
	Uint32: "uint32", Uint64: "uint64", 14: "complex64", 15: "complex128", BFloat16: "bfloat16", 17: "float8e4m3fn",
	18: "float8e4m3fnuz", 19: "float8e5m2", 20: "float8e5m2fnuz", 21: "uint4", 22: "int4", 23: "float4e2m1", 24: "float8e8m0",
}

// String returns the type's name, such as "float32".
func (t Type) String() string {
	if s, ok := typeNames[t]; ok {
		return s
	}
	return fmt.Sprintf("type %d", int32(t))
}

// Size returns the bytes of one element in memory, or 0 for a type that the engine does not hold.
func (t Type) Size() int {
	switch t {
	case Uint8, Int8, Bool:
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

// Runtime returns the type in which values of a file's type are held: the 16-bit floats are widened.
func (t Type) Runtime() Type {
	if t == Float16 || t == BFloat16 {
		return Float32
	}
	return t
}

// Float reports whether the type holds real numbers.
func (t Type) Float() bool {
	return t == Float32 || t == Float64 || t == Float16 || t == BFloat16
}
