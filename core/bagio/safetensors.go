package bagio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/bagscope/bagscope/core/internal/jsonvalues"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/valyala/fastjson"
)

// safetensorsTypes are the data types of the format that arrays can have; BF16 is converted.
var safetensorsTypes = map[string]dtype{
	"F64": {kind: 'f', size: 8}, "F32": {kind: 'f', size: 4}, "F16": {kind: 'f', size: 2},
	"BF16": bfloat16, "BOOL": {kind: 'b', size: 1},
	"I64": {kind: 'i', size: 8}, "I32": {kind: 'i', size: 4}, "I16": {kind: 'i', size: 2},
	"I8": {kind: 'i', size: 1}, "U64": {kind: 'u', size: 8}, "U32": {kind: 'u', size: 4},
	"U16": {kind: 'u', size: 2}, "U8": {kind: 'u', size: 1},
}

// maxSafetensorsHeader bounds the bytes of a header; a tensor takes about 100.
const maxSafetensorsHeader = 1 << 22

// isSafetensors reports whether a file begins with the length of a JSON object and an object.
func isSafetensors(s *source) bool {
	if len(s.head) < 10 {
		return false
	}
	n := binary.LittleEndian.Uint64(s.head)
	return s.head[8] == '{' && n >= 2 && n <= uint64(s.size-8)
}

func setFromSafetensors(s *source, o Options) (*Set, error) {
	n, err := safetensorsArrays(s, o.Limits)
	if err != nil {
		return nil, err
	}
	return setFromFeatures(n, o)
}

// safetensorsArrays returns the tensors of a file: eight bytes with the length of a header, the
// header in JSON, and the values of all tensors.
func safetensorsArrays(s *source, l Limits) (*namedArrays, error) {
	file := s.name
	size := int(binary.LittleEndian.Uint64(s.head))
	if size > maxSafetensorsHeader {
		return nil, bad(file, "its header of %d bytes is larger than %d bytes", size,
			maxSafetensorsHeader)
	}
	text, err := s.take(8, int64(size), l)
	if err != nil {
		return nil, err
	}
	if err := l.reserve(file, jsonvalues.Bytes(text)); err != nil {
		return nil, err
	}
	header, err := fastjson.ParseBytes(text)
	if err != nil {
		return nil, badAt(file, 8, "its header is not JSON: %s", err.Error())
	}
	object, err := header.Object()
	if err != nil {
		return nil, badAt(file, 8, "its header is not a JSON object")
	}
	n := &namedArrays{file: file, attributes: attributes{}}
	seen := map[string]bool{}
	object.Visit(func(key []byte, v *fastjson.Value) {
		name := string(key)
		switch {
		case err != nil:
		case seen[name]:
			err = badAt(file, 8, "its header names %q twice", name)
		case name == "__metadata__":
			n.attributes = metadata(v)
		default:
			var a namedArray
			a, err = safetensor(s, name, v, 8+int64(size), l)
			n.arrays = append(n.arrays, a)
		}
		seen[name] = true
	})
	return n, err
}

// metadata returns the texts of a header, and numbers where a text is a number.
func metadata(v *fastjson.Value) attributes {
	out := attributes{}
	object, err := v.Object()
	if err != nil {
		return out
	}
	object.Visit(func(key []byte, v *fastjson.Value) {
		text := string(v.GetStringBytes())
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			out[string(key)] = x
		} else {
			out[string(key)] = text
		}
	})
	return out
}

// safetensor returns the array of an entry of the header. Its values are checked to lie in the file
// before anything is allocated for them.
func safetensor(s *source, name string, v *fastjson.Value, start int64,
	l Limits) (namedArray, error) {
	what := s.name + "/" + name
	kind := string(v.GetStringBytes("dtype"))
	shape, err := lengths(v.Get("shape"))
	if err != nil {
		return namedArray{}, bad(what, "its shape: %v", err)
	}
	t, ok := safetensorsTypes[kind]
	if !ok {
		// A tensor beside the features may have any type.
		return namedArray{name, shape, func() (*Array, error) {
			return nil, bad(what, "its data type %q is not supported", kind)
		}}, nil
	}
	span, err := lengths(v.Get("data_offsets"))
	if err != nil || len(span) != 2 || span[0] > span[1] || int64(span[1]) > s.size-start {
		return namedArray{}, bad(what, "its data_offsets do not lie in the file")
	}
	count, err := l.elements(what, shape)
	if err != nil {
		return namedArray{}, err
	}
	if span[1]-span[0] != count*t.size {
		return namedArray{}, bad(what, "shape %s of %s needs %d bytes, and it has %d",
			shapeText(shape), kind, count*t.size, span[1]-span[0])
	}
	return namedArray{name, shape, func() (*Array, error) {
		at := start + int64(span[0])
		data, err := s.take(at, int64(span[1]-span[0]), l)
		if err != nil {
			return nil, err
		}
		a := &Array{Shape: shape, dtype: t, data: data, file: what, start: int(at)}
		if a.dtype.kind == bfloat16.kind {
			if err := l.reserve(what, 2*int64(len(a.data))); err != nil {
				return nil, err
			}
		}
		return a.withoutBfloat16(), nil
	}}, nil
}

// lengths returns the non-negative integers of a JSON array.
func lengths(v *fastjson.Value) ([]int, error) {
	if v == nil {
		return nil, errors.New("it is missing")
	}
	list, err := v.Array()
	if err != nil {
		return nil, err
	}
	if len(list) > maxRank {
		return nil, fmt.Errorf("it has %d axes; at most %d are supported", len(list), maxRank)
	}
	out := make([]int, len(list))
	for i, x := range list {
		if out[i], err = x.Int(); err != nil || out[i] < 0 {
			return nil, msg.Errorf("%s is not a length", x)
		}
	}
	return out, nil
}
