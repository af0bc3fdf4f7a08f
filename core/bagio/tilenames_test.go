package bagio

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// tiles returns pictures of 4 x 4 pixels of a grey by names.
func tiles(t testing.TB, names ...string) []File {
	var out []File
	for i, name := range names {
		m := image.NewGray(image.Rect(0, 0, 4, 4))
		for at := range m.Pix {
			m.Pix[at] = byte(10 * (i + 1))
		}
		out = append(out, File{Name: name, Data: pngFile(t, m)})
	}
	return out
}

// TestTileNames reads the places in names as programs that cut slides write them.
func TestTileNames(t *testing.T) {
	square := func(x, y, side int) image.Rectangle { return image.Rect(x, y, x+side, y+side) }
	for name, c := range map[string]struct {
		names []string
		want  []image.Rectangle
		order string
	}{
		"x and y": {[]string{"s1_x8_y16.png", "s1_x12_y16.png"},
			[]image.Rectangle{square(8, 16, 4), square(12, 16, 4)}, ""},
		"parentheses": {[]string{"TCGA-1_(0,4).png", "TCGA-1_(4, 4).png"}, nil, ""},
		"pairs": {[]string{"TCGA-1_(0,4).png", "TCGA-1_(4,0).png"},
			[]image.Rectangle{square(0, 4, 4), square(4, 0, 4)}, "xy"},
		"behind": {[]string{"00000x_00008y.png", "00008x_00008y.png"},
			[]image.Rectangle{square(0, 8, 8), square(8, 8, 8)}, ""},
		"QuPath": {[]string{"a [x=0,y=0,w=16,h=12].png", "a [x=16,y=0,w=16,h=12].png"},
			[]image.Rectangle{image.Rect(0, 0, 16, 12), image.Rect(16, 0, 32, 12)}, ""},
		"rows": {[]string{"row_2_col_1.png", "row_2_col_3.png", "row_3_col_2.png",
			"row_3_col_3.png"}, []image.Rectangle{square(4, 8, 4), square(12, 8, 4),
			square(8, 12, 4), square(12, 12, 4)}, "yx"}, // words count before the option
		"Deep Zoom": {[]string{"3_5.png", "4_5.png"},
			[]image.Rectangle{square(12, 20, 4), square(16, 20, 4)}, "xy"},
		"row and column": {[]string{"3_5.png", "4_5.png"},
			[]image.Rectangle{square(20, 12, 4), square(20, 16, 4)}, "yx"},
		"a slide's name": {[]string{"s7_4_8.png", "s7_8_12.png"},
			[]image.Rectangle{square(4, 8, 4), square(8, 12, 4)}, "xy"},
		"no lattice, but stated": {[]string{"s7_3_8.png", "s7_8_17.png"},
			[]image.Rectangle{square(3, 8, 5), square(8, 17, 5)}, "xy"},
		"overlap": {[]string{"x0y0.png", "x2y0.png"},
			[]image.Rectangle{square(0, 0, 4), square(2, 0, 4)}, ""},

		"numbers on no lattice": {[]string{"s7_3_8.png", "s7_8_17.png", "s7_10_30.png"}, nil, ""},
		"numbers of digits":     {[]string{"digit_3_1.png", "digit_3_2.png"}, nil, ""},
		"ids of two parts":      {[]string{"s_1_1.png", "s_1_2.png", "s_2_1.png"}, nil, ""},
		"sizes":                 {[]string{"8x16.png", "12x16.png"}, nil, ""},
		"twice":                 {[]string{"a_x1_y2_1.png", "a_x1_y2_2.png"}, nil, ""},
		"other names":           {[]string{"x1_y2.png", "z1_y3.png"}, nil, ""},
		"one":                   {[]string{"x1_y2.png"}, nil, ""},
		"ids":                   {[]string{"x1234567890_y1.png", "x1234567891_y2.png"}, nil, ""},
		"far apart":             {[]string{"1_1.png", "999_999.png"}, nil, ""},
		"no places":             {[]string{"x0_y4.png", "x4_y0.png"}, nil, "none"},
	} {
		t.Run(name, func(t *testing.T) {
			set := must.Get(setFromPictures(tiles(t, c.names...), Options{TileNames: c.order}))(t)
			b := must.Get(set.Bag(0))(t)
			must.EqualSlices(t, b.Boxes, c.want)
			notes := strings.Join(set.Notes(), "")
			must.Equal(t, strings.Contains(notes, "state their places"), c.want != nil, set.Notes())
		})
	}
}

