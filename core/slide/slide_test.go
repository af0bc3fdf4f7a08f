package slide

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

func file(t testing.TB, name string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(filepath.Join("testdata", name)))(t)
}

func open(t testing.TB, name string) *Slide {
	t.Helper()
	data := file(t, name)
	return must.Get(Open(name, bytes.NewReader(data), int64(len(data))))(t)
}

func pixels(t testing.TB, name string) image.Image {
	t.Helper()
	return must.Get(png.Decode(bytes.NewReader(file(t, name))))(t)
}

// furthest returns the largest difference of a channel of two pictures.
func furthest(t testing.TB, got *image.RGBA, want image.Image) int {
	t.Helper()
	must.Equal(t, got.Rect.Size(), want.Bounds().Size(), got.Rect, want.Bounds())
	most := 0
	for y := range got.Rect.Dy() {
		for x := range got.Rect.Dx() {
			a := got.RGBAAt(x, y)
			r, g, b, _ := want.At(want.Bounds().Min.X+x, want.Bounds().Min.Y+y).RGBA()
			for _, d := range []int{int(a.R) - int(r>>8), int(a.G) - int(g>>8),
				int(a.B) - int(b>>8), int(a.A) - 255} {
				most = max(most, d, -d)
			}
		}
	}
	return most
}

// TestPixels compares all pixels of all levels with those before compression, or with those that
// libjpeg-turbo decodes.
func TestPixels(t *testing.T) {
	plain := []string{"level_0.png", "level_1.png", "level_2.png"}
	of := func(name string) []string {
		return []string{name + "_0.png", name + "_1.png", name + "_2.png"}
	}
	for _, c := range []struct {
		name      string
		levels    []string // their pixels
		tolerance int
	}{
		{"none_big_endian.tif", plain, 0},
		{"lzw_predictor.tif", plain, 0},
		{"lzw_16_bit.tif", plain, 0},
		{"deflate_planes.tif", plain[:1], 0},
		{"packbits.tif", plain, 0},
		{"zstandard.tif", plain[:1], 0},
		{"lzma.tif", plain[:1], 0},
		{"lzma_libtiff.tif", plain[:1], 0},
		{"webp.tif", plain[:1], 0},
		{"webp_lossy.tif", of("webp_lossy")[:1], 0},
		{"pyramid.ome.tif", plain, 0},
		// The inverse transforms differ by 1, which conversion of chroma enlarges.
		{"jpeg_444.tif", of("jpeg_444"), 3},
		{"jpeg_422.tif", of("jpeg_422"), 3},
		{"jpeg_420.tif", of("jpeg_420"), 3},
		{"strips.svs", of("strips")[:2], 3},
		{"hamamatsu.ndpi", of("hamamatsu")[:2], 3},
		{"philips.tif", of("philips"), 3},
		{"leica.scn", of("leica")[:2], 3},
		{"ventana.bif", of("ventana")[:2], 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, c.name)
			must.Equal(t, len(s.Levels), len(c.levels))
			for i, l := range s.Levels {
				got := must.Get(s.Region(i, image.Rect(0, 0, l.Width, l.Height)))(t)
				if d := furthest(t, got, pixels(t, c.levels[i])); d > c.tolerance {
					t.Errorf("level %d differs by %d", i, d)
				}
			}
		})
	}
}

// TestOpacity expects white where a slide is transparent.
func TestOpacity(t *testing.T) {
	m := must.Get(open(t, "deflate_alpha.tif").Region(0, image.Rect(0, 0, 150, 110)))(t)
	want := pixels(t, "level_0.png")
	for y := range 110 {
		for x := range 150 {
			r, g, b, _ := want.At(x, y).RGBA()
			if x >= 75 {
				r, g, b = 0xffff, 0xffff, 0xffff
			}
			if p := m.RGBAAt(x, y); uint32(p.R) != r>>8 || uint32(p.G) != g>>8 ||
				uint32(p.B) != b>>8 || p.A != 255 {
				t.Fatalf("%v at %d, %d", p, x, y)
			}
		}
	}
}

