package bagio

import (
	"fmt"
	"image"
	"image/color"
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/bagscope/bagscope/internal/must"
)

// dot is a picture of one pixel.
func dot(t testing.TB, c color.Color) []byte {
	t.Helper()
	r := image.Rect(0, 0, 1, 1)
	if g, ok := c.(color.Gray); ok {
		img := image.NewGray(r)
		img.SetGray(0, 0, g)
		return pngFile(t, img)
	}
	img := image.NewNRGBA(r)
	img.Set(0, 0, c)
	return pngFile(t, img)
}

func TestReadFolder(t *testing.T) {
	folder := fstest.MapFS{
		"10.png": {Data: dot(t, color.Gray{10})}, "2.PNG": {Data: dot(t, color.Gray{2})},
		"1.png":     {Data: dot(t, color.Gray{1})},
		"notes.txt": {Data: []byte("x")}, ".hidden.png": {Data: []byte("x")},
		"more/3.png": {Data: dot(t, color.Gray{3})},
	}
	set := must.Get(ReadFolder(folder, Options{Name: "digits"}))(t)
	bag, err := set.Bag(0)
	if err != nil || bag.Name != "digits" || !bag.Raw || !slices.Equal(bag.Shape, []int{1, 1, 1}) ||
		!slices.Equal(bag.Values, []float32{1, 2, 10}) {
		t.Errorf("%+v, %v", bag, err)
	}
	must.EqualSlices(t, set.Notes(),
		[]string{"ignored files that are not pictures: .hidden.png, more, notes.txt"})
}

func TestReadFiles(t *testing.T) {
	grey := File{Name: "b.png", Data: dot(t, color.Gray{7})}
	red := File{Name: "a.png", Data: dot(t, color.NRGBA{255, 0, 0, 255})}
	for _, c := range []struct {
		files  []File
		o      Options
		shape  []int
		values []float32
	}{
		{[]File{grey, grey}, Options{}, []int{1, 1, 1}, []float32{7, 7}},
		{[]File{grey, red}, Options{}, []int{3, 1, 1}, []float32{255, 0, 0, 7, 7, 7}},
		{[]File{grey, red}, Options{InstanceShape: []int{1, 1, 1}}, []int{1, 1, 1},
			[]float32{76, 7}},
		{[]File{grey, grey}, Options{InstanceShape: []int{3, -1, -1}}, []int{3, 1, 1},
			[]float32{7, 7, 7, 7, 7, 7}},
		{[]File{{Name: "bag.csv", Data: []byte("bag,f1\na,5\n")}}, Options{}, []int{1},
			[]float32{5}},
	} {
		set := must.Get(ReadFiles(c.files, c.o))(t)
		bag, err := set.Bag(0)
		if err != nil || !slices.Equal(bag.Shape, c.shape) || !slices.Equal(bag.Values, c.values) {
			t.Errorf("%+v, %v; want %v %v", bag, err, c.shape, c.values)
		}
	}
}

func TestReadFolderErrors(t *testing.T) {
	one, wide := dot(t, color.Gray{1}), pngFile(t, image.NewGray(image.Rect(0, 0, 3, 2)))
	_, err := ReadFiles([]File{{Name: "2.png", Data: wide}, {Name: "1.png", Data: one}}, Options{})
	wantError(t, err, "2.png: it has 3 x 2 pixels and 1.png has 1 x 1; all pictures of a bag "+
		"must have the same size")
	_, err = ReadFiles([]File{{Name: "1.png", Data: one},
		{Name: "x.csv", Data: []byte("bag,f1\n")}}, Options{})
	wantError(t, err,
		"x.csv: it is not a "+pictureNames("or")+" picture; several files together must all "+
			"be pictures, one for each instance")
	_, err = ReadFiles(nil, Options{})
	wantError(t, err, "the data: no file was given")
	_, err = ReadFolder(fstest.MapFS{"x.txt": {}}, Options{})
	wantError(t, err, "the folder: it holds no "+pictureNames("or")+" picture and no DICOM or "+
		"NIfTI file")
	_, err = ReadFolder(fstest.MapFS{"x.png": {Data: []byte("x")}}, Options{})
	wantError(t, err, "x.png: it is not a "+pictureNames("or")+" picture")
	_, err = ReadFolder(fstest.MapFS{"1.png": {Data: one}, "2.png": {Data: one}},
		Options{Limits: Limits{Bytes: 100}})
	wantError(t, err, fmt.Sprintf("2.png and the files before it: it holds %d bytes; the limit "+
		"is 100", 2*len(one)))
	exact := Options{Limits: Limits{Bytes: int64(2 * len(one))}}
	must.Do(t,
		must.Err(ReadFiles([]File{{Name: "1.png", Data: one}, {Name: "2.png", Data: one}}, exact)))
	_, err = ReadFiles([]File{{Name: "1.png", Data: one}, {Name: "2.png", Data: one}},
		Options{Limits: Limits{Instances: 1}})
	wantError(t, err, "the pictures: it holds 2 instances; the limit is 1")
	_, err = ReadFiles([]File{{Name: "1.png", Data: one}, {Name: "2.png", Data: one}},
		Options{InstanceShape: []int{1, 28, 28}})
	wantError(t, err, "pictures: an instance has shape (1, 1, 1), but the model takes (1, 28, 28)")
	must.Fail(t, must.Err(ReadFolder(fstest.MapFS{}, Options{})))
}

func TestNaturalOrder(t *testing.T) {
	want := []string{"", "01", "1", "2", "10", "a", "a1", "a1b", "a2", "a2a", "a010", "a10", "ab",
		"b99999999999999999999", "b100000000000000000000"}
	for i, a := range want {
		for j, b := range want {
			if got := naturalOrder(a, b); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%q and %q compare as %d", a, b, got)
			}
		}
	}
}

// A pipe or a device with the name of a picture is refused before it is opened.
func TestFolderOfPipes(t *testing.T) {
	for _, mode := range []fs.FileMode{fs.ModeNamedPipe, fs.ModeDevice, fs.ModeSocket} {
		folder := fstest.MapFS{"1.png": &fstest.MapFile{Mode: mode}}
		_, err := ReadFolder(folder, Options{})
		must.Equal(t, err != nil, true, mode, err)
		must.Equal(t, err.Error(), "1.png: it is not a regular file", mode, err)
	}
}
