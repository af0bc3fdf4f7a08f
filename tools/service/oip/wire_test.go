package oip

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
)

// TestDatatypes: what is put in binary is got back, and no type of the engine is without a name.
func TestDatatypes(t *testing.T) {
	for _, d := range datatypes {
		if d.put == nil {
			must.Equal(t, Datatype(d.ours), "FP32", d.name)
			must.Equal(t, Type(d.name), d.ours, d.name)
			continue
		}
		for _, v := range []float64{0, 1} {
			b := d.put(nil, v)
			if len(b) != d.bytes || d.get(b) != v || Datatype(d.ours) != d.name ||
				Type(d.name) != d.ours {
				t.Errorf("%s: %v is %x", d.name, v, b)
			}
		}
	}
	for kind, v := range map[string]float64{"FP32": -.5, "FP64": -.5, "INT8": -3, "INT16": -3,
		"INT32": -3, "INT64": -3, "UINT8": 200, "UINT16": 60_000, "UINT32": 1 << 31,
		"UINT64": 1 << 63} {
		d := rowOf(kind)
		must.Equal(t, d.get(d.put(nil, v)), v, kind)
	}
	for bits, want := range map[uint16]float64{0: 0, 1: 0x1p-24, 0x3c00: 1, 0xc000: -2,
		0x7bff: 65504, 0x03ff: 1023 * 0x1p-24, 0xfc00: math.Inf(-1)} {
		must.Equal(t, half(bits), want, bits)
	}
	if got := half(0x7e00); got == got {
		t.Errorf("a half that is none is %v", got)
	}
	must.Equal(t, rowOf("BF16").get([]byte{0xc0, 0x3f}), 1.5, "a bfloat16 is")
}

// TestTensors: what is written is read, as JSON and in binary, and what contradicts itself is
// refused by its fault.
func TestTensors(t *testing.T) {
	o := onnxbackend.Output{Name: "o", Type: "float32", Shape: []int{2, 2},
		Data: []float64{1, -.5, 3e7, 0}}
	for _, binary := range []bool{false, true} {
		w, binary, err := Write(o, binary)
		must.Do(t, err)
		n := must.Get(w.Count())(t)
		must.EqualSlices(t, must.Get(Values[float64](&w, n, binary))(t), o.Data, binary)
	}
	if _, _, err := Write(onnxbackend.Output{Shape: []int{1}, Data: []float64{math.NaN()}},
		false); faultOf(err) != NonFinite {
		t.Error(err)
	}
	for _, c := range []struct {
		tensor string
		binary int
		want   Fault
	}{
		{`{"datatype":"FP32","shape":[2],"data":[1,2]}`, 0, ""},
		{`{"datatype":"FP32","shape":[2,1],"data":[[1],[2]]}`, 0, ""},
		{`{"datatype":"BOOL","shape":[2],"data":[true,false]}`, 0, ""},
		{`{"datatype":"FP32","shape":[2],"data":[1]}`, 0, Malformed},
		{`{"datatype":"FP32","shape":[2],"data":[1,2,3]}`, 0, Malformed},
		{`{"datatype":"FP32","shape":[2],"data":[1,"2"]}`, 0, Malformed},
		{`{"datatype":"FP32","shape":[2],"data":{"a":1,"b":2}}`, 0, Malformed},
		{`{"datatype":"FP32","shape":[2]}`, 0, Malformed},
		{`{"datatype":"BYTES","shape":[2],"data":["a","b"]}`, 0, Malformed},
		{`{"datatype":"FP32","shape":[0],"data":[]}`, 0, Unusable},
		{`{"datatype":"FP32","shape":[-1],"data":[]}`, 0, Unusable},
		{`{"datatype":"FP32","shape":[1],"data":[1e99]}`, 0, Unusable},
		{`{"datatype":"FP32","shape":[99999,99999]}`, 0, TooLarge},
		{`{"datatype":"FP32","shape":[1000000],"data":[1]}`, 0, Malformed},
		{`{"datatype":"FP32","shape":[2],"parameters":{"binary_data_size":8}}`, 8, ""},
		{`{"datatype":"FP32","shape":[2],"parameters":{"binary_data_size":8}}`, 4, Malformed},
		{`{"datatype":"FP32","shape":[2],"parameters":{"binary_data_size":4}}`, 4, Malformed},
		{`{"datatype":"FP32","shape":[2],"parameters":{"shared_memory_region":"x"}}`, 0, Malformed},
	} {
		var x Tensor
		must.Do(t, json.Unmarshal([]byte(c.tensor), &x))
		n, err := x.Count()
		if err == nil {
			_, err = Values[float32](&x, n, make([]byte, c.binary))
		}
		must.Equal(t, faultOf(err), c.want, c.tensor)
	}
}

func faultOf(err error) Fault {
	var e *TensorError
	if errors.As(err, &e) {
		return e.Fault
	}
	return ""
}
