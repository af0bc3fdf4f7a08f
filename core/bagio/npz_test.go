package bagio

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
)

// npz packs members into an archive, in the order given.
func npz(t testing.TB, members ...member) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, m := range members {
		w := must.Get(z.Create(m.name + ".npy"))(t)
		must.Do(t, m.write(w))
	}
	must.Do(t, z.Close())
	return out.Bytes()
}

func floats(name string, n int, shape ...int) member {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(i)
	}
	return member{name, func(w io.Writer) error { return WriteNpy(w, shape, values) }}
}

func wordsOf(name string, words ...string) member {
	return member{name, func(w io.Writer) error { return writeWords(w, words) }}
}

// TestManyMembers checks that the directory of a zip archive is bounded before it is read.
func TestManyMembers(t *testing.T) {
	one := npz(t, floats("a", 1, 1, 1))
	at := bytes.Index(one, []byte("PK\x01\x02"))
	end := bytes.Index(one, []byte("PK\x05\x06"))
	many := slices.Concat(one[:at], bytes.Repeat(one[at:end], 1<<16+1), one[end:])
	before := allocated()
	_, err := Read("a.npz", many, Options{})
	must.Fail(t, err)
	must.Contain(t, err.Error(), "it has 65537 members")
	if got := allocated() - before; got > 1<<20 {
		t.Errorf("%d bytes were allocated", got)
	}
	// Half of them need more memory than there is.
	few := slices.Concat(one[:at], bytes.Repeat(one[at:end], 1<<15), one[end:])
	o := Options{Limits: Limits{Memory: quota.NewMemory(1 << 24)}}
	var memory *quota.MemoryError
	must.As(t, must.Err(Read("a.npz", few, o)), &memory)
}

// TestOverlappingMembers refuses members that share their bytes, which would unpack to thousands of
// times the file.
func TestOverlappingMembers(t *testing.T) {
	one := npz(t, floats("a", 2000, 2, 1000))
	at := bytes.Index(one, []byte("PK\x01\x02"))
	end := bytes.Index(one, []byte("PK\x05\x06"))
	for n, want := range map[int]string{1: "<nil>", 2: "they overlap"} {
		var entries []byte
		for i := range n {
			entry := bytes.Clone(one[at:end])
			entry[46] += byte(i) // its name is a, b
			entries = append(entries, entry...)
		}
		tail := bytes.Clone(one[end:])
		tail[8], tail[10] = byte(n), byte(n)
		binary.LittleEndian.PutUint32(tail[12:], uint32(len(entries)))
		_, err := Read("a.npz", slices.Concat(one[:at], entries, tail), Options{})
		must.Equal(t, strings.Contains(fmt.Sprint(err), want), true, n, err)
	}
}

// TestNpzThatCannotBeUnpacked damages the packed bytes of each member.
func TestNpzThatCannotBeUnpacked(t *testing.T) {
	for _, name := range []string{"coords", "feats"} {
		file := npz(t, floats("coords", 60, 30, 2), floats("feats", 120, 30, 4))
		at := bytes.Index(file, []byte(name+".npy")) + len(name+".npy")
		for i := range 8 {
			file[at+i] = 0xff
		}
		_, err := Read("s.npz", file, Options{})
		want := "s.npz/" + name + ".npy: it cannot be unpacked"
		must.Equal(t, err != nil, true, name, err)
		must.Equal(t, strings.Contains(err.Error(), want), true, name, err)
	}
}

// TestNpzOfFeatures checks an archive of features and coordinates, the latter in front of them.
func TestNpzOfFeatures(t *testing.T) {
	file := npz(t, floats("coords", 6, 3, 2), floats("feats", 12, 3, 4), floats("label", 1, 1),
		member{"patch_size", func(w io.Writer) error { return WriteNpy(w, nil, []float32{64}) }})
	set, err := Read("s.npz", file, Options{CoordsUnit: "px"}) // patches cover each other
	must.Do(t, err)
	bag := must.Get(set.Bag(0))(t)
	if bag.Len() != 3 || bag.Stride() != 4 || bag.Boxes[2] != image.Rect(4, 5, 68, 69) {
		t.Errorf("%d instances of %v, the last at %v", bag.Len(), bag.Shape, bag.Boxes[2])
	}
	_, err = Read("s.npz", npz(t, floats("coords", 6, 3, 2)), Options{})
	wantError(t, err, "s.npz: it has places of patches and no features (it holds coords (3, 2)); "+
		"compute their features by an encoder")
	_, err = Read("s.npz", npz(t, floats("coords", 6, 3, 2), floats("feats", 8, 2, 4)), Options{})
	must.Fail(t, err)
	must.Contain(t, err.Error(), "coordinates have shape (3, 2)")
}

