package mat

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// An output writes elements in a byte order.
type output struct{ binary.AppendByteOrder }

// tag returns an element, padded to eight bytes.
func (o output) tag(kind int, data ...byte) []byte {
	b := o.AppendUint32(o.AppendUint32(nil, uint32(kind)), uint32(len(data)))
	b = append(b, data...)
	for kind != miCompressed && len(b)%8 > 0 {
		b = append(b, 0)
	}
	return b
}

// small returns an element in its tag.
func (o output) small(kind int, data ...byte) []byte {
	b := o.AppendUint32(nil, uint32(len(data)<<16|kind))
	return append(append(b, data...), make([]byte, 4-len(data))...)
}

func (o output) words(values ...int) (b []byte) {
	for _, v := range values {
		b = o.AppendUint32(b, uint32(v))
	}
	return b
}

// array returns a matrix element of a class and a shape, with further elements.
func (o output) array(name string, class int, shape []int, parts ...[]byte) []byte {
	return o.tag(miMatrix, slices.Concat(append([][]byte{o.tag(miUint32, o.words(class, 0)...),
		o.tag(miInt32, o.words(shape...)...), o.tag(miInt8, []byte(name)...)}, parts...)...)...)
}

// file returns a file of elements.
func (o output) file(elements ...[]byte) []byte {
	head := append([]byte(Magic), bytes.Repeat([]byte{' '}, 124-len(Magic))...)
	head = o.AppendUint16(head, 0x100)
	head = o.AppendUint16(head, uint16('M')<<8|'I')
	return slices.Concat(append([][]byte{head}, elements...)...)
}

var little, big = output{binary.LittleEndian}, output{binary.BigEndian}

// limits are those of tests.
var limits = Limits{Reserve: func(int64) error { return nil }, Unpack: io.ReadAll}

// floats returns all entries.
func floats(v *Value) []float64 {
	out := make([]float64, v.Count())
	v.Floats(out)
	return out
}

// TestNumbers reads each type of numbers in both byte orders. The file has columns first.
func TestNumbers(t *testing.T) {
	for _, o := range []output{little, big} {
		wide := func(values ...uint64) (b []byte) {
			for _, v := range values {
				b = o.AppendUint64(b, v)
			}
			return b
		}
		short := o.AppendUint16(o.AppendUint16(nil, 0xfffe), 3)
		for name, c := range map[string]struct {
			class int
			data  []byte
			want  []float64
		}{
			"int8":   {8, o.small(miInt8, 0xfe, 3), []float64{-2, 3}},
			"uint8":  {9, o.small(miUint8, 0xfe, 3), []float64{254, 3}},
			"int16":  {10, o.small(miInt16, short...), []float64{-2, 3}},
			"uint16": {11, o.tag(miUint16, short...), []float64{65534, 3}},
			"int32":  {12, o.tag(miInt32, o.words(-2, 3)...), []float64{-2, 3}},
			"uint32": {13, o.tag(miUint32, o.words(-2, 3)...), []float64{1<<32 - 2, 3}},
			"int64":  {14, o.tag(miInt64, wide(math.MaxUint64-1, 3)...), []float64{-2, 3}},
			"uint64": {15, o.tag(miUint64, wide(1<<63, 3)...), []float64{1 << 63, 3}},
			"single": {7, o.tag(miSingle, o.words(0x3f000000, 0x40400000)...),
				[]float64{.5, 3}},
			"double": {6, o.tag(miDouble, wide(0x3fe0000000000000, 0)...),
				[]float64{.5, 0}},
			"double as int8": {6, o.small(miInt8, 0xfe, 3), []float64{-2, 3}},
		} {
			t.Run(name, func(t *testing.T) {
				all, err := Read(o.file(o.array("x", c.class, []int{2, 1}, c.data)), limits)
				if err != nil || len(all) != 1 || all[0].Name != "x" ||
					!slices.Equal(floats(all[0]), c.want) {
					t.Errorf("%v, %v, want %v", all, err, c.want)
				}
			})
		}
	}
}

// TestShapes reads entries column by column, of two and of three axes, packed too.
func TestShapes(t *testing.T) {
	x := little.array("x", 9, []int{2, 3, 2}, little.tag(miUint8, 0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5,
		11))
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(x)
	_ = z.Close()
	for _, element := range [][]byte{x, little.tag(miCompressed, packed.Bytes()...)} {
		all := must.Get(Read(little.file(element), limits))(t)
		for i, v := range floats(all[0]) {
			if v != float64(i) {
				t.Errorf("entry %d is %v", i, v)
			}
		}
	}
}

