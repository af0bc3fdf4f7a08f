package slide

import (
	"bytes"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
	"golang.org/x/image/draw"
)

// bandValue is the number of a band, from 1, of the files that testdata/bands.py writes.
func bandValue(band, x, y int) float32 { return float32(1000*band + 3*x + 7*y) }

// openBands opens a file of bands.
func openBands(t testing.TB, name string, b core.Bands) *Slide {
	t.Helper()
	data := file(t, name)
	return must.Get(OpenWith(name, bytes.NewReader(data), int64(len(data)), Options{Bands: &b}))(t)
}

// TestBands reads the numbers of bands as the file has them: together, apart, as pages, and of all
// kinds; over the sides of the picture and of its tiles.
func TestBands(t *testing.T) {
	for name, c := range map[string]struct {
		use     []int
		missing bool // band 1 of the first pixel is
		levels  int
	}{
		"bands/16.tif":        {[]int{4, 1, 5}, true, 1},
		"bands/planes.tif":    {[]int{2, 4}, false, 1},
		"bands/real.tif":      {[]int{1, 3}, true, 1},
		"bands/real_lzma.tif": {[]int{2, 3}, false, 1},
		"bands/real_big.tif":  {[]int{3, 1}, false, 1},
		"bands/half.tif":      {[]int{1}, false, 1},
		"bands/32.tif":        {nil, false, 1},
		"bands/pages.ome.tif": {[]int{6, 2, 1}, false, 2},
		"lzw_16_bit.tif":      {nil, false, 3},
	} {
		t.Run(name, func(t *testing.T) {
			s := openBands(t, name, core.Bands{Use: c.use})
			use := s.Bands()
			if len(s.Levels) != c.levels || c.use != nil && !slices.Equal(use, c.use) {
				t.Fatalf("%d levels, bands %d", len(s.Levels), use)
			}
			for level, l := range s.Levels {
				step := int(l.Downsample + .5)
				r := image.Rect(-3, -2, l.Width-5, l.Height+1)
				got := must.Get(s.Values(level, r))(t)
				for i, v := range got {
					x, y := i%r.Dx()+r.Min.X, i/r.Dx()%r.Dy()+r.Min.Y
					band := use[i/r.Dx()/r.Dy()]
					want := bandValue(band, step*x, step*y)
					if strings.HasPrefix(name, "lzw") {
						want = colourValue(t, level, x, y, band-1)
					}
					outside := !image.Pt(x, y).In(image.Rect(0, 0, l.Width, l.Height))
					if outside || c.missing && band == 1 && x == 0 && y == 0 {
						want = float32(math.NaN())
					}
					if v != want && !(v != v && want != want) {
						t.Fatalf("level %d, band %d at %d, %d: %v, want %v", level, band, x, y, v,
							want)
					}
				}
			}
		})
	}
}

// colourValue returns a sample of lzw_16_bit.tif.
func colourValue(t *testing.T, level, x, y, c int) float32 {
	m := pixels(t, fmt.Sprintf("level_%d.png", level))
	if !image.Pt(x, y).In(m.Bounds()) {
		return float32(math.NaN())
	}
	r, g, b, _ := m.At(x, y).RGBA()
	return float32([]uint32{r, g, b}[c])
}

// TestBandColours draws three bands from their 2nd to their 98th percentile, which the notes state,
// and white where all are missing.
func TestBandColours(t *testing.T) {
	s := openBands(t, "bands/16.tif", core.Bands{Use: []int{1, 2}, Draw: []int{5, 1, 1}})
	m := must.Get(s.Region(0, image.Rect(0, 0, 40, 30)))(t)
	var all []float32
	for y := range 30 {
		for x := range 40 {
			all = append(all, bandValue(5, x, y))
		}
	}
	slices.Sort(all)
	least, most := all[1], all[len(all)-1]
	notes := strings.Join(s.ViewNotes(), "\n")
	var low, high float32
	at := strings.Index(notes, "blue: ")
	if _, err := fmt.Sscanf(notes[at:], "blue: %f to %f,", &low, &high); err != nil ||
		!strings.Contains(notes, "bands 5, 1, 1 are drawn") || low <= least || high >= most {
		t.Fatalf("%s: %v", notes, err)
	}
	for y := range 30 {
		for x := range 40 {
			part := max(0, min((bandValue(5, x, y)-low)/(high-low), 1))
			if got := m.RGBAAt(x, y); !(math.Abs(float64(got.R)-254*float64(part)) <= .51) ||
				x == 0 && y == 0 && got.G != 0 {
				t.Fatalf("%v at %d, %d, want red %v", got, x, y, 254*part)
			}
		}
	}
	zero := 1000.
	gone := openBands(t, "bands/planes.tif", core.Bands{Use: []int{1}, NoData: &zero})
	m = must.Get(gone.Region(0, image.Rect(0, 0, 2, 1)))(t)
	must.Equal(t, m.RGBAAt(0, 0).R, 255, m.RGBAAt(1, 0))
	must.Equal(t, m.RGBAAt(1, 0).R != 255, true, m.RGBAAt(1, 0))
}

