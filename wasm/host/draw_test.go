package host

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

func TestDraw(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	e := get[wire.Explained](c, wire.Explain{Model: model, Bag: bag, Methods: []string{"single"}})
	var shown []wire.Shown
	for _, x := range e.Explanations {
		shown = append(shown, wire.Shown{Class: x.Class, Scores: floats(x.Scores)})
	}
	d := get[wire.Drawn](c, wire.Draw{Bag: bag, Shown: &shown, ClassNames: []string{"a", "b", "c"}})
	if len(d.RGBA) != 4*d.Width*d.Height {
		t.Fatalf("%d bytes for %d x %d", len(d.RGBA), d.Width, d.Height)
	}
	scored := 0
	for _, cell := range d.Cells {
		if cell.Class != nil {
			scored++
		}
		if cell.Width <= 0 || cell.Height <= 0 || cell.X < 0 || cell.Y < 0 ||
			cell.X+cell.Width > d.Width || cell.Y+cell.Height > d.Height {
			t.Errorf("cell %+v lies outside %d x %d", cell, d.Width, d.Height)
		}
	}
	if scored != 3*24 {
		t.Errorf("%d cells of scores, want one for each class and instance", scored)
	}
	p := get[wire.PNG](c, wire.EncodePNG{Width: d.Width, Height: d.Height, RGBA: d.RGBA})
	img, err := png.Decode(bytes.NewReader(p.Bytes))
	if err != nil || img.Bounds().Dx() != d.Width || img.Bounds().Dy() != d.Height {
		t.Errorf("the PNG is %v, %v", img.Bounds(), err)
	}
}

func TestDrawRejectsInvalidRequests(t *testing.T) {
	c := newClient(t, nil)
	_, bag := c.openTiny()
	shown := []wire.Shown{{Class: 0, Scores: []float64{1}}}
	c.fails(kind.Bag, wire.Draw{Bag: bag, Shown: &shown})
	c.fails(kind.Setting, wire.Draw{Bag: bag, Kind: "pie"})
	c.fails(kind.Setting, wire.EncodePNG{Width: 2, Height: 2, RGBA: make([]byte, 15)})
	c.fails(kind.Setting, wire.EncodePNG{Width: -1, Height: -1, RGBA: make([]byte, 4)})
	c.fails(kind.Setting, wire.EncodePNG{Width: 1 << 52, Height: 1 << 52})
}

// A picture is cut into patches, and drawn whole with its patches tinted.
func TestPicture(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 64, 32))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	for y := range 32 {
		for x := range 32 {
			img.Set(x, y, color.Black)
		}
	}
	var file bytes.Buffer
	if err := png.Encode(&file, img); err != nil {
		t.Fatal(err)
	}
	c := newClient(t, nil)
	size, background := 16, 200.0
	read := wire.ReadBags{Files: []wire.BagFile{{Name: "a.png", Bytes: file.Bytes()}},
		Read: ask.ReadOptions{PatchSize: &size, Background: &background}}
	s := get[wire.BagsRead](c, read)
	b := get[wire.BagOpened](c, wire.OpenBag{Set: s.Handle})
	want := []wire.Box{{X: 0, Y: 0, Width: 16, Height: 16}, {X: 16, Y: 0, Width: 16, Height: 16},
		{X: 0, Y: 16, Width: 16, Height: 16}, {X: 16, Y: 16, Width: 16, Height: 16}}
	if b.Info.Boxes == nil || !slices.Equal(*b.Info.Boxes, want) || !b.Info.Raw {
		t.Fatalf("got %+v", b.Info)
	}
	d := get[wire.Drawn](c, wire.Draw{Bag: b.Handle, Kind: "overlay",
		Shown: &[]wire.Shown{{Scores: []float64{1, -1, 0, 0.5}}}})
	if len(d.Cells) < 4 {
		t.Errorf("%d cells for 4 patches", len(d.Cells))
	}
	chosen := get[wire.BagOpened](c, wire.SelectInstances{Bag: b.Handle, Instances: []int{3}})
	get[wire.Drawn](c, wire.Draw{Bag: chosen.Handle, Kind: "overlay"})
	read.Read = ask.ReadOptions{}
	c.fails(kind.Setting, read)
}

// TestDrawMap checks that features with coordinates are drawn as a map, and those without as bars.
func TestDrawMap(t *testing.T) {
	c := newClient(t, nil)
	open := func(table string) int {
		s := get[wire.BagsRead](c, wire.ReadBags{Files: []wire.BagFile{{Name: "b.csv",
			Bytes: []byte(table)}}})
		return get[wire.BagOpened](c, wire.OpenBag{Set: s.Handle}).Handle
	}
	shown := []wire.Shown{{Scores: []float64{1, -1}}}
	draw := func(bag int, kind string) wire.Drawn {
		return get[wire.Drawn](c, wire.Draw{Bag: bag, Kind: kind, Shown: &shown})
	}
	placed := open("bag,x0,y0,x1,y1,f1\na,0,0,8,8,.5\na,8,8,16,16,.25\n")
	bare := open("bag,f1\na,.5\na,.25\n")
	for name, equal := range map[string]bool{
		"a map":  slices.Equal(draw(placed, "").RGBA, draw(placed, "map").RGBA),
		"bars":   slices.Equal(draw(bare, "").RGBA, draw(bare, "bars").RGBA),
		"others": !slices.Equal(draw(placed, "bars").RGBA, draw(placed, "map").RGBA),
	} {
		if !equal {
			t.Errorf("the picture is not that of %s", name)
		}
	}
	c.fails(kind.Bag, wire.Draw{Bag: bare, Kind: "map", Shown: &shown})
}

// TestDrawEvidence draws one class of two: the other class affects the scale, and scores without
// evidence are grey.
func TestDrawEvidence(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	e := get[wire.Explained](c, wire.Explain{Model: model, Bag: bag, Methods: []string{"single"}})
	k := len(e.Instances)
	strong, weak := wire.Shown{Class: 0, Scores: make([]float64, k)}, wire.Shown{Class: 1,
		Scores: make([]float64, k)}
	for i := range k {
		strong.Scores[i], weak.Scores[i] = 1, .1
		weak.Evident = append(weak.Evident, i > 0)
	}
	draw := func(perClass bool, shown ...wire.Shown) (wire.Drawn, func(instance int) color.RGBA) {
		d := get[wire.Drawn](c, wire.Draw{Bag: bag, Shown: &shown, Classes: &[]int{1},
			PerClass: perClass})
		return d, func(instance int) color.RGBA {
			for _, cell := range d.Cells {
				if cell.Class != nil && *cell.Class != 1 {
					t.Fatalf("class %d is drawn", *cell.Class)
				}
				if cell.Class != nil && cell.Instance == instance {
					at := 4 * (cell.Y*d.Width + cell.X + cell.Width/2 + 3)
					return color.RGBA{d.RGBA[at], d.RGBA[at+1], d.RGBA[at+2], d.RGBA[at+3]}
				}
			}
			t.Fatal("the class is not drawn")
			return color.RGBA{}
		}
	}
	_, common := draw(false, strong, weak)
	_, own := draw(true, strong, weak)
	green := func(c color.RGBA) int { return int(c.G) - int(c.R) }
	if green(common(0)) > 20 || green(own(0)) > 20 {
		t.Errorf("noise is drawn %v and %v", common(0), own(0))
	}
	if green(own(1)) < 40 {
		t.Errorf("the largest score of a class on its own scale is drawn %v", own(1))
	}
}
