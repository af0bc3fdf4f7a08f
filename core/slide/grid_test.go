package slide

import (
	"bytes"
	"context"
	"image"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// blank returns a slide of one level without pixels, for tests of places.
func blank(width, height int, microns float64) *Slide {
	return &Slide{name: "blank.svs", MicronsX: microns, MicronsY: microns,
		Levels: []Level{{Width: width, Height: height, Downsample: 1}}}
}

// TestGrid compares places with those of a slow twin, which multiplies areas pixel by pixel.
func TestGrid(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		width, height := 50+random.IntN(400), 50+random.IntN(400)
		s := blank(width, height, .25)
		scale := []float64{1, 2, 7, 16}[random.IntN(4)]
		m := &Mask{Width: int(math.Ceil(float64(width) / scale)),
			Height: int(math.Ceil(float64(height) / scale)), Scale: scale}
		m.Tissue = make([]bool, m.Width*m.Height)
		for i := range m.Tissue {
			m.Tissue[i] = random.IntN(4) == 0
		}
		o := GridOptions{PatchSize: 8 + random.IntN(40),
			Microns:   []float64{0, .25, .5, .33}[random.IntN(4)],
			MinTissue: []float64{0, .1, .25, .5}[random.IntN(4)]}
		o.Overlap = random.IntN(o.PatchSize / 2)
		g := must.Get(s.Grid(m, o))(t)
		must.EqualSlices(t, g.Boxes, slowGrid(width, height, m, o), len(g.Boxes), o)
	}
}

func slowGrid(width, height int, m *Mask, o GridOptions) []image.Rectangle {
	down := 1.0
	if o.Microns > 0 {
		down = o.Microns / .25
	}
	side := int(math.RoundToEven(float64(o.PatchSize) * down))
	step := side - int(math.RoundToEven(float64(o.Overlap)*down))
	var boxes []image.Rectangle
	for y := 0; y < height; y += step {
		for x := 0; x < width; x += step {
			tissue := 0
			for py := y; py < y+side; py++ {
				for px := x; px < x+side; px++ {
					c, r := int(float64(px)/m.Scale), int(float64(py)/m.Scale)
					if c < m.Width && r < m.Height && m.Tissue[r*m.Width+c] {
						tissue++
					}
				}
			}
			if tissue > 0 && float64(tissue) >= o.MinTissue*float64(side*side) {
				boxes = append(boxes, image.Rect(x, y, x+side, y+side))
			}
		}
	}
	return boxes
}

// TestGridWithoutMask covers the slide, its right and lower side included.
func TestGridWithoutMask(t *testing.T) {
	g, err := blank(1000, 500, 0).Grid(nil, GridOptions{PatchSize: 256})
	if err != nil || len(g.Boxes) != 4*2 || g.Boxes[7] != image.Rect(768, 256, 1024, 512) {
		t.Errorf("%v, %v", g, err)
	}
}

func TestGridOptions(t *testing.T) {
	for _, c := range []struct {
		name    string
		microns float64 // microns that a pixel of level 0 covers
		o       GridOptions
	}{
		{"no size", .25, GridOptions{}},
		{"negative", .25, GridOptions{PatchSize: -1}},
		{"overlap of all", .25, GridOptions{PatchSize: 8, Overlap: 8}},
		{"more than all", .25, GridOptions{PatchSize: 8, MinTissue: 1.5}},
		{"NaN", .25, GridOptions{PatchSize: 8, MinTissue: math.NaN()}},
		{"microns unknown", 0, GridOptions{PatchSize: 8, Microns: .5}},
		{"microns NaN", .25, GridOptions{PatchSize: 8, Microns: math.NaN()}},
		{"microns negative", .25, GridOptions{PatchSize: 8, Microns: -.5}},
		{"microns infinite", .25, GridOptions{PatchSize: 8, Microns: math.Inf(1)}},
		{"microns tiny", .25, GridOptions{PatchSize: 1, Microns: 1e-9}},
		{"too many", .25, GridOptions{PatchSize: 1, Most: 10}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := blank(1000, 1000, c.microns).Grid(nil, c.o)
			must.Equal(t, is[*OptionError](err), true, err)
			positive := c.microns == 0 || c.o.Microns >= 0 && !math.IsInf(c.o.Microns, 1)
			if !positive && !strings.Contains(err.Error(), "must be positive") {
				t.Error(err)
			}
		})
	}
}

