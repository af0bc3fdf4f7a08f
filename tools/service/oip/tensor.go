package oip

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// A Fault classifies errors of tensors.
type Fault string

// The faults of tensors.
const (
	Malformed Fault = "malformed"  // it contradicts itself or the protocol
	Unusable  Fault = "unusable"   // it is empty, or contains a number that is too large
	TooLarge  Fault = "too large"  // it has too many numbers
	NonFinite Fault = "non-finite" // JSON cannot represent it
)

// A TensorError describes an invalid tensor.
type TensorError struct {
	Tensor string
	Fault  Fault
	Reason string
}

// Error names the tensor.
func (e *TensorError) Error() string {
	return msg.Sprintf("tensor %q: %s", e.Tensor, msg.Text(e.Reason))
}

// wrong returns a *TensorError for this tensor.
func (t *Tensor) wrong(f Fault, reason string, args ...any) error {
	return &TensorError{t.Name, f, msg.Sprintf(reason, args...)}
}

// Count returns the number of values of a tensor. Errors are *TensorError.
func (t *Tensor) Count() (int, error) {
	if t.Parameters != nil && t.Parameters.SharedMemory != nil {
		return 0, t.wrong(Malformed,
			"of the protocol's extensions, only binary tensors are supported")
	}
	// The product is checked before it is computed, so that it cannot overflow.
	n := 1
	for _, d := range t.Shape {
		if d <= 0 {
			return 0, t.wrong(Unusable, "its shape %v contains no values", t.Shape)
		}
		if n > math.MaxInt32/d {
			return 0, t.wrong(TooLarge, "shape %v is too large", t.Shape)
		}
		n *= d
	}
	return n, nil
}

// Values reads the count numbers of a tensor. If the tensor is binary, binary starts with its
// bytes. Errors are *TensorError.
func Values[T float32 | float64](t *Tensor, count int, binary []byte) ([]T, error) {
	d := rowOf(t.Datatype)
	if d == nil {
		return nil, t.wrong(Malformed,
			"the datatype %q is not supported; use FP32, FP64, FP16, BF16, BOOL or an integer type",
			t.Datatype)
	}
	if t.Parameters == nil || t.Parameters.BinarySize == 0 {
		return numbers[T](t, count)
	}
	if t.Parameters.BinarySize != int64(len(binary)) || len(binary) != count*d.bytes {
		return nil, t.wrong(Malformed, "%d numbers of %s need %d bytes, but binary_data_size is "+
			"%d and %d bytes follow the JSON",
			count, d.name, count*d.bytes, t.Parameters.BinarySize, len(binary))
	}
	out := make([]T, count)
	for i := range out {
		out[i] = T(d.get(binary[i*d.bytes:]))
	}
	return out, nil
}

// numbers reads data, flat or nested. The protocol allows both, with the same row-major order.
func numbers[T float32 | float64](t *Tensor, count int) ([]T, error) {
	// Each number has at least one character and a separator. The check bounds the allocation.
	if count > len(t.Data)/2+1 {
		return nil, t.wrong(Malformed, "the shape %v needs %d numbers, but data has fewer", t.Shape,
			count)
	}
	bits := 64
	if _, narrow := any(T(0)).(float32); narrow || t.Datatype == "FP32" || t.Datatype == "FP16" ||
		t.Datatype == "BF16" {
		bits = 32 // the precision of the number before it was written
	}
	out := make([]T, 0, count)
	d := json.NewDecoder(bytes.NewReader(t.Data))
	// A float64 could not hold every uint64.
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			break // the end: the JSON was whole, or it would not be here
		}
		v := float64(0)
		switch x := token.(type) {
		case json.Delim:
			if x != '[' && x != ']' {
				return nil, t.wrongData()
			}
			continue
		case bool:
			if x {
				v = 1
			}
		case json.Number:
			if v, err = strconv.ParseFloat(x.String(), bits); err != nil {
				return nil, t.wrong(Unusable, "%s is too large for a float%d", x, bits)
			}
		default:
			return nil, t.wrongData()
		}
		if out = append(out, T(v)); len(out) > count {
			break
		}
	}
	if len(out) != count {
		return nil, t.wrong(Malformed, "the shape %v needs %d numbers, but data has more or fewer",
			t.Shape, count)
	}
	return out, nil
}

// wrongData returns the error of data that contains strings or objects.
func (t *Tensor) wrongData() error {
	return t.wrong(Malformed, "data must contain only numbers and lists of numbers")
}

// Write writes an output as JSON or in binary. An output with NaN or an infinity needs binary,
// because JSON does not have them.
func Write(o onnxbackend.Output, inBinary bool) (Tensor, []byte, error) {
	t := Tensor{Name: o.Name, Datatype: Datatype(o.Type), Shape: ask.List(o.Shape)}
	if inBinary {
		d := rowOf(t.Datatype)
		data := make([]byte, 0, len(o.Data)*d.bytes)
		for _, v := range o.Data {
			data = d.put(data, v)
		}
		t.Parameters = &TensorParameters{BinarySize: int64(len(data))}
		return t, data, nil
	}
	for _, v := range o.Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return t, nil, t.wrong(NonFinite,
				"it contains %v, which JSON cannot represent; request it with binary_data", v)
		}
	}
	var data any = ask.List(ask.Numbers(o.Data))
	if t.Datatype == "BOOL" {
		data = bools(o.Data)
	}
	var err error
	t.Data, err = json.Marshal(data)
	return t, nil, err
}

// bools converts numbers to the JSON of the datatype BOOL.
func bools(v []float64) []bool {
	out := make([]bool, len(v))
	for i := range v {
		out[i] = v[i] != 0
	}
	return out
}