// TestParts reads a sparse matrix, cells, a struct, an object and texts.
func TestParts(t *testing.T) {
	o := little
	text := o.array("", 4, []int{1, 2}, o.small(miUint16, 'h', 0, 0xe9, 0))
	number := o.array("", 9, []int{1, 1}, o.small(miUint8, 7))
	names := []byte("a\x00\x00\x00bc\x00\x00")
	fields := [][]byte{o.small(miInt32, 4, 0, 0, 0), o.tag(miInt8, names...), text, number}
	all, err := Read(o.file(
		o.array("s", 5, []int{2, 3}, o.tag(miInt32, o.words(1, 0, 1)...),
			o.tag(miInt32, o.words(0, 1, 1, 3)...), o.small(miUint8, 5, 6, 7)),
		o.array("c", 1, []int{1, 3}, text, number, o.tag(miMatrix)),
		o.array("t", 2, []int{1, 1}, fields...),
		o.array("o", 3, []int{1, 1}, append([][]byte{o.small(miInt8, 'd')}, fields...)...),
		o.array("f", 16, []int{1, 1}), o.tag(miUTF8, 'x')), limits)
	must.Do(t, err, len(all))
	must.Equal(t, len(all), 5)
	must.EqualSlices(t, floats(all[0]), []float64{0, 0, 6, 5, 0, 7})
	if text, ok := all[1].Cells[0].Text(); !ok || text != "hé" || all[1].Cells[2].Count() != 0 {
		t.Errorf("cells %q, %v", text, all[1].Cells[2])
	}
	for _, v := range all[2:4] {
		if len(v.Fields) != 2 || v.Fields[1].Name != "bc" || floats(v.Fields[1].Values[0])[0] != 7 {
			t.Errorf("%s has fields %+v", v.Name, v.Fields)
		}
	}
	must.Equal(t, all[4].Numeric(), false, all[4])
	must.Equal(t, all[4].String(), "a function", all[4])
}

// TestDamage: what contradicts itself is an error with its place, before anything is allocated.
func TestDamage(t *testing.T) {
	o := little
	deep := o.tag(miMatrix)
	for range deepest + 2 {
		deep = o.array("", 1, []int{1, 1}, deep)
	}
	sparse := func(shape []int, parts ...[]byte) []byte {
		return o.file(o.array("x", 5, shape, parts...))
	}
	one, value := o.tag(miInt32, o.words(0, 1)...), o.small(miUint8, 1)
	for want, file := range map[string][]byte{
		"header is cut off":                  []byte(Magic),
		"neither IM nor MI":                  make([]byte, 200),
		"an element is cut off":              append(o.file(), 1),
		"an element has 9 bytes, and 0":      o.file(o.words(miMatrix, 9)),
		"a small element has 5 bytes":        o.file(o.words(5<<16|miInt8, 0)),
		"the flags of an array has the type": o.file(o.tag(miMatrix, o.tag(miInt32)...)),
		"the flags of an array have 4": o.file(o.tag(miMatrix,
			o.tag(miUint32, o.words(6)...)...)),
		"an array has 1 axes":          o.file(o.array("x", 6, []int{1})),
		"an array has a side of -1":    o.file(o.array("x", 6, []int{1, -1})),
		"an array has a side of 65536": o.file(o.array("x", 6, []int{1 << 16, 1 << 16})),
		"an array of 2 entries has 1": o.file(o.array("x", 6, []int{1, 2},
			value)),
		"1000000 values do not fit": o.file(o.array("x", 1, []int{1000, 1000})),
		"a value has the type 2": o.file(o.array("x", 1, []int{1, 1},
			value)),
		"nested too deep": o.file(deep),
		"the names of fields have 0 bytes": o.file(o.array("x", 2, []int{1, 1},
			o.tag(miInt32), o.tag(miInt8))),
		"a sparse matrix of 3 columns begins": sparse([]int{2, 3},
			o.tag(miInt32), o.tag(miInt32), value),
		"is in row 2 of 2": sparse([]int{2, 1},
			o.tag(miInt32, o.words(2)...), one, value),
		"column 2 of a sparse matrix begins": sparse([]int{2, 2}, o.tag(miInt32),
			o.tag(miInt32, o.words(0, 2, 1)...), value),
		"a sparse matrix has 1 numbers": sparse([]int{2, 1}, o.tag(miInt32), one, value),
		"a sparse matrix has 3 axes":    sparse([]int{2, 1, 1}),
		"does not begin as such":        o.file(o.tag(miCompressed, 1, 2, 3)),
	} {
		t.Run(want, func(t *testing.T) {
			_, err := Read(file, limits)
			var format *FormatError
			must.Equal(t, errors.As(err, &format), true, err, want)
			must.Contain(t, err.Error(), want)
		})
	}
	full := errors.New("full")
	_, err := Read(o.file(o.tag(miMatrix)), Limits{Reserve: func(int64) error { return full }})
	must.Is(t, err, full)
}
