package draw

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

func blank(t *testing.T, width, height int, o Options) *painter {
	t.Helper()
	o = must.Get(o.checked(1))(t)
	c := must.Get(newCanvas(width, height, o))(t)
	p := c.Scene.painter(image.NewRGBA(c.bounds()))
	p.paint(&c.Marks[0])
	return p
}

func grey(values ...float64) raster {
	return raster{len(values), 1, 1, func(x, _ int) [3]float64 {
		return [3]float64{values[x],
			values[x], values[x]}
	}}
}

// TestPaint checks that scaling keeps the mean, averages when it reduces and repeats when it
// enlarges.
func TestPaint(t *testing.T) {
	for _, c := range []struct {
		name string
		from []float64
		want []uint8
	}{
		{"as it is", []float64{0, 100, 200}, []uint8{0, 100, 200}},
		{"twice as large", []float64{0, 200}, []uint8{0, 0, 200, 200}},
		{"half as large", []float64{0, 100, 200, 100}, []uint8{50, 150}},
		{"three to two", []float64{0, 90, 30}, []uint8{30, 50}},
		{"two to three", []float64{0, 200}, []uint8{0, 100, 200}},
		{"beyond the range", []float64{-5, 999}, []uint8{0, 255}},
		{"not a number", []float64{math.NaN()}, []uint8{128}},
		{"infinite", []float64{math.Inf(1), math.Inf(-1)}, []uint8{255, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := blank(t, 120, 20, Options{})
			p.sample(image.Rect(3, 4, 3+len(c.want), 5), grey(c.from...))
			for i, want := range c.want {
				must.Equal(t, p.RGBAAt(3+i, 4), color.RGBA{want, want, want, 255}, c.name, i, want)
			}
			must.Equal(t, p.RGBAAt(2, 4), themed("", false).background, c.name)
			must.Equal(t, p.RGBAAt(3+len(c.want), 4), themed("", false).background, c.name)
		})
	}
}

// TestPaintEqualsSinglePixels compares painting, which reads each row of a source once, with the
// footprint of each pixel bit by bit, also for grey sources.
func TestPaintEqualsSinglePixels(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, size := range [][4]int{{28, 28, 52, 52}, {28, 28, 28, 28}, {31, 17, 12, 9},
		{3, 40, 80, 11}, {1, 1, 5, 5}, {90, 1, 7, 3}} {
		width, height := size[0], size[1]
		colours, greys := make([][3]float64, width*height), make([][3]float64, width*height)
		for i := range colours {
			colours[i] = [3]float64{rng.Float64()*300 - 20, rng.Float64() * 255,
				float64(rng.IntN(256))}
			v := rng.Float64()*300 - 20
			greys[i] = [3]float64{v, v, v}
		}
		colours[0][1] = math.NaN()
		for channels, values := range map[int][][3]float64{1: greys, 3: colours} {
			at := func(x, y int) [3]float64 { return values[y*width+x] }
			src := raster{width, height, channels, at}
			c := blank(t, 200, 100, Options{})
			r := image.Rect(11, 5, 11+size[2], 5+size[3])
			c.sample(r, src)
			for p, want := range pixelByPixel(src, size[2], size[3]) {
				must.Equal(t, c.RGBAAt(r.Min.X+p.X, r.Min.Y+p.Y), want, size, channels, p)
			}
		}
	}
}

func pixelByPixel(src raster, width, height int) map[image.Point]color.RGBA {
	out := map[image.Point]color.RGBA{}
	for y, row := range footprints(src.height, height) {
		for x, column := range footprints(src.width, width) {
			var sum [3]float64
			for j, wy := range row.weights {
				for i, wx := range column.weights {
					for ch, v := range src.at(column.first+i, row.first+j) {
						sum[ch] += wx * wy * v
					}
				}
			}
			out[image.Pt(x, y)] = color.RGBA{level(sum[0]), level(sum[1]), level(sum[2]), 255}
		}
	}
	return out
}

