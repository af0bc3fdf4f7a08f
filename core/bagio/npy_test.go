package bagio

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// testdata returns a file that testdata/make.py made with NumPy.
func testdata(t testing.TB, name string) []byte {
	t.Helper()
	return must.Get(os.ReadFile("testdata/" + name))(t)
}

// wantError checks that err is a *FormatError or *LimitError with exactly this text.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	var format *FormatError
	var limit *LimitError
	if !errors.As(err, &format) && !errors.As(err, &limit) {
		t.Errorf("%v is a %T, want a FormatError or a LimitError with %q", err, err, want)
	} else if err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
}

// npy puts a header of version 1 before values.
func npy(header string, values ...byte) []byte {
	out := append([]byte(npyMagic), 1, 0, byte(len(header)), byte(len(header)>>8))
	return append(append(out, header...), values...)
}

func TestReadNpyTypes(t *testing.T) {
	a := must.Get(openArchive(inMemory("dtypes.npz", testdata(t, "dtypes.npz")),
		Limits{}.withDefaults()))(t)
	expected := map[byte]func(i int) float64{
		'f': func(i int) float64 { return float64(i)/2 - 3 },
		'i': func(i int) float64 { return float64(i) - 3 },
		'u': func(i int) float64 { return 200 + float64(i) },
		'b': func(i int) float64 { return map[bool]float64{true: 1}[i%3 == 0] },
	}
	tested := 0
	for _, name := range a.order {
		if strings.HasPrefix(name, "words") {
			continue
		}
		array := must.Get(a.array(name))(t)
		bag := must.Get(array.Bag(name, []int{1, 0}))(t)
		must.EqualSlices(t, bag.Shape, []int{3, 2}, name, bag.Len(), bag.Raw)
		must.Equal(t, bag.Len(), 2, name, bag.Shape, bag.Raw)
		must.Equal(t, bag.Raw, strings.HasPrefix(name, "u1"), name, bag.Shape, bag.Len())
		for i, v := range bag.Values {
			if want := expected[name[0]]((i + 6) % 12); float64(v) != want {
				t.Errorf("%s: value %d is %v, want %v", name, i, v, want)
			}
		}
		tested++
	}
	must.Equal(t, tested, 12*2*2+2)
}

func TestIntsOfEveryType(t *testing.T) {
	a, err := openArchive(inMemory("dtypes.npz", testdata(t, "dtypes.npz")),
		Limits{}.withDefaults())
	must.Do(t, err)
	for _, kind := range []string{"i1", "i2", "i4", "i8"} {
		array := must.Get(a.array(kind + "_big_fortran"))(t)
		got, err := array.Ints()
		must.Do(t, err, kind, got)
		must.EqualSlices(t, got, []int{-3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8}, kind)
	}
	halves := must.Get(a.array("f8_little_c"))(t)
	_, err = halves.Ints()
	wantError(t, err, "dtypes.npz/f8_little_c.npy, byte 136: entry 1 is -2.5, not an integer")
	big := &Array{Shape: []int{1}, dtype: dtype{kind: 'u', size: 8},
		data: bytes.Repeat([]byte{255}, 8), file: "big.npy", start: 80}
	_, err = big.Ints()
	wantError(t, err, "big.npy, byte 80: entry 0 is too large for a signed integer")
}

func TestReadNpyStrings(t *testing.T) {
	a := must.Get(openArchive(inMemory("dtypes.npz", testdata(t, "dtypes.npz")),
		Limits{}.withDefaults()))(t)
	for name, want := range map[string][]string{
		"words_U_little": {"a", "", "xyz"}, "words_U_big": {"a", "", "xyz"}, "words_S": {"a", "",
			"xyz"},
		"words_unicode": {"é中", "\U0001f600"},
	} {
		t.Run(name, func(t *testing.T) {
			array := must.Get(a.array(name))(t)
			got, err := array.words()
			must.Do(t, err, name, got, want)
			must.EqualSlices(t, got, want, name)
		})
	}
	for _, fault := range []struct{ descr, entry string }{{"<U1", "\x00\x00\x11\x00"},
		{"<U1", "\x00\xd8\x00\x00"}, {"|S2", "\xff\xfe"}} {
		t.Run(fault.descr, func(t *testing.T) {
			array, err := ReadNpy("w.npy", npy("{'descr': '"+fault.descr+
				"', 'fortran_order': False, 'shape': (1,)}", []byte(fault.entry)...), Limits{})
			must.Do(t, err)
			_, err = array.words()
			wantError(t, err, "w.npy, byte 65: entry 0 is not valid text")
		})
	}
}

func TestBagOfArray(t *testing.T) {
	set := must.Get(Read("some/bag.npy", testdata(t, "bag.npy"), Options{}))(t)
	bag := must.Get(set.Bag(0))(t)
	if bag.Name != "bag" || bag.Raw || !slices.Equal(bag.Shape, []int{3}) ||
		!slices.Equal(bag.Values, []float32{1.5, -2, 3, 4, 5.25, -6}) {
		t.Errorf("%+v", bag)
	}
}

