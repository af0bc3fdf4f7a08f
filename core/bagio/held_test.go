package bagio

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/damage"
	"github.com/bagscope/bagscope/internal/must"
)

// heldFile returns a file that testdata/held/make.py writes.
func heldFile(t *testing.T, name string) []byte {
	t.Helper()
	data := must.Get(os.ReadFile("testdata/held/held.zip"))(t)
	archive := must.Get(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t)
	return must.Get(io.ReadAll(must.Get(archive.Open(name))(t)))(t)
}

// TestHeldFiles reads a set in the files that people hold: twelve instances of four features, of
// three bags or of one.
func TestHeldFiles(t *testing.T) {
	one := func(name string) []string { return []string{name} }
	three, labels := []string{"a", "b", "c"}, []int{1, 0, 1}
	numbers, slides := []string{"1", "2", "3"}, []string{"b", "a", "c"}
	for file, c := range map[string]struct {
		options Options
		names   []string
		classes []int
		note    string
	}{
		"cells73.mat":   {Options{}, three, labels, "names of bags are data."},
		"structs73.mat": {Options{}, three, labels, "labels are bags/label."},
		"sparse73.mat":  {Options{}, numbers, nil, "bags are the values of bag_ids."},
		"csr.npz":       {Options{}, one("csr"), nil, ""},
		"csc.npz":       {Options{}, one("csc"), nil, ""},
		"coo.npz":       {Options{}, one("coo"), nil, ""},
		"slides.npz":    {Options{Array: "*"}, three, nil, "arrays a to c are taken for 3 bags."},
		"ids.npz":       {Options{}, numbers, labels, "labels are y."},
		"groups.h5":     {Options{Array: "*/features"}, three, nil, "are taken for 3 bags."},
		"listed.h5":     {Options{}, slides, labels, "are the values of slide_id, labels are y"},
		"raw.h5ad": {Options{}, one("raw"), nil, "all instances are one bag; bag-by makes " +
			"bags of the values of a column of obs (patient, response)"},
		"spatial.zarr.zip": {Options{BagBy: "patient", Columns: "response=label"}, slides, labels,
			"labels are response (0 is no, 1 is yes)"},
		"bfloat16.npy": {Options{}, one("bfloat16"), nil, "are read as bfloat16."},
		"bfloat16.npz": {Options{}, one("bfloat16"), nil, "are read as bfloat16."},
		"bfloat16.h5":  {Options{}, one("bfloat16"), nil, "are read as bfloat16."},
	} {
		t.Run(file, func(t *testing.T) {
			set := must.Get(Read(file, heldFile(t, file), c.options))(t)
			must.EqualSlices(t, set.Names(), c.names)
			var values []float32
			var sizes, classes []int
			for i := range set.Len() {
				bag := must.Get(set.Bag(i))(t)
				values = append(values, bag.Values...)
				sizes, classes = append(sizes, bag.Len()), append(classes, bag.Class...)
			}
			for i, v := range values {
				must.Equal(t, v, float32(i)/8-2, i)
			}
			if len(c.names) == 3 && fmt.Sprint(sizes) != "[3 5 4]" || len(values) != 48 ||
				!slices.Equal(classes, c.classes) {
				t.Errorf("bags of %v, %d values, classes %v", sizes, len(values), classes)
			}
			must.Equal(t, strings.Contains(strings.Join(set.Notes(), "\n"), c.note), true,
				set.Notes(), c.note)
		})
	}
}

// TestPlacesOfGroups places the patches of several slides in one file.
func TestPlacesOfGroups(t *testing.T) {
	set := must.Get(Read("groups.h5", heldFile(t, "groups.h5"), Options{Array: "*/features"}))(t)
	for b := range 3 {
		bag := must.Get(set.Bag(b))(t)
		for i, box := range bag.Boxes {
			if box != square(256*i, 0, 256) {
				t.Errorf("patch %d of %s lies at %v", i, bag.Name, box)
			}
		}
		must.Equal(t, bag.Slide.Width, 0, bag.Slide)
	}
}

// TestArraysThatCouldBeBags names the pattern that makes a bag of each array.
func TestArraysThatCouldBeBags(t *testing.T) {
	for file, want := range map[string]string{"slides.npz": "* (12, 4)",
		"groups.h5": "*/features (12, 4)"} {
		_, err := Read(file, heldFile(t, file), Options{})
		var format *FormatError
		if !errors.As(err, &format) || len(format.Arrays) != 4 ||
			format.Arrays[0].String() != want ||
			!strings.Contains(err.Error(), "; array "+want[:len(want)-8]+" makes a bag of each") {
			t.Errorf("%s: %v, %v", file, err, format)
		}
	}
	_, err := Read("slides.npz", heldFile(t, "slides.npz"), Options{Array: "d*"})
	must.Fail(t, err)
	must.Contain(t, err.Error(), `has a name that fits "d*"`)
}