// TestPaintAndTintEqualPlainLoops checks that the optimisations for equal pixels and repeated rows
// do not change any pixel.
func TestPaintAndTintEqualPlainLoops(t *testing.T) {
	c := blank(t, 120, 60, Options{Width: 120})
	at := func(x, y int) [3]float64 {
		return [3]float64{float64(x / 2 * 90), float64(y * 70), float64(x * y % 256)}
	}
	c.sample(image.Rect(3, 2, 88, 55), raster{5, 4, 3, at})
	for i, row := range footprints(4, 53) {
		alone := blank(t, 85, 1, Options{})
		alone.sample(alone.Bounds(), raster{5, 1, 3, func(x, _ int) [3]float64 {
			var sum [3]float64
			for j, w := range row.weights {
				for ch, v := range at(x, row.first+j) {
					sum[ch] += w * v
				}
			}
			return sum
		}})
		for x := range 85 {
			got, want := c.RGBAAt(3+x, 2+i), alone.RGBAAt(x, 0)
			for _, d := range []int{int(got.R) - int(want.R), int(got.G) - int(want.G),
				int(got.B) - int(want.B)} {
				if d < -1 || d > 1 { // sums in another order may round apart
					t.Fatalf("pixel %d of row %d is %v, painted alone %v", x, i, got, want)
				}
			}
		}
	}
	before := image.NewRGBA(c.Bounds())
	copy(before.Pix, c.Pix)
	part, red := image.Rect(-5, 20, 70, 70), color.RGBA{200, 10, 30, 255}
	c.tint(part, red, .3)
	for y := range 60 {
		for x := range 120 {
			want := before.RGBAAt(x, y)
			if image.Pt(x, y).In(part) {
				want = mix(want, red, .3)
			}
			must.Equal(t, c.RGBAAt(x, y), want, x, y)
		}
	}
}

func TestFootprintsSumToOne(t *testing.T) {
	for from := 1; from < 40; from++ {
		for to := 1; to < 40; to++ {
			covered := make([]float64, from)
			for _, f := range footprints(from, to) {
				sum := 0.0
				for i, w := range f.weights {
					sum += w
					covered[f.first+i] += w
				}
				if !(math.Abs(sum-1) <= 1e-6) {
					t.Fatalf("%d to %d: weights sum to %v", from, to, sum)
				}
			}
			for _, w := range covered {
				if !(math.Abs(w-float64(to)/float64(from)) <= 1e-6) {
					t.Fatalf("%d to %d: sources count unequally: %v", from, to, covered)
				}
			}
		}
	}
}

func TestOfRGBAEqualsOfAny(t *testing.T) {
	img := hill(7, 5)
	img.SetRGBA(2, 3, color.RGBA{10, 20, 30, 40})
	part := img.SubImage(image.Rect(1, 1, 6, 5)).(*image.RGBA)
	fast, slow := ofImage(part), ofAny(part)
	for y := range 4 {
		for x := range 5 {
			if a, b := fast.at(x, y), slow.at(x, y); a != b {
				t.Errorf("%d,%d: %v, want %v", x, y, a, b)
			}
		}
	}
}

func TestLevels(t *testing.T) {
	for _, c := range []struct {
		name  string
		shape []int
		raw   bool
		fill  func(i int) float32 // value i of one instance of 2 x 16 or 3 x 16 values
		at    [3]float64          // of pixel 1, 0
	}{
		{"raw pixels are left as they are", []int{1, 4, 4}, true,
			func(i int) float32 { return float32(i) }, [3]float64{1, 1, 1}},
		{"floats are stretched", []int{4, 4}, false, func(i int) float32 { return float32(i) / 15 },
			[3]float64{17, 17, 17}},
		{"one stretch for colours above zero", []int{3, 4, 4}, false,
			func(i int) float32 { return float32(i) }, [3]float64{255 * 1.0 / 47, 255 * 17.0 / 47,
				255 * 33.0 / 47}},
		{"a stretch each for normalised colours", []int{3, 4, 4}, false,
			func(i int) float32 { return float32(i%16) - float32(i/16) }, [3]float64{17, 17, 17}},
		{"channels last", []int{4, 4, 3}, true, func(i int) float32 { return float32(i) },
			[3]float64{3, 4, 5}},
		{"a constant bag is black", []int{4, 4}, false, func(int) float32 { return 7 },
			[3]float64{0, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bag := &core.Bag{Shape: c.shape, Raw: c.raw}
			for i := range bag.Stride() {
				bag.Values = append(bag.Values, c.fill(i))
			}
			thumbs, ok := newThumbs(bag)
			must.Equal(t, ok, true, c.name)
			got := thumbs.raster(0).at(1, 0)
			for ch := range got {
				if !(math.Abs(got[ch]-c.at[ch]) <= 1e-4) {
					t.Errorf("%s: %v, want %v", c.name, got, c.at)
					break
				}
			}
		})
	}
}

