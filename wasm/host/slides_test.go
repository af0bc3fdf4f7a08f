package host

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/wasm/wire"
)

// A countingReader counts the bytes that are read.
type countingReader struct {
	io.ReaderAt
	read *atomic.Int64
}

func (r countingReader) ReadAt(dst []byte, at int64) (int, error) {
	r.read.Add(int64(len(dst)))
	return r.ReaderAt.ReadAt(dst, at)
}

// slideFile reads a slide of the test data of core/slide.
func slideFile(t *testing.T, name string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(filepath.Join("..", "..", "core", "slide", "testdata", name)))(t)
}

// fromFile requests to open a slide in one file.
func fromFile(name string, size int) wire.OpenSlide {
	return wire.OpenSlide{Name: name, Files: []wire.SlideFile{{Name: name, Part: 1, Size: size}}}
}

// openSlide opens a slide whose file the client keeps. It returns the bytes read so far, too.
func openSlide(t *testing.T, c *client, data []byte) (wire.SlideOpened, *atomic.Int64) {
	t.Helper()
	read := new(atomic.Int64)
	c.host.config.Part = func(_ int, _ int64, whole bool) io.ReaderAt {
		if whole {
			t.Error("a slide is announced as a file that is read whole")
		}
		return countingReader{bytes.NewReader(data), read}
	}
	return get[wire.SlideOpened](c, fromFile("a.tif", len(data))), read
}

// TestSlide compares a slide's answers with those of core/slide.
func TestSlide(t *testing.T) {
	c := newClient(t, nil)
	data := slideFile(t, "jpeg_420.tif")
	want := must.Get(slide.Open("a.tif", bytes.NewReader(data), int64(len(data))))(t)
	opened, _ := openSlide(t, c, data)
	if l := opened.Info.Levels; len(l) != len(want.Levels) || l[0].Width != want.Levels[0].Width ||
		l[1].Downsample != want.Levels[1].Downsample {
		t.Errorf("levels %+v, want %+v", l, want.Levels)
	}
	pixels := must.Get(want.Region(1, image.Rect(-3, 5, 30, 40)))(t)
	region := get[wire.Region](c, wire.ReadRegion{Slide: opened.Handle, Level: 1, X: -3, Y: 5,
		Width: 33, Height: 35})
	must.EqualSlices(t, region.RGBA, pixels.Pix, "a region has other pixels")
	small, scale, err := want.Overview(t.Context(), 50)
	must.Do(t, err)
	overview := get[wire.Overview](c, wire.ReadOverview{Slide: opened.Handle, Side: 50})
	must.EqualSlices(t, overview.RGBA, small.Pix, "an overview has other pixels")
	must.Equal(t, overview.Scale, scale, "an overview has other pixels")
	if other := get[wire.Overview](c, wire.ReadOverview{Slide: opened.Handle,
		Side: 20}); max(other.Width, other.Height) != 20 {
		t.Errorf("another overview has %d x %d pixels", other.Width, other.Height)
	}
	mask := slide.Tissue(small, scale, slide.TissueOptions{Threshold: 30})
	find := wire.FindTissue{Slide: opened.Handle, Side: 50, Threshold: 30}
	tissue := get[wire.Tissue](c, find)
	for i, is := range mask.Tissue {
		must.Equal(t, is, tissue.Mask[i] == 1, i)
	}
	g := must.Get(want.Grid(mask, slide.GridOptions{PatchSize: 16, MinTissue: .5}))(t)
	grid := get[wire.Grid](c, wire.PlaceGrid{Slide: opened.Handle, Tissue: &find, PatchSize: 16,
		MinTissue: .5})
	must.Equal(t, len(g.Boxes) != 0, true, len(grid.X), len(g.Boxes))
	must.Equal(t, len(grid.X), len(g.Boxes))
	must.Equal(t, grid.Y[len(grid.Y)-1], g.Boxes[len(g.Boxes)-1].Min.Y, len(grid.X), len(g.Boxes))
	get[wire.Done](c, wire.Release{Handle: opened.Handle})
	c.fails(kind.Setting, wire.ReadRegion{Slide: opened.Handle, Width: 1, Height: 1})
}

// A slide costs what is looked at: opening it and reading one tile reads a part of the file.
func TestSlideReadsRanges(t *testing.T) {
	c := newClient(t, nil)
	data := slideFile(t, "none_big_endian.tif")
	opened, read := openSlide(t, c, data)
	l := opened.Info.Levels[0]
	get[wire.Region](c, wire.ReadRegion{Slide: opened.Handle, Width: l.TileWidth / 2, Height: 10})
	if n := int(read.Load()); n == 0 || n > len(data)/2 {
		t.Errorf("%d of %d bytes were read for one tile", n, len(data))
	}
}

// A flakyReader fails while broken is set.
type flakyReader struct {
	io.ReaderAt
	broken *atomic.Bool
}

func (r flakyReader) ReadAt(dst []byte, at int64) (int, error) {
	if r.broken.Load() {
		return 0, io.ErrClosedPipe
	}
	return r.ReaderAt.ReadAt(dst, at)
}

