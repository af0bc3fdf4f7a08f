package draw

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
)

// thumbs converts the instances of a bag to rasters.
type thumbs struct {
	bag             *core.Bag
	width, height   int
	channels        int
	dx, dy, dc      int // steps between columns, rows, channels
	offset, stretch []float64
}

// smallestSide is the smallest side of an instance that counts as a picture and not as a table.
const smallestSide = 4

// newThumbs returns the thumbs of a bag and whether its instances are pictures: [h w], [1 h w], [3
// h w], [h w 1] or [h w 3]. Raw pixels are unchanged. Other values are scaled from the range of the
// bag to 0..255. If there are negative values, each channel has its own range, because the pixels
// were then probably normalised for each channel.
func newThumbs(bag *core.Bag) (*thumbs, bool) {
	t := &thumbs{bag: bag, channels: 1}
	// Channels first are more frequent, so that [3 h 3] is read as three channels.
	switch s := bag.Shape; {
	case len(s) == 2:
		t.height, t.width = s[0], s[1]
		t.dx, t.dy = 1, s[1]
	case len(s) == 3 && (s[0] == 1 || s[0] == 3):
		t.channels, t.height, t.width = s[0], s[1], s[2]
		t.dx, t.dy, t.dc = 1, s[2], s[1]*s[2]
	case len(s) == 3 && (s[2] == 1 || s[2] == 3):
		t.height, t.width, t.channels = s[0], s[1], s[2]
		t.dx, t.dy, t.dc = s[2], s[1]*s[2], 1
	default:
		return nil, false
	}
	if min(t.width, t.height) < smallestSide {
		return nil, false
	}
	t.levels()
	return t, true
}

// A span is the range of the finite values of a channel or a feature.
type span struct{ lo, hi float64 }

// noValues is the span before the first value.
var noValues = span{math.Inf(1), math.Inf(-1)}

// add extends a span to a value if it is finite.
func (s *span) add(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	if v < s.lo { // comparisons: see level
		s.lo = v
	}
	if v > s.hi {
		s.hi = v
	}
}

// levels sets the offset and the factor of each channel.
func (t *thumbs) levels() {
	spans := slices.Repeat([]span{{0, 255}}, t.channels)
	if w, ok := t.window(); ok {
		spans = slices.Repeat([]span{w}, t.channels)
	} else if !t.bag.Raw {
		spans = slices.Repeat([]span{noValues}, t.channels)
		for i, v := range t.bag.Values {
			spans[t.channel(i)].add(float64(v))
		}
		// Without negative values, the channels are colours and share one range, which keeps hues.
		all := noValues
		for _, s := range spans {
			all.add(s.lo)
			all.add(s.hi)
		}
		if all.lo >= 0 {
			spans = slices.Repeat([]span{all}, t.channels)
		}
	}
	for _, s := range spans {
		stretch := 0.0 // a constant channel is black
		if s.hi > s.lo {
			stretch = 255 / (s.hi - s.lo)
		}
		t.offset, t.stretch = append(t.offset, s.lo), append(t.stretch, stretch)
	}
}

// window returns the range of values that the files of a volume show first, if they state one.
func (t *thumbs) window() (w span, ok bool) {
	if t.bag.Raw || len(t.bag.Slices) == 0 {
		return w, false
	}
	stated := t.bag.Slices[0].Window
	return span{stated.Centre - stated.Width/2, stated.Centre + stated.Width/2}, stated.Width > 0
}

// channel returns the channel of value i of the bag.
func (t *thumbs) channel(i int) int {
	if t.dc == 0 {
		return 0
	}
	return i / t.dc % t.channels
}

// raster returns the raster of an instance.
func (t *thumbs) raster(instance int) raster {
	values := t.bag.Instance(instance)
	return raster{t.width, t.height, t.channels, func(x, y int) [3]float64 {
		var out [3]float64
		at := x*t.dx + y*t.dy
		for ch := range out {
			c := min(ch, t.channels-1)
			out[ch] = (float64(values[at+c*t.dc]) - t.offset[c]) * t.stretch[c]
		}
		return out
	}}
}

// features returns a function that returns the raster of an instance: one row with a column for
// each value. The colours go from neutral at the lowest value of a column, over the shown
// instances, to ink at the highest.
func features(bag *core.Bag, c *canvas, shown []int) func(instance int) raster {
	n := bag.Stride()
	spans := slices.Repeat([]span{noValues}, n)
	for _, i := range shown {
		for f, v := range bag.Instance(i) {
			spans[f].add(float64(v))
		}
	}
	return func(instance int) raster {
		values := bag.Instance(instance)
		return raster{n, 1, 3, func(x, _ int) [3]float64 {
			share, s := 0.0, spans[x]
			if s.hi > s.lo {
				share = min(1, max(0, (float64(values[x])-s.lo)/(s.hi-s.lo)))
			}
			col := c.neutral
			if !math.IsNaN(share) {
				col = mix(c.neutral, c.ink, share)
			}
			return [3]float64{float64(col.R), float64(col.G), float64(col.B)}
		}}
	}
}