func TestFormatSigned(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", .5: "+0.500", -.0314: "−0.031", 9.5: "+9.500", 12.345: "+12.35", -99.9: "−99.90",
		123: "+1e2", -.0001: "−1e-4", 1e-12: "+1e-12", 3e200: "+3e200",
		math.Inf(1): "+inf", math.Inf(-1): "−inf", math.NaN(): "NaN",
	} {
		must.Equal(t, signed(v), want, v)
	}
	for e := -320; e < 309; e++ {
		if s := signed(-math.Pow10(e)); len([]rune(s)) > 7 {
			t.Errorf("1e%d is written %q, too long for its column", e, s)
		}
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		s     string
		width int
		want  string
	}{
		{"benign", 48, "benign"}, {"benign", 47, "beni…"}, {"größer", 32, "grö…"}, {"x", 0, "x"},
		{"ab", 0, "…"}, {"", 10, ""}, {"水水", 32, "水水"}, {"水水水", 32, "水…"}, {"a水b", 24, "a…"},
		{"水", 8, "…"},
	} {
		must.Equal(t, shorten(c.s, c.width), c.want, c.s, c.width)
	}
}

// TestTextScales checks that enlarged text covers about as much as at scale 1, times the area.
func TestTextScales(t *testing.T) {
	ink := func(scale int) float64 {
		c := blank(t, 120, 20, Options{Scale: scale})
		c.text(image.Pt(2, 2).Mul(scale), "neither 8 g", color.RGBA{0, 0, 0, 255})
		sum := 0.0
		for i := 0; i < len(c.Pix); i += 4 {
			sum += 1 - float64(c.Pix[i])/255
		}
		return sum / float64(scale*scale)
	}
	once := ink(1)
	for scale := 2; scale <= maxScale; scale++ {
		if ratio := ink(scale) / once; ratio < .8 || ratio > 1.1 {
			t.Errorf("at scale %d text is %.2f times as heavy", scale, ratio)
		}
	}
	must.Equal(t, once != 0, true, "text leaves no ink")
}

func TestTop(t *testing.T) {
	img := hill(64, 16)
	bag := patches(img, 16)
	p := drawn(t)(Overlay(bag, img, scored(.1, .9, -.5, .4),
		Options{Width: 400, Top: 2, Discount: true}))
	plain := drawn(t)(Overlay(bag, img, nil, Options{Width: 400}))
	share := func(i int) float64 {
		r, q := cellOf(t, p, i, 0), cellOf(t, plain, i, OwnCell)
		middle := r.Min.Add(image.Pt(r.Dx()/2, r.Dy()/2))
		was := q.Min.Add(image.Pt(q.Dx()/2, q.Dy()/2))
		return float64(p.RGBAAt(middle.X, middle.Y).G) / float64(plain.RGBAAt(was.X, was.Y).G)
	}
	for i, want := range []float64{dimmed, 1, dimmed, 1 / math.Log2(3)} {
		must.Equal(t, math.Abs(share(i)-want) <= .02, true, i, want)
	}
}

func TestOverlayTints(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 64, 16))
	for i := range img.Pix {
		img.Pix[i] = 200
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	p := drawn(t)(Overlay(patches(img, 16), img, scored(1, -1, .2, 0), Options{Width: 400}))
	at := func(i int) color.RGBA {
		r := cellOf(t, p, i, 0)
		return p.RGBAAt((r.Min.X+r.Max.X)/2, (r.Min.Y+r.Max.Y)/2)
	}
	if !isFor(at(0), 30) || !isAgainst(at(1), 30) || !isFor(at(2), 5) {
		t.Errorf("patches of scores 1, -1, .2 are tinted %v %v %v", at(0), at(1), at(2))
	}
	must.Equal(t, at(0).B-at(0).R > at(2).B-at(2).R, true, "the larger score has the weaker tint")
	must.Equal(t, at(3), color.RGBA{200, 200, 200, 255}, "a patch of score 0 is tinted")
}

func TestBarsPointAwayFromZero(t *testing.T) {
	p := drawn(t)(Bars(vectors(3, 4), scored(1, -1, .5), Options{}))
	lengths := func(i int) (left, right int) {
		r := cellOf(t, p, i, 0)
		y, axis := r.Min.Y+1, r.Min.X+r.Dx()/2
		for x := r.Min.X; x < r.Max.X; x++ {
			switch c := p.RGBAAt(x, y); {
			case x < axis && isAgainst(c, 50):
				left++
			case x > axis && isFor(c, 50):
				right++
			}
		}
		return left, right
	}
	_, full := lengths(0)
	left, right := lengths(1)
	_, half := lengths(2)
	if full == 0 || left != full || right != 0 || !(math.Abs(float64(2*half-full)) <= 2) {
		t.Errorf("bars of 1, -1, .5 are %d right, %d left, %d right", full, left, half)
	}
}

