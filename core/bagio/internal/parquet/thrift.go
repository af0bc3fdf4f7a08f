package parquet

import (
	"encoding/binary"

	"github.com/bagscope/bagscope/internal/msg"
)

// Types of Thrift's compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// mostDepth bounds structs in structs.
const mostDepth = 32

// A thrift reads values of Thrift's compact protocol. After an error it returns zeros.
type thrift struct {
	b     []byte
	pos   int
	depth int
	err   error
	short bool // the error is that b ends too early
}

func (t *thrift) fail(format string, args ...any) {
	if t.err == nil {
		t.err = msg.Errorf(format, args...)
	}
}

// end reports that b ends too early.
func (t *thrift) end() {
	t.short = t.err == nil
	t.fail("its description ends too early")
}

func (t *thrift) byte() byte {
	if t.err != nil || t.pos >= len(t.b) {
		t.end()
		return 0
	}
	t.pos++
	return t.b[t.pos-1]
}

func (t *thrift) varint() uint64 {
	if t.err != nil {
		return 0
	}
	v, n := binary.Uvarint(t.b[t.pos:])
	if n <= 0 {
		if n == 0 {
			t.end()
		}
		t.fail("its description holds a number that is too large")
		return 0
	}
	t.pos += n
	return v
}

func (t *thrift) zigzag() int64 {
	v := t.varint()
	return int64(v>>1) ^ -int64(v&1)
}

// number returns a whole number of some type.
func (t *thrift) number(kind byte) int64 {
	switch kind {
	case thriftByte:
		return int64(int8(t.byte()))
	case thriftI16, thriftI32, thriftI64:
		return t.zigzag()
	}
	t.fail("its description holds type %d in place of a number", kind)
	return 0
}

// text returns a binary value.
func (t *thrift) text(kind byte) string {
	if kind != thriftBinary {
		t.fail("its description holds type %d in place of a text", kind)
	}
	n := t.varint()
	if t.err == nil && n > uint64(len(t.b)-t.pos) {
		t.end()
	}
	if t.err != nil {
		return ""
	}
	t.pos += int(n)
	return string(t.b[t.pos-int(n) : t.pos])
}

// fields calls read with the number and type of each field of a struct. A field that read does not
// take is skipped.
func (t *thrift) fields(kind byte, read func(id int, kind byte) bool) {
	if kind != thriftStruct {
		t.fail("its description holds type %d in place of a struct", kind)
	}
	if t.depth++; t.depth > mostDepth {
		t.fail("its description is nested too deep")
	}
	defer func() { t.depth-- }()
	for id := 0; t.err == nil; {
		head := t.byte()
		if head == 0 {
			return
		}
		kind := head & 15
		if step := int(head >> 4); step > 0 {
			id += step
		} else {
			id = int(int16(t.zigzag()))
		}
		if !read(id, kind) {
			t.skip(kind)
		}
	}
}

// list calls read for each entry of a list.
func (t *thrift) list(kind byte, read func(kind byte)) {
	if kind != thriftList && kind != thriftSet {
		t.fail("its description holds type %d in place of a list", kind)
	}
	head := t.byte()
	n := uint64(head >> 4)
	if n == 15 {
		n = t.varint()
	}
	if t.err == nil && n > uint64(len(t.b)-t.pos) {
		t.end() // an entry takes a byte or more
	}
	for ; n > 0 && t.err == nil; n-- {
		read(head & 15)
	}
}

// skip skips a value of a struct.
func (t *thrift) skip(kind byte) {
	switch kind {
	case thriftTrue, thriftFalse:
	case thriftByte, thriftI16, thriftI32, thriftI64:
		t.number(kind)
	case thriftDouble:
		for range 8 {
			t.byte()
		}
	case thriftBinary:
		t.text(kind)
	case thriftList, thriftSet:
		t.list(kind, t.skipEntry)
	case thriftMap:
		n := t.varint()
		if n == 0 {
			return
		}
		kinds := t.byte()
		for ; n > 0 && t.err == nil; n-- {
			t.skipEntry(kinds >> 4)
			t.skipEntry(kinds & 15)
		}
	case thriftStruct:
		t.fields(kind, func(int, byte) bool { return false })
	default:
		t.fail("its description holds the type %d, which is not known", kind)
	}
}

// skipEntry skips an entry of a list or a map, whose booleans take a byte.
func (t *thrift) skipEntry(kind byte) {
	if kind == thriftTrue || kind == thriftFalse {
		t.byte()
		return
	}
	if t.depth++; t.depth > mostDepth {
		t.fail("its description is nested too deep")
	}
	t.skip(kind)
	t.depth--
}