// TestStretchedPixels refuses microns for pixels that are not square.
func TestStretchedPixels(t *testing.T) {
	for _, c := range []struct {
		x, y, microns float64
		good          bool
	}{{.5, .52, 1, true}, {.5, .7, 1, false}, {.7, .5, 1, false}, {.5, .7, 0, true},
		{.5, 0, 1, true}} {
		s := blank(1000, 1000, c.x)
		s.MicronsY = c.y
		_, err := s.Grid(nil, GridOptions{PatchSize: 100, Microns: c.microns})
		if c.good != (err == nil) || err != nil && !is[*OptionError](err) {
			t.Errorf("%v x %v microns: %v", c.x, c.y, err)
		}
	}
}

// TestPatch reads patches from the level that is fine enough.
func TestPatch(t *testing.T) {
	s := open(t, "none_big_endian.tif") // .5 microns
	for _, c := range []struct {
		microns float64
		level   int
		file    string
	}{{.5, 0, "level_0.png"}, {1, 1, "level_1.png"}} {
		g := must.Get(s.Grid(nil, GridOptions{PatchSize: 20, Microns: c.microns}))(t)
		must.Equal(t, g.Level, c.level, c.microns)
		m := must.Get(g.Patch(1))(t)
		want := pixels(t, c.file).(interface {
			SubImage(image.Rectangle) image.Image
		}).SubImage(image.Rect(20, 0, 40, 20))
		must.Equal(t, furthest(t, m, want), 0, c.microns)
	}
	g := must.Get(s.Grid(nil, GridOptions{PatchSize: 20, Microns: .75}))(t)
	if m, err := g.Patch(0); err != nil || m.Rect != image.Rect(0, 0, 20, 20) {
		t.Errorf("%v, %v", m, err)
	}
}

// TestOverview averages whole blocks of pixels.
func TestOverview(t *testing.T) {
	s := open(t, "deflate_planes.tif") // 150 x 110, one level
	m, scale, err := s.Overview(t.Context(), 15)
	if err != nil || m.Rect != image.Rect(0, 0, 15, 11) || scale != 10 {
		t.Fatalf("%v, %v, %v", m, scale, err)
	}
	whole := pixels(t, "level_0.png")
	for y := range 11 {
		for x := range 15 {
			sum := 0
			for dy := range 10 {
				for dx := range 10 {
					r, _, _, _ := whole.At(10*x+dx, 10*y+dy).RGBA()
					sum += int(r >> 8)
				}
			}
			if got := m.RGBAAt(x, y).R; int(got) != (sum+50)/100 {
				t.Fatalf("%d at %d, %d, want %d", got, x, y, (sum+50)/100)
			}
		}
	}
	// A level of the overview's size is the overview.
	pyramid := open(t, "none_big_endian.tif")
	small := pyramid.Levels[1]
	m, _, err = pyramid.Overview(t.Context(), max(small.Width, small.Height))
	must.Do(t, err, m.Rect)
	must.Equal(t, furthest(t, m, pixels(t, "level_1.png")), 0, m.Rect)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.Overview(ended, 15); err != context.Canceled {
		t.Error(err)
	}
}

