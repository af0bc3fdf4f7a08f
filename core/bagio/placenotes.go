package bagio

import (
	"image"
	"math"
)

// crowded is how many times the side of a patch must exceed the distance between two, so that they
// are hardly patches of the pixels that coordinates count.
const crowded = 10

// check adds notes on places that are hardly meant so. It reports whether the patches lie at more
// than one place, so that a map can show them.
func (p *places) check(boxes []image.Rectangle, l layout) bool {
	if len(boxes) < 2 {
		return true
	}
	whole := image.Rect(0, 0, l.slide.Width, l.slide.Height)
	seen := make(map[image.Point]bool, len(boxes))
	negative, outside := 0, 0
	for _, b := range boxes {
		seen[b.Min] = true
		if min(b.Min.X, b.Min.Y) < 0 {
			negative++
		}
		if !whole.Empty() && !b.Overlaps(whole) {
			outside++
		}
	}
	if len(seen) == 1 {
		p.note("all its instances have the place %v, which is not shown on a map", boxes[0].Min)
		return false
	}
	if again := len(boxes) - len(seen); again > 0 {
		p.note("%d of its %d patches have the place of another one and cover it on a map", again,
			len(boxes))
	}
	if negative > 0 {
		p.note("%d of its %d patches begin left of or above the slide, at negative coordinates",
			negative, len(boxes))
	}
	if outside > 0 {
		p.note("%d of its %d patches lie outside of the slide of %d x %d pixels; coords-unit "+
			"states the unit of their coordinates", outside, len(boxes), l.slide.Width,
			l.slide.Height)
	}
	p.checkScale(l)
	return true
}

// checkScale adds a note if coordinates seem to count something else than their unit.
func (p *places) checkScale(l layout) {
	if p.axes != 2 {
		return
	}
	fractions := false
	for _, v := range p.corners {
		if v < 0 || v > 1 {
			fractions = false
			break
		}
		fractions = fractions || v != math.Trunc(v)
	}
	if fractions {
		p.note("its coordinates lie between 0 and 1; if they are parts of the slide's width and " +
			"height, multiply them by these")
		return
	}
	step := p.step()
	if l.width > crowded*step*l.factor {
		p.note("its patches of %v lie %v apart and cover each other; if coordinates count rows "+
			"and columns of a grid, state coords-unit %v, if micrometres, um, and if pixels of a "+
			"smaller level, its downsampling", math.Round(l.width), step*l.factor,
			math.Round(l.width/step))
	}
}