// TestTileQuestion asks which number is x where nothing says it.
func TestTileQuestion(t *testing.T) {
	for _, names := range [][]string{{"3_5.png", "4_5.png"}, {"a_(0,4).png", "a_(4,0).png"},
		{"s_4_8.png", "s_8_12.png"}, {"s_32_64.png", "s_48_64.png", "s_64_80.png"},
		{"s_2_4.png", "s_4_4.png", "s_4_2.png"}} {
		_, err := setFromPictures(tiles(t, names...), Options{})
		var q *QuestionError
		if !errors.As(err, &q) || q.Option != "tile-names" || len(q.Answers) != 3 {
			t.Errorf("%q: %v", names, err)
		}
	}
	_, err := setFromPictures(tiles(t, "3_5.png", "4_5.png"), Options{TileNames: "rows"})
	var setting *core.SettingError
	must.As(t, err, &setting)
	must.Equal(t, setting.Setting, "tile-names", err)
}

// cutTiles returns tiles of wide x high pixels of a picture whose pixels change slowly, with names
// by their column and row.
func cutTiles(t testing.TB, wide, high int, name func(column, row int) string) []File {
	var out []File
	for row := range 3 {
		for column := range 3 {
			m := image.NewGray(image.Rect(0, 0, wide, high))
			for i := range m.Pix {
				x, y := column*wide+i%wide, row*high+i/wide
				m.Pix[i] = byte(128 + 60*math.Sin(float64(x)/3) + 60*math.Cos(float64(x+3*y)/5))
			}
			out = append(out, File{Name: name(column, row), Data: pngFile(t, m)})
		}
	}
	return out
}

// TestTileOrder takes the order of numbers from the edges of tiles and from their sides.
func TestTileOrder(t *testing.T) {
	for name, c := range map[string]struct {
		wide, high int
		name       func(column, row int) string
		why        string
	}{
		"column and row": {8, 8, func(c, r int) string {
			return fmt.Sprintf("%d_%d.png", c, r)
		}, "edges"},
		"row and column": {8, 8, func(c, r int) string {
			return fmt.Sprintf("slide9_%d_%d.png", r, c)
		}, "edges"},
		"pixels": {8, 8, func(c, r int) string {
			return fmt.Sprintf("s_(%d,%d).png", 8*r, 8*c)
		}, "edges"},
		"smaller than their places": {8, 8, func(c, r int) string {
			return fmt.Sprintf("TCGA-A1-A0SK_%d_%d.png", 512*r, 512*c)
		}, "edges"},
		"sides": {8, 6, func(c, r int) string {
			return fmt.Sprintf("s_(%d,%d).png", 6*r, 8*c)
		}, "sides"},
	} {
		t.Run(name, func(t *testing.T) {
			smaller := name == "smaller than their places"
			files := cutTiles(t, c.wide, c.high, c.name)
			set := must.Get(setFromPictures(files, Options{}))(t)
			b := must.Get(set.Bag(0))(t)
			for row := range 3 {
				for column := range 3 {
					at := image.Pt(column*c.wide, row*c.high)
					want := image.Rectangle{at, at.Add(image.Pt(c.wide, c.high))}
					if smaller {
						want = image.Rectangle{want.Min.Mul(64), want.Max.Mul(64)}
					}
					if !slices.Contains(b.Boxes, want) || !strings.Contains(
						strings.Join(set.Notes(), ""), c.why) {
						t.Fatalf("%v of %v: %q", want, b.Boxes, set.Notes())
					}
				}
			}
			if smaller { // so is the picture of them all
				return
			}
			must.Equal(t, set.Picture(0).At(c.wide+2, 1), decoded(t, files, c.name(1, 0), 2, 1))
		})
	}
}

