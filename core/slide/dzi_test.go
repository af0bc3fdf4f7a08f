package slide_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io/fs"
	"math/bits"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/must"
)

// deepZoom returns a picture as a Deep Zoom picture of one level: its description, and its tiles.
func deepZoom(
	t *testing.T, m *image.RGBA, side, overlap int, format string,
) (string, fstest.MapFS) {
	t.Helper()
	files := fstest.MapFS{}
	size := m.Rect.Size()
	level := bits.Len(uint(max(size.X, size.Y) - 1))
	for row := range (size.Y-1)/side + 1 {
		for column := range (size.X-1)/side + 1 {
			at := image.Pt(column*side, row*side)
			part := image.Rectangle{at, at.Add(image.Pt(side, side))}.Inset(-overlap)
			var data bytes.Buffer
			encode := func() error { return png.Encode(&data, m.SubImage(part.Intersect(m.Rect))) }
			if format == "jpg" {
				encode = func() error {
					return jpeg.Encode(&data, m.SubImage(part.Intersect(m.Rect)),
						&jpeg.Options{Quality: 100})
				}
			}
			must.Do(t, encode())
			name := fmt.Sprintf("x_files/%d/%d_%d.%s", level, column, row, format)
			files[name] = &fstest.MapFile{Data: data.Bytes()}
		}
	}
	return fmt.Sprintf(`<?xml version="1.0"?>
<Image xmlns="http://schemas.microsoft.com/deepzoom/2008" TileSize="%d" Overlap="%d" Format="%s">
<Size Width="%d" Height="%d"/></Image>`, side, overlap, format, size.X, size.Y), files
}

// openDZI opens a description.
func openDZI(text string, files fs.FS, o slide.Options) (*slide.Slide, error) {
	o.Beside = files
	return slide.OpenWith("x.dzi", strings.NewReader(text), int64(len(text)), o)
}

// picture returns the largest level of a slide of testdata.
func picture(t *testing.T) *image.RGBA {
	t.Helper()
	data := must.Get(os.ReadFile("testdata/none_big_endian.tif"))(t)
	s := must.Get(slide.Open("x.tif", bytes.NewReader(data), int64(len(data))))(t)
	return must.Get(s.Region(0, image.Rect(0, 0, s.Levels[0].Width, s.Levels[0].Height)))(t)
}

// TestDeepZoomHasPixels cuts a picture into tiles with several overlaps, and reads it back.
func TestDeepZoomHasPixels(t *testing.T) {
	for _, c := range []struct {
		side, overlap, tolerance int
		format                   string
	}{{32, 0, 0, "png"}, {32, 1, 0, "png"}, {17, 5, 0, "png"}, {32, 2, 4, "jpg"}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			want := picture(t)
			if c.format == "jpg" { // JPEG keeps what is smooth
				for i := range want.Pix {
					if i%4 < 3 {
						want.Pix[i] = uint8(128 + i/4%want.Rect.Dx()/2)
					}
				}
			}
			text, files := deepZoom(t, want, c.side, c.overlap, c.format)
			s := must.Get(openDZI(text, files, slide.Options{}))(t)
			if s.Format != "Deep Zoom" || s.MicronsX != 0 || s.Levels[0].Width != want.Rect.Dx() {
				t.Errorf("%+v", s)
			}
			got := must.Get(s.Region(0, want.Rect))(t)
			worst := 0
			for i, v := range want.Pix {
				worst = max(worst, int(v)-int(got.Pix[i]), int(got.Pix[i])-int(v))
			}
			must.Equal(t, worst <= c.tolerance, true, worst)
		})
	}
}

// TestDeepZoomLargeTiles reads tiles as large as noise makes them, with 8 bytes a pixel allowed,
// and refuses a file that no tile of this size can have.
func TestDeepZoomLargeTiles(t *testing.T) {
	noise := image.NewRGBA(image.Rect(0, 0, 254, 254))
	rand.NewChaCha8([32]byte{}).Read(noise.Pix)
	for at := 3; at < len(noise.Pix); at += 4 {
		noise.Pix[at] = 255
	}
	text, files := deepZoom(t, noise, 254, 0, "png")
	tile := files["x_files/8/0_0.png"]
	must.Equal(t, len(tile.Data) > 1<<16, true, len(tile.Data))
	s := must.Get(openDZI(text, files, slide.Options{}))(t)
	if m, err := s.Tile(0, 0, 0); err != nil || !bytes.Equal(m.Pix, noise.Pix) {
		t.Errorf("a tile of %d bytes: %v", len(tile.Data), err)
	}
	tile.Data = append(tile.Data, make([]byte, 8*254*254+1<<16)...)
	s = must.Get(openDZI(text, files, slide.Options{}))(t)
	_, err := s.Tile(0, 0, 0)
	if err == nil || !strings.Contains(err.Error(), "no file of at most 581664 bytes") {
		t.Errorf("a tile of %d bytes: %v", len(tile.Data), err)
	}
}

