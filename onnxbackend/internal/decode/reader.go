package decode

import (
	"math"
	"unicode/utf8"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
)

// decoder counts what a file has used of its limits.
type decoder struct {
	limits Limits
	bytes  int // memory of the tensors read so far
	kept   *kept
	nodes  int // nodes read so far, and those that inlining adds
	depth  int // nesting depth of the current graph

	external External
	read     nameList // files that external returned bytes of
	missing  nameList // files that external does not have

	functions map[functionKey]*function
	// foreign reports that some node is of another domain than the default one, or could be.
	foreign bool
	ranks   map[string]int // ranks of values inside of graphs, if a node is foreign
	// texts has the values that hold text, such as class labels, with the error of one that is a
	// constant of the file, else nil.
	texts map[string]error
	// sequential reports that some node makes or reads a sequence of tensors.
	sequential bool
}

// message is a protobuf message and its offset in the file.
type message struct {
	data []byte
	base int
	what string // names the message in errors
	kept *kept  // what the model keeps of the file
	of   string // name of what the message belongs to, for errors; empty if there is none
}

// field is one field of a message: number, wire type and value.
type field struct {
	message
	number protowire.Number
	wire   protowire.Type
	at     int    // offset in the file
	value  uint64 // number of a varint or fixed field
	body   []byte // content of a length-delimited field
	start  int    // offset of body in the file
}

// A reader stores the value of a field in a variable of its own. It must check the wire type.
type reader func(field) error

// A rule names the reader of the fields with a number.
type rule struct {
	number protowire.Number
	read   reader
}

// fault returns an error about the message at an offset of the file.
func (m message) fault(at int, reason string, args ...any) error {
	what := m.what
	if m.of != "" {
		what = msg.Sprintf("%s %q", what, m.of)
	}
	return &fault.Format{Offset: at, What: what, Reason: msg.Sprintf(reason, args...)}
}

// each calls f for the fields of the message in turn.
func (m message) each(f reader) error {
	for i := 0; i < len(m.data); {
		// A field is a tag, which has its number and wire type, and a value.
		at := m.base + i
		num, typ, n := protowire.ConsumeTag(m.data[i:])
		if n < 0 {
			return m.fault(at, "no field begins here: %v", protowire.ParseError(n))
		}
		i += n
		fd := field{message: m, number: num, wire: typ, at: at}
		switch typ {
		case protowire.VarintType, protowire.Fixed32Type, protowire.Fixed64Type:
			fd.value, n = consumeNumber(m.data[i:], typ)
		case protowire.BytesType:
			fd.body, n = protowire.ConsumeBytes(m.data[i:])
			fd.start = m.base + i + n - len(fd.body)
		default: // groups, which protobuf has deprecated
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

// consumeNumber returns the number of a wire type at the start of b and its length in bytes, which
// is negative if b does not begin with one.
func consumeNumber(b []byte, wire protowire.Type) (v uint64, n int) {
	switch wire {
	case protowire.Fixed32Type:
		v32, n := protowire.ConsumeFixed32(b)
		return uint64(v32), n
	case protowire.Fixed64Type:
		return protowire.ConsumeFixed64(b)
	}
	return protowire.ConsumeVarint(b)
}

// check returns an error unless a field has the wire type that its reader needs. A file may declare
// any wire type for any field number, so each reader must check it.
func (f field) check(t protowire.Type) error {
	if f.wire != t {
		return f.fault(f.at, "field %d has wire type %d instead of %d", f.number, f.wire, t)
	}
	return nil
}

// fields reads the message in a field by rules; what names it in errors. Fields without a rule are
// skipped: ONNX adds fields from version to version, and protobuf readers must ignore those that
// they do not know.
func (f field) fields(what string, rules ...rule) error {
	return f.fieldsOf(what, "", rules...)
}

// fieldsOf is fields for a message that belongs to something with a name.
func (f field) fieldsOf(what, name string, rules ...rule) error {
	if err := f.check(protowire.BytesType); err != nil {
		return err
	}
	return message{data: f.body, base: f.start, what: what, of: name, kept: f.kept}.read(rules)
}

// read reads the fields of a message by rules. If a field that is not repeated occurs twice, the
// last one counts, as protobuf demands.
func (m message) read(rules []rule) error {
	return m.each(func(f field) error {
		for _, r := range rules {
			if r.number == f.number {
				return r.read(f)
			}
		}
		return nil
	})
}

// list returns a reader that appends what read makes of each field to dst. It bounds the elements
// by most, so that a small file cannot make a huge list; what names them in the error.
func list[T any](dst *[]T, most int, what string, read func(field, *T) error) reader {
	return func(f field) error {
		if len(*dst) >= most {
			return f.fault(f.at, "it has more than %d %s", most, what)
		}
		var v T
		if err := f.kept.reserve(2 * int(unsafe.Sizeof(v))); err != nil { // lists grow to twice
			return err
		}
		err := read(f, &v)
		*dst = append(*dst, v)
		return err
	}
}

// integer reads an enumeration or an int64.
func integer[T ~int64 | ~int32](dst *T) reader {
	return func(f field) error {
		*dst = T(f.value)
		return f.check(protowire.VarintType)
	}
}

// text reads a string, which must be valid UTF-8.
func text(dst *string) reader {
	return func(f field) error {
		if err := f.check(protowire.BytesType); err != nil {
			return err
		}
		if !utf8.Valid(f.body) {
			return f.fault(f.at, "field %d should be text but is not valid UTF-8", f.number)
		}
		*dst = string(f.body)
		return f.kept.reserve(len(f.body))
	}
}

// domain reads the domain of an operator. The default one is "", which files may also write in
// full.
func domain(dst *string) reader {
	return func(f field) error {
		err := text(dst)(f)
		if *dst == "ai.onnx" {
			*dst = ""
		}
		return err
	}
}

// texts reads a repeated string.
func texts(dst *[]string) reader {
	return func(f field) error {
		if len(*dst) >= maxIO {
			return f.fault(f.at, "field %d is repeated more than %d times", f.number, maxIO)
		}
		if err := f.kept.reserve(textBytes); err != nil {
			return err
		}
		var s string
		err := text(&s)(f)
		*dst = append(*dst, s)
		return err
	}
}

// numbers calls add for every number of a repeated field. The field is packed into one
// length-delimited value, or it has one number of the wire type; protobuf readers must accept both.
func (f field) numbers(wire protowire.Type, add func(uint64) error) error {
	if f.wire == wire {
		return add(f.value)
	}
	if err := f.check(protowire.BytesType); err != nil {
		return err
	}
	size := map[protowire.Type]int{protowire.Fixed32Type: 4, protowire.Fixed64Type: 8}[wire]
	if size > 0 && len(f.body)%size != 0 {
		return f.fault(f.at, "field %d holds %d bytes, which is not a multiple of %d", f.number,
			len(f.body), size)
	}
	// Varints have no size, so that a packed list may end within a number.
	for b := f.body; len(b) > 0; {
		v, n := consumeNumber(b, wire)
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

// floatOf returns the float32 in a fixed 32-bit field.
func floatOf(v uint64) float32 { return math.Float32frombits(uint32(v)) }