// TestOverviewOfLevels averages black slides with a smaller level, whose sides are rounded down, up
// or to the nearest. Each pixel of the overview has some of the level's, since others would be
// glass.
func TestOverviewOfLevels(t *testing.T) {
	black := func(wide, high int) *Slide {
		tags := picture(uint32(wide), uint32(high), 2000, 16)
		rows := (high + 15) / 16
		at := uint32(len(classic(0, tags...)) + 8*rows)
		tags[7].values, tags[8].values = make([]uint32, rows), make([]uint32, rows)
		for i := range rows {
			tags[7].values[i], tags[8].values[i] = at, 3*2000*16
		}
		data := append(classic(0, tags...), make([]byte, 3*2000*16+8)...)
		return must.Get(Open("black.tif", bytes.NewReader(data), int64(len(data))))(t)
	}
	for _, c := range []struct{ wide, high, smallWide, smallHigh, side int }{
		{100, 51, 50, 25, 50}, {100, 51, 50, 26, 50}, {51, 100, 25, 50, 50}, {101, 51, 51, 26, 51},
		{2000, 100, 200, 10, 201}, // levels up to 1 % smaller than the overview count
	} {
		s := black(c.wide, c.high)
		s.Levels = append(s.Levels, black(c.smallWide, c.smallHigh).Levels...)
		must.Do(t, s.order())
		m, _, err := s.Overview(t.Context(), c.side)
		must.Do(t, err)
		for y := range m.Rect.Dy() {
			for x := range m.Rect.Dx() {
				if m.RGBAAt(x, y).R != 0 {
					t.Fatalf("%+v: an overview of %v is white at %d, %d", c, m.Rect.Size(), x, y)
				}
			}
		}
	}
}

// TestTissue finds a drawn piece of tissue on uneven glass, without dust, and fills its hole.
func TestTissue(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	m := image.NewRGBA(image.Rect(0, 0, 200, 100))
	in := func(x, y int) bool { return (x-60)*(x-60)+(y-50)*(y-50) < 900 }
	for y := range 100 {
		for x := range 200 {
			p, grey := m.Pix[m.PixOffset(x, y):][:4], byte(225+random.IntN(20))
			p[0], p[1], p[2], p[3] = grey, grey-byte(random.IntN(6)), grey, 255
			hole := x == 60 && y > 48 && y < 52
			if in(x, y) && !hole {
				p[0], p[1], p[2] = 180+byte(random.IntN(30)), 90+byte(random.IntN(40)), 160
			}
		}
	}
	m.Pix[m.PixOffset(150, 20)+1] = 0 // dust
	mask := Tissue(m, 32, TissueOptions{})
	if mask.Scale != 32 || mask.Threshold < 10 || mask.Threshold > 150 {
		t.Errorf("scale %v, threshold %d", mask.Scale, mask.Threshold)
	}
	wrong := 0
	for y := range 100 {
		for x := range 200 {
			if mask.Tissue[y*200+x] != in(x, y) {
				wrong++
			}
		}
	}
	if wrong > 60 { // pixels of the outline, of which there are 188
		t.Errorf("%d pixels are wrong", wrong)
	}
	white := image.NewRGBA(image.Rect(0, 0, 30, 20))
	for i := range white.Pix {
		white.Pix[i] = 255
	}
	must.Equal(t, slices.Contains(Tissue(white, 1, TissueOptions{}).Tissue, true), false,
		"tissue on clean glass")
	// Clean glass of fewer pixels than a hole is no hole.
	pixel := white.SubImage(image.Rect(0, 0, 1, 1)).(*image.RGBA)
	must.Equal(t, slices.Contains(Tissue(pixel, 1, TissueOptions{}).Tissue, true), false,
		"tissue on a pixel of clean glass")
}

