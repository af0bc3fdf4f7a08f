package host

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

func TestDraw(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	e := get[wire.Explained](c, wire.Explain{Model: model, Bag: bag,
		Methods: new([]string{"single"})})
	report := reported(e)
	r := wire.Draw{Bag: bag, Report: report, Look: wire.Look{ClassNames: []string{"a", "b", "c"}}}
	d := get[wire.Drawn](c, r)
	pixels := 0
	for i, kind := range d.Kinds {
		if kind == byte(draw.Pixels) {
			pixels += 4 * int(d.Places[4*i+2]*d.Places[4*i+3])
		}
	}
	if n := len(d.Kinds); len(d.Places) != 4*n || len(d.Colours) != 3*n ||
		len(d.Opacities) != n || len(d.RGBA) != pixels {
		t.Fatalf("the columns of %d marks do not fit", n)
	}
	must.Equal(t, slices.Contains(d.Texts, "b"), true, d.Texts)
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
	must.Equal(t, scored, 3*24)
	must.Equal(t, painted(c, r).Bounds().Size(), image.Pt(d.Width, d.Height), "the PNG is")
}

// reported returns what drawings need of an explanation.
func reported(e wire.Explained) *wire.Report {
	r := &wire.Report{Prediction: floats(e.Prediction), Instances: e.Instances}
	for _, x := range e.Explanations {
		r.Explanations = append(r.Explanations, wire.Attribution{Method: x.Method, Class: x.Class,
			Scores: floats(x.Scores), Unit: string(x.Unit), Neutral: float64(x.Neutral),
			Evident: x.Evident})
	}
	return r
}

// scored returns a report of class 0.
func scored(scores ...float64) *wire.Report {
	r := &wire.Report{Explanations: []wire.Attribution{{Scores: scores}}}
	for i := range scores {
		r.Instances = append(r.Instances, i)
	}
	return r
}

// painted returns the picture of a drawing.
func painted(c *client, r wire.Draw) image.Image {
	c.t.Helper()
	file := get[wire.PNG](c, wire.WritePNG{Draw: r}).Bytes
	return must.Get(png.Decode(bytes.NewReader(file)))(c.t)
}

func TestDrawRejectsInvalidRequests(t *testing.T) {
	c := newClient(t, nil)
	_, bag := c.openTiny()
	c.fails(kind.Bag, wire.Draw{Bag: bag, Report: scored(1), Look: wire.Look{Removed: &[]int{}}})
	c.fails(kind.Setting, wire.Draw{Bag: bag, Look: wire.Look{Kind: "pie"}})
	c.fails(kind.Setting, wire.WritePNG{Draw: wire.Draw{Bag: bag, Look: wire.Look{Kind: "pie"}}})
	for _, broken := range []func(r *wire.Report){
		func(r *wire.Report) { r.Instances = nil },
		func(r *wire.Report) { r.Instances = []int{-1} },
		func(r *wire.Report) { r.Instances = []int{24} },
		func(r *wire.Report) { r.Explanations[0].Evident = make([]bool, 2) },
		func(r *wire.Report) { r.Explanations[0].Stderr = &[]float64{1, 2} },
		func(r *wire.Report) { r.Explanations[0].Class = -1 },
	} {
		r := scored(1)
		broken(r)
		c.fails(kind.Setting, wire.Draw{Bag: bag, Report: r})
	}
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
	must.Do(t, png.Encode(&file, img))
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
	overlay := wire.Look{Kind: "overlay"}
	d := get[wire.Drawn](c, wire.Draw{Bag: b.Handle, Look: overlay, Report: scored(1, -1, 0, .5)})
	must.Equal(t, len(d.Cells) >= 4, true, len(d.Cells))
	chosen := get[wire.BagOpened](c, wire.SelectInstances{Bag: b.Handle, Instances: []int{3}})
	get[wire.Drawn](c, wire.Draw{Bag: chosen.Handle, Look: overlay})
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
	draw := func(bag int, kind string) wire.Drawn {
		return get[wire.Drawn](c, wire.Draw{Bag: bag, Report: scored(1, -1),
			Look: wire.Look{Kind: kind}})
	}
	placed := open("bag,x0,y0,x1,y1,f1\na,0,0,8,8,.5\na,8,8,16,16,.25\n")
	bare := open("bag,f1\na,.5\na,.25\n")
	for name, equal := range map[string]bool{
		"a map":  slices.Equal(draw(placed, "").Places, draw(placed, "map").Places),
		"bars":   slices.Equal(draw(bare, "").Places, draw(bare, "bars").Places),
		"others": !slices.Equal(draw(placed, "bars").Places, draw(placed, "map").Places),
	} {
		must.Equal(t, equal, true, name)
	}
	c.fails(kind.Bag, wire.Draw{Bag: bare, Report: scored(1, -1), Look: wire.Look{Kind: "map"}})
}

// TestDrawEvidence draws one class of two: the other class affects the scale, and scores without
// evidence are grey.
func TestDrawEvidence(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	e := get[wire.Explained](c, wire.Explain{Model: model, Bag: bag,
		Methods: new([]string{"single"})})
	k := len(e.Instances)
	strong := wire.Attribution{Class: 0, Scores: make([]float64, k)}
	weak := wire.Attribution{Class: 1, Scores: make([]float64, k)}
	for i := range k {
		strong.Scores[i], weak.Scores[i] = 1, .1
		weak.Evident = append(weak.Evident, i > 0)
	}
	draw := func(perClass bool) func(instance int) color.RGBA {
		r := wire.Draw{Bag: bag, Look: wire.Look{Classes: &[]int{1}, PerClass: perClass},
			Report: &wire.Report{Instances: e.Instances,
				Explanations: []wire.Attribution{strong, weak}}}
		d, img := get[wire.Drawn](c, r), painted(c, r).(*image.RGBA)
		return func(instance int) color.RGBA {
			for _, cell := range d.Cells {
				if cell.Class != nil && *cell.Class != 1 {
					t.Fatalf("class %d is drawn", *cell.Class)
				}
				if cell.Class != nil && cell.Instance == instance {
					return img.RGBAAt(cell.X+cell.Width/2+3, cell.Y)
				}
			}
			t.Fatal("the class is not drawn")
			return color.RGBA{}
		}
	}
	common, own := draw(false), draw(true)
	blue := func(c color.RGBA) int { return int(c.B) - int(c.R) }
	must.Equal(t, blue(common(0)) <= 20, true, common(0), own(0))
	must.Equal(t, blue(own(0)) <= 20, true, common(0), own(0))
	must.Equal(t, blue(own(1)) >= 40, true, own(1))
}