// decoded returns a pixel of a file, as the picture of a set has it.
func decoded(t testing.TB, files []File, name string, x, y int) color.Color {
	for _, f := range files {
		if f.Name == name {
			m := must.Get(png.Decode(bytes.NewReader(f.Data)))(t)
			return color.RGBAModel.Convert(m.At(x, y))
		}
	}
	t.Fatal(name)
	return nil
}

// TestTileZip reads the tiles of an archive, in a folder or in none, as those of a folder.
func TestTileZip(t *testing.T) {
	files := tiles(t, "x0_y4.png", "x4_y0.png")
	archive := func(folders ...string) []byte {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		for i, f := range files {
			must.Get(must.Get(w.Create(folders[i%len(folders)] + f.Name))(t).Write(f.Data))(t)
		}
		must.Get(must.Get(w.Create(folders[0] + "notes.txt"))(t).Write([]byte("text")))(t)
		must.Do(t, w.Close())
		return out.Bytes()
	}
	for _, folder := range []string{"", "slide/tiles/"} {
		set := must.Get(Read("s.zip", archive(folder), Options{}))(t)
		b := must.Get(set.Bag(0))(t)
		if b.Name != "s.zip" || !slices.Equal(b.Boxes, []image.Rectangle{
			image.Rect(0, 4, 4, 8), image.Rect(4, 0, 8, 4)}) || b.Values[0] != 10 {
			t.Errorf("%q: %q with %v", folder, b.Name, b.Boxes)
		}
		must.Contain(t, strings.Join(set.Notes(), ""), "notes.txt")
	}
	if _, err := Read("s.zip", archive("a/", "b/"), Options{}); err == nil ||
		!strings.Contains(err.Error(), "several folders, such as a and b") {
		t.Errorf("%v", err)
	}
}

// TestTileLabels reads the label of each instance.
func TestTileLabels(t *testing.T) {
	set := must.Get(setFromPictures(tiles(t, "10253_idx5_x1_y1_class0.png",
		"10253_idx5_x5_y1_class1.png"), Options{}))(t)
	b := must.Get(set.Bag(0))(t)
	must.EqualSlices(t, b.Labels, []int{0, 1}, b.Boxes)
	must.Equal(t, b.Boxes[1], image.Rect(5, 1, 9, 5), b.Labels, b.Boxes)
}

// TestMosaic draws pictures where they lie, and made small if they lie far apart.
func TestMosaic(t *testing.T) {
	set := must.Get(setFromPictures(tiles(t, "x0_y4.png", "x4_y0.png"), Options{}))(t)
	m := set.Picture(0)
	must.Equal(t, m.Bounds(), image.Rect(0, 0, 8, 8))
	for at, want := range map[image.Point]uint8{{1, 5}: 10, {5, 1}: 20, {1, 1}: 255} {
		if got := m.At(at.X, at.Y); got != (color.RGBA{want, want, want, 255}) {
			t.Errorf("%v at %v, want %d", got, at, want)
		}
	}
	set = must.Get(setFromPictures(tiles(t, "[x=0,y=0,w=5000,h=5000].png",
		"[x=5000,y=0,w=5000,h=5000].png"), Options{}))(t)
	b := must.Get(set.Bag(0))(t)
	if m := set.Picture(0); m.Bounds() != image.Rect(0, 0, 2048, 1024) || b.Slide == nil ||
		b.Slide.Width != 10000 || b.Slide.Height != 5000 {
		t.Errorf("%v of %+v", m.Bounds(), b.Slide)
	}
}
