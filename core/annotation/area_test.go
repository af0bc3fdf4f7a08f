package annotation

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/must"
)

// TestDrawnIsInside compares polygons drawn on a mask, row by row, with the instances that
// geojson.Inside finds one by one: the pixels of the mask are the instances.
func TestDrawnIsInside(t *testing.T) {
	star := `<Annotations><Annotation Name="A"><Regions><Region Type="0"><Vertices>` +
		`<V X="500" Y="-40"/><V X="220" Y="590"/><V X="990.25" Y="200"/><V X="3" Y="199.5"/>` +
		`<V X="801" Y="612"/></Vertices></Region><Region Type="2" NegativeROA="1"><Vertices>` +
		`<V X="300" Y="100"/><V X="600" Y="300"/></Vertices></Region><Region Type="2" ` +
		`NegativeROA="1"><Vertices><V X="400" Y="150"/><V X="1600" Y="280"/></Vertices></Region>` +
		`</Regions></Annotation></Annotations>`
	for name, text := range map[string]string{"asap": asapText, "aperio": aperioText,
		"halo": haloText, "geojson": geoText, "star": star} {
		for _, side := range []int{1, 2, 7, 100} {
			a := must.Get(ReadArea(t.Context(), name, []byte(text)))(t)
			m := must.Get(a.Mask(&core.Slide{Width: 1000, Height: 600}, 1000/side))(t)
			scale := 1000 / float64(1000/side)
			must.Equal(t, m.Scale, scale)
			// Middles of pixels become middles of boxes: all coordinates are multiplied.
			const times = 1 << 20
			bag := &core.Bag{Name: "pixels", Shape: []int{1}}
			for i := range m.Tissue {
				x, y := 2*(float64(i%m.Width)+.5)*scale, 2*(float64(i/m.Width)+.5)*scale
				at := image.Pt(int(x*times), int(y*times))
				bag.Boxes = append(bag.Boxes, image.Rectangle{Max: at})
			}
			bag.Values = make([]float32, len(bag.Boxes))
			want := make([]bool, len(m.Tissue))
			for _, r := range a.regions {
				for i, in := range must.Get(geojson.Inside(bag, enlarged(r, times)))(t) {
					want[i] = want[i] || in
				}
			}
			for i, in := range m.Tissue {
				if in != want[i] {
					t.Fatalf("%s, %d: pixel %d, %d is %v", name, side, i%m.Width, i/m.Width, in)
				}
			}
		}
	}
}

// enlarged returns a region with multiplied coordinates.
func enlarged(r geojson.Region, times float64) geojson.Region {
	each := func(rings []geojson.Ring) (out []geojson.Ring) {
		for _, ring := range rings {
			var big geojson.Ring
			for _, p := range ring {
				big = append(big, geojson.Point{X: p.X * times, Y: p.Y * times})
			}
			out = append(out, big)
		}
		return out
	}
	return geojson.Region{Rings: each(r.Rings), Holes: each(r.Holes)}
}

// pngOf returns a picture in PNG.
func pngOf(t *testing.T, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	must.Do(t, png.Encode(&out, m))
	return out.Bytes()
}

// square returns a picture whose right half is of a colour.
func square(m interface {
	image.Image
	Set(x, y int, c color.Color)
}, c color.Color) image.Image {
	b := m.Bounds()
	for y := range b.Dy() {
		for x := b.Dx() / 2; x < b.Dx(); x++ {
			m.Set(x, y, c)
		}
	}
	return m
}

// TestMasks reads masks in several forms and at several scales: the right half is marked.
func TestMasks(t *testing.T) {
	palette := color.Palette{color.Black, color.RGBA{B: 1, A: 255}}
	for name, m := range map[string]image.Image{
		"grey":    square(image.NewGray(image.Rect(0, 0, 40, 30)), color.Gray{255}),
		"16 bits": square(image.NewGray16(image.Rect(0, 0, 400, 300)), color.Gray16{65535}),
		"labels":  square(image.NewPaletted(image.Rect(0, 0, 400, 299), palette), palette[1]),
		"clear":   square(image.NewNRGBA(image.Rect(0, 0, 40, 30)), color.White),
		"large":   square(image.NewGray(image.Rect(0, 0, 12000, 900)), color.Gray{255}),
	} {
		t.Run(name, func(t *testing.T) {
			a := must.Get(ReadArea(t.Context(), name, pngOf(t, m)))(t)
			size := image.Pt(100*m.Bounds().Dx(), 100*m.Bounds().Dy())
			mask := must.Get(a.Mask(&core.Slide{Width: size.X, Height: size.Y}, 7))(t)
			if mask.Share() != .5 || mask.At(float64(size.X)/2-1, 5) ||
				!mask.At(float64(size.X)/2+1, float64(size.Y)-1) {
				t.Errorf("share %v of %d x %d", mask.Share(), mask.Width, mask.Height)
			}
		})
	}
}

