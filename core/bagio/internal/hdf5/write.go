package hdf5

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
)

// A Kind is the type of values that are written, little-endian.
type Kind uint8

// Kinds of values.
const (
	Float32 Kind = iota
	Float64
	Int64
)

// bytes returns the size of a value.
func (k Kind) bytes() int {
	if k == Float32 {
		return 4
	}
	return 8
}

// An Output is a dataset to write: an array in the root group.
type Output struct {
	Name       string
	Kind       Kind
	Shape      []int
	Attributes []OutputAttribute
}

// bytes returns the size of the array.
func (o Output) bytes() uint64 {
	n := uint64(o.Kind.bytes())
	for _, d := range o.Shape {
		n *= uint64(d)
	}
	return n
}

// An OutputAttribute is a number (int or float64) or a text of a dataset to write.
type OutputAttribute struct {
	Name  string
	Value any
}

// Header returns the bytes before the arrays of a file with these datasets: whoever writes the file
// appends the values of each, in this order and without gaps. So rows can be written while they are
// computed. Its length is a multiple of 8, so that the first array is aligned. The file has
// superblock 2, object headers 2, compact links and contiguous storage, which HDF5 1.8 and newer
// read. attributes are those of the file itself.
func Header(datasets []Output, attributes ...OutputAttribute) []byte {
	// Addresses depend on the length of headers, which does not depend on addresses.
	place := func(root uint64, headers, values []uint64) []byte {
		out := superblock2(root, values[len(datasets)])
		for i, d := range datasets {
			headers[i] = uint64(len(out))
			out = append(out, objectHeader(d.messages(values[i])...)...)
		}
		return append(out, rootGroup(datasets, headers, attributes)...)
	}
	headers, values := make([]uint64, len(datasets)), make([]uint64, len(datasets)+1)
	out := place(0, headers, values)
	root := uint64(len(out) - len(rootGroup(datasets, headers, attributes)))
	padding := make([]byte, -len(out)&7)
	values[0] = uint64(len(out) + len(padding))
	for i, d := range datasets {
		values[i+1] = values[i] + d.bytes()
	}
	return append(place(root, headers, values), padding...)
}

var le = binary.LittleEndian

// withSum appends the checksum of what stands before.
func withSum(b []byte) []byte { return le.AppendUint32(b, lookup3(b)) }

// superblock2 returns a superblock of version 2 (section "Superblock").
func superblock2(root, end uint64) []byte {
	out := append([]byte(fileSignature), 2, 8, 8, 0) // addresses and lengths of 8 bytes
	for _, address := range []uint64{0, undefined, end, root} {
		out = le.AppendUint64(out, address)
	}
	return withSum(out)
}

// An outputMessage is a part of an object header to write.
type outputMessage struct {
	kind byte
	data []byte
}

// objectHeader returns an object header of version 2 (section "Version 2 Data Object Header
// Prefix").
func objectHeader(messages ...outputMessage) []byte {
	var body []byte
	for _, m := range messages {
		body = le.AppendUint16(append(body, m.kind), uint16(len(m.data)))
		body = append(append(body, 0), m.data...)
	}
	out := append([]byte("OHDR"), 2, 2) // the size of the body has 4 bytes
	return withSum(append(le.AppendUint32(out, uint32(len(body))), body...))
}

// rootGroup returns the group that holds all datasets by compact links, with its attributes.
func rootGroup(datasets []Output, headers []uint64, attributes []OutputAttribute) []byte {
	none := le.AppendUint64(le.AppendUint64([]byte{0, 0}, undefined), undefined)
	messages := []outputMessage{{0x02, none}, {0x0a, []byte{0, 0}}} // link info, group info
	for i, d := range datasets {
		link := append([]byte{1, 0, byte(len(d.Name))}, d.Name...) // version 1, a hard link
		messages = append(messages, outputMessage{0x06, le.AppendUint64(link, headers[i])})
	}
	for _, a := range attributes {
		messages = append(messages, outputMessage{0x0c, a.message()})
	}
	return objectHeader(messages...)
}

// messages describes a dataset whose values begin at an address.
func (o Output) messages(values uint64) []outputMessage {
	layout := append([]byte{3, 1}, le.AppendUint64(le.AppendUint64(nil, values), o.bytes())...)
	list := []outputMessage{{0x01, shapeMessage(o.Shape)}, {0x03, o.Kind.datatype()},
		{0x05, []byte{3, 0x0a}}, // no fill value
		{0x08, layout}}
	for _, a := range o.Attributes {
		list = append(list, outputMessage{0x0c, a.message()})
	}
	return list
}

// shapeMessage describes a shape; nil is that of one value (section "Dataspace Message").
func shapeMessage(shape []int) []byte {
	out := []byte{2, byte(len(shape)), 0, 1}
	if len(shape) == 0 {
		out[3] = 0
	}
	for _, d := range shape {
		out = le.AppendUint64(out, uint64(d))
	}
	return out
}

// datatype describes a kind of values (section "Datatype Message").
func (k Kind) datatype() []byte {
	size := byte(k.bytes())
	switch k {
	case Int64:
		return []byte{0x10, 0x08, 0, 0, size, 0, 0, 0, 0, 0, 64, 0}
	case Float32: // sign at bit 31, exponent of 8 bits from 23 on
		return []byte{0x11, 0x20, 31, 0, size, 0, 0, 0, 0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0}
	}
	return []byte{0x11, 0x20, 63, 0, size, 0, 0, 0, 0, 0, 64, 0, 52, 11, 0, 52, 0xff, 3, 0, 0}
}

// message encodes an attribute (section "Attribute Message"). It panics on a value of another type.
func (a OutputAttribute) message() []byte {
	var kind, data []byte
	switch v := a.Value.(type) {
	case int:
		kind, data = Int64.datatype(), le.AppendUint64(nil, uint64(v))
	case float64:
		kind, data = Float64.datatype(), le.AppendUint64(nil, math.Float64bits(v))
	case string: // UTF-8 of a fixed length, ended by zero
		data = append([]byte(v), 0)
		kind = append([]byte{0x13, 0x10, 0, 0}, le.AppendUint32(nil, uint32(len(data)))...)
	default:
		panic(msg.Sprintf("attribute %s has type %T", a.Name, a.Value))
	}
	space := shapeMessage(nil)
	out := []byte{3, 0}
	for _, n := range []int{len(a.Name) + 1, len(kind), len(space)} {
		out = le.AppendUint16(out, uint16(n))
	}
	return slices.Concat(append(out, 1), append([]byte(a.Name), 0), kind, space, data)
}
