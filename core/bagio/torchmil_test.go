package bagio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bagscope/bagscope/internal/must"
)

// npyBytes returns a .npy file of values, which are little-endian.
func npyBytes(t testing.TB, descr, shape string, values any) []byte {
	t.Helper()
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape)
	head += strings.Repeat(" ", 63-(10+len(head))%64) + "\n"
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00")
	must.Do(t, binary.Write(&b, binary.LittleEndian, uint16(len(head))))
	b.WriteString(head)
	must.Do(t, binary.Write(&b, binary.LittleEndian, values))
	return b.Bytes()
}

// torchmilFiles returns a folder of two bags of three and one instances, as torchmil has them.
func torchmilFiles(t testing.TB) fstest.MapFS {
	file := func(descr, shape string, values any) *fstest.MapFile {
		return &fstest.MapFile{Data: npyBytes(t, descr, shape, values)}
	}
	return fstest.MapFS{
		"features/b10.npy":     file("<f4", "1, 2", []float32{7, 8}),
		"features/b9.npy":      file("<f4", "3, 2", []float32{1, 2, 3, 4, 5, 6}),
		"features/._b9.npy":    {Data: []byte("x")},
		"labels/b9.npy":        file("<i8", "", int64(1)),
		"labels/b10.npy":       file("<i8", "1,", int64(0)),
		"patch_labels/b9.npy":  file("<i8", "3,", []int64{0, 1, -1}),
		"patch_labels/b10.npy": file("<i8", "1,", []int64{0}),
		"coords/b9.npy":        file("<i8", "3, 2", []int64{0, 0, 256, 0, 0, 256}),
		"coords/b10.npy":       file("<i8", "1, 2", []int64{512, 256}),
	}
}

// TestTorchmilFolder reads features, classes, labels and places of the bags of a folder.
func TestTorchmilFolder(t *testing.T) {
	set := must.Get(ReadFolder(torchmilFiles(t), Options{}))(t)
	must.EqualSlices(t, set.Names(), []string{"b9", "b10"})
	first, second := must.Get(set.Bag(0))(t), must.Get(set.Bag(1))(t)
	must.EqualSlices(t, first.Values, []float32{1, 2, 3, 4, 5, 6}, first)
	must.EqualSlices(t, first.Labels, []int{0, 1, -1}, first)
	must.EqualSlices(t, first.Class, []int{1}, first)
	if b := first.Boxes; len(b) != 3 || b[1].Min.X != 256 || b[2].Min.Y != 256 || b[0].Dx() != 256 {
		t.Errorf("boxes %v", b)
	}
	must.EqualSlices(t, second.Values, []float32{7, 8}, second)
	must.Equal(t, second.Class[0], 0, second)
	must.Equal(t, second.Boxes[0].Min.X, 512, second)
}

// TestTorchmilFeatures chooses among folders of features, and reads those without labels.
func TestTorchmilFeatures(t *testing.T) {
	files := torchmilFiles(t)
	for _, name := range []string{"b9", "b10"} {
		files["features_uni/"+name+".npy"] = files["features/"+name+".npy"]
		delete(files, "features/"+name+".npy")
		delete(files, "labels/"+name+".npy")
		delete(files, "patch_labels/"+name+".npy")
	}
	if _, err := ReadFolder(files, Options{}); err == nil { // features has a hidden file alone
		t.Error("two folders of features, and none is chosen")
	}
	set := must.Get(ReadFolder(files, Options{Array: "features_uni"}))(t)
	bag := must.Get(set.Bag(0))(t)
	if bag.Class != nil || bag.Labels != nil || len(bag.Boxes) != 3 {
		t.Errorf("%+v", bag)
	}
	for _, name := range []string{"b9", "b10"} { // names like torchmil's
		files["features/features_uni/"+name+".npy"] = files["features_uni/"+name+".npy"]
		delete(files, "features_uni/"+name+".npy")
	}
	nested := must.Get(must.Get(ReadFolder(files, Options{Array: "features_uni"}))(t).Bag(0))(t)
	must.EqualSlices(t, nested.Values, bag.Values, nested, bag)
	must.EqualSlices(t, nested.Boxes, bag.Boxes, nested, bag)
	// One bag of the folder by itself has its places, too.
	for _, features := range []string{"d/features_uni/b9.npy", "features/b9.npy",
		"features/features_uni/b9.npy", `C:\d\features\b9.npy`} {
		places := PlacesBeside(features)
		must.Equal(t, len(places), 1, places, features)
		must.Equal(t, strings.Contains(places[0], "features"), false, places, features)
		pair := []File{{Name: features, Data: files["features/features_uni/b9.npy"].Data},
			{Name: places[0], Data: files["coords/b9.npy"].Data}}
		alone := must.Get(must.Get(ReadPlaced(pair[0], pair[1:], Options{}))(t).Bag(0))(t)
		chosen := must.Get(must.Get(ReadFiles(pair, Options{}))(t).Bag(0))(t)
		must.EqualSlices(t, alone.Boxes, bag.Boxes, features, alone, chosen, bag)
		must.EqualSlices(t, chosen.Boxes, bag.Boxes, features, alone, chosen, bag)
		must.EqualSlices(t, chosen.Values, bag.Values, features, alone, chosen, bag)
	}
}

// TestWrongTorchmilFolders names the file that is wrong.
func TestWrongTorchmilFolders(t *testing.T) {
	for name, c := range map[string]struct {
		path string
		data []byte
	}{
		"another width":   {"features/b9.npy", npyBytes(t, "<f4", "1, 3", []float32{1, 2, 3})},
		"another type":    {"features/b9.npy", npyBytes(t, "<f8", "1, 2", []float64{1, 2})},
		"no axis":         {"features/b9.npy", npyBytes(t, "<f4", "", float32(1))},
		"two classes":     {"labels/b10.npy", npyBytes(t, "<i8", "2,", []int64{0, 1})},
		"half a class":    {"labels/b10.npy", npyBytes(t, "<f4", "", float32(.5))},
		"too few labels":  {"patch_labels/b9.npy", npyBytes(t, "<i8", "2,", []int64{0, 1})},
		"too many places": {"coords/b10.npy", npyBytes(t, "<i8", "2, 2", []int64{1, 2, 3, 4})},
		"no file":         {"coords/b10.npy", nil},
		"broken":          {"coords/b10.npy", []byte("\x93NUMPY")},
	} {
		t.Run(name, func(t *testing.T) {
			files := torchmilFiles(t)
			files[c.path] = &fstest.MapFile{Data: c.data}
			if c.data == nil {
				delete(files, c.path)
			}
			set, err := ReadFolder(files, Options{})
			if err == nil || !strings.Contains(err.Error(), c.path) &&
				!strings.Contains(err.Error(), strings.Split(c.path, "/")[0]) {
				t.Errorf("%+v, %v", set, err)
			}
		})
	}
}

// TestTorchmilLimits refuses more bags and bytes than the limits allow.
func TestTorchmilLimits(t *testing.T) {
	for _, l := range []Limits{{Bags: 1}, {Bytes: 300}, {Instances: 3}} {
		if _, err := ReadFolder(torchmilFiles(t), Options{Limits: l}); err == nil ||
			reflect.TypeOf(err) != reflect.TypeOf(&LimitError{}) {
			t.Errorf("%+v: %v", l, err)
		}
	}
}
