package slide

import (
	"cmp"
	"image"
	"math"
	"slices"
)

// A Mask says which parts of a slide are tissue.
type Mask struct {
	Width, Height int
	Corner        image.Point // pixel of level 0 where the mask begins
	Scale         float64     // pixels of level 0 across that a pixel of the mask covers
	Tissue        []bool      // (Height, Width)
	// What decided: the value 0..255 of a [Ground] from which on a pixel is tissue, and what its
	// values are; 0 and "" for a mask that was made otherwise.
	Threshold int
	By        string
}

// Share returns the part of the slide that is tissue, 0 to 1.
func (m *Mask) Share() float64 {
	n := 0
	for _, tissue := range m.Tissue {
		if tissue {
			n++
		}
	}
	return float64(n) / float64(len(m.Tissue))
}

// WholeMask returns a mask in which everything is tissue.
func WholeMask(width, height int, scale float64) *Mask {
	m := &Mask{Width: width, Height: height, Scale: scale, Tissue: make([]bool, width*height)}
	for i := range m.Tissue {
		m.Tissue[i] = true
	}
	return m
}

// Without returns the mask without the pixels whose middle another mask of the slide marks.
func (m *Mask) Without(other *Mask) *Mask {
	out := *m
	out.Tissue = make([]bool, len(m.Tissue))
	for i, tissue := range m.Tissue {
		out.Tissue[i] = tissue && !other.At(
			float64(m.Corner.X)+(float64(i%m.Width)+.5)*m.Scale,
			float64(m.Corner.Y)+(float64(i/m.Width)+.5)*m.Scale)
	}
	return &out
}

// At reports whether the mask marks a place of level 0.
func (m *Mask) At(x, y float64) bool {
	x, y = x-float64(m.Corner.X), y-float64(m.Corner.Y)
	column, row := int(x/m.Scale), int(y/m.Scale)
	return x >= 0 && y >= 0 && column < m.Width && row < m.Height &&
		m.Tissue[row*m.Width+column]
}

// TissueOptions are the settings of [Tissue].
type TissueOptions struct {
	// Value 0..255 of a [Ground] from which on a pixel is tissue; 0 lets Otsu's method find it.
	Threshold int
	// Parts of tissue, and holes in it, that cover less than this area of the overview in pixels
	// are removed; default 16.
	Smallest int
}

// Tissue finds the tissue in an overview whose pixels cover scale pixels of level 0: glass is
// grey, stains are coloured. The saturation (of HSV) is smoothed by a median over 5 x 5 pixels and
// divided into two classes by Otsu's method (IEEE Trans. SMC 9, 1979), which maximises the variance
// between them. Then small parts and small holes are removed.
//
// A picture without colours is divided by its brightness instead, or by its darkness if most of its
// outermost pixels are in the brighter class: what surrounds tissue is ground.
//
// Pen marks are coloured, too, and pale fat is not: look at the mask, and set the threshold.
func Tissue(overview *image.RGBA, scale float64, o TissueOptions) *Mask {
	return GroundOf(overview, scale).Tissue(o)
}

// What the values of a Ground are.
const (
	BySaturation = "saturation"
	ByBrightness = "brightness"
	ByDarkness   = "darkness" // 255 minus the brightness
	ByData       = "data"     // 255 where there is any, else 0
)

// A Ground tells the tissue of an overview from its ground by a smoothed value of each pixel. It
// takes most of the time of a mask, and is the same for all thresholds.
type Ground struct {
	width, height int
	scale         float64
	values        []byte // (height, width)
	by            string
	otsu          int
}

// GroundOf computes the values that [Tissue] divides.
func GroundOf(overview *image.RGBA, scale float64) *Ground {
	g := &Ground{width: overview.Rect.Dx(), height: overview.Rect.Dy(), scale: scale,
		by: BySaturation}
	values := saturationOf(overview)
	grey := !slices.ContainsFunc(values, func(s byte) bool { return s > 0 })
	if grey {
		g.by = ByBrightness
		values = brightnessOf(overview)
	}
	g.values = median(values, g.width, g.height)
	g.otsu = otsu(g.values)
	if grey && g.brightEdge() {
		g.by = ByDarkness
		for i, v := range g.values {
			g.values[i] = 255 - v
		}
		g.otsu = otsu(g.values)
	}
	return g
}

// DataOf returns the ground of the overview of a slide of bands: where all numbers are missing.
func DataOf(overview *image.RGBA, scale float64) *Ground {
	g := &Ground{width: overview.Rect.Dx(), height: overview.Rect.Dy(), scale: scale, by: ByData,
		otsu: 1}
	for _, v := range brightnessOf(overview) {
		if v == noPixel {
			v = 0
		} else {
			v = 255
		}
		g.values = append(g.values, v)
	}
	return g
}

// brightEdge reports whether most of the outermost pixels are in the class of larger values.
func (g *Ground) brightEdge() bool {
	bright, all := 0, 0
	for y := range g.height {
		for x := range g.width {
			if x > 0 && y > 0 && x < g.width-1 && y < g.height-1 {
				continue
			}
			if all++; int(g.values[y*g.width+x]) >= g.otsu {
				bright++
			}
		}
	}
	return 2*bright > all
}