// TestMasksOfGrandQC reads the masks that GrandQC writes, in whose numbers clean tissue is 0, or 1
// among numbers of 0 to 7: as tissue and as what is left out, they keep clean tissue.
func TestMasksOfGrandQC(t *testing.T) {
	on, whole := &core.Slide{Width: 400, Height: 100}, slide.WholeMask(400, 100, 1)
	for _, c := range []struct {
		name  string
		greys [4]uint8 // from left to right
		clean [4]bool
		note  bool
	}{
		{"a.svs_MASK.png", [4]uint8{0, 1, 1, 0}, [4]bool{true, false, false, true}, true},
		{"a_mask.png", [4]uint8{7, 1, 6, 1}, [4]bool{false, true, false, true}, true},
		{"a_mask.png", [4]uint8{1, 2, 8, 0}, [4]bool{true, true, true, false}, false},
		{"a_mask.png", [4]uint8{0, 1, 1, 0}, [4]bool{false, true, true, false}, false},
		{"labels.png", [4]uint8{1, 2, 7, 1}, [4]bool{true, true, true, true}, false},
	} {
		m := image.NewGray(image.Rect(0, 0, 40, 10))
		for i := range m.Pix {
			m.Pix[i] = c.greys[i%40/10]
		}
		a := must.Get(ReadArea(t.Context(), c.name, pngOf(t, m)))(t)
		tissue := must.Get(a.Mask(on, 400))(t)
		left := must.Get(a.TakeFrom(whole, on, 400))(t)
		must.Equal(t, a.Note() != "", c.note, c.name)
		for i, clean := range c.clean {
			x := float64(100*i + 50)
			must.Equal(t, tissue.At(x, 50), clean, c.name, c.greys, i)
			must.Equal(t, left.At(x, 50), clean == c.note, c.name, c.greys, i)
		}
	}
	m := image.NewGray(image.Rect(0, 0, 40, 10))
	for i := range m.Pix {
		m.Pix[i] = 1
	}
	must.Fail(t, must.Err(ReadArea(t.Context(), "a_MASK.png", pngOf(t, m))),
		"a mask of GrandQC without clean tissue")
}

// TestQualityOfGrandQC reads a mask of quality as GrandQC lays it out: background, with boxes of
// tissue and its artefacts, and a border right and below.
func TestQualityOfGrandQC(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 40, 30))
	clean := image.Rect(4, 4, 20, 20)
	for _, box := range []struct {
		image.Rectangle
		grey uint8
	}{{image.Rect(0, 0, 36, 26), 7}, {clean, 1}, {image.Rect(20, 4, 24, 20), 2},
		{image.Rect(4, 20, 24, 24), 6}} {
		for y := box.Min.Y; y < box.Max.Y; y++ {
			for x := box.Min.X; x < box.Max.X; x++ {
				m.SetGray(x, y, color.Gray{box.grey})
			}
		}
	}
	a := must.Get(ReadArea(t.Context(), "a.svs_mask.png", pngOf(t, m)))(t)
	on, whole := &core.Slide{Width: 400, Height: 300}, slide.WholeMask(400, 300, 1)
	tissue := must.Get(a.Mask(on, 400))(t)
	left := must.Get(a.TakeFrom(whole, on, 400))(t)
	for y := range 30 {
		for x := range 40 {
			at := [2]float64{float64(10*x + 5), float64(10*y + 5)}
			in := image.Pt(x, y).In(clean)
			must.Equal(t, tissue.At(at[0], at[1]), in, x, y)
			must.Equal(t, left.At(at[0], at[1]), in, x, y)
		}
	}
	must.Contain(t, a.Note(), "its clean tissue stays")
}

