// Package arrow reads tables in the file form of Apache Arrow (format 1.5), which is version 2 of
// Feather, column by column, by ranges of the file.
//
// It reads numbers, booleans, texts, dictionaries of them, and lists of one level, packed by LZ4 or
// Zstandard or not. Other columns are described by frame.Other, and fail when they are read.
package arrow

import (
	"encoding/binary"
	"io"

	"github.com/bagscope/bagscope/core/bagio/internal/frame"
	"github.com/bagscope/bagscope/internal/msg"
)

// Magic begins and ends a file.
const Magic = "ARROW1"

// tailBytes is what a file ends with: the size of the footer, and Magic.
const tailBytes = 10

// descriptionShare is how many bytes a byte of a description takes when it is read.
const descriptionShare = 16

// Headers of messages.
const (
	headerDictionary = 2
	headerBatch      = 3
)

// Codecs of buffers.
const (
	codecNone = -1
	codecLZ4  = 0
	codecZstd = 1
)

// A File is an open file. It is a frame.Table.
type File struct {
	r            io.ReaderAt
	size         int64
	limits       frame.Limits
	rows         int64
	fields       []*field
	batches      []*batch
	dictionaries map[int64][]*batch
	values       map[int64]*frame.Values // entries of dictionaries that were read
}

// A batch holds some rows of all columns, or the values of a dictionary.
type batch struct {
	rows     int64
	nodes    []node
	buffers  []buffer
	variadic []int64
	codec    int64
	body     int64 // its first byte in the file
	bodySize int64
	delta    bool    // the values follow those of earlier batches of the dictionary
	places   []place // places of fields, or nil before they are needed
}

// A node states the entries of a field, and how many of them are missing.
type node struct{ entries, missing int64 }

// A buffer is a part of the body of a batch.
type buffer struct{ at, size int64 }

// Open reads the description of a file of size bytes. Errors are a *frame.FormatError, a
// *frame.LimitError or those of Limits.Reserve.
func Open(r io.ReaderAt, size int64, l frame.Limits) (*File, error) {
	f := &File{r: r, size: size, limits: l, dictionaries: map[int64][]*batch{},
		values: map[int64]*frame.Values{}}
	if size < int64(len(Magic))+2+tailBytes {
		return nil, damaged(0, "it is too short")
	}
	var tail [tailBytes]byte
	if err := f.fill(tail[:], size-tailBytes); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	at := size - tailBytes - n
	if string(tail[4:]) != Magic || at < int64(len(Magic)) {
		return nil, damaged(size-tailBytes, "it does not end as Arrow files do; it may be "+
			"incomplete")
	}
	b, err := f.description(at, n)
	if err != nil {
		return nil, err
	}
	var wrong error
	footer := rootOf(b, &wrong)
	if err := f.readSchema(footer); err != nil {
		return nil, err
	}
	for _, c := range []struct{ vector, header int }{{2, headerDictionary}, {3, headerBatch}} {
		at, n := footer.vector(c.vector, 24)
		for i := 0; i < n && wrong == nil; i++ {
			err := f.readBatch(footer.numberAt(at+24*i, 8), footer.numberAt(at+24*i+8, 4), c.header)
			if err != nil {
				return nil, err
			}
		}
	}
	if wrong != nil {
		return nil, damaged(at, "%v", wrong)
	}
	return f, nil
}

// description reads n bytes that describe something.
func (f *File) description(at, n int64) ([]byte, error) {
	if n < 0 || n > f.limits.Bytes {
		return nil, &frame.LimitError{What: msg.Sprintf("a description has %d bytes", n),
			Setting: "bytes", Limit: f.limits.Bytes}
	}
	if err := f.limits.Hold(descriptionShare * n); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	return b, f.fill(b, at)
}

// readSchema reads the fields that the footer describes.
func (f *File) readSchema(footer flat) error {
	schema, ok := footer.table(1)
	if !ok {
		return damaged(0, "its schema is missing")
	}
	if schema.number(0, 2) != 0 {
		return damaged(0, "its numbers are big-endian; pyarrow writes it again on another "+
			"machine")
	}
	_, n := schema.vector(1, 4)
	if int64(n) > f.limits.Columns {
		return &frame.LimitError{What: msg.Sprintf("it has %d columns", n), Setting: "columns",
			Limit: f.limits.Columns}
	}
	schema.tables(1, func(t flat) { f.fields = append(f.fields, readField(t, 0)) })
	if *schema.err != nil {
		return damaged(0, "%v", *schema.err)
	}
	return nil
}

// readBatch reads the message that describes a batch.
func (f *File) readBatch(at, size int64, header int) error {
	if at < 0 || size < 8 || at > f.size-size {
		return damaged(0, "the description of a batch lies outside of the file")
	}
	b, err := f.description(at, size)
	if err != nil {
		return err
	}
	skip := 4 // files of before 2019 have the size alone
	if binary.LittleEndian.Uint32(b) == 1<<32-1 {
		skip = 8
	}
	var wrong error
	message := rootOf(b[skip:], &wrong)
	t, ok := message.table(2)
	out := &batch{body: at + size, bodySize: message.number(3, 8), codec: codecNone}
	if wrong == nil && (!ok || message.number(1, 1) != int64(header)) {
		return damaged(at, "a batch has no description")
	}
	id := int64(0)
	if header == headerDictionary && wrong == nil {
		id, out.delta = t.number(0, 8), t.number(2, 1) != 0
		if t, ok = t.table(1); !ok {
			return damaged(at, "a dictionary has no values")
		}
	}
	if wrong == nil {
		out.describe(t)
	}
	if wrong != nil {
		return damaged(at, "%v", wrong)
	}
	if out.bodySize < 0 || out.bodySize > f.size-out.body {
		return damaged(at, "a batch lies outside of the file")
	}
	if header == headerDictionary {
		if !out.delta {
			f.dictionaries[id] = nil
		}
		f.dictionaries[id] = append(f.dictionaries[id], out)
		return nil
	}
	if f.rows += out.rows; out.rows < 0 || f.rows > f.limits.Rows || f.rows < 0 {
		return &frame.LimitError{What: msg.Sprintf("it holds %d rows", f.rows),
			Setting: "instances", Limit: f.limits.Rows}
	}
	f.batches = append(f.batches, out)
	return nil
}

// describe reads a RecordBatch.
func (b *batch) describe(t flat) {
	b.rows = t.number(0, 8)
	at, n := t.vector(1, 16)
	for i := range n {
		b.nodes = append(b.nodes, node{t.numberAt(at+16*i, 8), t.numberAt(at+16*i+8, 8)})
	}
	at, n = t.vector(2, 16)
	for i := range n {
		b.buffers = append(b.buffers, buffer{t.numberAt(at+16*i, 8), t.numberAt(at+16*i+8, 8)})
	}
	if c, ok := t.table(3); ok {
		b.codec = c.number(0, 1)
	}
	at, n = t.vector(4, 8)
	for i := range n {
		b.variadic = append(b.variadic, t.numberAt(at+8*i, 8))
	}
}

// Columns implements frame.Table.
func (f *File) Columns() []frame.Column {
	list := make([]frame.Column, len(f.fields))
	for i, field := range f.fields {
		list[i] = field.column()
	}
	return list
}

// Rows implements frame.Table.
func (f *File) Rows() int64 { return f.rows }

// fill fills p with the bytes at a place.
func (f *File) fill(p []byte, at int64) error { return frame.Fill(f.r, p, at) }

func damaged(at int64, format string, args ...any) error {
	return &frame.FormatError{Offset: at, Reason: msg.Sprintf(format, args...)}
}