func TestReadNpyHeaders(t *testing.T) {
	for _, header := range []string{
		"{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }        \n",
		"{\"shape\":(2,3),\"descr\":\"u1\",\"fortran_order\":False}",
		" { 'fortran_order' : True,'shape':( 2L , 3L , ) , 'descr':'=u1' } ",
	} {
		a, err := ReadNpy("a.npy", npy(header, 1, 2, 3, 4, 5, 6), Limits{})
		must.Do(t, err, header, a)
		must.EqualSlices(t, a.Shape, []int{2, 3}, header, a)
	}
}

func TestReadNpyErrors(t *testing.T) {
	header := func(descr, order, shape string) string {
		return fmt.Sprintf("{'descr': %s, 'fortran_order': %s, 'shape': %s}", descr, order, shape)
	}
	for _, c := range []struct {
		data []byte
		want string
	}{
		{[]byte(npyMagic), "a.npy: it does not begin like an .npy file"},
		{append([]byte(npyMagic), 9, 0, 0, 0, 0, 0),
			"a.npy, byte 6: .npy format version 9 is not supported; versions 1 to 3 are"},
		{append([]byte(npyMagic), 2, 0, 0, 0), "a.npy: it ends inside its header"},
		{append([]byte(npyMagic), 2, 0, 255, 255, 255, 255),
			"a.npy, byte 8: the header claims 4294967295 bytes and the file has 0"},
		{npy(""), "a.npy, byte 10: in the header, '{' is expected"},
		{npy("{"), "a.npy, byte 11: in the header, a string in quotes is expected"},
		{npy("{'descr"), "a.npy, byte 11: in the header, a string is not closed"},
		{npy("{'descr' '<f4'}"), "a.npy, byte 19: in the header, ':' is expected"},
		{npy("{'descr': '<f4' 'shape': (1,)}"), "a.npy, byte 26: in the header, ',' is expected"},
		{npy("{'descr': '<f4', 'descr': '<f4'}"),
			"a.npy, byte 34: in the header, the key \"descr\" occurs twice"},
		{npy("{'type': '<f4'}"), "a.npy, byte 18: in the header, the key \"type\" is not known"},
		{npy("{'descr': '<f4'}"),
			"a.npy, byte 26: in the header, the key \"fortran_order\" is missing"},
		{npy(header("'<f4'", "False", "(1,)") + "x"),
			"a.npy, byte 65: in the header, there is text after the closing brace"},
		{npy(header("'<f4'", "false", "(1,)")),
			"a.npy, byte 44: in the header, True or False is expected"},
		{npy(header("'<f4'", "False", "[1]")), "a.npy, byte 60: in the header, '(' is expected"},
		{npy(header("'<f4'", "False", "(-1,)")), "a.npy, byte 61: in the header, an array " +
			"dimension is expected, an integer from 0 to 2^47"},
		{npy(header("'<f4'", "False", "(999999999999999999999,)")),
			"a.npy, byte 61: in the header, an array dimension is expected, an integer from 0 to " +
				"2^47"},
		{npy(header("'<f4'", "False", "(4)")),
			"a.npy, byte 62: in the header, a comma is expected"},
		{npy(header("'<f4'", "False", "(4, 5 6)")),
			"a.npy, byte 66: in the header, a comma is expected"},
		{npy(header("'<f4'", "False", "("+strings.Repeat("1,", 33)+")")),
			"a.npy, byte 126: in the header, the array has more than 32 axes"},
		{npy(header("'|O'", "False", "(1,)")), "a.npy, byte 24: in the header, the array holds " +
			"pickled Python objects, which can run any program, so that bagscope never loads " +
			"them; if you trust the file, numpy writes each array in it as a bag: python3 -c " +
			"\"import numpy as n; a=n.load('FILE', allow_pickle=True); n.savez('bags.npz', " +
			"**{f'bag{i}': x for i, x in enumerate(a)})\""},
		{npy(header("[('x', '<f4')]", "False", "(1,)")), "a.npy, byte 20: in the header, the " +
			"array holds records of several fields; save one plain array of numbers"},
		{npy(header("'<c8'", "False", "(1,)")), "a.npy, byte 25: in the header, the type \"<c8\" " +
			"is not supported; float16 to float64, integers of 8 to 64 bits and bool are"},
		{npy(header("'<U0'", "False", "(1,)")), "a.npy, byte 25: in the header, the type \"<U0\" " +
			"is not supported; float16 to float64, integers of 8 to 64 bits and bool are"},
		{npy(header("'<>f4'", "False", "(1,)")),
			"a.npy, byte 26: in the header, the type \"<>f4\" is not known"},
		{npy(header("''", "False", "(1,)")),
			"a.npy, byte 22: in the header, the type \"\" is not known"},
		{npy(header("'f'", "False", "(1,)")),
			"a.npy, byte 23: in the header, the type \"f\" is not known"},
		{npy(header("'<f4'", "False", "(2, 3)"), 1, 2, 3, 4),
			"a.npy, byte 67: an array of shape (2, 3) and type f4 takes 24 bytes, and 4 follow " +
				"the header"},
		{npy(header("'|u1'", "False", "(2,)"), 1, 2, 3), "a.npy, byte 65: an array of shape (2,) " +
			"and type u1 takes 2 bytes, and 3 follow the header"},
		{npy(header("'|u1'", "False", "(99999999999, 99999999999)")),
			"a.npy: an array of shape (99999999999, 99999999999) is too large; the limit is " +
				"268435456"},
	} {
		_, err := ReadNpy("a.npy", c.data, Limits{})
		wantError(t, err, c.want)
	}
}