// TestBandPatches interpolates numbers of bands as golang.org/x/image/draw interpolates pixels, and
// leaves out those that are missing.
func TestBandPatches(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 3))
	for _, c := range [][2]int{{8, 8}, {20, 8}, {9, 16}, {16, 5}} {
		m := image.NewGray(image.Rect(0, 0, c[0], c[0]))
		for i := range m.Pix {
			m.Pix[i] = byte(random.Uint32())
		}
		data := samplesOf(m)
		s := must.Get(OpenWith("a.tif", bytes.NewReader(data), int64(len(data)),
			Options{Bands: &core.Bands{}}))(t)
		s.MicronsX = 1
		g := must.Get(s.Grid(nil, GridOptions{PatchSize: c[1],
			Microns: float64(c[0]) / float64(c[1])}))(t)
		want := image.NewGray(image.Rect(0, 0, c[1], c[1]))
		draw.BiLinear.Scale(want, want.Rect, m, m.Rect, draw.Src, nil)
		for i, v := range must.Get(g.Values(0))(t) {
			if !(math.Abs(float64(v)-float64(want.Pix[i])) <= 1) {
				t.Fatalf("%d to %d pixels: number %d is %v, want %v", c[0], c[1], i, v,
					want.Pix[i])
			}
		}
		missing := float64(m.Pix[0])
		s = must.Get(OpenWith("a.tif", bytes.NewReader(data), int64(len(data)),
			Options{Bands: &core.Bands{NoData: &missing}}))(t)
		s.MicronsX, g.slide = 1, s
		for i, v := range must.Get(g.Values(0))(t) {
			if v == float32(missing) && c[0] == c[1] || c[0] > c[1] && v != v {
				t.Errorf("%d to %d pixels: number %d is %v", c[0], c[1], i, v)
			}
		}
	}
}

// samplesOf returns a TIFF file of a grey picture.
func samplesOf(m *image.Gray) []byte {
	build := func(at uint32) []byte {
		return classic(0, tag{tagWidth, []uint32{uint32(m.Rect.Dx())}},
			tag{tagHeight, []uint32{uint32(m.Rect.Dy())}}, tag{tagBits, []uint32{8}},
			tag{tagPhotometric, []uint32{blackIsZero}}, tag{tagStripOffsets, []uint32{at}},
			tag{tagStripBytes, []uint32{uint32(len(m.Pix))}})
	}
	return append(build(uint32(len(build(0)))), m.Pix...)
}

// TestBandsRefused expects errors in words for bands that are not there or not read, and no memory
// that is not reserved.
func TestBandsRefused(t *testing.T) {
	wide := picture(16, 16, 1<<13, 1<<13)
	wide[4].values[0] = 64 // samples
	for name, c := range map[string]struct {
		data []byte
		b    core.Bands
		want string
	}{
		"band 6": {file(t, "bands/16.tif"), core.Bands{Use: []int{1, 6}},
			"bands 1 to 5 and no band 6"},
		"band 0":       {file(t, "bands/16.tif"), core.Bands{Draw: []int{0}}, "no band 0"},
		"JPEG":         {file(t, "jpeg_444.tif"), core.Bands{}, "gdal_translate"},
		"LERC":         {file(t, "lerc.tif"), core.Bands{}, "bands with compression by LERC"},
		"4 bits":       {samplesFile(1, 1, 4, false, byte8, grey), core.Bands{}, "bands of 4 bits"},
		"no TIFF":      {[]byte("a picture"), core.Bands{}, "files that are not TIFF with bands"},
		"Ventana":      {withText(tagSoftware, "ScanOutputManager 1.1"), core.Bands{}, "Ventana"},
		"large blocks": {classic(0, wide...), core.Bands{}, "a block of 64 bands"},
	} {
		_, err := OpenWith("a.tif", bytes.NewReader(c.data), int64(len(c.data)),
			Options{Bands: &c.b})
		must.Equal(t, err != nil, true, name, err, c.want)
		must.Equal(t, strings.Contains(err.Error(), c.want), true, name, err, c.want)
	}
	data := file(t, "bands/16.tif")
	m := quota.NewMemory(5000) // a tile takes 5 x 256 x (2 + 4) bytes
	s := must.Get(OpenWith("a.tif", bytes.NewReader(data), int64(len(data)),
		Options{Bands: &core.Bands{}, Memory: m}))(t)
	must.Equal(t, is[*quota.MemoryError](must.Err(s.Values(0, image.Rect(0, 0, 1, 1)))), true)
	must.Equal(t, is[*LimitError](must.Err(s.Values(0, image.Rect(0, 0, 1<<13, 1<<12)))), true)
}

// TestOpenShown opens what has no colours by all of its bands, and colours as they are.
func TestOpenShown(t *testing.T) {
	for name, bands := range map[string]int{"bands/16.tif": 5, "lzw_16_bit.tif": 0} {
		data := file(t, name)
		s := must.Get(OpenShown(name, bytes.NewReader(data), int64(len(data)), Options{}))(t)
		must.Equal(t, len(s.Bands()), bands, name, s.Bands())
	}
	data := file(t, "lerc.tif")
	_, err := OpenShown("a", bytes.NewReader(data), int64(len(data)), Options{})
	must.Fail(t, err)
	must.Equal(t, strings.Contains(err.Error(), "bands"), false, err)
}
