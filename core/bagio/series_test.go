package bagio

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/internal/must"
)

// bigDICOM returns a picture of 8 x 8 pixels of 16 bits: 0, 1, 2, ...
func bigDICOM() dicomtest.Picture {
	p := dicomtest.Grey(dicomtest.Explicit)
	p.Width, p.Height, p.Pixels = 8, 8, nil
	for i := range 64 {
		p.Pixels = append(p.Pixels, byte(i), 1)
	}
	return p
}

// zipped returns a zip archive of files called 0, 1, 2, ...
func zipped(t testing.TB, files ...[]byte) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i, f := range files {
		must.Get(must.Get(w.Create(fmt.Sprint(i)))(t).Write(f))(t)
	}
	must.Do(t, w.Close())
	return out.Bytes()
}

// folderOf returns a folder of files by their names.
func folderOf(files map[string][]byte) fstest.MapFS {
	out := fstest.MapFS{}
	for name, data := range files {
		out[name] = &fstest.MapFile{Data: data}
	}
	return out
}

// firstValues returns the first value of each instance of a set's only bag.
func firstValues(t *testing.T, s *Set) (out []float32) {
	t.Helper()
	b := must.Get(s.Bag(0))(t)
	for i := range b.Len() {
		out = append(out, b.Instance(i)[0])
	}
	return out
}

