// Package density measures nuclei in tissue that is stained with haematoxylin and eosin: which part
// of a patch they cover. It is the truth that maps of the bundled slide are judged by.
//
// The stains of each pixel are separated by their optical densities (Ruifrok and Johnston,
// "Quantification of histochemical staining by color deconvolution", 2001). A nucleus is a
// connected part of pixels with much haematoxylin, more than around it, that is neither too small
// nor too large. Its constants are for pixels of half a micron.
package density

import (
	"image"
	"math"
)

const (
	// Rich is the part of a patch, 0 to 1, from which on it has many nuclei: a quarter of the
	// patches of the bundled slide. A patch of less than Poor has few: six of ten.
	Rich, Poor = .15, .10

	least    = .45 // least density of haematoxylin in a nucleus
	contrast = .12 // and how much denser than around it
	near     = 2   // pixels to each side that a density is the mean of
	around   = 25  // pixels to each side that it is compared with
	smallest = 40  // pixels of a nucleus: 10 square microns
	largest  = 800 // 200 square microns
)

// A Map holds the nuclei of a picture.
type Map struct {
	width, height int
	sums          []float64 // (height+1, width+1): pixels of nuclei above and to the left
}

// Measure finds the nuclei of an opaque picture. It needs 32 bytes for each pixel.
func Measure(m *image.RGBA) *Map {
	width, height := m.Rect.Dx(), m.Rect.Dy()
	stain := sums(width, height, func(x, y int) float64 {
		p := m.Pix[y*m.Stride+4*x:]
		return haematoxylin(p[0], p[1], p[2])
	})
	dense := make([]bool, width*height)
	for y := range height {
		for x := range width {
			here := stain.mean(square(x, y, near))
			dense[y*width+x] = here > least && here > stain.mean(square(x, y, around))+contrast
		}
	}
	keep(dense, width)
	return sums(width, height, func(x, y int) float64 {
		if dense[y*width+x] {
			return 1
		}
		return 0
	})
}

// Share returns the part of a rectangle, 0 to 1, that nuclei cover. What lies outside of the
// picture has none.
func (m *Map) Share(r image.Rectangle) float64 {
	if r.Empty() {
		return 0
	}
	return m.sum(r) / (float64(r.Dx()) * float64(r.Dy()))
}

// absorbed[v] is the optical density of a channel of brightness v.
var absorbed = func() (out [256]float64) {
	for v := range out {
		out[v] = -math.Log10(float64(v+1) / 256)
	}
	return out
}()

// unmix is the first column of the inverse of the stains' directions, which have a row for
// haematoxylin, eosin and a third stain, each of length 1.
var unmix = func() [3]float64 {
	unit := func(v [3]float64) [3]float64 {
		n := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
		return [3]float64{v[0] / n, v[1] / n, v[2] / n}
	}
	h, e, d := unit([3]float64{.65, .70, .29}), unit([3]float64{.07, .99, .11}),
		unit([3]float64{.27, .57, .78})
	// That column is the cross product of the other rows, over the determinant.
	c := [3]float64{e[1]*d[2] - e[2]*d[1], e[2]*d[0] - e[0]*d[2], e[0]*d[1] - e[1]*d[0]}
	det := h[0]*c[0] + h[1]*c[1] + h[2]*c[2]
	return [3]float64{c[0] / det, c[1] / det, c[2] / det}
}()

// haematoxylin returns the density of haematoxylin in a pixel. It is negative for some colours.
func haematoxylin(r, g, b uint8) float64 {
	return absorbed[r]*unmix[0] + absorbed[g]*unmix[1] + absorbed[b]*unmix[2]
}

// sums returns the summed-area table of a function (Crow 1984).
func sums(width, height int, at func(x, y int) float64) *Map {
	m := &Map{width, height, make([]float64, (width+1)*(height+1))}
	for y := range height {
		row := 0.
		for x := range width {
			row += at(x, y)
			m.sums[(y+1)*(width+1)+x+1] = m.sums[y*(width+1)+x+1] + row
		}
	}
	return m
}

// sum returns the sum over a rectangle, as far as it lies in the picture.
func (m *Map) sum(r image.Rectangle) float64 {
	r = r.Intersect(image.Rect(0, 0, m.width, m.height))
	at := func(x, y int) float64 { return m.sums[y*(m.width+1)+x] }
	return at(r.Max.X, r.Max.Y) - at(r.Min.X, r.Max.Y) - at(r.Max.X, r.Min.Y) +
		at(r.Min.X, r.Min.Y)
}

// mean returns the mean over a rectangle, as far as it lies in the picture.
func (m *Map) mean(r image.Rectangle) float64 {
	r = r.Intersect(image.Rect(0, 0, m.width, m.height))
	return m.sum(r) / float64(r.Dx()*r.Dy())
}

// square returns the square around a pixel that reaches so far to each side.
func square(x, y, reach int) image.Rectangle {
	return image.Rect(x-reach, y-reach, x+reach+1, y+reach+1)
}

// keep clears the connected parts of a picture, whose pixels touch by a side, that are no nuclei by
// their size.
func keep(set []bool, width int) {
	seen := make([]bool, len(set))
	var part []int
	for first := range set {
		if !set[first] || seen[first] {
			continue
		}
		part = append(part[:0], first)
		seen[first] = true
		for n := 0; n < len(part); n++ {
			i := part[n]
			for _, next := range neighbours(i, width, len(set)) {
				if next >= 0 && set[next] && !seen[next] {
					seen[next] = true
					part = append(part, next)
				}
			}
		}
		if len(part) < smallest || len(part) > largest {
			for _, i := range part {
				set[i] = false
			}
		}
	}
}

// neighbours returns the pixels that share a side with pixel i, -1 for those outside of the
// picture.
func neighbours(i, width, size int) [4]int {
	out := [4]int{i - width, i + width, i - 1, i + 1}
	if i+width >= size {
		out[1] = -1
	}
	if i%width == 0 {
		out[2] = -1
	}
	if i%width == width-1 {
		out[3] = -1
	}
	return out
}