// TestAreaOfBounds compares masks and polygons that count from the bounds of a slide with those of
// its whole picture, place by place.
func TestAreaOfBounds(t *testing.T) {
	on := core.Slide{Width: 400, Height: 900, BoundsX: 100, BoundsY: 500, BoundsWidth: 200,
		BoundsHeight: 150}
	mask := pngOf(t, square(image.NewGray(image.Rect(0, 0, 40, 30)), color.Gray{255}))
	half := `{"type": "Polygon", "coordinates": [[[100, 0], [200, 0], [200, 150], [100, 150]]]}`
	drawn := []byte(`{"type": "Feature", "geometry": ` + half + `}`)
	tall := pngOf(t, square(image.NewGray(image.Rect(0, 0, 40, 90)), color.Gray{255}))
	marks := func(t *testing.T, data []byte, origin string, want image.Rectangle) {
		t.Helper()
		s := on
		must.Do(t, s.StateOrigin(origin))
		m := must.Get(must.Get(ReadArea(t.Context(), "a", data))(t).Mask(&s, 400))(t)
		whole := slide.WholeMask(400, 900, 1)
		both := whole.Without(whole.Without(m))
		for y := range 900 {
			for x := range 400 {
				in := image.Pt(x, y).In(want)
				at := [2]float64{float64(x) + .5, float64(y) + .5}
				if m.At(at[0], at[1]) != in || both.At(at[0], at[1]) != in {
					t.Fatalf("%s, %d, %d: %v", origin, x, y, !in)
				}
			}
		}
		must.Equal(t, m.At(-1, -1), false)
	}
	right := image.Rect(200, 500, 300, 650)
	for _, data := range [][]byte{mask, drawn} {
		marks(t, data, "", right)
		marks(t, data, core.Bounds, right)
	}
	marks(t, drawn, core.Canvas, image.Rect(100, 0, 200, 150))
	marks(t, tall, "", image.Rect(200, 0, 400, 900))
	on.Origin = core.Canvas
	must.Fail(t, must.Err(must.Get(ReadArea(t.Context(), "a", mask))(t).Mask(&on, 400)),
		"another shape")
}

// TestMaskOfTIFF reads a pyramid as a mask: of a picture with many colours it refuses it, and its
// grey form of tiles marks what is not black.
func TestMaskOfTIFF(t *testing.T) {
	data := must.Get(os.ReadFile("../slide/testdata/grey.tif"))(t)
	a := must.Get(ReadArea(t.Context(), "grey.tif", data))(t)
	s := must.Get(slide.Open("grey.tif", bytes.NewReader(data), int64(len(data))))(t)
	l := s.Levels[0]
	mask := must.Get(a.Mask(&core.Slide{Width: l.Width, Height: l.Height}, 1))(t)
	m := must.Get(s.Region(0, image.Rect(0, 0, l.Width, l.Height)))(t)
	for y := range l.Height {
		for x := range l.Width {
			must.Equal(t, mask.At(float64(x)+.5, float64(y)+.5), (m.RGBAAt(x, y).R > 0), x, y)
		}
	}
}

// TestReadAreaRefuses checks what is said of pictures that are no masks.
func TestReadAreaRefuses(t *testing.T) {
	many := image.NewRGBA(image.Rect(0, 0, 32, 32))
	for i := range 1024 {
		many.Set(i%32, i/32, color.RGBA{uint8(i), uint8(i / 256), 9, 255})
	}
	grey := pngOf(t, square(image.NewGray(image.Rect(0, 0, 40, 30)), color.Gray{255}))
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"photo": {pngOf(t, many), "many colours, and no mask"},
		"black": {pngOf(t, image.NewGray(image.Rect(0, 0, 4, 4))), "it marks nothing"},
		"cut":   {grey[:len(grey)/2], "damaged picture"},
		"large": {largePNG(), "a mask in PNG may have 67108864"},
		"other": {[]byte("PK\x03\x04"), "export annotations from QuPath"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadArea(t.Context(), "m.png", c.data)
			var format *geojson.FormatError
			must.As(t, err, &format, c.want)
		})
	}
	a := must.Get(ReadArea(t.Context(), "m.png", grey))(t)
	must.Fail(t, must.Err(a.Mask(&core.Slide{Width: 400, Height: 320}, 40)), "another shape")
	ctx := quota.WithMemory(t.Context(), quota.NewMemory(1000))
	var full *quota.MemoryError
	must.As(t, must.Err(ReadArea(ctx, "m.png", grey)), &full)
}

// largePNG returns the head of a picture of 20000 x 20000 pixels.
func largePNG() []byte {
	return []byte(pngSignature + "\x00\x00\x00\rIHDR\x00\x00N \x00\x00N \x08\x00\x00\x00\x00" +
		"\xc6\x1b\x19\xe5")
}

// FuzzReadArea reads broken masks.
func FuzzReadArea(f *testing.F) {
	var out bytes.Buffer
	must.Do(f, png.Encode(&out, square(image.NewGray(image.Rect(0, 0, 9, 7)), color.Gray{255})))
	f.Add(out.Bytes())
	f.Add([]byte(asapText))
	f.Fuzz(func(t *testing.T, data []byte) {
		ctx := quota.WithMemory(t.Context(), quota.NewMemory(64<<20))
		a, err := ReadArea(ctx, "fuzz", data)
		if err != nil {
			return
		}
		if m, err := a.Mask(&core.Slide{Width: 900, Height: 700}, 90); err == nil && m.Scale <= 0 {
			t.Fatalf("scale %v", m.Scale)
		}
	})
}