// TestDeepZoomEndings finds tiles whose names end with large or small letters.
func TestDeepZoomEndings(t *testing.T) {
	want := picture(t)
	text, files := deepZoom(t, want, 256, 0, "png")
	text = strings.Replace(text, "png", "PNG", 1)
	large := fstest.MapFS{}
	for name, f := range files {
		large[strings.Replace(name, ".png", ".PNG", 1)] = f
	}
	for _, files := range []fstest.MapFS{files, large} {
		s := must.Get(openDZI(text, files, slide.Options{}))(t)
		if m, err := s.Tile(0, 0, 0); err != nil || !bytes.Equal(m.Pix, want.Pix) {
			t.Errorf("%v", err)
		}
	}
}

// TestDeepZoomLevels has levels of half the size, rounded up, down to one tile.
func TestDeepZoomLevels(t *testing.T) {
	s, err := openDZI(`<Image TileSize="256" Overlap="1" Format="JPEG"><Size Width="1001"
		Height="700"/></Image>`, fstest.MapFS{}, slide.Options{})
	must.Do(t, err)
	var sizes []image.Point
	for _, l := range s.Levels {
		sizes = append(sizes, image.Pt(l.Width, l.Height))
	}
	must.Equal(t, fmt.Sprint(sizes), "[(1001,700) (501,350) (251,175)]", sizes)
	// Without its files, every tile is an error that names the file.
	_, _, err = s.Overview(t.Context(), 100)
	var format *slide.FormatError
	must.As(t, err, &format)
	must.Contain(t, err.Error(), "x_files/8/0_0.jpeg")
	must.Contain(t, err.Error(), "vips dzsave SLIDE")
}

// TestDeepZoomRefuses has descriptions and tiles that are damaged or made to harm.
func TestDeepZoomRefuses(t *testing.T) {
	about := func(attributes, size string) string {
		return `<Image ` + attributes + `><Size ` + size + `/></Image>`
	}
	const tiles, size = `TileSize="8" Overlap="0" Format="png"`, `Width="8" Height="8"`
	for name, text := range map[string]string{
		"no XML":        "II*\x00",
		"other XML":     "<Picture/>",
		"cut":           about(tiles, size)[:40],
		"no size":       about(tiles, ""),
		"negative":      about(tiles, `Width="-8" Height="8"`),
		"too wide":      about(tiles, `Width="4294967296" Height="8"`),
		"no number":     about(tiles, `Width="x" Height="8"`),
		"path":          about(`TileSize="8" Overlap="0" Format="../../png"`, size),
		"no tile":       about(`TileSize="0" Overlap="0" Format="png"`, size),
		"huge tile":     about(`TileSize="2147483647" Overlap="0" Format="png"`, size),
		"large overlap": about(`TileSize="8" Overlap="8" Format="png"`, size),
		"long":          about(tiles, size) + strings.Repeat(" ", 1<<16),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openDZI(text, fstest.MapFS{}, slide.Options{})
			checkTyped(t, err)
		})
	}
	small := image.NewRGBA(image.Rect(0, 0, 8, 8))
	text, files := deepZoom(t, small, 8, 0, "png")
	const tile = "x_files/3/0_0.png"
	_, other := deepZoom(t, image.NewRGBA(image.Rect(0, 0, 7, 8)), 8, 0, "png")
	for name, file := range map[string]*fstest.MapFile{
		"cut tile": {Data: files[tile].Data[:30]}, "empty tile": {}, "folder": {Mode: fs.ModeDir},
		"pipe": {Mode: fs.ModeNamedPipe}, "other size": other[tile],
		"long tile": {Data: make([]byte, 1<<20)},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := openDZI(text, fstest.MapFS{tile: file}, slide.Options{})
			must.Do(t, err)
			_, err = s.Tile(0, 0, 0)
			checkTyped(t, err)
		})
	}
	t.Run("no folder", func(t *testing.T) {
		_, err := openDZI(text, nil, slide.Options{})
		checkTyped(t, err)
	})
	t.Run("memory", func(t *testing.T) {
		s, err := openDZI(text, files, slide.Options{Memory: quota.NewMemory(1 << 10)})
		must.Do(t, err)
		_, _, err = s.Overview(context.Background(), 8)
		var memory *quota.MemoryError
		must.As(t, err, &memory)
	})
}

// checkTyped fails unless an error is one of those that the package promises.
func checkTyped(t *testing.T, err error) {
	t.Helper()
	var format *slide.FormatError
	var limit *slide.LimitError
	if !errors.As(err, &format) && !errors.As(err, &limit) {
		t.Errorf("%v", err)
	}
}

// FuzzDZI opens any description and reads a tile of each level.
func FuzzDZI(f *testing.F) {
	f.Add(`<Image TileSize="8" Overlap="1" Format="png"><Size Width="20" Height="9"/></Image>`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := openDZI(text, fstest.MapFS{}, slide.Options{Memory: quota.NewMemory(1 << 24)})
		if err != nil {
			return
		}
		for i := range s.Levels {
			must.Fail(t, must.Err(s.Tile(i, 0, 0)))
		}
	})
}