func TestReadBagSet(t *testing.T) {
	want := []*core.Bag{
		{Name: "first", Shape: []int{1, 2, 2}, Values: []float32{0, 1, 2, 3}, Raw: true,
			Boxes: []image.Rectangle{image.Rect(0, 0, 2, 2)}, Class: []int{7}, Labels: []int{-1}},
		{Name: "second", Shape: []int{1, 2, 2}, Values: []float32{4, 5, 6, 7, 8, 9, 10, 11},
			Raw:   true,
			Boxes: []image.Rectangle{image.Rect(2, 0, 4, 2), image.Rect(0, 2, 2, 4)},
			Class: []int{0}, Labels: []int{4, 2}},
	}
	for _, file := range []string{"stored.npz", "deflated.npz"} {
		set := must.Get(Read(file, testdata(t, file), Options{}))(t)
		if set.Len() != 2 || !slices.Equal(set.Names(), []string{"first", "second"}) ||
			set.Notes() != nil || set.Picture(0) != nil {
			t.Errorf("%s: %d bags %v, notes %v", file, set.Len(), set.Names(), set.Notes())
		}
		for i := range want {
			got, err := set.Bag(i)
			if err != nil || !reflect.DeepEqual(got, want[i]) {
				t.Errorf("%s: bag %d is %+v, %v; want %+v", file, i, got, err, want[i])
			}
		}
	}
}

func TestReadArchiveOfOneBag(t *testing.T) {
	for name, members := range map[string][]member{
		"instances without offsets": {floats("instances", 6, 2, 3)},
		"one matrix":                {floats("features", 6, 2, 3), ints("count", []int64{2}, 1)},
		"one matrix and boxes": {floats("x", 6, 2, 3),
			ints("boxes", []int64{0, 0, 1, 1, 1, 0, 2, 1}, 2, 4)},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := Read("dir/slide.npz", npz(t, members...), Options{})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			bag, err := set.Bag(0)
			if err != nil || set.Len() != 1 || bag.Name != "slide" || bag.Len() != 2 ||
				(bag.Boxes != nil) != (name == "one matrix and boxes") {
				t.Errorf("%s: %d bags, %+v, %v", name, set.Len(), bag, err)
			}
		})
	}
}

func TestBagsWithoutNamesAreNumbered(t *testing.T) {
	set := must.Get(Read("x.npz", npz(t, floats("instances", 6, 3, 2), ints("offsets", []int64{0, 0,
		3}, 3)), Options{}))(t)
	must.EqualSlices(t, set.Names(), []string{"x 0", "x 1"})
	var empty *core.BagError
	if _, err := set.Bag(0); !errors.As(err, &empty) ||
		err.Error() != `bag "x 0" cannot be used: it has no instances` {
		t.Errorf("an empty bag gives %v", err)
	}
	var index *core.SettingError
	for _, i := range []int{-1, 2} {
		must.Equal(t, errors.As(must.Err(set.Bag(i)), &index), true, i)
	}
}

// An archive of two matrices offers both, with their shapes, and not the vector beside them.
func TestNpzArraysToChoose(t *testing.T) {
	file := npz(t, floats("x", 4, 2, 2), floats("y", 6, 2, 3), ints("ids", []int64{0, 1}, 2))
	_, err := Read("a.npz", file, Options{})
	var e *FormatError
	if !errors.As(err, &e) || len(e.Arrays) != 2 || e.Arrays[1].String() != "y (2, 3)" {
		t.Fatalf("%v offers %v", err, e)
	}
	must.Do(t, must.Err(Read("a.npz", file, Options{Array: e.Arrays[1].Name})))
}