// Tissue returns the mask that function [Tissue] finds.
func (g *Ground) Tissue(o TissueOptions) *Mask {
	m := &Mask{Width: g.width, Height: g.height, Scale: g.scale, By: g.by,
		Tissue: make([]bool, len(g.values)), Threshold: cmp.Or(o.Threshold, g.otsu)}
	for i, v := range g.values {
		m.Tissue[i] = int(v) >= m.Threshold
	}
	if g.by == ByData {
		m.Threshold = 0
		return m
	}
	smallest := cmp.Or(o.Smallest, 16)
	m.flip(true, smallest)
	m.flip(false, smallest)
	return m
}

// brightnessOf returns the mean of red, green and blue of each pixel, rounded down.
func brightnessOf(m *image.RGBA) []byte {
	out := make([]byte, 0, m.Rect.Dx()*m.Rect.Dy())
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			p := m.Pix[y*m.Stride+4*x:][:3]
			out = append(out, byte((int(p[0])+int(p[1])+int(p[2]))/3))
		}
	}
	return out
}

// saturationOf returns the saturation 0..255 of each pixel.
func saturationOf(m *image.RGBA) []byte {
	out := make([]byte, 0, m.Rect.Dx()*m.Rect.Dy())
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			p := m.Pix[y*m.Stride+4*x:][:3]
			most, least := max(p[0], p[1], p[2]), min(p[0], p[1], p[2])
			s := byte(0)
			if most > 0 {
				s = byte((255*int(most-least) + int(most)/2) / int(most))
			}
			out = append(out, s)
		}
	}
	return out
}

// median returns the median of the 5 x 5 values around each value; outermost ones are repeated.
func median(values []byte, width, height int) []byte {
	const reach = 2
	out := make([]byte, len(values))
	for y := range height {
		for x := range width {
			var counts [256]uint8
			for dy := -reach; dy <= reach; dy++ {
				row := values[min(max(y+dy, 0), height-1)*width:]
				for dx := -reach; dx <= reach; dx++ {
					counts[row[min(max(x+dx, 0), width-1)]]++
				}
			}
			v, seen := 0, counts[0]
			for seen <= (2*reach+1)*(2*reach+1)/2 {
				v++
				seen += counts[v]
			}
			out[y*width+x] = byte(v)
		}
	}
	return out
}

// otsu returns the threshold between two classes of values whose means are furthest apart, weighted
// by their sizes. The upper class begins with it; between classes with a gap, it is in the middle
// of the gap. Values that are all equal are one class, below the threshold.
func otsu(values []byte) int {
	var counts [256]float64
	total := 0.0
	for _, v := range values {
		counts[v]++
		total += float64(v)
	}
	best, first, last := 0.0, 256, 256
	below, sum := 0.0, 0.0
	for v := range 255 {
		below += counts[v]
		sum += float64(v) * counts[v]
		above := float64(len(values)) - below
		if below == 0 || above == 0 {
			continue
		}
		between := below * above * math.Pow(sum/below-(total-sum)/above, 2)
		switch {
		case between > best:
			best, first, last = between, v+1, v+1
		case counts[v] == 0 && last == v: // the same classes
			last = v + 1
		}
	}
	return (first + last) / 2
}

// flip turns connected parts with the given value and fewer than smallest pixels into the other
// one. Pixels are connected through their sides. A list of all pixels of a large part would take
// several times as much memory as the mask.
func (m *Mask) flip(value bool, smallest int) {
	seen := make([]bool, len(m.Tissue))
	var part []int       // the first pixels of a part, at most smallest
	var edge, next []int // the pixels that were found last, and those beside them
	for start, v := range m.Tissue {
		if v != value || seen[start] {
			continue
		}
		seen[start] = true
		part, edge = part[:0], append(edge[:0], start)
		for len(edge) > 0 {
			part = append(part, edge[:max(0, min(len(edge), smallest-len(part)))]...)
			next = next[:0]
			for _, i := range edge {
				for _, j := range m.beside(i) {
					if j >= 0 && m.Tissue[j] == value && !seen[j] {
						seen[j] = true
						next = append(next, j)
					}
				}
			}
			edge, next = next, edge
		}
		if len(part) < smallest && len(part) < len(m.Tissue) { // the whole picture is no part of it
			for _, i := range part {
				m.Tissue[i] = !value
			}
		}
	}
}

// beside returns the numbers of the four pixels beside a pixel, -1 where there is none.
func (m *Mask) beside(i int) [4]int {
	x, y := i%m.Width, i/m.Width
	out := [4]int{-1, -1, -1, -1}
	if x > 0 {
		out[0] = i - 1
	}
	if x < m.Width-1 {
		out[1] = i + 1
	}
	if y > 0 {
		out[2] = i - m.Width
	}
	if y < m.Height-1 {
		out[3] = i + m.Width
	}
	return out
}
