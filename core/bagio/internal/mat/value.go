package mat

import (
	"math"
	"strings"
	"unicode/utf16"

	"github.com/bagscope/bagscope/internal/msg"
)

// A Class is what an array holds (table 1-3 of the format).
type Class byte

// Classes of arrays. Integers are Int8 to Uint64.
const (
	Cell   Class = 1
	Struct Class = 2
	Object Class = 3
	Char   Class = 4
	Sparse Class = 5
	Double Class = 6
	Single Class = 7
	Int8   Class = 8
	Uint8  Class = 9
	Uint64 Class = 15
)

// A Value is an array of MATLAB. Its sides are at least two.
type Value struct {
	Name    string // empty for the values of cells and structs
	Class   Class
	Shape   []int
	Logical bool
	Complex bool
	Cells   []*Value // elements of a cell array, column by column
	Fields  []Field  // fields of a struct or an object

	real          element // numbers or characters, column by column
	rows, columns element // the row of each number of a sparse matrix, and the starts of columns
	order         *file
}

// A Field is a field of a struct, with its value in each of the struct's elements.
type Field struct {
	Name   string
	Values []*Value
}

// Count returns the number of entries.
func (v *Value) Count() int {
	n := 1
	for _, side := range v.Shape {
		n *= side
	}
	return n
}

// Numeric reports whether the value is an array of real numbers.
func (v *Value) Numeric() bool { return v.Class >= Sparse && v.Class <= Uint64 && !v.Complex }

// value reads the parts of a matrix element.
func (f *file) value(e element, depth int) (*Value, error) {
	if depth > deepest {
		return nil, &FormatError{e.at, "its values are nested too deep"}
	}
	if f.values++; f.values > mostValues {
		return nil, &FormatError{e.at, "it has too many values"}
	}
	if f.values%valueBlock == 1 {
		if err := f.limits.Reserve(valueBlock * valueBytes); err != nil {
			return nil, err
		}
	}
	v := &Value{Shape: []int{0, 0}, Class: Double, order: f}
	if len(e.data) == 0 {
		return v, nil // an empty cell
	}
	r := &reader{f: f, b: e.data, at: e.at}
	flags, err := r.of("the flags of an array", miUint32)
	if err != nil {
		return nil, err
	}
	if len(flags.data) < 8 {
		return nil, r.fail("the flags of an array have %d bytes", len(flags.data))
	}
	word := f.order.Uint32(flags.data)
	v.Class, v.Logical, v.Complex = Class(word), word&0x200 != 0, word&0x800 != 0
	if v.Class == 17 { // an opaque object has no shape
		return v, nil
	}
	if err := v.readShape(r); err != nil {
		return nil, err
	}
	name, err := r.of("the name of an array", miInt8, miUTF8, miUint8)
	if err != nil {
		return nil, err
	}
	v.Name = strings.Clone(string(name.data))
	switch {
	case v.Class == Cell:
		return v, v.readCells(r, depth)
	case v.Class == Struct || v.Class == Object:
		return v, v.readFields(r, depth)
	case v.Class == Sparse:
		return v, v.readSparse(r)
	case v.Class == Char || v.Numeric():
		return v, v.readNumbers(r)
	}
	return v, nil // a function, or complex numbers
}

// mostSides is the number of axes that an array can have.
const mostSides = 32

func (v *Value) readShape(r *reader) error {
	e, err := r.of("the shape of an array", miInt32)
	if err != nil {
		return err
	}
	if n := e.numbers(); n < 2 || n > mostSides {
		return r.fail("an array has %d axes", n)
	}
	v.Shape = v.Shape[:0]
	count := int64(1)
	for i := range e.numbers() {
		side := int64(int32(r.f.order.Uint32(e.data[4*i:])))
		if side < 0 || side > 0 && count > math.MaxInt32/side {
			return r.fail("an array has a side of %d", side)
		}
		count *= side
		v.Shape = append(v.Shape, int(side))
	}
	return nil
}

