package draw

import (
	"image"
	"math"
	"slices"
)

// A raster is a source of colours of height rows by width columns.
type raster struct {
	width, height int
	channels      int                       // 1 for grey, whose three levels are equal, else 3
	at            func(x, y int) [3]float64 // 0..255
}

// ofImage returns the raster of a picture, composited on white.
func ofImage(img image.Image) raster {
	if m, ok := img.(*image.RGBA); ok {
		return ofRGBA(m)
	}
	return ofAny(img)
}

// ofRGBA is ofAny without an interface call for each pixel.
func ofRGBA(m *image.RGBA) raster {
	return raster{m.Rect.Dx(), m.Rect.Dy(), 3, func(x, y int) [3]float64 {
		p := m.Pix[y*m.Stride+4*x:]
		white := 255 - float64(p[3])
		return [3]float64{float64(p[0]) + white, float64(p[1]) + white, float64(p[2]) + white}
	}}
}

// ofAny returns the raster of any picture, composited on white.
func ofAny(img image.Image) raster {
	b := img.Bounds()
	return raster{b.Dx(), b.Dy(), 3, func(x, y int) [3]float64 {
		r, g, bl, a := img.At(b.Min.X+x, b.Min.Y+y).RGBA()
		white := 65535 - a
		return [3]float64{float64(r+white) / 257, float64(g+white) / 257, float64(bl+white) / 257}
	}}
}

// sample scales a raster into r. Each pixel is the mean of the source over its footprint: an
// average if the source is reduced, squares with sharp edges if it is enlarged.
func (p *painter) sample(r image.Rectangle, src raster) {
	channels := src.channels
	columns, rows := p.footprints(src.width, r.Dx()), p.footprints(src.height, r.Dy())
	sums := make([]float64, channels*r.Dx())
	// a row of the source; each of its pixels is read once
	read := make([]float64, channels*src.width)
	at := -1
	for y, row := range rows {
		// an enlarged source: the row is the same as the one above
		if y > 0 && row.equal(rows[y-1]) {
			p.repeatRow(r.Min.X, r.Max.X, r.Min.Y+y)
			continue
		}
		clear(sums)
		for j, weight := range row.weights {
			if at != row.first+j {
				at = row.first + j
				src.read(read, at)
			}
			addLine(sums, read, columns, channels, weight)
		}
		levels(p.Pix[p.PixOffset(r.Min.X, r.Min.Y+y):p.PixOffset(r.Max.X, r.Min.Y+y)], sums,
			channels)
	}
}

// read reads the pixels of row y.
func (r raster) read(dst []float64, y int) {
	for x := range r.width {
		v := r.at(x, y)
		copy(dst[r.channels*x:], v[:r.channels])
	}
}

// addLine adds the means of a source row over the footprint of each column, times weight.
func addLine(sums, read []float64, columns []footprint, channels int, weight float64) {
	for x, column := range columns {
		for i, w := range column.weights {
			w *= weight
			for ch := range channels {
				sums[channels*x+ch] += w * read[channels*(column.first+i)+ch]
			}
		}
	}
}

// levels writes a row of opaque pixels.
func levels(pixels []uint8, sums []float64, channels int) {
	for x := 0; 4*x < len(pixels); x++ {
		r := level(sums[channels*x])
		g, b := r, r
		if channels > 1 {
			g, b = level(sums[channels*x+1]), level(sums[channels*x+2])
		}
		copy(pixels[4*x:], []uint8{r, g, b, 255})
	}
}

// repeatRow copies the pixels from lo to hi of the row above y into row y.
func (p *painter) repeatRow(lo, hi, y int) {
	above := p.Pix[p.PixOffset(lo, y-1):p.PixOffset(hi, y-1)]
	copy(p.Pix[p.PixOffset(lo, y):], above)
}

// level rounds to 0..255; NaN is mid grey.
func level(v float64) uint8 {
	// comparisons, because min and max of floats are function calls in WebAssembly
	switch v += .5; {
	case math.IsNaN(v):
		return 128
	case v <= 0:
		return 0
	case v >= 255:
		return 255
	}
	return uint8(v)
}

// A footprint holds the source pixels under one pixel, with weights that sum to one.
type footprint struct {
	first   int
	weights []float64
}

// equal reports whether two footprints have equal weights.
func (f footprint) equal(g footprint) bool {
	return f.first == g.first && slices.Equal(f.weights, g.weights)
}

// footprints returns the footprints of a row of to pixels over from source pixels, cached because
// the instances of a bag share them.
func (p *painter) footprints(from, to int) []footprint {
	key := [2]int{from, to}
	if p.cache[key] == nil {
		p.cache[key] = footprints(from, to)
	}
	return p.cache[key]
}

// footprints returns the footprints of a row of to pixels over from source pixels.
func footprints(from, to int) []footprint {
	out := make([]footprint, to)
	for i := range out {
		lo, hi := float64(i)*float64(from)/float64(to), float64(i+1)*float64(from)/float64(to)
		first := int(lo)
		// Rounding may leave hi a little above a whole number, which must not add a source pixel.
		last := max(first+1, min(from, int(math.Ceil(hi-1e-9))))
		f := footprint{first: first}
		for s := first; s < last; s++ {
			f.weights = append(f.weights, (math.Min(hi, float64(s+1))-math.Max(lo,
				float64(s)))/(hi-lo))
		}
		out[i] = f
	}
	return out
}

// centred returns the largest rectangle with the aspect ratio of a source, centred in r.
func centred(r image.Rectangle, width, height int) image.Rectangle {
	w, h := r.Dx(), r.Dy()
	if width*h > height*w {
		h = max(1, w*height/width)
	} else {
		w = max(1, h*width/height)
	}
	at := r.Min.Add(image.Pt((r.Dx()-w)/2, (r.Dy()-h)/2))
	return image.Rectangle{at, at.Add(image.Pt(w, h))}
}