func TestReadNpzErrors(t *testing.T) {
	x := floats("instances", 6, 3, 2)
	for _, c := range []struct {
		members []member
		want    string
	}{
		{nil, "a.npz: it has no member instances.npy (it holds no .npy member)"},
		{[]member{ints("offsets", []int64{0, 1}, 2), floats("y", 4, 2, 2)},
			"a.npz: it has no member instances.npy (it holds offsets, y)"},
		{[]member{floats("x", 4, 2, 2), floats("y", 4, 2, 2)},
			"a.npz: several of its arrays could be the bag; choose one by its " +
				"name, or call one instances (it holds " +
				"x, y); array * makes a bag of each"},
		{[]member{x, x}, "a.npz: it holds instances.npy twice"},
		{[]member{wordsOf("instances", "a")}, "a.npz: it holds an array of shape (1,); a bag " +
			"needs an axis of instances and at least one of values"},
		{[]member{x, ints("offsets", []int64{0}, 1)},
			"a.npz/offsets.npy: it has shape (1,); B bags need (B+1,) offsets, and at least one " +
				"bag"},
		{[]member{x, ints("offsets", []int64{0, 2, 1}, 3)}, "a.npz/offsets.npy, byte 144: offset " +
			"2 is 1; offsets must not be negative and must not decrease"},
		{[]member{x, ints("offsets", []int64{-1, 2}, 2)}, "a.npz/offsets.npy, byte 128: offset 0 " +
			"is -1; offsets must not be negative and must not decrease"},
		{[]member{x, ints("offsets", []int64{0, 4}, 2)},
			"a.npz/offsets.npy, byte 136: offset 1 is 4, but there are only 3 instances"},
		{[]member{x, ints("offsets", []int64{1, 3}, 2)}, "a.npz/offsets.npy: the offsets go from " +
			"1 to 3, but must go from 0 to 3: 1 of 3 instances would belong to no bag"},
		{[]member{x, ints("offsets", []int64{0, 1, 2}, 3)}, "a.npz/offsets.npy: the offsets go " +
			"from 0 to 2, but must go from 0 to 3: 1 of 3 instances would belong to no bag"},
		{[]member{x, floats("offsets", 4, 2, 2)}, "a.npz/offsets.npy: it has shape (2, 2); B " +
			"bags need (B+1,) offsets, and at least one bag"},
		{[]member{x, wordsOf("offsets", "0", "3")},
			"a.npz/offsets.npy: it holds text (U4); integers are expected"},
		{[]member{x, ints("labels", []int64{0, 1}, 2)},
			"a.npz/labels.npy: it has shape (2,), but shape (1,) is needed"},
		{[]member{x, ints("instance_labels", []int64{0, 1}, 2)},
			"a.npz/instance_labels.npy: it has shape (2,), but shape (3,) is needed"},
		{[]member{x, ints("boxes", []int64{0, 0, 1, 1}, 1, 4)},
			"a.npz/boxes.npy: it has shape (1, 4), but shape (3, 4) is needed"},
		{[]member{x, ints("boxes", []int64{0, 0, 1, 1, 1, 1, 1, 2, 0, 0, 1, 1}, 3, 4)},
			"a.npz/boxes.npy: box 1: x0 y0 x1 y1 are [1 1 1 2], but x0 < x1 and y0 < y1 " +
				"must hold; add x0 to a width and y0 to a height"},
		{[]member{x, ints("boxes", []int64{0, 0, 1 << 40, 1, 1, 1, 1, 2, 0, 0, 1, 1}, 3, 4)},
			"a.npz/boxes.npy: box 0: 1099511627776 is out of range for a pixel coordinate"},
		{[]member{x, wordsOf("names", "a", "b")},
			"a.npz/names.npy: it has shape (2,), but shape (1,) is needed"},
		{[]member{x, ints("names", []int64{1}, 1)},
			"a.npz/names.npy: it holds numbers (i8); text is expected"},
		{[]member{{"instances", func(w io.Writer) error {
			_, err := w.Write(npy("{'descr': '<U1', 'fortran_order': False, 'shape': (1, 1)}", 65,
				0, 0, 0))
			return err
		}}},
			"a.npz: its instances are text (U4), not numbers"},
	} {
		_, err := Read("a.npz", npz(t, c.members...), Options{})
		wantError(t, err, c.want)
	}
}

func TestReadNpzListsIgnoredMembers(t *testing.T) {
	for _, members := range [][]member{
		{floats("instances", 4, 2, 2), ints("instance_label", []int64{1, 1}, 2)},
		{floats("x", 4, 2, 2), ints("instance_label", []int64{1, 1}, 2)},
	} {
		set, err := Read("a.npz", npz(t, members...), Options{})
		must.Do(t, err, set.Notes())
		must.EqualSlices(t, set.Notes(),
			[]string{"a.npz: ignored members that are not part of a bag set: instance_label"})
	}
}

