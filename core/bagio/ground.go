package bagio

import (
	"cmp"
	"math"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// A ground is what a file says of the image that its patches lie on, and how it states their
// places. testdata/tools/tools.md lists what tools write.
type ground struct {
	slide  core.Slide // without PatchSize, Overlap and Unit
	unit   unit       // unit of coordinates
	stated string     // what states the unit, a phrase; "" if nothing does
	// Width and height of a patch, in the unit size; 0 if they are unknown.
	width, height float64
	size          unit
	lap           float64 // part of its side that a patch shares with the next one
	apartStated   bool    // the file states lap, which may be 0
	middle        bool    // coordinates are the middles of patches
	from          string  // the tool whose rules hold, if only they state the unit; or ""
}

// groundOf returns what attributes say. name is that of the array of coordinates.
func groundOf(a attributes, name string) ground {
	g := ground{slide: slideOf(a), unit: pixel}
	if u, _, ok := unitOfName(name); ok {
		g.unit, g.stated = u, msg.Sprintf("the name %s", name)
	} else if key, text := a.text("unit", "units", "coords_unit", "coord_unit"); text != "" {
		if u, ok := parseUnit(text); ok {
			g.unit, g.stated = u, msg.Sprintf("the attribute %s", key)
		}
	}
	g.readSize(a)
	g.readOverlap(a)
	_, extractor := a.text("extractor")
	switch {
	case g.stated != "":
	case a.number("tile_size_um") > 0: // STAMP reads such files so, with and without a unit
		g.unit.microns, g.stated = true, "the attribute tile_size_um"
	case strings.HasPrefix(extractor, "STAMP-extract-"):
		g.stampOne()
	case a.number("patch_size_level0") > 0 || a["patch_level"] != nil ||
		a["tile_spec/base_level"] != nil:
		g.stated = "the tool" // CLAM, TRIDENT and LazySlide always write pixels of level 0
	}
	return g
}

// Pixels and micrometres of the side of a patch of STAMP 1, unless its configuration differs.
const (
	stampPixels  = 224
	stampMicrons = 256
)

// stampOne sets what STAMP 1 writes without stating it: coordinates in pixels of its patches.
func (g *ground) stampOne() {
	g.unit = unit{stampMicrons / float64(stampPixels), true}
	g.width, g.height, g.size = stampMicrons, stampMicrons, unit{1, true}
	g.from = "STAMP 1"
}

// slideOf returns what attributes say of the slide itself.
func slideOf(a attributes) core.Slide {
	_, name := a.text("name", "wsi_name", "slide_name", "slide_id")
	s := core.Slide{
		Name:   name,
		Width:  wholeSide(a.number("level0_width")),
		Height: wholeSide(a.number("level0_height")),
		Magnification: a.number("level0_magnification", "slide_properties/magnification",
			"magnification"),
		MPP: a.number("level0_mpp", "slide_mpp", "slide_properties/mpp", "mpp", "mpp_x"),

		BoundsX:      wholeSide(a.number("openslide.bounds-x")),
		BoundsY:      wholeSide(a.number("openslide.bounds-y")),
		BoundsWidth:  wholeSide(a.number("openslide.bounds-width")),
		BoundsHeight: wholeSide(a.number("openslide.bounds-height")),
	}
	// CLAM writes the size of the level that patches were cut from.
	if w, h := a.pair("level_dim"); s.Width == 0 && w > 0 {
		x, y := a.pair("downsample")
		if x == 0 {
			x, y = 1, 1
		}
		if a.number("patch_level") == 0 || x > 1 {
			s.Width, s.Height = wholeSide(w*x), wholeSide(h*y)
		}
	}
	if h, w := a.pair("slide_properties/shape"); s.Width == 0 { // LazySlide's order
		s.Width, s.Height = wholeSide(w), wholeSide(h)
	}
	return s
}

// readSize sets the size of a patch.
func (g *ground) readSize(a attributes) {
	square := func(side float64, u unit) { g.width, g.height, g.size = side, side, u }
	if side := a.number("patch_size_level0", "patch_size_lv0", "tile_size_level0"); side > 0 {
		square(side, pixel)
		return
	}
	if side := a.number("tile_size_um", "patch_size_um", "tile_um", "patch_um"); side > 0 {
		square(side, unit{1, true})
		return
	}
	down := g.downsample(a)
	if w, h := a.number("tile_spec/width"), a.number("tile_spec/height"); w > 0 && h > 0 {
		g.width, g.height, g.size = math.Trunc(w*down), math.Trunc(h*down), pixel
		return
	}
	w := a.number("patch_size", "tile_size", "patch_width", "tile_width")
	if h := a.number("patch_height", "tile_height"); h > 0 && w > 0 {
		square(w, pixel)
		g.height = h
	} else if w > 0 {
		square(w, pixel)
	}
	switch {
	case g.unit.microns && g.stated != "": // STAMP 2.0 has one unit for places and sizes
		g.size = g.unit
	case down > 0:
		g.width, g.height = g.width*down, g.height*down
	default:
		g.width, g.height = 0, 0
	}
}

// downsample returns how many pixels of level 0 a pixel of a patch is, or 0 if patches are of
// another level without its downsampling.
func (g *ground) downsample(a attributes) float64 {
	custom := cmp.Or(a.number("custom_downsample"), 1)
	if d := a.number("downsample", "patch_downsample", "tile_spec/base_downsample"); d > 0 {
		return d * custom
	}
	ratio := func(over, under float64) float64 {
		if over > 0 && under > 0 {
			return over / under
		}
		return 0
	}
	d := cmp.Or(ratio(g.slide.Magnification, a.number("target_magnification")),
		ratio(a.number("target_mpp"), g.slide.MPP))
	if d == 0 && a.number("patch_level", "level") == 0 {
		return custom
	}
	return d
}

// readOverlap sets the overlap, which tools state in pixels of a patch, as patch_size.
func (g *ground) readOverlap(a attributes) {
	side := a.number("patch_size", "tile_size", "tile_spec/width")
	stride := a.number("stride", "step_size", "tile_spec/stride_width")
	overlap := a.number("overlap")
	_, lapStated := a["overlap"]
	g.apartStated = lapStated || stride > 0
	if stride > 0 && overlap == 0 {
		overlap = side - stride
	}
	if side > 0 && overlap > 0 && overlap < side {
		g.lap = overlap / side
	}
}

// wholeSide returns a length in whole pixels, at least 1 for one above 0.
func wholeSide(side float64) int {
	if side <= 0 {
		return 0
	}
	return int(max(1, min(math.Round(side), math.MaxInt32)))
}
