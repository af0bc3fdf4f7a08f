package server

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/answer"
)

// A datatype is a row of the protocol's types that bags and outputs have here, little-endian.
type datatype struct {
	name  string // of the protocol
	ours  string // of the engine
	bytes int
	get   func(b []byte) float32
	put   func(b []byte, v float64) []byte
}

var datatypes = []datatype{
	{"FP32", "float32", 4,
		func(b []byte) float32 { return math.Float32frombits(little.Uint32(b)) },
		func(b []byte, v float64) []byte { return little.AppendUint32(b, math.Float32bits(float32(v))) }},
	{"FP64", "float64", 8,
		func(b []byte) float32 { return float32(math.Float64frombits(little.Uint64(b))) },
		func(b []byte, v float64) []byte { return little.AppendUint64(b, math.Float64bits(v)) }},
	{"UINT8", "uint8", 1,
		func(b []byte) float32 { return float32(b[0]) },
		func(b []byte, v float64) []byte { return append(b, byte(v)) }},
	{"INT8", "int8", 1,
		func(b []byte) float32 { return float32(int8(b[0])) },
		func(b []byte, v float64) []byte { return append(b, byte(int8(v))) }},
	{"UINT16", "uint16", 2,
		func(b []byte) float32 { return float32(little.Uint16(b)) },
		func(b []byte, v float64) []byte { return little.AppendUint16(b, uint16(v)) }},
	{"INT16", "int16", 2,
		func(b []byte) float32 { return float32(int16(little.Uint16(b))) },
		func(b []byte, v float64) []byte { return little.AppendUint16(b, uint16(int16(v))) }},
	{"UINT32", "uint32", 4,
		func(b []byte) float32 { return float32(little.Uint32(b)) },
		func(b []byte, v float64) []byte { return little.AppendUint32(b, uint32(v)) }},
	{"INT32", "int32", 4,
		func(b []byte) float32 { return float32(int32(little.Uint32(b))) },
		func(b []byte, v float64) []byte { return little.AppendUint32(b, uint32(int32(v))) }},
	{"UINT64", "uint64", 8,
		func(b []byte) float32 { return float32(little.Uint64(b)) },
		func(b []byte, v float64) []byte { return little.AppendUint64(b, uint64(v)) }},
	{"INT64", "int64", 8,
		func(b []byte) float32 { return float32(int64(little.Uint64(b))) },
		func(b []byte, v float64) []byte { return little.AppendUint64(b, uint64(int64(v))) }},
	{"BOOL", "bool", 1,
		func(b []byte) float32 { return float32(min(b[0], 1)) },
		func(b []byte, v float64) []byte { return append(b, byte(min(v, 1))) }},
}

var little = binary.LittleEndian

// datatypeOf returns the protocol's name of a type of the engine.
func datatypeOf(ours string) string {
	for _, d := range datatypes {
		if d.ours == ours {
			return d.name
		}
	}
	// Both are widened to float32 by the engine, and floats are what bags hold.
	return "FP32"
}

// values reads the numbers of an input.
func (t *tensorJSON) values(count int, behind []byte) ([]float32, error) {
	var d *datatype
	for i := range datatypes {
		if datatypes[i].name == t.Datatype {
			d = &datatypes[i]
		}
	}
	if d == nil {
		return nil, problem("request", "input %q is of %q; a bag's numbers are of FP32, FP64, BOOL, or integers", t.Name, t.Datatype)
	}
	if t.Parameters != nil && t.Parameters.BinarySize != 0 {
		if t.Parameters.BinarySize != int64(len(behind)) || len(behind) != count*d.bytes {
			return nil, problem("request", "input %q: %d numbers of %s are %d bytes; binary_data_size says %d, and behind the JSON are %d",
				t.Name, count, d.name, count*d.bytes, t.Parameters.BinarySize, len(behind))
		}
		out := make([]float32, count)
		for i := range out {
			out[i] = d.get(behind[i*d.bytes:])
		}
		return out, nil
	}
	return t.numbers(count)
}

// numbers reads data, flat or nested: the protocol takes both, and row-major order is the same in either.
func (t *tensorJSON) numbers(count int) ([]float32, error) {
	if count > len(t.Data)/2+1 {
		return nil, problem("request", "input %q: shape %v wants %d numbers, and data has fewer", t.Name, t.Shape, count)
	}
	out := make([]float32, 0, count)
	d := json.NewDecoder(bytes.NewReader(t.Data))
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
			if v, err = strconv.ParseFloat(x.String(), 32); err != nil {
				return nil, problem("bag", "input %q: %s is too large for a float32", t.Name, x)
			}
		default:
			return nil, t.wrongData()
		}
		if out = append(out, float32(v)); len(out) > count {
			break
		}
	}
	if len(out) != count {
		return nil, problem("request", "input %q: shape %v wants %d numbers, and data has more or fewer", t.Name, t.Shape, count)
	}
	return out, nil
}

func (t *tensorJSON) wrongData() error {
	return problem("request", "input %q: data holds something else than numbers and lists of them", t.Name)
}

// writeTensor writes an output, as JSON or in binary. JSON knows no NaN: such an output can only be had in binary.
func writeTensor(o onnxbackend.Output, binary bool) (tensorJSON, []byte, error) {
	t := tensorJSON{Name: o.Name, Datatype: datatypeOf(o.Type), Shape: answer.List(o.Shape)}
	if binary {
		var data []byte
		for _, d := range datatypes {
			if d.name == t.Datatype {
				data = make([]byte, 0, len(o.Data)*d.bytes)
				for _, v := range o.Data {
					data = d.put(data, v)
				}
			}
		}
		t.Parameters = &tensorParameter{BinarySize: int64(len(data))}
		return t, data, nil
	}
	for _, v := range o.Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return t, nil, problem("non-finite", "output %q holds %v, which JSON cannot say; ask for it with binary_data", o.Name, v)
		}
	}
	var data any = answer.List(answer.Numbers(o.Data))
	if t.Datatype == "BOOL" {
		data = bools(o.Data)
	}
	var err error
	t.Data, err = json.Marshal(data)
	return t, nil, err
}

func bools(v []float64) []bool {
	out := make([]bool, len(v))
	for i := range v {
		out[i] = v[i] != 0
	}
	return out
}
