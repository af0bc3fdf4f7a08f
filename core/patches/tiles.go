package patches

import (
	"math"

	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/msg"
)

// onTiles reports whether the tiles that a slide consists of are its patches: nothing lays a grid.
func (o Options) onTiles(s *slide.Slide) bool {
	return s.Tiles() != nil && o.Places == nil && o.Drawn == nil && len(o.Excluded) == 0 &&
		!o.WholeSlide && o.Threshold == 0 && o.MinTissue == 0
}

// Labels returns the labels of the patches that the names of tiles state, or nil. They must not be
// changed.
func (p *Patches) Labels() []int {
	if !p.tiles {
		return nil
	}
	return p.Slide.Tiles().Labels
}

// mostOff is the part by which the microns of tiles may differ from those that an encoder takes.
const mostOff = .1

// tileNotes notes what is doubtful about tiles of scale pixels of level 0 for each pixel of a
// patch.
func (p *Patches) tileNotes(scale float64) {
	note := func(format string, args ...any) {
		p.notes = append(p.notes, p.Name+": "+msg.Sprintf(format, args...))
	}
	side, takes, has := p.Slide.Tiles().Side.X, p.options.Microns, scale*p.Slide.MicronsX
	if side != p.options.PatchSize {
		note("its tiles of %d pixels are drawn at the %d pixels that the encoder takes.", side,
			p.options.PatchSize)
	}
	switch {
	case takes <= 0:
	case has == 0:
		note("the encoder takes pixels of %v µm; tiles do not state theirs, so that nothing "+
			"compares the microns (slide-mpp states those of level 0).", takes)
	case math.Abs(has-takes) > mostOff*takes:
		note("the encoder takes pixels of %v µm, and those of its tiles cover %.4g µm; "+
			"whole-slide lays a grid of %v µm over the tiles instead.", takes, has, takes)
	}
}