// TestReadNpzAcceptsColumnVectors checks that members of shape (n, 1) count as vectors.
func TestReadNpzAcceptsColumnVectors(t *testing.T) {
	file := npz(t, floats("instances", 4, 2, 2), ints("offsets", []int64{0, 1, 2}, 3),
		ints("labels", []int64{5, 6}, 2, 1), ints("instance_labels", []int64{7, 8}, 1, 2))
	set := must.Get(Read("a.npz", file, Options{}))(t)
	bag, err := set.Bag(1)
	if err != nil || !slices.Equal(bag.Class, []int{6}) || !slices.Equal(bag.Labels, []int{8}) {
		t.Errorf("%+v, %v", bag, err)
	}
}

// directory returns the offset of the first entry in an archive's central directory.
func directory(data []byte) int { return bytes.Index(data, []byte("PK\x01\x02")) }

func TestReadNpzRejectsWrongSizes(t *testing.T) {
	packed := npz(t, floats("instances", 1000, 100, 10))
	at := directory(packed)
	compressed, size := at+20, at+24 // fields of the central directory
	edit := func(field int, value uint32) []byte {
		out := bytes.Clone(packed)
		binary.LittleEndian.PutUint32(out[field:], value)
		return out
	}
	real := binary.LittleEndian.Uint32(packed[size:])
	for _, c := range []struct {
		data []byte
		want string
	}{
		{edit(size, 1<<29), "a.npz/instances.npy: it claims that 536870912 bytes unpack from"},
		{edit(size, 1<<31), "a.npz/instances.npy: it unpacks to 2147483648 bytes, but only " +
			"1073741824 bytes of the archive's limit are left; the limit is 1073741824"},
		{edit(compressed, 1<<30), "a.npz/instances.npy: it claims that 4128 bytes unpack from " +
			"1073741824 bytes, which is impossible"},
		{edit(size, real-1), "a.npz/instances.npy: it does not unpack to the 4127 bytes and the " +
			"checksum that the archive states"},
		{edit(size, real+1), "a.npz/instances.npy: it cannot be unpacked: unexpected EOF"},
		{edit(at+16, 1), "a.npz/instances.npy: it does not unpack to the 4128 bytes and the " +
			"checksum that the archive states"},
		{edit(at+10, 99),
			"a.npz/instances.npy: it cannot be unpacked: zip: unsupported compression algorithm"},
		{packed[:at], "a.npz: the zip archive cannot be read: zip: not a valid zip file"},
	} {
		_, err := Read("a.npz", c.data, Options{})
		if err == nil {
			t.Errorf("no error, want %s", c.want)
		} else if got := err.Error(); len(got) < len(c.want) || got[:len(c.want)] != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// TestReadNpzRespectsLimits checks that the limit holds for all members in sum and for the bytes
// that are really unpacked.
func TestReadNpzRespectsLimits(t *testing.T) {
	data := npz(t, floats("instances", 6, 3, 2), ints("offsets", []int64{0, 3}, 2))
	for _, c := range []struct {
		limits Limits
		want   string
	}{
		{Limits{Bytes: 100}, fmt.Sprintf(
			"a.npz: it holds %d bytes; the limit is 100",
			len(data))},
		{Limits{Instances: 2}, "a.npz: it holds 3 instances; the limit is 2"},
		{Limits{Elements: 5}, "a.npz/instances.npy: an array of shape (3, 2) is too large; the " +
			"limit is 5"},
	} {
		_, err := Read("a.npz", data, Options{Limits: c.limits})
		wantError(t, err, c.want)
	}
	_, err := Read("a.npz", npz(t, floats("instances", 6, 3, 2),
		ints("offsets", []int64{0, 1, 2}, 3)), Options{Limits: Limits{Bags: 1}})
	wantError(t, err,
		"a.npz: it holds 2 bags; the limit is 1")
	big := npz(t, floats("instances", 5000, 500, 10), floats("x", 1, 1))
	_, err = Read("a.npz", big, Options{Limits: Limits{Bytes: 20130}})
	must.Do(t, err)
	_, err = Read("a.npz", npz(t, floats("instances", 5000, 500, 10),
		ints("offsets", []int64{0, 500}, 2)), Options{Limits: Limits{Bytes: 20130}})
	wantError(t, err, "a.npz/offsets.npy: it unpacks to 144 bytes, but only 2 bytes of the "+
		"archive's limit are left; the limit is 20130")
}
