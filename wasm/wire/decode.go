package wire

import (
	"encoding/binary"
	"math"
	"reflect"
	"unicode/utf8"
	"unsafe"

	"github.com/bagscope/bagscope/internal/msg"
)

// A FormatError names the first byte of a message that is invalid.
type FormatError struct {
	Offset int // in bytes from the start of the message
	Reason string
}

func (e *FormatError) Error() string {
	return msg.Sprintf("the message cannot be read at byte %d: %s", e.Offset, e.Reason)
}

// Decode decodes one message, which must fill data to the last byte. The body is a value of one of
// the types of Bodies. Its []byte fields share the memory of data, and Decode may move bytes within
// data to align them; all other fields are copies. If the header is valid, the ID is set even with
// an error, so that the caller can answer with a Failure.
func Decode(data []byte) (m Message, err error) {
	d := decoder{data: data}
	header := d.take(headerSize)
	if d.err != nil {
		return m, d.err
	}
	m.ID = binary.LittleEndian.Uint32(header[2:])
	if header[0] != Version {
		d.at = 0
		d.fail("it has version %d, but this program uses version %d; the JavaScript and the wasm "+
			"file come from different releases", header[0], Version)
		return m, d.err
	}
	bodies := Bodies()
	kind := int(header[1])
	if kind < 1 || kind > len(bodies) {
		d.at = 1
		d.fail("the kind of message %d is unknown", kind)
		return m, d.err
	}
	v := reflect.New(reflect.TypeOf(bodies[kind-1])).Elem()
	d.value(v)
	if d.err == nil && d.at != len(data) {
		d.fail("%d bytes follow the message", len(data)-d.at)
	}
	if d.err != nil {
		return m, d.err
	}
	m.Body = v.Interface()
	return m, nil
}

// A decoder reads values one after another. After the first error it returns zeros, so that callers
// need not check each value.
type decoder struct {
	data []byte
	at   int
	err  error
}

// fail records the first error, at the current offset.
func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = &FormatError{d.at, msg.Sprintf(format, args...)}
	}
}

// take returns the next n bytes, or nil after an error.
func (d *decoder) take(n int) []byte {
	if d.err == nil && n > len(d.data)-d.at {
		d.fail("%d bytes are needed, but only %d are left", n, len(d.data)-d.at)
	}
	if d.err != nil {
		return nil
	}
	d.at += n
	return d.data[d.at-n : d.at : d.at]
}

// alignFrom is the length in bytes from which on bytes are aligned.
const alignFrom = 1 << 20

// aligned returns the next n bytes. Long ones are moved to an address that is a multiple of four,
// over their length, which was read before. A file of float32 values can then be used without a
// copy: a bag of 100,000 instances of 1024 values has 0.4 GB.
func (d *decoder) aligned(n int) []byte {
	b := d.take(n)
	if len(b) < alignFrom {
		return b
	}
	excess := int(uintptr(unsafe.Pointer(&b[0])) % 4)
	from := d.at - n - excess
	copy(d.data[from:], b)
	return d.data[from : from+n : from+n]
}

// uint64 reads eight bytes, or returns 0 after an error.
func (d *decoder) uint64() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// flag reads a byte that is 0 or 1.
func (d *decoder) flag() bool {
	b := d.take(1)
	if b == nil {
		return false
	}
	if b[0] > 1 {
		d.at--
		d.fail("a flag is %d, but must be 0 or 1", b[0])
	}
	return b[0] == 1
}

// int reads a whole number that JavaScript represents exactly.
func (d *decoder) int() int64 {
	n := int64(d.uint64())
	if n > maxInt || n < -maxInt {
		d.at -= 8
		d.fail("%d is outside ±(2^53 - 1)", n)
		return 0
	}
	return n
}

