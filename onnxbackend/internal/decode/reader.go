package decode

import (
	"fmt"
	"math"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
)

// decoder carries the limits and what has been spent of them.
type decoder struct {
	limits Limits
	bytes  int // of tensors so far
	nodes  int // so far
	depth  int // of the graph that is being read

	external External
	read     nameList // files of which external gave bytes
	missing  nameList // files that it does not have

	functions map[functionKey]*function
	foreign   bool // a node is of another domain than the default one
}

// message is a protobuf message and where in the file it begins.
type message struct {
	data []byte
	base int
	what string // for errors
}

// field is one field of a message: number, wire type and value.
type field struct {
	message
	number protowire.Number
	wire   protowire.Type
	at     int    // offset in the file
	value  uint64 // of varint and fixed fields
	body   []byte // of length-delimited fields
	start  int    // offset of body in the file
}

func (m message) fault(at int, reason string, args ...any) error {
	return &fault.Format{Offset: at, What: m.what, Reason: fmt.Sprintf(reason, args...)}
}

// each calls f for the fields of the message in turn.
func (m message) each(f func(field) error) error {
	for i := 0; i < len(m.data); {
		at := m.base + i
		num, typ, n := protowire.ConsumeTag(m.data[i:])
		if n < 0 {
			return m.fault(at, "no field begins here: %v", protowire.ParseError(n))
		}
		i += n
		fd := field{message: m, number: num, wire: typ, at: at}
		switch typ {
		case protowire.VarintType:
			fd.value, n = protowire.ConsumeVarint(m.data[i:])
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(m.data[i:])
			fd.value = uint64(v)
		case protowire.Fixed64Type:
			fd.value, n = protowire.ConsumeFixed64(m.data[i:])
		case protowire.BytesType:
			fd.body, n = protowire.ConsumeBytes(m.data[i:])
			fd.start = m.base + i + n - len(fd.body)
		default:
			return m.fault(at, "field %d has wire type %d, which ONNX does not use", num, typ)
		}
		if n < 0 {
			return m.fault(at, "field %d does not fit into the file: %v", num,
				protowire.ParseError(n))
		}
		i += n
		if err := f(fd); err != nil {
			return err
		}
	}
	return nil
}

// want checks the wire type of a field that the decoder reads.
func (f field) want(t protowire.Type) error {
	if f.wire != t {
		return f.fault(f.at, "field %d has wire type %d instead of %d", f.number, f.wire, t)
	}
	return nil
}

// sub returns a nested message.
func (f field) sub(what string) (message, error) {
	if err := f.want(protowire.BytesType); err != nil {
		return message{}, err
	}
	return message{data: f.body, base: f.start, what: what}, nil
}

func (f field) int64(dst *int64) error {
	*dst = int64(f.value)
	return f.want(protowire.VarintType)
}

func (f field) float32(dst *float32) error {
	*dst = math.Float32frombits(uint32(f.value))
	return f.want(protowire.Fixed32Type)
}

func (f field) text(dst *string) error {
	if err := f.want(protowire.BytesType); err != nil {
		return err
	}
	if !utf8.Valid(f.body) {
		return f.fault(f.at, "field %d should be text but is not valid UTF-8", f.number)
	}
	*dst = string(f.body)
	return nil
}

func (f field) texts(dst *[]string) error {
	if len(*dst) >= maxIO {
		return f.fault(f.at, "field %d is repeated more than %d times", f.number, maxIO)
	}
	var s string
	if err := f.text(&s); err != nil {
		return err
	}
	*dst = append(*dst, s)
	return nil
}

// varints hands every number of a repeated varint field, packed or not, to add.
func (f field) varints(add func(uint64) error) error {
	if f.wire == protowire.VarintType {
		return add(f.value)
	}
	if err := f.want(protowire.BytesType); err != nil {
		return err
	}
	for b := f.body; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return f.fault(f.at, "field %d holds a broken number: %v", f.number,
				protowire.ParseError(n))
		}
		if err := add(v); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// fixed32s hands every number of a repeated 32-bit field, packed or not, to add.
func (f field) fixed32s(add func(uint32) error) error {
	if f.wire == protowire.Fixed32Type {
		return add(uint32(f.value))
	}
	if err := f.want(protowire.BytesType); err != nil {
		return err
	}
	if len(f.body)%4 != 0 {
		return f.fault(f.at, "field %d holds %d bytes, no multiple of 4", f.number, len(f.body))
	}
	for b := f.body; len(b) > 0; b = b[4:] {
		v, _ := protowire.ConsumeFixed32(b)
		if err := add(v); err != nil {
			return err
		}
	}
	return nil
}

// fixed64s hands every number of a repeated 64-bit field, packed or not, to add.
func (f field) fixed64s(add func(uint64) error) error {
	if f.wire == protowire.Fixed64Type {
		return add(f.value)
	}
	if err := f.want(protowire.BytesType); err != nil {
		return err
	}
	if len(f.body)%8 != 0 {
		return f.fault(f.at, "field %d holds %d bytes, no multiple of 8", f.number, len(f.body))
	}
	for b := f.body; len(b) > 0; b = b[8:] {
		v, _ := protowire.ConsumeFixed64(b)
		if err := add(v); err != nil {
			return err
		}
	}
	return nil
}