// TestReadTransposesModelLayout checks that a bag in the layout of the model's input is
// transposed, with a note, unless it can be read with the instances first.
func TestReadTransposesModelLayout(t *testing.T) {
	for _, c := range []struct {
		shape, layout []int
		axis          int
		instance      []int // shape that the model takes
		want          []float32
	}{
		{[]int{1, 2, 3}, []int{1, 2, -1}, 2, []int{2}, []float32{0, 3, 1, 4, 2, 5}},
		{[]int{1, 2, 3}, []int{-1, 2, -1}, 2, []int{2}, []float32{0, 3, 1, 4, 2, 5}},
		{[]int{1, 2, 2}, []int{1, 2, -1}, 2, []int{2}, []float32{0, 2, 1, 3}},
		{[]int{2, 3}, []int{2, -1}, 1, []int{2}, []float32{0, 3, 1, 4, 2, 5}},
		// either way: the instances come first
		{[]int{2, 2}, []int{2, -1}, 1, []int{2}, []float32{0, 1, 2, 3}},
		{[]int{3, 2}, []int{1, 2, -1}, 2, []int{2}, []float32{0, 1, 2, 3, 4, 5}},
		{[]int{1, 3, 2}, []int{1, -1, 2}, 1, []int{2}, []float32{0, 1, 2, 3, 4, 5}},
		{[]int{2, 2, 1}, []int{2, -1, 1}, 1, []int{2, 1}, []float32{0, 1, 2, 3}},
		{[]int{2, 3, 1}, []int{2, -1, 1}, 1, []int{2, 1}, []float32{0, 3, 1, 4, 2, 5}},
	} {
		values := make([]float32, product(c.shape))
		for i := range values {
			values[i] = float32(i)
		}
		var file bytes.Buffer
		must.Do(t, WriteNpy(&file, c.shape, values))
		set, err := Read("bag.npy", file.Bytes(),
			Options{InstanceShape: c.instance, Layout: c.layout, Axis: c.axis})
		if err != nil {
			t.Errorf("%v as %v: %v", c.shape, c.layout, err)
			continue
		}
		bag, err := set.Bag(0)
		must.Do(t, err, c.shape, c.layout, bag, c.want)
		must.EqualSlices(t, bag.Values, c.want, c.shape, c.layout, bag)
		must.Equal(t, bag.Len(), len(c.want)/product(c.instance), c.shape, c.layout, bag, c.want)
		must.Equal(t, !slices.Equal(c.want, values), len(set.Notes()) > 0, c.shape, c.layout,
			set.Notes())
	}
}

// TestReadBatchOfOneBag checks that an array with a first axis of size 1 is one bag of several
// instances, with a note, if that axis may hold bags.
func TestReadBatchOfOneBag(t *testing.T) {
	for _, c := range []struct {
		shape []int
		batch bool
		axis  int
		want  int // instances
		notes int
	}{{[]int{1, 3, 2}, true, 0, 3, 1}, {[]int{1, 3, 2}, false, 0, 1, 0}, {[]int{1, 3, 2}, true, 1,
		3, 0}, {[]int{4, 3, 2}, true, 0, 4, 0}, {[]int{1, 1, 2}, true, 0, 1, 0},
		{[]int{3, 2}, true, 0, 3, 0}} {
		var file bytes.Buffer
		must.Do(t, WriteNpy(&file, c.shape, make([]float32, product(c.shape))))
		o := Options{Layout: []int{-1, -1, 2}, InstanceShape: []int{-1, 2}, Axis: c.axis,
			Batch: c.batch}
		if c.axis == 1 {
			o.InstanceShape = []int{2}
		}
		set, err := Read("bag.npy", file.Bytes(), o)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		bag, err := set.Bag(0)
		if err != nil || bag.Len() != c.want || len(set.Notes()) != c.notes {
			t.Errorf("%+v: %d instances, notes %q, %v", c, bag.Len(), set.Notes(), err)
		}
	}
}
