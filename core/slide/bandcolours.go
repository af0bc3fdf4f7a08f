package slide

import (
	"image"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// Colours of bands: numbers from the 2nd to the 98th percentile of a band are drawn from 0 to 254,
// and a pixel of which all drawn bands are missing is white, which is 255.
const (
	lowest, highest = .02, .98
	brightest       = 254
	noPixel         = 255
)

// Blocks, and numbers of each, that percentiles are taken of.
const (
	stretchBlocks  = 16
	stretchNumbers = 1 << 14
)

// paint returns the pixels of a block.
func (b *bands) paint(key blockKey) (*image.RGBA, error) {
	stretch, err := b.stretches()
	if err != nil {
		return nil, err
	}
	block, err := b.blocks.once(key)
	if err != nil {
		return nil, err
	}
	work := &workspace{container: key.layout.container}
	defer work.end()
	pixels := block.size.X * block.size.Y
	if err := work.take(4 * int64(pixels)); err != nil {
		return nil, err
	}
	out := image.NewRGBA(image.Rectangle{Max: block.size})
	for i := range pixels {
		p := out.Pix[4*i:][:4]
		p[3] = 255
		missing := 0
		for c := range 3 {
			at := c % len(b.draw)
			v := block.values[b.draw[at]*pixels+i]
			if v != v {
				missing++
				p[c] = 0
				continue
			}
			part := (v - stretch[at][0]) / (stretch[at][1] - stretch[at][0])
			p[c] = byte(max(0, min(part, 1))*brightest + .5)
		}
		if missing == 3 {
			p[0], p[1], p[2] = noPixel, noPixel, noPixel
		}
	}
	return out, nil
}

// stretches returns the numbers that each drawn band has darkest and brightest: percentiles of
// blocks of the smallest level, evenly over it. A failed call is repeated by the next one.
func (b *bands) stretches() ([][2]float32, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stretch != nil {
		return b.stretch, nil
	}
	l := b.slide.Levels[len(b.slide.Levels)-1].layout
	across, down := l.grid()
	total := across * down
	seen := make([][]float32, len(b.draw))
	for n := range min(total, stretchBlocks) {
		at := n * total / min(total, stretchBlocks)
		block, err := b.blocks.once(blockKey{l, at % across, at / across})
		if err != nil {
			return nil, err
		}
		// Blocks reach over the right and lower side.
		shown := l.rect(at%across, at/across).Intersect(image.Rect(0, 0, l.width, l.height))
		pixels := shown.Dx() * shown.Dy()
		for c, band := range b.draw {
			values := block.values[band*block.size.X*block.size.Y:]
			for i := 0; i < pixels; i += (pixels-1)/stretchNumbers + 1 {
				v := values[i/shown.Dx()*block.size.X+i%shown.Dx()]
				if v == v {
					seen[c] = append(seen[c], v)
				}
			}
		}
	}
	out := make([][2]float32, len(b.draw))
	for c, values := range seen {
		slices.Sort(values)
		if n := float64(len(values) - 1); n >= 0 {
			out[c] = [2]float32{values[int(math.Round(lowest*n))],
				values[int(math.Round(highest*n))]}
		}
		if !(out[c][1] > out[c][0]) {
			out[c][1] = math.Nextafter32(out[c][0], math.MaxFloat32)
		}
	}
	b.stretch = out
	return out, nil
}

// BandNotes says that bands are read which nothing states.
func (s *Slide) BandNotes() []string {
	b := s.bands
	if b == nil || b.stated || b.count < 2 {
		return nil
	}
	return []string{msg.Sprintf("%s: bands 1 to %d are the channels of the model, in this order, "+
		"because its card does not state them; the key \"bands\" does.", s.name, b.count)}
}

// ViewNotes says how bands are drawn, that QuPath counts pixels from another place, and what was
// taken from the names of tiles. Call it
// after pixels were read.
func (s *Slide) ViewNotes() (notes []string) {
	if at := s.Bounds.Min; at != (image.Point{}) {
		notes = append(notes, msg.Sprintf("%s: places in GeoJSON count from the scanned part of "+
			"the glass, as in QuPath, which begins at pixel %d, %d; others count from the corner "+
			"of the glass, as in OpenSlide (origin states one for all).", s.name, at.X, at.Y))
	}
	if s.tiles != nil {
		notes = append(notes, msg.Sprintf("%s: %s.", s.name, msg.Text(s.tiles.note)))
	}
	b := s.bands
	if b == nil {
		return notes
	}
	stretch, err := b.stretches()
	if err != nil {
		return notes
	}
	var names, ranges []string
	for c, at := range b.draw {
		names = append(names, strconv.Itoa(b.use[at]+1))
		ranges = append(ranges, msg.Sprintf("%.5g to %.5g", stretch[c][0], stretch[c][1]))
	}
	text, colours := strings.Join(names, ", "), "grey"
	if len(names) == 3 {
		colours = "red, green and blue"
	}
	return append(notes, msg.Sprintf("%s: %s drawn as %s: %s of them (the 2nd to the 98th "+
		"percentile) are black to white.", s.name, msg.Text(bandText(text, len(names))),
		msg.Text(colours), msg.Text(strings.Join(ranges, ", "))))
}

// bandText returns "band 3 is" or "bands 4, 3, 2 are".
func bandText(numbers string, n int) string {
	if n == 1 {
		return "band " + numbers + " is"
	}
	return "bands " + numbers + " are"
}
