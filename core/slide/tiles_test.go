package slide

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
)

// waves is a picture whose pixels change slowly.
func waves(wide, high int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, wide, high))
	for y := range high {
		for x := range wide {
			v := uint8(128 + 60*math.Sin(float64(x)/3) + 60*math.Cos(float64(x+3*y)/5))
			m.SetRGBA(x, y, color.RGBA{v, 255 - v, v / 2, 255})
		}
	}
	return m
}

// cut returns the tiles of a picture as files, with names by column and row, without the last one.
func cut(t testing.TB, m *image.RGBA, side int, name func(column, row int) string) fstest.MapFS {
	files := fstest.MapFS{"notes.txt": {Data: []byte("text")}}
	for row := range m.Rect.Dy() / side {
		for column := range m.Rect.Dx() / side {
			at := image.Pt(column*side, row*side)
			var out bytes.Buffer
			must.Do(t, png.Encode(&out, m.SubImage(image.Rectangle{at,
				at.Add(image.Pt(side, side))})))
			files[name(column, row)] = &fstest.MapFile{Data: out.Bytes()}
		}
	}
	delete(files, name(m.Rect.Dx()/side-1, m.Rect.Dy()/side-1))
	return files
}

// TestTiles opens tiles in a folder and in an archive as the picture that they were cut from, white
// where a tile is missing.
func TestTiles(t *testing.T) {
	m := waves(24, 16)
	white := image.Rect(16, 8, 24, 16)
	for i := white.Min.Y; i < white.Max.Y; i++ {
		for j := white.Min.X; j < white.Max.X; j++ {
			m.SetRGBA(j, i, color.RGBA{255, 255, 255, 255})
		}
	}
	for kind, name := range map[string]func(column, row int) string{
		"words": func(c, r int) string { return fmt.Sprintf("s_x%d_y%d_class1.png", 8*c, 8*r) },
		"edges": func(c, r int) string { return fmt.Sprintf("s1_%d_%d.png", r, c) },
	} {
		t.Run(kind, func(t *testing.T) {
			files := cut(t, m, 8, name)
			var archive bytes.Buffer
			w := zip.NewWriter(&archive)
			must.Do(t, w.AddFS(files))
			must.Do(t, w.Close())
			data := archive.Bytes()
			first, side := TilesIn(files, "")
			must.Equal(t, first, name(0, 0), side)
			must.Equal(t, side, image.Pt(8, 8), first)
			folder := must.Get(OpenWith(first, bytes.NewReader(nil), 0, Options{Beside: files}))(t)
			zipped := must.Get(Open("s.zip", bytes.NewReader(data), int64(len(data))))(t)
			for _, s := range []*Slide{folder, zipped} {
				got := must.Get(s.Region(0, m.Rect))(t)
				must.EqualSlices(t, got.Pix, m.Pix, "other pixels")
				if s.Format != "tiles" || len(s.Tiles().Boxes) != 5 ||
					!slices.Contains(s.Tiles().Boxes, image.Rect(16, 0, 24, 8)) ||
					(kind == "words") != slices.Equal(s.Tiles().Labels, []int{1, 1, 1, 1, 1}) {
					t.Errorf("%+v", s.Tiles())
				}
				notes := strings.Join(s.ViewNotes(), "")
				must.Contain(t, notes, "state their")
			}
		})
	}
}

// TestSmallTiles opens tiles that QuPath made four times smaller: level 1 has their own pixels.
func TestSmallTiles(t *testing.T) {
	m := waves(16, 16)
	files := cut(t, m, 8, func(c, r int) string {
		return fmt.Sprintf("s [x=%d,y=%d,w=32,h=32].png", 32*c, 32*r)
	})
	first, _ := TilesIn(files, "")
	s := must.Get(OpenWith(first, bytes.NewReader(nil), 0, Options{Beside: files}))(t)
	if len(s.Levels) != 2 || s.Levels[0].Width != 64 || s.Levels[1].Downsample != 4 {
		t.Fatalf("%+v", s.Levels)
	}
	got := must.Get(s.Region(1, image.Rect(0, 0, 16, 8)))(t)
	must.EqualSlices(t, got.Pix, m.Pix[:len(got.Pix)], "other pixels")
	g := must.Get(s.GridAt(s.Tiles().Boxes, 32, GridOptions{PatchSize: 8}))(t)
	must.Equal(t, g.Level, 1, m.RGBAAt(3, 2))
	must.Equal(t, must.Get(g.Patch(0))(t).RGBAAt(3, 2), m.RGBAAt(3, 2), g.Level)
}