// readCells reads a value for each cell. Each takes eight bytes of the file, so that the number
// that the shape states is bounded by them.
func (v *Value) readCells(r *reader, depth int) (err error) {
	v.Cells, err = r.values(v.Count(), depth)
	return err
}

// values reads n values.
func (r *reader) values(n, depth int) ([]*Value, error) {
	if n > r.left()/8 {
		return nil, r.fail("%d values do not fit into %d bytes", n, r.left())
	}
	if err := r.f.limits.Reserve(8 * int64(n)); err != nil {
		return nil, err
	}
	list := make([]*Value, n)
	for i := range list {
		e, err := r.of("a value", miMatrix)
		if err != nil {
			return nil, err
		}
		if list[i], err = r.f.value(e, depth+1); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// readFields reads the fields of a struct or an object: their names, then all fields of the first
// element, of the second, and so on.
func (v *Value) readFields(r *reader, depth int) error {
	if v.Class == Object {
		if _, err := r.of("the class of an object", miInt8, miUTF8, miUint8); err != nil {
			return err
		}
	}
	length, err := r.of("the length of names", miInt32)
	if err != nil {
		return err
	}
	names, err := r.of("the names of fields", miInt8, miUTF8, miUint8)
	if err != nil {
		return err
	}
	width := 0
	if len(length.data) == 4 {
		width = int(int32(r.f.order.Uint32(length.data)))
	}
	if width <= 0 || width > 1<<10 {
		return r.fail("the names of fields have %d bytes", width)
	}
	fields := len(names.data) / width
	if n := v.Count(); n > 0 && fields > r.left()/8/n {
		return r.fail("%d fields of %d structs do not fit into %d bytes", fields, n, r.left())
	}
	all, err := r.values(fields*v.Count(), depth)
	if err != nil {
		return err
	}
	if err := r.f.limits.Reserve(int64(fields*valueBytes) + 8*int64(len(all))); err != nil {
		return err
	}
	for i := range fields {
		name, _, _ := strings.Cut(string(names.data[i*width:(i+1)*width]), "\x00")
		field := Field{Name: name}
		for at := i; at < len(all); at += fields {
			field.Values = append(field.Values, all[at])
		}
		v.Fields = append(v.Fields, field)
	}
	return nil
}

// readSparse reads the row of each number, where columns begin among them, and the numbers.
func (v *Value) readSparse(r *reader) (err error) {
	if len(v.Shape) != 2 {
		return r.fail("a sparse matrix has %d axes", len(v.Shape))
	}
	if v.rows, err = r.of("the rows of a sparse matrix", miInt32, miUint32); err != nil {
		return err
	}
	if v.columns, err = r.of("the columns of a sparse matrix", miInt32, miUint32); err != nil {
		return err
	}
	if v.real, err = r.element(); err != nil {
		return err
	}
	if v.columns.numbers() != v.Shape[1]+1 {
		return r.fail("a sparse matrix of %d columns begins %d", v.Shape[1], v.columns.numbers())
	}
	last := 0
	for i := range v.columns.numbers() {
		begin := int(r.f.order.Uint32(v.columns.data[4*i:]))
		if begin < last || i == 0 && begin != 0 {
			return r.fail("column %d of a sparse matrix begins at %d", i, begin)
		}
		last = begin
	}
	if last > v.rows.numbers() || last > v.real.numbers() {
		return r.fail("a sparse matrix has %d numbers, but %d rows and %d values", last,
			v.rows.numbers(), v.real.numbers())
	}
	for i := range last {
		if row := r.f.order.Uint32(v.rows.data[4*i:]); int64(row) >= int64(v.Shape[0]) {
			return r.fail("a number of a sparse matrix is in row %d of %d", row, v.Shape[0])
		}
	}
	return nil
}

func (v *Value) readNumbers(r *reader) (err error) {
	if v.real, err = r.element(); err != nil {
		return err
	}
	if n := v.real.numbers(); n != v.Count() && v.Class != Char {
		return r.fail("an array of %d entries has %d", v.Count(), n)
	}
	return nil
}

// Floats writes all entries to dst, row by row. dst must have the length Count, and the value must
// be Numeric.
func (v *Value) Floats(dst []float64) {
	if v.Class == Sparse {
		clear(dst)
		for c := range v.Shape[1] {
			from := v.order.order.Uint32(v.columns.data[4*c:])
			to := v.order.order.Uint32(v.columns.data[4*c+4:])
			for i := from; i < to; i++ {
				row := v.order.order.Uint32(v.rows.data[4*i:])
				dst[int(row)*v.Shape[1]+c] += v.number(int(i))
			}
		}
		return
	}
	// Entry i of the file is at index[0], index[1], ..., of which the first changes fastest.
	index, steps := make([]int, len(v.Shape)), make([]int, len(v.Shape))
	step := 1
	for d := len(v.Shape) - 1; d >= 0; d-- {
		steps[d] = step
		step *= v.Shape[d]
	}
	at := 0
	for i := range dst {
		dst[at] = v.number(i)
		for d := range index {
			index[d]++
			at += steps[d]
			if index[d] < v.Shape[d] {
				break
			}
			at -= index[d] * steps[d]
			index[d] = 0
		}
	}
}

// number returns entry i in the order of the file.
func (v *Value) number(i int) float64 {
	data, order := v.real.data, v.order.order
	switch v.real.kind {
	case miInt8:
		return float64(int8(data[i]))
	case miUint8, miUTF8:
		return float64(data[i])
	case miInt16:
		return float64(int16(order.Uint16(data[2*i:])))
	case miUint16, miUTF16:
		return float64(order.Uint16(data[2*i:]))
	case miInt32:
		return float64(int32(order.Uint32(data[4*i:])))
	case miUint32, miUTF32:
		return float64(order.Uint32(data[4*i:]))
	case miSingle:
		return float64(math.Float32frombits(order.Uint32(data[4*i:])))
	case miInt64:
		return float64(int64(order.Uint64(data[8*i:])))
	case miUint64:
		return float64(order.Uint64(data[8*i:]))
	}
	return math.Float64frombits(order.Uint64(data[8*i:]))
}

// Text returns the characters of a value of one row.
func (v *Value) Text() (string, bool) {
	if v.Class != Char || v.Count() > 0 && v.Shape[0] != 1 {
		return "", false
	}
	switch v.real.kind {
	case miUTF8, miInt8, miUint8:
		return strings.ToValidUTF8(string(v.real.data), "\ufffd"), true
	case miUint16, miUTF16:
		units := make([]uint16, v.real.numbers())
		for i := range units {
			units[i] = uint16(v.number(i))
		}
		return string(utf16.Decode(units)), true
	}
	return "", false
}

// Lines returns the rows of a matrix of characters without spaces at their ends, and whether the
// value is one of at most most characters.
func (v *Value) Lines(most int) ([]string, bool) {
	if v.Class != Char || len(v.Shape) != 2 || v.Count() == 0 || v.Count() > most ||
		v.real.numbers() != v.Count() {
		return nil, false
	}
	rows := v.Shape[0]
	lines := make([]string, rows)
	for r := range lines {
		units := make([]uint16, v.Shape[1])
		for c := range units {
			units[c] = uint16(v.number(c*rows + r))
		}
		lines[r] = strings.TrimRight(string(utf16.Decode(units)), " \x00")
	}
	return lines, true
}

// String returns the class and the shape for messages.
func (v *Value) String() string {
	names := map[Class]string{Cell: "cells", Struct: "a struct", Object: "an object", Char: "text",
		Sparse: "a sparse matrix", 16: "a function", 17: "an object"}
	if v.Complex {
		return "complex numbers"
	}
	if name, ok := names[v.Class]; ok {
		return name
	}
	return msg.Sprintf("class %d", v.Class)
}
