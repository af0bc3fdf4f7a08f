package slide_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/damage"
	"github.com/bagscope/bagscope/internal/must"
)

// openDICOM opens a file of a slide with the others of a folder beside it.
func openDICOM(folder fstest.MapFS, name string, o slide.Options) (*slide.Slide, error) {
	o.Beside = folder
	data := folder[name].Data
	return slide.OpenWith(name, bytes.NewReader(data), int64(len(data)), o)
}

// level returns a file of a slide whose tiles have 16 x 12 pixels.
func level(m *image.RGBA, kind, spacing string) dicomtest.SlideFile {
	return dicomtest.SlideFile{Kind: kind, Picture: m, Tile: image.Pt(16, 12), Series: "1.2.3",
		Spacing: spacing}
}

// noise returns a picture of random colours.
func noise(width, height int) *image.RGBA {
	r := rand.New(rand.NewPCG(uint64(width), uint64(height)))
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = byte(r.Uint32()) | byte(255*(i%4/3))
	}
	return m
}

// samePixels fails unless a level is a picture.
func samePixels(t *testing.T, s *slide.Slide, level int, want *image.RGBA) {
	t.Helper()
	got := must.Get(s.Region(level, want.Rect))(t)
	must.EqualSlices(t, got.Pix, want.Pix, level)
}

// TestDICOMLevels opens a slide of three files and a file of another slide, by each of its levels.
func TestDICOMLevels(t *testing.T) {
	large, small, glass := noise(90, 70), noise(45, 35), noise(20, 20)
	other := level(noise(200, 100), "VOLUME", `0.001\0.001`)
	other.Series = "1.2.4"
	folder := fstest.MapFS{
		"a.dcm": {Data: level(small, "VOLUME", `0.001\0.0008`).File()},
		"b.dcm": {Data: level(large, "VOLUME", `0.0005\0.0004`).File()},
		"c.dcm": {Data: level(glass, "LABEL", `0.1\0.1`).File()},
		"d.dcm": {Data: other.File()}, "notes.txt": {Data: []byte("no slide")},
		"folder": {Mode: fs.ModeDir},
	}
	for _, name := range []string{"a.dcm", "b.dcm", "c.dcm"} {
		s := must.Get(openDICOM(folder, name, slide.Options{}))(t)
		if s.Format != "DICOM" || len(s.Levels) != 2 || s.Levels[1].Downsample != 2 ||
			s.MicronsX != .4 || s.MicronsY != .5 || s.Magnification != 20 {
			t.Errorf("%s: %+v", name, s)
		}
		samePixels(t, s, 0, large)
		samePixels(t, s, 1, small)
		must.Equal(t, len(s.Associated), 1, name, s.Associated)
		must.Equal(t, s.Associated[0].Kind, "label", name, s.Associated)
		must.Equal(t, s.Associated[0].Private(), true, name, s.Associated)
		must.EqualSlices(t, must.Get(s.Picture(s.Associated[0]))(t).Pix, glass.Pix, name)
	}
	delete(folder, "a.dcm")
	delete(folder, "b.dcm")
	var format *slide.FormatError
	if _, err := openDICOM(folder, "c.dcm", slide.Options{}); !errors.As(err, &format) ||
		!strings.Contains(err.Error(), "the label of a slide; give a file of its tissue") {
		t.Error(err)
	}
}

// TestDICOMSparse opens a file that has some of the tiles, in an order of its own, each in three
// focal planes.
func TestDICOMSparse(t *testing.T) {
	m := noise(48, 36)
	f := level(m, "VOLUME", "")
	f.Places = []image.Point{{32, 24}, {0, 0}, {16, 12}}
	f.Planes = 3
	folder := fstest.MapFS{"a.dcm": {Data: f.File()}}
	s := must.Get(openDICOM(folder, "a.dcm", slide.Options{}))(t)
	want := image.NewRGBA(m.Rect)
	draw.Draw(want, want.Rect, image.White, image.Point{}, draw.Src)
	for _, at := range f.Places {
		draw.Draw(want, image.Rectangle{at, at.Add(f.Tile)}, m, at, draw.Src)
	}
	samePixels(t, s, 0, want)
	must.Equal(t, s.MicronsX, 0, s.MicronsY)
	must.Equal(t, s.MicronsY, 0, s.MicronsX)
}

// TestDICOMPlanes takes the middle of five focal planes.
func TestDICOMPlanes(t *testing.T) {
	m := noise(40, 30)
	f := level(m, "VOLUME", "")
	f.Planes = 5
	folder := fstest.MapFS{"a.dcm": {Data: f.File()}}
	samePixels(t, must.Get(openDICOM(folder, "a.dcm", slide.Options{}))(t), 0, m)
}