func TestSorted(t *testing.T) {
	against := scored(.1, -.3, .2)
	unclear := scored(.1, .3, .2)
	unclear.Explanations[0].Evident = []bool{true, false, true}
	for name, c := range map[string]struct {
		report *core.Report
		want   []int
	}{
		"the largest first":                     {scored(.1, .3, .2), []int{1, 2, 0}},
		"what is against a class is as strong":  {against, []int{1, 2, 0}},
		"evidence before what is not":           {unclear, []int{2, 0, 1}},
		"an instance without a score last":      {scored(math.NaN(), .3, .2), []int{1, 2, 0}},
		"instances without a report as in file": {nil, []int{0, 1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			inOrder(t, c.report, Options{Sorted: true}, c.want)
		})
	}
}

// inOrder expects bars and a strip of three instances in an order, with the number of each above it
// in the strip, and before it in the bars.
func inOrder(t *testing.T, report *core.Report, o Options, want []int) {
	bars := drawn(t)(Bars(vectors(3, 4), report, o))
	strip := drawn(t)(Strip(shapes(3, 8, 8), report, o))
	y := func(i int) int { return cellOf(t, bars, i, OwnCell).Min.Y }
	x := func(i int) int { return cellOf(t, strip, i, OwnCell).Min.X }
	for _, i := range want {
		at := cellOf(t, strip, i, OwnCell)
		above := image.Rect(at.Min.X, at.Min.Y-LineHeight, at.Max.X, at.Min.Y)
		row := cellOf(t, bars, i, OwnCell)
		before := image.Rect(0, row.Min.Y-2, row.Min.X, row.Max.Y+2)
		for s, place := range map[*Scene]image.Rectangle{strip.Scene: above, bars.Scene: before} {
			has := func(m Mark) bool {
				return m.Kind == Text && m.Text == strconv.Itoa(i+1) && m.Rect.In(place)
			}
			if !slices.ContainsFunc(s.Marks, has) {
				t.Errorf("instance %d has no number %d in %v", i, i+1, place)
			}
		}
	}
	for n, i := range want[1:] {
		if before := want[n]; y(i) <= y(before) || x(i) <= x(before) {
			t.Errorf("instance %d lies before %d: rows at %d and %d, pictures at %d and %d",
				i, before, y(i), y(before), x(i), x(before))
		}
	}
}

// TestOrder draws instances in a stated order, whatever their scores are.
func TestOrder(t *testing.T) {
	for _, report := range []*core.Report{nil, scored(.1, .3, .2)} {
		inOrder(t, report, Options{Sorted: true, Order: []int{2, 0, 1}}, []int{2, 0, 1})
	}
}

// TestHeight checks that thumbnails grow while their picture is no higher than stated, as far as
// twice their usual side, and are never smaller than without a height.
func TestHeight(t *testing.T) {
	of := func(k, height int) (side, whole int) {
		s := drawn(t)(Strip(shapes(k, 8, 8), waves(k, 3), Options{NameWidth: 40, Height: height}))
		return cellOf(t, s, 0, OwnCell).Dx(), s.Height
	}
	for _, k := range []int{3, 29, 400} {
		usual, low := of(k, 0)
		last := usual
		for height := 100; height <= 1600; height += 100 {
			side, whole := of(k, height)
			if side < last || side > 2*usual || side > usual && whole > height ||
				side == usual && whole != low {
				t.Errorf("%d instances in %d pixels: a side of %d and a height of %d; "+
					"%d and %d without", k, height, side, whole, usual, low)
			}
			last = side
		}
		if k < 400 && last != 2*usual {
			t.Errorf("%d instances have sides of %d in much room, want %d", k, last, 2*usual)
		}
	}
}

// TestLacking: class names in other scripts are drawn with question marks, and the scene says for
// which letters.
func TestLacking(t *testing.T) {
	for text, want := range map[string]string{"clean": "", "Wäßrig ½": "",
		"净水 ok 水": "净水",
		"чист":    "чист"} {
		c := must.Get(newCanvas(300, 20, Options{Scale: 1}))(t)
		c.text(0, 0, text, color.RGBA{A: 255})
		must.Equal(t, c.Scene.Lacking(), want, text)
	}
	c := must.Get(newCanvas(300, 20, Options{Scale: 1, Letters: blocks{}}))(t)
	c.text(0, 0, "水ok", color.RGBA{A: 255})
	must.Equal(t, c.Scene.Lacking(), "")
	must.Equal(t, c.Marks[len(c.Marks)-1].Rect.Dx(), 4*LetterWidth, "wide letters take two places")
	drawn := c.Picture()
	for x := range 2 * LetterWidth {
		must.Equal(t, drawn.RGBAAt(x, 3), color.RGBA{A: 255}, "the block of the other font", x)
	}
}

// blocks has every letter, as a black rectangle.
type blocks struct{}

func (blocks) Letter(_ rune, width int) *image.Alpha {
	m := image.NewAlpha(image.Rect(0, 0, width, LineHeight))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	return m
}