func TestGrey(t *testing.T) {
	m := must.Get(open(t, "grey.tif").Region(0, image.Rect(10, 20, 11, 21)))(t)
	r, _, _, _ := pixels(t, "level_0.png").At(10, 20).RGBA()
	if p := m.RGBAAt(0, 0); uint32(p.R) != r>>8 || p.G != p.R || p.B != p.R {
		t.Errorf("%v", p)
	}
}

// TestRegion cuts rectangles that lie across blocks, over the sides and outside of a level.
func TestRegion(t *testing.T) {
	s, whole := open(t, "lzw_predictor.tif"), pixels(t, "level_0.png")
	for _, r := range []image.Rectangle{image.Rect(0, 0, 1, 1), image.Rect(63, 47, 65, 49),
		image.Rect(100, 90, 180, 130), image.Rect(-20, -30, 20, 30), image.Rect(149, 109, 150, 110),
		image.Rect(400, 400, 420, 410), {}} {
		m := must.Get(s.Region(0, r))(t)
		must.Equal(t, m.Rect.Min, image.Point{}, m.Rect, r)
		must.Equal(t, m.Rect.Size(), r.Size(), m.Rect, r)
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				p := m.RGBAAt(x-r.Min.X, y-r.Min.Y)
				want := [3]uint8{255, 255, 255}
				if image.Pt(x, y).In(whole.Bounds()) {
					cr, cg, cb, _ := whole.At(x, y).RGBA()
					want = [3]uint8{uint8(cr >> 8), uint8(cg >> 8), uint8(cb >> 8)}
				}
				if [3]uint8{p.R, p.G, p.B} != want {
					t.Fatalf("%v: %v at %d, %d, want %v", r, p, x, y, want)
				}
			}
		}
	}
	must.Equal(t, is[*LimitError](must.Err(s.Region(0, image.Rect(0, 0, 1<<20, 1<<20)))), true)
	for _, level := range []int{-1, 3} {
		must.Equal(t, is[*FormatError](must.Err(s.Region(level, image.Rect(0, 0, 1, 1)))), true,
			level)
	}
}

func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// TestTile expects tiles without what reaches over the sides.
func TestTile(t *testing.T) {
	s := open(t, "strips.svs")
	for _, c := range []struct{ column, row, wide, high int }{{0, 0, 64, 48}, {2, 2, 22, 14}} {
		m := must.Get(s.Tile(0, c.column, c.row))(t)
		must.Equal(t, m.Rect, image.Rect(0, 0, c.wide, c.high), c.column, c.row)
	}
	for _, at := range [][3]int{{0, 3, 0}, {0, 0, 3}, {0, -1, 0}, {9, 0, 0}} {
		must.Equal(t, is[*FormatError](must.Err(s.Tile(at[0], at[1], at[2]))), true, at)
	}
}

func TestMetadata(t *testing.T) {
	for _, c := range []struct {
		name, format  string
		microns       float64
		magnification float64
		associated    string
	}{
		{"strips.svs", "Aperio", .499, 20, "thumbnail 75x55 label 40x30 macro 80x20"},
		{"pyramid.ome.tif", "OME-TIFF", .25, 0, "label 60x40"},
		{"jpeg_420.tif", "TIFF", .5, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, c.name)
			if s.Format != c.format || !(math.Abs(s.MicronsX-c.microns) <= 1e-9) ||
				!(math.Abs(s.MicronsY-c.microns) <= 1e-9) || s.Magnification != c.magnification {
				t.Errorf("%s, %v x %v microns, magnification %v", s.Format, s.MicronsX, s.MicronsY,
					s.Magnification)
			}
			var list []string
			for _, a := range s.Associated {
				m := must.Get(s.Picture(a))(t)
				must.Equal(t, a.Private() != (a.Kind == "thumbnail"), true, a.Kind, a.Private())
				size := strings.ReplaceAll(m.Rect.Max.String()[1:], ",", "x")
				list = append(list, a.Kind+" "+size)
			}
			must.Equal(t, strings.ReplaceAll(strings.Join(list, " "), ")", ""), c.associated)
		})
	}
}