// TestDICOMConcatenation joins a level that is spread over three files, of which one is lost.
func TestDICOMConcatenation(t *testing.T) {
	m := noise(64, 24) // 4 x 2 tiles
	part := func(first, n int) *fstest.MapFile {
		f := level(m, "VOLUME", "")
		f.Part, f.Frames = "1.9", [2]int{first, n}
		return &fstest.MapFile{Data: f.File()}
	}
	folder := fstest.MapFS{"c.dcm": part(0, 3), "a.dcm": part(3, 2), "b.dcm": part(5, 3)}
	s := must.Get(openDICOM(folder, "a.dcm", slide.Options{}))(t)
	must.Equal(t, len(s.Levels), 1)
	samePixels(t, s, 0, m)
	delete(folder, "b.dcm")
	s = must.Get(openDICOM(folder, "a.dcm", slide.Options{}))(t)
	got := must.Get(s.Region(0, m.Rect))(t)
	must.Equal(t, got.RGBAAt(63, 23), color.RGBA{255, 255, 255, 255})
	must.Equal(t, got.RGBAAt(0, 0), m.RGBAAt(0, 0), "a tile that a file has is lost")
}

// TestDICOMRefused opens files that cannot hold, or are not read.
func TestDICOMRefused(t *testing.T) {
	m := noise(40, 30)
	for want, change := range map[string]func(f *dicomtest.SlideFile){
		"does not state the pixels of the slide": func(f *dicomtest.SlideFile) {
			f.Picture = image.NewRGBA(image.Rectangle{})
			f.Places = []image.Point{{}}
		},
		"slides whose tiles overlap": func(f *dicomtest.SlideFile) {
			f.Places = []image.Point{{0, 0}, {8, 0}}
		},
		"frame 2 states no place within its slide": func(f *dicomtest.SlideFile) {
			f.Places = []image.Point{{0, 0}, {48, 0}}
		},
		"slides of several optical paths": func(f *dicomtest.SlideFile) {
			f.Paths = 2
		},
		"several optical paths are not supported; QuPath": func(f *dicomtest.SlideFile) {
			f.Paths, f.Places = 2, []image.Point{{0, 0}}
		},
		"9 tiles of 16 x 12, but it has 8 frames": func(f *dicomtest.SlideFile) {
			f.Frames = [2]int{0, 8}
		},
	} {
		f := level(m, "VOLUME", "")
		change(&f)
		_, err := openDICOM(fstest.MapFS{"a.dcm": {Data: f.File()}}, "a.dcm", slide.Options{})
		must.Equal(t, err != nil, true, err, want)
		must.Contain(t, err.Error(), want)
	}
	var limit *slide.LimitError
	_, err := openDICOM(fstest.MapFS{"a.dcm": {Data: level(m, "VOLUME", "").File()}}, "a.dcm",
		slide.Options{Pixels: 100})
	must.As(t, err, &limit)
}

// TestBrokenDICOM reads damaged files of slides.
func TestBrokenDICOM(t *testing.T) {
	sparse := level(noise(48, 36), "VOLUME", `0.0005\0.0005`)
	sparse.Places = []image.Point{{32, 24}, {0, 0}, {16, 12}}
	random := rand.New(rand.NewPCG(1, 2))
	for _, f := range []dicomtest.SlideFile{sparse, level(noise(40, 30), "VOLUME", "")} {
		data := f.File()
		folder := fstest.MapFS{"beside.dcm": {Data: data}}
		for range 3000 {
			folder["a.dcm"] = &fstest.MapFile{Data: damage.Bytes(data, random)}
			s, err := openDICOM(folder, "a.dcm", slide.Options{})
			if err != nil {
				continue
			}
			for i, l := range s.Levels {
				s.Region(i, image.Rect(0, 0, min(l.Width, 99), min(l.Height, 99)))
			}
		}
	}
}

// TestDICOMOfPydicom opens the files that testdata/dicom.py writes.
func TestDICOMOfPydicom(t *testing.T) {
	folder := os.DirFS("testdata/dicom")
	for _, name := range []string{"0.dcm", "label.dcm"} {
		data := must.Get(fs.ReadFile(folder, name))(t)
		s := must.Get(slide.OpenWith(name, bytes.NewReader(data), int64(len(data)),
			slide.Options{Beside: folder}))(t)
		if len(s.Levels) != 2 || s.MicronsX != .5 || len(s.Associated) != 1 {
			t.Fatalf("%+v", s)
		}
		for i := range s.Levels {
			want := image.NewRGBA(image.Rect(0, 0, s.Levels[i].Width, s.Levels[i].Height))
			file := must.Get(os.Open(fmt.Sprintf("testdata/level_%d.png", i)))(t)
			draw.Draw(want, want.Rect, must.Get(png.Decode(file))(t), image.Point{}, draw.Src)
			must.Do(t, file.Close())
			samePixels(t, s, i, want)
		}
	}
}
