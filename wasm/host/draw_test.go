package host

import (
	"bytes"
	"image/png"
	"testing"

	"github.com/bagscope/bagscope/wasm/wire"
)

func TestDraw(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	e := get[wire.Explained](c, wire.Explain{Model: model, Bag: bag, Methods: []string{"single"}})
	var shown []wire.Shown
	for _, x := range e.Explanations {
		shown = append(shown, wire.Shown{Class: x.Class, Scores: x.Scores})
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
		if cell.Width <= 0 || cell.Height <= 0 || cell.X < 0 || cell.Y < 0 || cell.X+cell.Width > d.Width || cell.Y+cell.Height > d.Height {
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

func TestDrawRefuses(t *testing.T) {
	c := newClient(t, nil)
	_, bag := c.openTiny()
	shown := []wire.Shown{{Class: 0, Scores: []float64{1}}}
	c.fails(kindBag, wire.Draw{Bag: bag, Shown: &shown})
	c.fails(kindSetting, wire.Draw{Bag: bag, Kind: "pie"})
	c.fails(kindSetting, wire.EncodePNG{Width: 2, Height: 2, RGBA: make([]byte, 15)})
	c.fails(kindSetting, wire.EncodePNG{Width: -1, Height: -1, RGBA: make([]byte, 4)})
	c.fails(kindSetting, wire.EncodePNG{Width: 1 << 52, Height: 1 << 52})
}
