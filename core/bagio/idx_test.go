package bagio

import (
	"bytes"
	"compress/gzip"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// gzipped wraps data.
func gzipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	must.Get(w.Write(data))(t)
	must.Do(t, w.Close())
	return out.Bytes()
}

// TestReadIDXTypes reads bytes written by the description of the format: two zeros, type, number
// of axes, lengths, values, all big-endian.
func TestReadIDXTypes(t *testing.T) {
	for _, c := range []struct {
		file  string
		want  []float32
		shape []int
		raw   bool
	}{
		{"\x00\x00\x08\x03\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x02\x00\x01\xfe\xff",
			[]float32{0, 1, 254, 255}, []int{1, 1, 2}, true},
		{"\x00\x00\x09\x02\x00\x00\x00\x01\x00\x00\x00\x02\x80\x7f", []float32{-128, 127}, []int{2},
			false},
		{"\x00\x00\x0b\x02\x00\x00\x00\x01\x00\x00\x00\x02\x01\x02\xff\xfe", []float32{258, -2},
			[]int{2}, false},
		{"\x00\x00\x0c\x02\x00\x00\x00\x02\x00\x00\x00\x01\x00\x01\x00\x00\xff\xff\xff\xff",
			[]float32{65536, -1}, []int{1}, false},
		{"\x00\x00\x0d\x02\x00\x00\x00\x01\x00\x00\x00\x01\xbf\xc0\x00\x00", []float32{-1.5},
			[]int{1}, false},
		{"\x00\x00\x0e\x02\x00\x00\x00\x01\x00\x00\x00\x01\x40\x04\x00\x00\x00\x00\x00\x00",
			[]float32{2.5}, []int{1}, false},
	} {
		for _, data := range [][]byte{[]byte(c.file), gzipped(t, []byte(c.file))} {
			set, err := Read("x-ubyte", data, Options{})
			if err != nil {
				t.Errorf("%q: %v", c.file, err)
				continue
			}
			bag, err := set.Bag(0)
			if err != nil || !slices.Equal(bag.Values, c.want) ||
				!slices.Equal(bag.Shape, c.shape) || bag.Raw != c.raw {
				t.Errorf("%q: %+v, %v", c.file, bag, err)
			}
		}
	}
}

func TestReadIDXErrors(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"\x00\x00\x07\x01\x00\x00\x00\x00", "a.idx: it does not begin like an IDX file"},
		{"\x00\x00\x08", "a.idx: it does not begin like an IDX file"},
		{"\x00\x00\x08\x02\x00\x00\x00", "a.idx: it ends inside its header"},
		{"\x00\x00\x08\x01\xff\xff\xff\xff",
			"a.idx, byte 4: side 0 is 4294967295, more than a file can hold"},
		{"\x00\x00\x0d\x01\x00\x00\x00\x02\x00\x00\x00\x00",
			"a.idx, byte 8: an array of shape (2,) and type f4 takes 8 bytes, and 4 follow the " +
				"header"},
		{"\x00\x00\x0b\x01\x00\x00\x00\x01\x00\x00\x00", "a.idx, byte 8: an array of shape (1,) " +
			"and type i2 takes 2 bytes, and 3 follow the header"},
		{"\x00\x00\x08\x02\x7f\xff\xff\xff\x7f\xff\xff\xff",
			"a.idx: an array of shape (2147483647, 2147483647) is too large; the limit is " +
				"268435456"},
	} {
		_, err := ReadIDX("a.idx", []byte(c.file), Limits{})
		wantError(t, err, c.want)
	}
	if _, err := ReadIDX("a.idx", []byte("\x1f\x8b\x08"), Limits{}); err == nil ||
		strings.Contains(err.Error(), "begin like") {
		t.Errorf("damaged gzip: %v", err)
	}
	_, err := Read("labels", []byte("\x00\x00\x08\x01\x00\x00\x00\x02\x05\x06"), Options{})
	wantError(t, err, "labels: it holds 2 labels; the bag's instances are in another file")
	array := must.Get(ReadIDX("labels", []byte("\x00\x00\x08\x01\x00\x00\x00\x02\x05\x06"),
		Limits{}))(t)
	_, err = array.Bag("x", []int{0})
	wantError(t, err, "labels: it holds an array of shape (2,); a bag needs an axis of instances "+
		"and at least one of values")
}

func TestReadGzip(t *testing.T) {
	bomb := gzipped(t, []byte("bag,f1\n"+strings.Repeat("a,1\n", 1<<16)))
	_, err := Read("t.csv.gz", bomb, Options{Limits: Limits{Bytes: 1 << 16}})
	wantError(t, err, "t.csv.gz: it unpacks to too many bytes; the limit is 65536")
	_, err = Read("t.csv.gz", bomb[:len(bomb)-1], Options{})
	wantError(t, err, "t.csv.gz: it cannot be unpacked: unexpected EOF")
	_, err = Read("t.csv.gz", bomb[:5], Options{})
	wantError(t, err, "t.csv.gz: the gzip header cannot be read: unexpected EOF")
	_, err = Read("t.gz", gzipped(t, nil), Options{})
	wantError(t, err, "t.gz: it is empty")
}