// TestSeries reads a series of a folder of folders, of several files and of an archive: its slices
// are in the order of their positions and not of names or numbers, and hold rescaled values.
func TestSeries(t *testing.T) {
	a, b, c := dicomtest.Slice(4, 1, 7.5).File(), dicomtest.Slice(4, 2, 5).File(),
		dicomtest.Slice(4, 3, 2.5).File()
	want := []float32{3 - 1024, 2 - 1024, 1 - 1024}
	for name, read := range map[string]func() (*Set, error){
		"folder": func() (*Set, error) {
			return ReadFolder(folderOf(map[string][]byte{"st/se/1": a, "st/se/2": b, "st/3": c,
				"st/.4": []byte("hidden"), "README": []byte("text")}), Options{})
		},
		"files": func() (*Set, error) {
			return ReadFiles([]File{{Name: "1", Data: a}, {Name: "2", Data: b},
				{Name: "README", Data: []byte("text")}, {Name: "3", Data: c}}, Options{})
		},
		"zip": func() (*Set, error) {
			return Read("s.zip", zipped(t, a, []byte("text"), b, c), Options{})
		},
		"channels": func() (*Set, error) {
			return Read("s.zip", zipped(t, a, []byte("text"), b, c),
				Options{InstanceShape: []int{3, 3, 4}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := must.Get(read())(t)
			must.EqualSlices(t, firstValues(t, s), want)
			notes := strings.Join(s.Notes(), "\n")
			for _, part := range []string{"from feet to head, 2.5 mm apart", "left out: 1"} {
				must.Contain(t, notes, part)
			}
			must.Equal(t, must.Get(s.Bag(0))(t).Raw, false, "rescaled values are raw pixels")
		})
	}
}

// TestSeriesNotes says what is unusual of a series.
func TestSeriesNotes(t *testing.T) {
	slice := func(number int, z float64) []byte { return dicomtest.Slice(1, number, z).File() }
	turned := dicomtest.Slice(1, 3, 0)
	more := turned.More
	turned.More = func(w *dicomtest.Writer) {
		w.Text(dicomtest.Orientation, "DS", `0\1\0\0\0\-1`)
		w.Text(dicomtest.BurnedIn, "CS", "YES")
		more(w)
	}
	unplaced := dicomtest.Grey(dicomtest.Explicit)
	for name, c := range map[string]struct {
		files [][]byte
		want  string
	}{
		"a gap": {[][]byte{slice(1, 0), slice(2, 1), slice(3, 2), slice(4, 6)},
			"the widest gap is 4 mm instead of 1 mm, between instances 2 and 3"},
		"a duplicate": {[][]byte{slice(1, 0), slice(2, 1), slice(3, 1)},
			"position of another one: 1"},
		"a localizer":  {[][]byte{slice(1, 0), turned.File()}, "several orientations"},
		"burned in":    {[][]byte{slice(1, 0), turned.File()}, "burned into their pixels: 1"},
		"no positions": {[][]byte{unplaced.File(), unplaced.File()}, "do not state where"},
	} {
		t.Run(name, func(t *testing.T) {
			s := must.Get(Read("s.zip", zipped(t, c.files...), Options{}))(t)
			must.Contain(t, strings.Join(s.Notes(), "\n"), c.want)
		})
	}
}

// TestResults refuses files that mark or describe pictures of other files by their kind, and leaves
// them out beside a series.
func TestResults(t *testing.T) {
	for class, want := range map[string]string{
		"1.2.840.10008.5.1.4.1.1.66.4":  "segmentation (SEG)",
		"1.2.840.10008.5.1.4.1.1.88.33": "structured report (SR)",
		"1.2.840.10008.5.1.4.1.1.88.59": "key object selection (KO)",
		"1.2.840.10008.5.1.4.1.1.11.1":  "presentation state (PR)",
		"1.2.840.10008.5.1.4.1.1.481.3": "structures (RTSTRUCT)",
	} {
		t.Run(want, func(t *testing.T) {
			p := dicomtest.Grey(dicomtest.Explicit)
			p.Class = class
			data := p.File()
			if class[len(class)-3:] != "6.4" { // only segmentations have pixels
				data = data[:bytes.LastIndex(data, []byte("\xe0\x7f\x10\x00OW"))]
			}
			archive := zipped(t, data, data)
			for name, data := range map[string][]byte{"a.dcm": data, "s.zip": archive} {
				_, err := Read(name, data, Options{})
				var format *FormatError
				must.Equal(t, errors.As(err, &format), true, name, err)
				must.Equal(t, strings.Contains(err.Error(), want), true, name, err)
				must.Equal(t, strings.Contains(err.Error(), "open these"), true, name, err)
			}
			one := dicomtest.Slice(4, 1, 0).File()
			s := must.Get(Read("s.zip", zipped(t, p.File(), one), Options{}))(t)
			notes := strings.Join(s.Notes(), "\n")
			must.Equal(t, len(firstValues(t, s)), 1, notes)
			must.Contain(t, notes, "left out: 1")
		})
	}
	radiograph := dicomtest.Grey(dicomtest.Explicit)
	radiograph.Class = "1.2.840.10008.5.1.4.1.1.481.1"
	must.Get(Read("a.zip", zipped(t, radiograph.File()), Options{}))(t)
}

// countedReader counts the reads of a file.
type countedReader struct {
	io.ReaderAt
	reads *int
}

func (r countedReader) ReadAt(p []byte, at int64) (int, error) {
	*r.reads++
	return r.ReaderAt.ReadAt(p, at)
}

// TestFewReads reads the files of a series in few pieces, because each is a call of the browser:
// the beginning of a file, when it is recognised, surveyed and decoded, and its pixels.
func TestFewReads(t *testing.T) {
	const count = 20
	reads := 0
	var files []File
	for i := range count {
		p := dicomtest.Slice(1, i, float64(i))
		p.Width, p.Height, p.Pixels = 128, 128, bytes.Repeat([]byte{byte(i), 0}, 128*128)
		data := p.File()
		files = append(files, File{Name: fmt.Sprint(i), Size: int64(len(data)),
			Reader: countedReader{bytes.NewReader(data), &reads}})
	}
	s := must.Get(ReadFiles(files, Options{}))(t)
	if got := firstValues(t, s); len(got) != count || got[count-1] != count-1-1024 {
		t.Error(got)
	}
	must.Equal(t, reads <= 5*count, true, reads, count)
}

// TestSeveralSeries lists the series of an archive, and reads the one that is stated.
func TestSeveralSeries(t *testing.T) {
	data := zipped(t, dicomtest.Slice(7, 1, 0).File(), dicomtest.Slice(3, 2, 0).File(),
		dicomtest.Slice(3, 9, 2).File())
	_, err := Read("s.zip", data, Options{})
	var q *QuestionError
	if !errors.As(err, &q) || q.Option != "series" || !slices.Equal(q.Answers, []Answer{
		{"3", "the bag is the CT series of 2 slices of 4 x 3 pixels"},
		{"7", "the bag is the CT series of 1 slice of 4 x 3 pixels"},
		{"all", "the bag is the pictures of all series, as of an exam with several views"}}) {
		t.Fatalf("%+v", err)
	}
	s := must.Get(Read("s.zip", data, Options{Series: "3"}))(t)
	must.EqualSlices(t, firstValues(t, s), []float32{2 - 1024, 9 - 1024})
	if _, err = Read("s.zip", data, Options{Series: "4"}); !errors.As(err, &q) ||
		!strings.Contains(err.Error(), "no series 4") {
		t.Error(err)
	}
}

// TestFrames reads the frames of a file as instances.
func TestFrames(t *testing.T) {
	p := dicomtest.Grey(dicomtest.Explicit)
	p.Frames, p.Height = 3, 1
	s := must.Get(Read("cine.dcm", p.File(), Options{}))(t)
	must.EqualSlices(t, firstValues(t, s), []float32{0, 80 + 4*256, 160 + 8*256})
	must.Equal(t, s.Names()[0], "cine", s.Names())
}

// TestPictureOfDICOM cuts a single picture into patches: they hold its values, and its drawing is
// under its window.
func TestPictureOfDICOM(t *testing.T) {
	p := bigDICOM()
	p.More = func(w *dicomtest.Writer) {
		w.Text(0x0028_1050, "DS", "288")
		w.Text(0x0028_1051, "DS", "65")
		w.Text(dicomtest.Intercept, "DS", "-1000")
		w.Text(0x0028_1053, "DS", "2")
	}
	s := must.Get(Read("x.dcm", p.File(), Options{Patch: PatchOptions{Size: 4, Channels: 1}}))(t)
	b := must.Get(s.Bag(0))(t)
	if b.Len() != 4 || b.Raw || b.Boxes[3] != image.Rect(4, 4, 8, 8) {
		t.Fatalf("%d patches, raw %t, boxes %v", b.Len(), b.Raw, b.Boxes)
	}
	// The first pixel of the last patch is the 37th.
	if got, want := b.Instance(3)[0], float32(2*(256+36)-1000); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if m := s.Picture(0); m == nil || m.Bounds() != image.Rect(0, 0, 8, 8) {
		t.Error(m)
	}
}

// TestTIFFPreamble reads a DICOM file whose first 128 bytes begin as those of a TIFF file.
func TestTIFFPreamble(t *testing.T) {
	data := bigDICOM().File()
	copy(data, "II*\x00\xff\xff\x00\x00")
	must.Do(t, must.Err(Read("x.dcm", data, Options{Patch: PatchOptions{Size: 4}})))
}

// TestIdentifiersOfSeries finds no identifying value in what is known of a bag, nor in errors.
func TestIdentifiersOfSeries(t *testing.T) {
	p := dicomtest.Slice(1, 1, 0)
	p.More = dicomtest.Identified
	plain := dicomtest.Slice(2, 1, 0).File()
	hidden := func(what string, v any) {
		t.Helper()
		if text := fmt.Sprintf("%+v", v); strings.Contains(text, dicomtest.Marker) {
			t.Errorf("%s: %s", what, text)
		}
	}
	s := must.Get(Read("s.zip", zipped(t, p.File(), p.File()), Options{}))(t)
	b := must.Get(s.Bag(0))(t)
	hidden("bag", *b)
	hidden("notes", s.Notes())
	_, err := Read("s.zip", zipped(t, p.File(), plain), Options{})
	must.Fail(t, err)
	hidden("question", err)
	data := p.File()
	for i := 132; i < len(data); i++ {
		damaged := bytes.Clone(data)
		damaged[i] ^= 0xff
		_, err := Read("x.dcm", damaged, Options{Patch: PatchOptions{Size: 3}})
		hidden(fmt.Sprint("damaged at ", i), err)
		_, err = Read("x.dcm", data[:i], Options{Patch: PatchOptions{Size: 3}})
		hidden(fmt.Sprint("cut at ", i), err)
	}
}

// TestSeriesWindow maps the values of a series, and of a single picture, to pixels.
func TestSeriesWindow(t *testing.T) {
	o := Options{Window: "-1000,100"}
	set := must.Get(Read("s.zip", zipped(t, dicomtest.Slice(1, 1, 0).File(),
		dicomtest.Slice(1, 26, 1).File()), o))(t)
	b := must.Get(set.Bag(0))(t)
	// Values 1 - 1024 and 26 - 1024: 27 and 52 of 100 above the lower end.
	if !b.Raw || b.Instance(0)[0] != 69 || b.Instance(1)[0] != 133 {
		t.Errorf("%v and %v, raw %v", b.Instance(0), b.Instance(1), b.Raw)
	}
	must.Contain(t, strings.Join(set.Notes(), "\n"), "window -1000,100,")
	o.Window, o.Patch = "384,255; 511,255; 256,255", PatchOptions{Size: 4}
	picture := must.Get(Read("one.dcm", bigDICOM().File(), o))(t)
	b = must.Get(picture.Bag(0))(t)
	// The first pixel is 256, the last of the first patch 283.
	must.Equal(t, b.Raw, true, b.Raw, picture.Notes())
	must.EqualSlices(t, []float32{b.Values[0], b.Values[15], b.Values[16], b.Values[32]},
		[]float32{0, 27, 0, 128}, b.Raw, picture.Notes())
	must.Contain(t, strings.Join(picture.Notes(), "\n"), "window 384,255;")
	colours := dicomtest.Grey(dicomtest.Explicit)
	must.Fail(t, must.Err(Read("one.dcm", colours.File(), o)))
}

// TestDistanceAlongNormal: slices that lean follow each other along their normal, here (.8, -.6, 0)
// of rows along (.6, .8, 0) and columns along (0, 0, -1).
func TestDistanceAlongNormal(t *testing.T) {
	leaning := core.Place{Across: [3]float64{.6, .8, 0}, Rows: [3]float64{0, 0, -1}}
	n := leaning.Normal()
	at := core.Place{Position: [3]float64{10, 5, 7}}
	if got, want := at.Along(leaning), 10*n[0]+5*n[1]; !(math.Abs(n[2]) <= 1e-12) ||
		!(math.Abs(math.Abs(n[0])-.8) <= 1e-12) || !(math.Abs(got-want) <= 1e-12) ||
		!(math.Abs(math.Abs(got)-5) <= 1e-12) {
		t.Errorf("%v along the normal %v, want 5 mm", got, n)
	}
}

// TestSeriesOrigin: instances know their files, frames and places, in the order of positions.
func TestSeriesOrigin(t *testing.T) {
	files := map[string]float64{"a": 5, "b": 0, "c": 2.5}
	fsys := fstest.MapFS{}
	n := 0
	for _, name := range []string{"a", "b", "c"} {
		n++
		p := dicomtest.Slice(1, n, files[name])
		more := p.More
		p.More = func(w *dicomtest.Writer) {
			w.Text(0x0008_0018, "UI", "2.25.4"+strconv.Itoa(int(files[name])))
			more(w)
			w.Text(0x0028_0030, "DS", `0.5\0.25`)
		}
		fsys[name] = &fstest.MapFile{Data: p.File()}
	}
	set := must.Get(ReadFolder(fsys, Options{}))(t)
	bag := must.Get(set.Bag(0))(t)
	for i, uid := range []string{"2.25.40", "2.25.42", "2.25.45"} {
		s := bag.Slices[i]
		if got := bag.Origin.Images[s.Image].UID; got != uid || !s.Placed || s.Frame != 0 ||
			s.Place.Position[2] != 2.5*float64(i) ||
			s.Spacing != (core.Spacing{Rows: 0.5, Columns: 0.25}) {
			t.Errorf("instance %d: file %s, %+v", i, got, s)
		}
	}
	if s := bag.Select([]int{2}).Slices; len(s) != 1 || s[0] != bag.Slices[2] {
		t.Errorf("a selected instance lies at %+v", s)
	}
}
