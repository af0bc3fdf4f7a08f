package bagio

import (
	"image"
	"image/color"
	"slices"
	"strings"
	"testing"

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
	}{
		"x and y": {[]string{"s1_x8_y16.png", "s1_x12_y16.png"},
			[]image.Rectangle{square(8, 16, 4), square(12, 16, 4)}},
		"parentheses": {[]string{"TCGA-1_(0,4).png", "TCGA-1_(4, 4).png"}, nil},
		"pairs": {[]string{"TCGA-1_(0,4).png", "TCGA-1_(4,0).png"},
			[]image.Rectangle{square(0, 4, 4), square(4, 0, 4)}},
		"behind": {[]string{"00000x_00008y.png", "00008x_00008y.png"},
			[]image.Rectangle{square(0, 8, 8), square(8, 8, 8)}},
		"QuPath": {[]string{"a [x=0,y=0,w=16,h=12].png", "a [x=16,y=0,w=16,h=12].png"},
			[]image.Rectangle{image.Rect(0, 0, 16, 12), image.Rect(16, 0, 32, 12)}},
		"rows": {[]string{"row_2_col_1.png", "row_2_col_3.png", "row_3_col_2.png",
			"row_3_col_3.png"}, []image.Rectangle{square(4, 8, 4), square(12, 8, 4),
			square(8, 12, 4), square(12, 12, 4)}},
		"Deep Zoom": {[]string{"3_5.png", "4_5.png"},
			[]image.Rectangle{square(12, 20, 4), square(16, 20, 4)}},
		"overlap": {[]string{"x0y0.png", "x2y0.png"},
			[]image.Rectangle{square(0, 0, 4), square(2, 0, 4)}},

		"numbers of digits": {[]string{"digit_3_1.png", "digit_3_2.png"}, nil},
		"sizes":             {[]string{"8x16.png", "12x16.png"}, nil},
		"twice":             {[]string{"a_x1_y2_1.png", "a_x1_y2_2.png"}, nil},
		"other names":       {[]string{"x1_y2.png", "z1_y3.png"}, nil},
		"one":               {[]string{"x1_y2.png"}, nil},
		"ids":               {[]string{"x1234567890_y1.png", "x1234567891_y2.png"}, nil},
		"far apart":         {[]string{"1_1.png", "999_999.png"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			set := must.Get(setFromPictures(tiles(t, c.names...), Options{}))(t)
			b := must.Get(set.Bag(0))(t)
			if !slices.Equal(b.Boxes, c.want) {
				t.Errorf("%v, want %v", b.Boxes, c.want)
			}
			notes := strings.Join(set.Notes(), "")
			if strings.Contains(notes, "state their places") != (c.want != nil) {
				t.Errorf("notes %q", set.Notes())
			}
		})
	}
}

// TestTileLabels reads the label of each instance.
func TestTileLabels(t *testing.T) {
	set := must.Get(setFromPictures(tiles(t, "10253_idx5_x1_y1_class0.png",
		"10253_idx5_x5_y1_class1.png"), Options{}))(t)
	b := must.Get(set.Bag(0))(t)
	if !slices.Equal(b.Labels, []int{0, 1}) || b.Boxes[1] != image.Rect(5, 1, 9, 5) {
		t.Errorf("%v, %v", b.Labels, b.Boxes)
	}
}

// TestMosaic draws pictures where they lie, and made small if they lie far apart.
func TestMosaic(t *testing.T) {
	set := must.Get(setFromPictures(tiles(t, "x0_y4.png", "x4_y0.png"), Options{}))(t)
	m := set.Picture(0)
	if m.Bounds() != image.Rect(0, 0, 8, 8) {
		t.Fatal(m.Bounds())
	}
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
