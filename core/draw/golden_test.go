package draw

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

var update = flag.Bool("update", false, "write the golden pictures in testdata anew")

// oneLevel is the largest difference of a channel: machines that fuse multiplication and addition
// round differently.
const oneLevel = 1

func TestGolden(t *testing.T) {
	names := []string{"neither 8 nor 9", "an 8", "a 9"}
	img := hill(160, 120)
	cut := patches(img, 20)
	slide := located(30, 22)
	few := slide.Select([]int{0, 1, 2, 8, 9, 10, 11})
	holes := waves(12, 3)
	holes.Explanations[0].Scores[1] = 0
	holes.Explanations[1].Scores[2] = math.NaN()
	for _, c := range []struct {
		name string
		draw func() (*Scene, error)
	}{
		{"sheet", func() (*Scene, error) {
			tiles, err := Tiles(judged(waves(6, 2), 0, .2), "", 3)
			pictures, called := make([]image.Image, len(tiles)), make([]string, len(tiles))
			for i, tile := range tiles {
				pictures[i] = hill(16+8*tile.Instance, 24)
				called[i] = fmt.Sprintf("#%d", tile.Instance)
			}
			if err != nil {
				return nil, err
			}
			return Sheet(tiles, pictures, called, Options{Width: 300, Cell: 64, ClassNames: names})
		}},
		{"strip", func() (*Scene, error) {
			return Strip(shapes(12, 1, 16, 16), holes, Options{Width: 480, ClassNames: names})
		}},
		{"strip_green_red", func() (*Scene, error) {
			return Strip(shapes(3, 1, 16, 16), waves(3, 1),
				Options{Width: 480, ClassNames: names, Colours: "green-red"})
		}},
		{"strip_narrow", func() (*Scene, error) {
			return Strip(shapes(4, 1, 16, 16), judged(waves(4, 2), 0, .2),
				Options{Width: 120, ClassNames: names, Removed: []int{3}})
		}},
		{"strip_from_the_mean", func() (*Scene, error) {
			return Strip(shapes(12, 1, 16, 16), judged(waves(12, 3), .25, .2),
				Options{Width: 480, ClassNames: names})
		}},
		{"strip_per_class", func() (*Scene, error) {
			return Strip(shapes(12, 1, 16, 16), judged(waves(12, 3), 0, .1),
				Options{Width: 480, ClassNames: names, PerClass: true, Dark: true})
		}},
		{"strip_no_evidence", func() (*Scene, error) {
			return Strip(shapes(6, 1, 16, 16), judged(waves(6, 1), 0, 9), Options{Width: 320})
		}},
		{"strip_dark_dense", func() (*Scene, error) {
			return Strip(shapes(12, 1, 16, 16), holes,
				Options{Width: 480, ClassNames: names, Dark: true, Scale: 2, Removed: []int{3, 9}})
		}},
		{"strip_colour_wide", func() (*Scene, error) {
			return Strip(shapes(5, 3, 12, 24), waves(5, 1), Options{Width: 320, Cell: 48})
		}},
		{"strip_small_cells", func() (*Scene, error) {
			return Strip(shapes(60, 16, 16), waves(60, 2),
				Options{Width: 400, Cell: 10, ClassNames: names})
		}},
		{"strip_bare", func() (*Scene, error) {
			return Strip(shapes(6, 1, 16, 16), nil,
				Options{Width: 240})
		}},
		{"overlay", func() (*Scene, error) {
			return Overlay(cut, img, judged(waves(cut.Len(), 2), 0, .2),
				Options{Width: 400, Classes: []int{1}, ClassNames: names, Removed: []int{9}})
		}},
		{"overlay_top_dark", func() (*Scene, error) {
			return Overlay(cut, img, judged(waves(cut.Len(), 1), 0, .2),
				Options{Width: 400, Top: 8, Discount: true, Dark: true})
		}},
		{"overlay_bare", func() (*Scene, error) {
			return Overlay(cut, img, nil,
				Options{Width: 240})
		}},
		{"map", func() (*Scene, error) {
			return Map(slide, judged(waves(slide.Len(), 2), 0, .2),
				Options{Width: 400, ClassNames: names, Removed: []int{70, 71}})
		}},
		{"map_top_dark", func() (*Scene, error) {
			return Map(slide, judged(waves(slide.Len(), 1), 0, .2),
				Options{Width: 400, Top: 20, Discount: true, Dark: true})
		}},
		{"map_few_patches", func() (*Scene, error) {
			return Map(few, waves(few.Len(), 1), Options{Width: 400})
		}},
		{"map_bare", func() (*Scene, error) { return Map(slide, nil, Options{Width: 240}) }},
		{"bars", func() (*Scene, error) {
			return Bars(vectors(7, 30), judged(waves(7, 2), 0, .2),
				Options{Width: 720, ClassNames: []string{"no musk", "musk"}})
		}},
		{"bars_dark_dense", func() (*Scene, error) {
			return Bars(vectors(7, 30), judged(waves(7, 3), .1, .2),
				Options{Width: 480, Dark: true, Scale: 2, Sorted: true, Removed: []int{2}})
		}},
		{"bars_bare", func() (*Scene, error) {
			return Bars(vectors(4, 30), nil,
				Options{Width: 240})
		}},
	} {
		t.Run(c.name, func(t *testing.T) { compare(t, c.name, drawn(t)(c.draw())) })
	}
}