// TestHeldFilesRefused names the commands that convert what is not read.
func TestHeldFilesRefused(t *testing.T) {
	for file, want := range map[string]string{
		"bsr.npz": "a sparse matrix of the kind \"bsr\", which is not read; scipy writes it",
		"objects.npz": "if you trust the file, numpy writes each array in it as a bag: python3 " +
			"-c \"import numpy as n; a=n.load('FILE', allow_pickle=True)['bags']; n.savez(",
		"table.h5": "it is a table of pandas, which is not read; pandas writes it as CSV: python3",
	} {
		_, err := Read(file, heldFile(t, file), Options{})
		must.Equal(t, err != nil, true, file, err)
		must.Equal(t, strings.Contains(err.Error(), want), true, file, err)
	}
}

// TestBrokenHeldFiles damages each file in many ways, in archives also each member in turn before
// it is packed.
func TestBrokenHeldFiles(t *testing.T) {
	for file, o := range map[string]Options{"cells73.mat": {}, "structs73.mat": {},
		"sparse73.mat": {}, "csr.npz": {}, "csc.npz": {}, "coo.npz": {}, "bfloat16.npy": {},
		"bfloat16.h5": {}, "slides.npz": {Array: "*"}, "ids.npz": {}, "listed.h5": {},
		"groups.h5": {Array: "*/features"}, "raw.h5ad": {BagBy: "patient"},
		"spatial.zarr.zip": {BagBy: "patient", Columns: "response=label"}} {
		t.Run(file, func(t *testing.T) {
			data := heldFile(t, file)
			o.Limits = small
			members := membersOf(t, data)
			for n := range 200 * *thorough {
				r := rand.New(rand.NewPCG(uint64(n), 17))
				broken := damage.Bytes(data, r)
				if n%4 > 0 && members != nil {
					broken = damagedMember(t, members, (n-n/4)%len(members), r)
				}
				set, err := Read(file, broken, o)
				examineBags(t, set, err)
				set, err = ReadFrom(file, bytes.NewReader(broken), int64(len(broken)), o)
				examineBags(t, set, err)
			}
		})
	}
}

// examineBags checks what examine does of one way of reading. In files whose bags get their names
// last, errors in values that are read in parts come earlier and do not name the bag.
func examineBags(t *testing.T, set *Set, err error) {
	if err != nil {
		typed(t, err)
		return
	}
	for i := range min(set.Len(), 16) {
		bag, err := set.Bag(i)
		if err != nil {
			typed(t, err)
			continue
		}
		must.Do(t, bag.Validate())
		must.Equal(t, int64(len(bag.Values)) <= small.Elements, true, i, len(bag.Values))
	}
}

// membersOf returns the members of a zip archive, nil for other files.
func membersOf(t *testing.T, data []byte) []*zip.File {
	if !begins(data, "PK") {
		return nil
	}
	return must.Get(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t).File
}

// damagedMember returns a zip archive with one damaged member, chosen by its number. The others are
// copied as they are packed, because to pack all of a store takes most of the time of a test.
func damagedMember(t *testing.T, members []*zip.File, chosen int, r *rand.Rand) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i, f := range members {
		if i != chosen {
			must.Do(t, w.Copy(f))
			continue
		}
		member := must.Get(io.ReadAll(must.Get(f.Open())(t)))(t)
		switch {
		case begins(member, "{") && r.IntN(2) == 0:
			member = damagedNumber(member, r)
		case len(member) > 0:
			member = damage.Bytes(member, r)
		}
		must.Get(must.Get(w.Create(f.Name))(t).Write(member))(t)
	}
	must.Do(t, w.Close())
	return out.Bytes()
}

// jsonNumber finds whole numbers in a document of JSON.
var jsonNumber = regexp.MustCompile(`\b\d+\b`)

// damagedNumber returns a document of JSON in which one number is another one, so that it can still
// be parsed: a side of an array, a side of its chunks, a level of a codec.
func damagedNumber(document []byte, r *rand.Rand) []byte {
	places := jsonNumber.FindAllIndex(document, -1)
	if len(places) == 0 {
		return document
	}
	at := places[r.IntN(len(places))]
	others := []string{"0", "1", "-1", "3", "65535", "2147483648", "4611686018427387904",
		"18446744073709551615", "1e300", "null"}
	return slices.Concat(document[:at[0]], []byte(others[r.IntN(len(others))]), document[at[1]:])
}
