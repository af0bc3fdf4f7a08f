package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"unicode/utf8"
	"unsafe"
)

// A FormatError says where a message stops making sense.
type FormatError struct {
	Offset int // in bytes from the start of the message
	Reason string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("the message cannot be read at byte %d: %s", e.Offset, e.Reason)
}

// Decode reads one message, which must fill data to the last byte. The body is a value of one of
// the types of Bodies that shares nothing with data, but for []byte fields, which do; data may be
// changed for them. The ID is right even beside an error if the header could be read, so that the
// failure can be answered.
func Decode(data []byte) (m Message, err error) {
	d := decoder{data: data}
	header := d.take(headerSize)
	if d.err != nil {
		return m, d.err
	}
	m.ID = binary.LittleEndian.Uint32(header[2:])
	if header[0] != Version {
		d.at = 0
		d.fail("it has version %d and this side speaks version %d; the JavaScript and the wasm "+
			"file come from different releases", header[0], Version)
		return m, d.err
	}
	bodies := Bodies()
	kind := int(header[1])
	if kind < 1 || kind > len(bodies) {
		d.at = 1
		d.fail("there is no message of kind %d", kind)
		return m, d.err
	}
	v := reflect.New(reflect.TypeOf(bodies[kind-1])).Elem()
	d.value(v)
	if d.err == nil && d.at != len(data) {
		d.fail("%d bytes are left over", len(data)-d.at)
	}
	if d.err != nil {
		return m, d.err
	}
	m.Body = v.Interface()
	return m, nil
}

// A decoder reads values one after another. After the first failure it reads zeros.
type decoder struct {
	data []byte
	at   int
	err  error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = &FormatError{d.at, fmt.Sprintf(format, args...)}
	}
}

// take returns the next n bytes, or nil after a failure.
func (d *decoder) take(n int) []byte {
	if d.err == nil && n > len(d.data)-d.at {
		d.fail("%d bytes are needed and %d are left", n, len(d.data)-d.at)
	}
	if d.err != nil {
		return nil
	}
	d.at += n
	return d.data[d.at-n : d.at : d.at]
}

// large is the length from which on bytes are moved to where their numbers can be read as they lie.
const large = 1 << 20

// aligned returns the next n bytes. Many of them are moved down to a multiple of four, over the
// last of their length, which has been read: the values of a bag are then numbers without a copy,
// 0.4 GB for 100,000 instances of 1024.
func (d *decoder) aligned(n int) []byte {
	b := d.take(n)
	if len(b) < large {
		return b
	}
	by := int(uintptr(unsafe.Pointer(&b[0])) % 4)
	from := d.at - n - by
	copy(d.data[from:], b)
	return d.data[from : from+n : from+n]
}

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
		d.fail("%d stands where 0 or 1 must", b[0])
	}
	return b[0] == 1
}

func (d *decoder) int() int64 {
	n := int64(d.uint64())
	if n > maxInt || n < -maxInt {
		d.at -= 8
		d.fail("%d is beyond ±(2^53 - 1)", n)
		return 0
	}
	return n
}

// count reads the length of a list whose elements take at least size bytes each.
func (d *decoder) count(size int) int {
	b := d.take(4)
	if b == nil {
		return 0
	}
	n := uint64(binary.LittleEndian.Uint32(b))
	if left := len(d.data) - d.at; n > uint64(left/size) {
		d.at -= 4
		d.fail("a list of %d elements is announced and %d bytes are left", n, left)
		return 0
	}
	return int(n)
}

func (d *decoder) string() string {
	n := d.count(1)
	start := d.at
	b := d.take(n)
	if !utf8.Valid(b) {
		d.at = start
		d.fail("a text is not UTF-8")
		return ""
	}
	return string(b)
}

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
	case reflect.Interface:
		d.any(v)
	default:
		d.fail("a field has type %v, which the wire does not know", v.Type())
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
		for i, b := 0, d.take(4*n); i < n; i++ {
			(*p)[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
		return
	case *[]float64:
		*p = make([]float64, n)
		for i, b := 0, d.take(8*n); i < n; i++ {
			(*p)[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		d.value(v.Index(i))
	}
}

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

// minSize returns the fewest bytes that a value of a type takes.
func minSize(t reflect.Type) int {
	switch t.Kind() {
	case reflect.Int, reflect.Uint64, reflect.Float64:
		return 8
	case reflect.Float32, reflect.String, reflect.Slice:
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
