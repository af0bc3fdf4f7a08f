package bagio

import (
	"image"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/internal/must"
)

// slideFiles returns the files of a slide of two levels and a label.
func slideFiles(series string) fstest.MapFS {
	folder := fstest.MapFS{}
	for name, f := range map[string]struct {
		kind string
		side int
	}{"1.dcm": {"VOLUME", 8}, "in/2.dcm": {"VOLUME", 16}, "in/3.dcm": {"LABEL", 40}} {
		m := image.NewRGBA(image.Rect(0, 0, f.side, f.side))
		for i := range m.Pix {
			m.Pix[i] = byte(f.side)
		}
		folder[name] = &fstest.MapFile{Data: dicomtest.SlideFile{Kind: f.kind, Picture: m,
			Tile: image.Pt(8, 8), Series: series, Spacing: `0.0005\0.0005`}.File()}
	}
	return folder
}

// TestWholeSlide reads the files of a slide of DICOM: its largest level is cut into patches, or
// given to the caller's reader of slides.
func TestWholeSlide(t *testing.T) {
	folder := slideFiles("1.2")
	o := Options{InstanceShape: []int{3, 8, 8}, Name: "case"}
	together := []File{}
	for name, f := range folder {
		together = append(together, File{Name: name, Data: f.Data})
	}
	largest := File{Name: "2.dcm", Data: folder["in/2.dcm"].Data}
	for way, set := range map[string]*Set{
		"a folder":        must.Get(ReadFolder(folder, o))(t),
		"dropped files":   must.Get(ReadFiles(together, o))(t),
		"the file itself": must.Get(ReadFiles([]File{largest}, o))(t),
	} {
		bag := must.Get(set.Bag(0))(t)
		if bag.Len() != 4 || bag.Values[0] != 16 || bag.Boxes[3] != image.Rect(8, 8, 16, 16) {
			t.Errorf("%s: %d patches of %v at %v", way, bag.Len(), bag.Values[0], bag.Boxes)
		}
	}
	must.Equal(t, must.Get(SlideIn(folder, Limits{}, ""))(t), "in/2.dcm")
	var read string
	o.Slide = func(name string, r io.ReaderAt, size int64) (*Set, error) {
		read = name
		return SetOf(&core.Bag{Shape: []int{1}, Values: []float32{1}}, nil), nil
	}
	must.Equal(t, must.Get(ReadFolder(folder, o))(t).Names()[0], "case", read)
	must.Equal(t, read, "in/2.dcm")
}

// TestSeveralWholeSlides refuses a folder of two slides, and finds none in a series of slices.
func TestSeveralWholeSlides(t *testing.T) {
	folder := slideFiles("1.2")
	for name, f := range slideFiles("1.3") {
		folder["other/"+name] = f
	}
	if _, err := ReadFolder(folder, Options{}); err == nil ||
		!strings.Contains(err.Error(), "several whole slides; give a file of one of them") {
		t.Error(err)
	}
	series := fstest.MapFS{"a.dcm": {Data: dicomtest.Slice(1, 1, 0).File()}}
	if name, err := SlideIn(series, Limits{}, ""); name != "" || err != nil {
		t.Errorf("%q, %v", name, err)
	}
}