// TestGreyTissue finds what is brighter or darker than the edge of a picture without colours.
func TestGreyTissue(t *testing.T) {
	for want, shades := range map[string][2]byte{ByBrightness: {20, 180}, ByDarkness: {200, 90}} {
		m := image.NewRGBA(image.Rect(0, 0, 60, 40))
		in := image.Rect(10, 8, 50, 30) // most of the picture
		for i := range m.Pix {
			m.Pix[i] = shades[0]
			if (image.Point{i / 4 % 60, i / 4 / 60}).In(in) {
				m.Pix[i] = shades[1]
			}
		}
		mask := Tissue(m, 1, TissueOptions{})
		for i, tissue := range mask.Tissue {
			at := image.Pt(i%60, i/60)
			if corner := !at.In(in.Inset(2)) && at.In(in); tissue != at.In(in) && !corner {
				t.Fatalf("%s: tissue is %v at %v", want, tissue, at)
			}
		}
		must.Equal(t, mask.By, want)
	}
}

// TestTissueParts compares the removal of small parts and holes with plain filling, pixel by pixel.
// It allocates less than a list of all pixels would take.
func TestTissueParts(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for n := range 200 {
		m := &Mask{Width: 1 + random.IntN(20), Height: 1 + random.IntN(20)}
		m.Tissue = make([]bool, m.Width*m.Height)
		for i := range m.Tissue {
			m.Tissue[i] = random.IntN(3) > 0
		}
		value, smallest := n%2 == 0, random.IntN(40)-1
		want := slices.Clone(m.Tissue)
		for i := range want {
			part := map[int]bool{}
			var fill func(i int)
			fill = func(i int) {
				if i < 0 || part[i] || m.Tissue[i] != value {
					return
				}
				part[i] = true
				for _, next := range m.beside(i) {
					fill(next)
				}
			}
			fill(i)
			if n := len(part); n > 0 && n < smallest && n < len(want) {
				want[i] = !value
			}
		}
		if m.flip(value, smallest); !slices.Equal(m.Tissue, want) {
			t.Fatalf("%d x %d, %v, %d: %v, want %v",
				m.Width, m.Height, value, smallest, m.Tissue, want)
		}
	}
	glass := &Mask{Width: 1000, Height: 1000, Tissue: make([]bool, 1e6)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	glass.flip(false, 16)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 2e6 {
		t.Errorf("%d bytes are allocated for a part of a million pixels", n)
	}
}

// TestOtsu compares the threshold with that of the definition: the variance between classes, by two
// passes for each threshold.
func TestOtsu(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		values := make([]byte, 300)
		for i := range values {
			values[i] = byte(min(max(60*random.IntN(3)+int(20*random.NormFloat64())+40, 0), 255))
		}
		best, first, last := 0.0, 0, 0
		for threshold := 1; threshold < 256; threshold++ {
			var n, sum [2]float64
			for _, v := range values {
				class := 0
				if int(v) >= threshold {
					class = 1
				}
				n[class]++
				sum[class] += float64(v)
			}
			if n[0] == 0 || n[1] == 0 {
				continue
			}
			b := n[0] * n[1] * math.Pow(sum[0]/n[0]-sum[1]/n[1], 2)
			if b > best*(1+1e-12) {
				best, first = b, threshold
			}
			if b > best*(1-1e-12) {
				last = threshold
			}
		}
		must.Equal(t, otsu(values), (first+last)/2)
	}
}

// TestPatchOfSmallerLevel reads a patch from a level whose sides were rounded down. The place of
// pixel 64 is 31.7 there: the nearest pixel is 32.
func TestPatchOfSmallerLevel(t *testing.T) {
	data := sheets(sheet{wide: 129, high: 97}, sheet{wide: 64, high: 48, ramp: true, kind: reduced})
	s := must.Get(Open("a.tif", bytes.NewReader(data), int64(len(data))))(t)
	s.MicronsX, s.MicronsY = 1, 1
	g, err := s.Grid(nil, GridOptions{PatchSize: 32, Microns: 2})
	if err != nil || g.Level != 1 || g.Boxes[1].Min.X != 64 {
		t.Fatal(g, err)
	}
	if m, err := g.Patch(1); err != nil || m.Pix[0] != 32 {
		t.Errorf("the patch begins at column %d; %v", m.Pix[0], err)
	}
}