// TestTileFaults names the file and the option of tiles that cannot be opened.
func TestTileFaults(t *testing.T) {
	grey := image.NewRGBA(image.Rect(0, 0, 24, 16))
	pair := func(c, r int) string { return fmt.Sprintf("%d_%d.png", c, r) }
	open := func(files fstest.MapFS) error {
		_, err := OpenWith("0_0.png", bytes.NewReader(nil), 0, Options{Beside: files})
		return err
	}
	var option *OptionError
	must.As(t, open(cut(t, grey, 8, pair)), &option)
	must.Equal(t, option.Option, "tile names")
	var asked *QuestionError
	must.As(t, open(cut(t, grey, 8, pair)), &asked)
	must.Equal(t, fmt.Sprint(asked.File, len(asked.Answers)), "0_0.png2")
	var format *FormatError
	for reason, files := range map[string]fstest.MapFS{
		"state no places": cut(t, grey, 8, func(c, r int) string {
			return fmt.Sprint(2*c+r, ".png")
		}),
		"too far": cut(t, grey, 8, func(c, r int) string {
			return fmt.Sprintf("x%d_y%d.png", 8*c+c/2*900000000, 8*r)
		}),
	} {
		if err := open(files); !errors.As(err, &format) || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v", reason, err)
		}
	}
	files := cut(t, grey, 8, pair)
	files["1_0.png"].Data = files["1_0.png"].Data[:40]
	s := must.Get(OpenWith("0_0.png", bytes.NewReader(nil), 0,
		Options{Beside: files, TileNames: "yx"}))(t)
	if _, err := s.Region(0, grey.Rect); !errors.As(err, &format) ||
		!strings.Contains(err.Error(), "1_0.png") {
		t.Errorf("%v", err)
	}
}

// FuzzTiles opens folders and archives of files with any names, of which the first is a tile and
// the others are broken, and reads their pixels.
func FuzzTiles(f *testing.F) {
	var tile bytes.Buffer
	must.Do(f, png.Encode(&tile, waves(8, 8)))
	for _, names := range []string{"s_x0_y0.png\ns_x8_y0.png", "0_0.png\n1_0.png\n0_1.png",
		"s [x=0,y=0,w=32,h=32].png\ns [x=99999999,y=32,w=1,h=9].png", "a/b_1_2.png\na/b_2_2.png"} {
		f.Add(names, tile.Bytes(), "yx")
	}
	f.Fuzz(func(t *testing.T, names string, data []byte, order string) {
		files := fstest.MapFS{}
		for i, name := range strings.Split(names, "\n") {
			if fs.ValidPath(name) && i < 64 {
				files[name] = &fstest.MapFile{Data: data}
				data = tile.Bytes()
			}
		}
		var archive bytes.Buffer
		w := zip.NewWriter(&archive)
		if err := w.AddFS(files); err != nil || w.Close() != nil {
			return // a file in a file
		}
		o := Options{Memory: quota.NewMemory(1 << 26), TileNames: order, Beside: files}
		first, side := TilesIn(files, order)
		folder, err := OpenWith("tile.png", bytes.NewReader(nil), 0, o)
		if err == nil {
			if first == "" || side.X < 1 {
				t.Errorf("a slide of tiles that TilesIn does not find: %q", names)
			}
			lookAt(folder)
		}
		o.Beside = nil
		zipped, err := OpenWith("a.zip", bytes.NewReader(archive.Bytes()), int64(archive.Len()), o)
		if err == nil {
			lookAt(zipped)
		}
	})
}