// TestSlideThatCannotBeRead reads a slide whose file fails after it was opened. Every request about
// its pixels fails, and is answered once the file can be read again.
func TestSlideThatCannotBeRead(t *testing.T) {
	c := newClient(t, nil)
	data, broken := slideFile(t, "jpeg_420.tif"), new(atomic.Bool)
	c.host.config.Part = func(int, int64, bool) io.ReaderAt {
		return flakyReader{bytes.NewReader(data), broken}
	}
	h := get[wire.SlideOpened](c, fromFile("a.tif", len(data))).Handle
	find := wire.FindTissue{Slide: h, Side: 50, Threshold: 30}
	requests := []any{
		wire.ReadRegion{Slide: h, Width: 9, Height: 9}, wire.ReadOverview{Slide: h, Side: 50}, find,
		wire.PlaceGrid{Slide: h, Tissue: &find, PatchSize: 16},
		wire.LayPatches{Grid: wire.PlaceGrid{Slide: h, PatchSize: 16}},
	}
	broken.Store(true)
	for _, r := range requests {
		c.fails(kind.Format, r)
	}
	broken.Store(false)
	for _, r := range requests {
		if f, failed := c.ask(r).(wire.Failure); failed {
			t.Errorf("%T fails: %s", r, f.Message)
		}
	}
}

// TestSlideOfFiles opens the files of a slide of DICOM, whichever comes first.
func TestSlideOfFiles(t *testing.T) {
	c := newClient(t, nil)
	contents := [][]byte{[]byte("a list of files")}
	for _, side := range []int{8, 32, 16} {
		m := image.NewRGBA(image.Rect(0, 0, side, side))
		for i := range m.Pix {
			m.Pix[i] = byte(side)
		}
		contents = append(contents, dicomtest.SlideFile{Kind: "VOLUME", Picture: m,
			Tile: image.Pt(8, 8), Series: "1.2", Spacing: `0.0005\0.0005`}.File())
	}
	c.host.config.Part = func(number int, _ int64, _ bool) io.ReaderAt {
		return bytes.NewReader(contents[number-1])
	}
	r := wire.OpenSlide{Name: "case"}
	for i, data := range contents {
		r.Files = append(r.Files, wire.SlideFile{Name: fmt.Sprintf("%d.dcm", i), Part: i + 1,
			Size: len(data)})
	}
	opened := get[wire.SlideOpened](c, r)
	if l := opened.Info.Levels; len(l) != 3 || l[0].Width != 32 || l[2].Downsample != 4 ||
		opened.Info.Name != "case" || opened.Info.MicronsX != .5 {
		t.Errorf("%+v", opened.Info)
	}
	region := get[wire.Region](c, wire.ReadRegion{Slide: opened.Handle, Level: 1, Width: 1,
		Height: 1})
	must.Equal(t, region.RGBA[0], 16, region.RGBA)
}

// TestTileQuestion asks which number in the names of tiles is x, and takes the answer.
func TestTileQuestion(t *testing.T) {
	c := newClient(t, nil)
	var tile bytes.Buffer
	must.Do(t, png.Encode(&tile, image.NewGray(image.Rect(0, 0, 8, 8))))
	c.host.config.Part = func(int, int64, bool) io.ReaderAt {
		return bytes.NewReader(tile.Bytes())
	}
	r := wire.OpenSlide{Name: "case"}
	for i, name := range []string{"0_0.png", "1_0.png", "2_0.png"} {
		r.Files = append(r.Files, wire.SlideFile{Name: name, Part: i + 1, Size: tile.Len()})
	}
	failed := c.fails(kind.Setting, r)
	details := map[string]any{}
	for _, d := range failed.Details {
		details[d.Name] = d.Value
	}
	must.Equal(t, details["option"], any("tileNames"))
	must.Contain(t, fmt.Sprint(details["answers"]), "yx\tthe first number is y or the row")
	for order, width := range map[string]int{"xy": 24, "yx": 8} {
		r.TileNames = order
		opened := get[wire.SlideOpened](c, r)
		must.Equal(t, opened.Info.Levels[0].Width, width, order)
	}
}

// TestHostileSlides expects failures in words for files and requests that no memory could hold.
func TestHostileSlides(t *testing.T) {
	c := newClient(t, nil)
	c.fails(kind.Setting, fromFile("a.tif", 100)) // no files are kept
	c.host.config.Part = func(int, int64, bool) io.ReaderAt { return nil }
	c.fails(kind.Setting, wire.OpenSlide{Name: "a.tif"})
	data := slideFile(t, "jpeg_420.tif")
	opened, _ := openSlide(t, c, data)
	h := opened.Handle
	for _, r := range []any{
		wire.ReadRegion{Slide: h, Width: 1 << 40, Height: 1 << 40},
		wire.ReadRegion{Slide: h, Width: 1 << 12, Height: 1<<10 + 1},
		wire.ReadRegion{Slide: h, Width: -1, Height: 1},
		wire.ReadRegion{Slide: h, X: 1 << 52, Width: 1, Height: 1},
		wire.ReadOverview{Slide: h},
		wire.ReadOverview{Slide: h, Side: 1 << 30},
		wire.FindTissue{Slide: h, Side: 100, Threshold: 256},
		wire.PlaceGrid{Slide: h},
		wire.PlaceGrid{Slide: h, PatchSize: 16, Microns: -1},
		wire.PlaceGrid{Slide: h, PatchSize: 16, Overlap: 16},
	} {
		c.fails(kind.Setting, r)
	}
	c.fails(kind.Format, wire.ReadRegion{Slide: h, Level: 9, Width: 1, Height: 1})
	for name, want := range map[string]string{"lerc.tif": kind.Unsupported,
		"webp.tif": ""} {
		broken := slideFile(t, name)
		c.host.config.Part = func(int, int64, bool) io.ReaderAt { return bytes.NewReader(broken) }
		r := fromFile(name, len(broken))
		if want == "" {
			r.Files[0].Size = 100 // the file ends early
			want = kind.Format
		}
		must.Contain(t, c.fails(want, r).Message, name)
	}
}
