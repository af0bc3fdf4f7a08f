package tensor

import "github.com/bagscope/bagscope/onnxbackend/internal/fault"

// Float64s returns a copy of the elements as float64. Integers beyond 2^53 are rounded. For types
// that are not numbers, and for floats of 8 bits or fewer, the error is a *fault.Unsupported.
func (t *Tensor) Float64s() ([]float64, error) {
	switch t.Type {
	case Float32:
		return widened[float32](t), nil
	case Float64:
		return widened[float64](t), nil
	case Int64:
		return widened[int64](t), nil
	case Int32:
		return widened[int32](t), nil
	case Int16:
		return widened[int16](t), nil
	case Int8, Int4, Int2:
		return widened[int8](t), nil
	case Uint64:
		return widened[uint64](t), nil
	case Uint32:
		return widened[uint32](t), nil
	case Uint16:
		return widened[uint16](t), nil
	case Uint8, Bool, Uint4, Uint2:
		return widened[uint8](t), nil
	}
	return nil, fault.Unsupportedf("an output", "it is of %v, which cannot be read", t.Type)
}

// widened converts elements of type T to float64.
func widened[T Number](t *Tensor) []float64 {
	out := make([]float64, t.Len())
	for i, v := range Of[T](t) {
		out[i] = float64(v)
	}
	return out
}