func compare(t *testing.T, name string, got *picture) {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, got.EncodePNG(&b))
	path := filepath.Join("testdata", name+".png")
	if *update {
		must.Do(t, os.WriteFile(path, b.Bytes(), 0o644))
		return
	}
	want := must.Get(readPNG(path))(t)
	changed := filepath.Join("testdata", name+"-changed.png")
	if off := differing(want, got.RGBA); off > 0 {
		must.Do(t, os.WriteFile(changed, b.Bytes(), 0o644))
		t.Errorf(
			"%d pixels differ from %s; look at %s beside it, and run with -update if it is right",
			off, path, changed)
		return
	}
	if err := os.Remove(changed); err != nil && !os.IsNotExist(err) {
		t.Error(err)
	}
}

func readPNG(path string) (image.Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return png.Decode(f)
}

// differing counts the pixels that are off by more than oneLevel; all, when the sizes differ.
func differing(want image.Image, got *image.RGBA) int {
	if want.Bounds() != got.Bounds() {
		return got.Rect.Dx() * got.Rect.Dy()
	}
	n := 0
	for y := range got.Rect.Dy() {
		for x := range got.Rect.Dx() {
			r, g, b, _ := want.At(x, y).RGBA()
			c := got.RGBAAt(x, y)
			for _, d := range []int{int(r>>8) - int(c.R), int(g>>8) - int(c.G),
				int(b>>8) - int(c.B)} {
				if d > oneLevel || d < -oneLevel {
					n++
					break
				}
			}
		}
	}
	return n
}

func TestEqualInputGivesEqualBytes(t *testing.T) {
	var first []byte
	for range 3 {
		p := drawn(t)(Auto(shapes(9, 1, 8, 8), nil, waves(9, 2), Options{Removed: []int{4}}))
		var b bytes.Buffer
		must.Do(t, p.EncodePNG(&b))
		if first == nil {
			first = b.Bytes()
		} else if !bytes.Equal(first, b.Bytes()) {
			t.Fatal("equal input gives different bytes")
		}
	}
}

func TestEncodePNGIsLossless(t *testing.T) {
	p := drawn(t)(Bars(vectors(3, 4), scored(1, -1, 0), Options{}))
	var b bytes.Buffer
	must.Do(t, p.EncodePNG(&b))
	back := must.Get(png.Decode(&b))(t)
	for y := range p.Rect.Dy() {
		for x := range p.Rect.Dx() {
			if r, g, bl, a := back.At(x, y).RGBA(); a != 0xffff ||
				uint8(r>>8) != p.RGBAAt(x, y).R || uint8(g>>8) != p.RGBAAt(x, y).G ||
				uint8(bl>>8) != p.RGBAAt(x, y).B {
				t.Fatalf("pixel %d,%d does not come back", x, y)
			}
		}
	}
}