// count reads the length of a list whose elements have at least size bytes each. A length that the
// remaining bytes cannot contain is an error, so that no memory is allocated for it.
func (d *decoder) count(size int) int {
	b := d.take(4)
	if b == nil {
		return 0
	}
	n := uint64(binary.LittleEndian.Uint32(b))
	if left := len(d.data) - d.at; n > uint64(left/size) {
		d.at -= 4
		d.fail("a list has %d elements, but only %d bytes are left", n, left)
		return 0
	}
	return int(n)
}

// string reads a string, which must be UTF-8.
func (d *decoder) string() string {
	n := d.count(1)
	start := d.at
	b := d.take(n)
	if !utf8.Valid(b) {
		d.at = start
		d.fail("a string is not UTF-8")
		return ""
	}
	return string(b)
}

// value reads a value into v by its type.
func (d *decoder) value(v reflect.Value) {
	if d.err != nil {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(d.flag())
	case reflect.Int:
		v.SetInt(d.int())
	case reflect.Uint64:
		v.SetUint(d.uint64())
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(d.uint64()))
	case reflect.String:
		v.SetString(d.string())
	case reflect.Pointer:
		if d.flag() {
			v.Set(reflect.New(v.Type().Elem()))
			d.value(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			d.value(v.Field(i))
		}
	case reflect.Slice:
		d.slice(v)
	case reflect.Map:
		d.keyed(v)
	case reflect.Interface:
		d.any(v)
	default:
		d.fail("a field has the type %v, which messages cannot contain", v.Type())
	}
}

// slice reads a list. An empty one becomes nil.
func (d *decoder) slice(v reflect.Value) {
	n := d.count(minSize(v.Type().Elem()))
	if n == 0 {
		return
	}
	switch p := v.Addr().Interface().(type) {
	case *[]byte:
		*p = d.aligned(n)
		return
	case *[]float32:
		*p = make([]float32, n)
		b := d.take(4 * n) // count has checked the length
		for i := range *p {
			(*p)[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
		return
	case *[]bool:
		*p = make([]bool, n)
		for i := range *p {
			(*p)[i] = d.flag()
		}
		return
	case *[]float64:
		*p = make([]float64, n)
		b := d.take(8 * n)
		for i := range *p {
			(*p)[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		d.value(v.Index(i))
	}
}

// keyed reads values by their keys, which must differ. No key becomes nil.
func (d *decoder) keyed(v reflect.Value) {
	n := d.count(4 + minSize(v.Type().Elem()))
	if n > 0 {
		v.Set(reflect.MakeMapWithSize(v.Type(), n))
	}
	for range n {
		start := d.at
		key := reflect.ValueOf(d.string())
		if v.MapIndex(key).IsValid() {
			d.at = start
			d.fail("a key is there twice")
		}
		value := reflect.New(v.Type().Elem()).Elem()
		d.value(value)
		if d.err != nil {
			return
		}
		v.SetMapIndex(key, value)
	}
}

// any reads a value with its kind.
func (d *decoder) any(v reflect.Value) {
	tag := d.take(1)
	if tag == nil {
		return
	}
	switch tag[0] {
	case anyString:
		v.Set(reflect.ValueOf(d.string()))
	case anyBool:
		v.Set(reflect.ValueOf(d.flag()))
	case anyInt:
		v.Set(reflect.ValueOf(int(d.int())))
	case anyFloat:
		v.Set(reflect.ValueOf(math.Float64frombits(d.uint64())))
	default:
		d.at--
		d.fail("a value has the unknown type %d", tag[0])
	}
}

// minSize returns the smallest number of bytes of a value of a type.
func minSize(t reflect.Type) int {
	switch t.Kind() {
	case reflect.Int, reflect.Uint64, reflect.Float64:
		return 8
	case reflect.Float32, reflect.String, reflect.Slice, reflect.Map:
		return 4
	case reflect.Struct:
		n := 0
		for i := range t.NumField() {
			n += minSize(t.Field(i).Type)
		}
		return max(n, 1)
	case reflect.Interface:
		return 2
	}
	return 1
}
