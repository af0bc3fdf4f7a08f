package heatmap

import (
	"fmt"
	"image"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/internal/msg"
)

// Options are the settings of a Map.
type Options struct {
	draw.Options     // Method, Classes, ClassNames, PerClass, Strongest, Removed, Dark and Colours
	Scale        int // see Map; 0 keeps about 16 pixels across a patch
	// Progress is called after each tile that is written, with their number so far and of the file.
	Progress func(done, total int) // nil for none
}

// A Map is an explanation over a slide.
type Map struct {
	Name          string // name of the bag
	Width, Height int    // pixels
	// Scale is how many pixels of level 0 a pixel of the map covers across: a power of two.
	Scale   int
	Microns float64       // microns that a pixel covers, 0 if the slide does not state its own
	Classes []draw.Shades // explained classes, the predicted one first

	boxes    []image.Rectangle // (instance) in pixels of the map
	tiles    [][]int32         // (tile, row by row) instances that touch a tile, in their order
	progress func(done, total int)
}

const (
	// tileSide is the side of a tile in pixels: a multiple of 16, as TIFF demands, and even, so
	// that four tiles are one of the next level.
	tileSide = 256
	// patchSide is how many pixels a patch of mean width has at least, if the slide has as many.
	patchSide = 16
	// mostPixels bounds a map, and with it the time that it takes to compress.
	mostPixels = 1 << 28
	// mostPlaced and mostPainted bound how often tiles refer to patches, and the pixels that are
	// painted, for patches that overlap.
	mostPlaced  = 1 << 24
	mostPainted = min(1<<33, math.MaxInt/2) // int has 32 bits on some platforms
)

// New places the patches of an explanation. Colours, classes and their order are those of draw.Map.
//
// It returns a *core.BagError for a bag without places, or whose patches span no slide, a
// *core.SettingError for a setting that cannot hold, and a *draw.LimitError if patches overlap too
// often.
func New(bag *core.Bag, report *core.Report, o Options) (*Map, error) {
	shades, err := draw.ShadesOf(bag, report, o.Options)
	if err != nil {
		return nil, err
	}
	if bag.Boxes == nil {
		return nil, &core.BagError{Bag: bag.Name, Reason: "its instances have no places, so a " +
			"heat map of the slide is not possible; add coordinates to the file of the bag"}
	}
	size, mean, err := extent(bag)
	if err != nil {
		return nil, err
	}
	m := &Map{Name: msg.Line(bag.Name), Classes: shades, Scale: o.Scale, progress: o.Progress}
	if m.Scale == 0 {
		for m.Scale = 1; mean/float64(2*m.Scale) >= patchSide || m.pixels(size) > mostPixels; {
			m.Scale *= 2
		}
	}
	if m.Scale < 1 || m.Scale&(m.Scale-1) != 0 || m.pixels(size) > mostPixels {
		return nil, &core.SettingError{Setting: "scale", Reason: fmt.Sprintf("%d is not a power "+
			"of two, or gives more than %d pixels", o.Scale, mostPixels)}
	}
	m.Width, m.Height = ceil(size.X, m.Scale), ceil(size.Y, m.Scale)
	if s := bag.Slide; s != nil && s.Unit == core.Microns {
		m.Microns = float64(m.Scale)
	} else if s != nil && s.MPP > 0 {
		m.Microns = s.MPP * float64(m.Scale)
	}
	return m, m.place(bag)
}

// extent returns the size of a bag's slide in pixels of level 0, or that of the area from the
// origin that holds all patches, and the mean width of a patch.
func extent(bag *core.Bag) (image.Point, float64, error) {
	var area image.Rectangle
	sum := 0.0
	for _, b := range bag.Boxes {
		area = area.Union(b)
		sum += float64(b.Dx())
	}
	size, mean := area.Max, sum/float64(bag.Len())
	if s := bag.Slide; s != nil && s.Width > 0 && s.Height > 0 {
		size = image.Pt(s.Width, s.Height)
	}
	if min(size.X, size.Y) < 1 || max(size.X, size.Y) > math.MaxInt32 || mean <= 0 {
		return size, 0, &core.BagError{Bag: bag.Name, Reason: "its patches span no area of a " +
			"slide; check the coordinates"}
	}
	return size, mean, nil
}

// pixels returns the number of pixels of a map over a slide of a size.
func (m *Map) pixels(size image.Point) int64 {
	return int64(ceil(size.X, m.Scale)) * int64(ceil(size.Y, m.Scale))
}

// ceil returns a/b, rounded up. a and b must be positive.
func ceil(a, b int) int { return (a-1)/b + 1 }

// place computes where patches lie, and which tiles they touch.
func (m *Map) place(bag *core.Bag) error {
	whole := image.Rect(0, 0, m.Width, m.Height)
	across := ceil(m.Width, tileSide)
	m.boxes = make([]image.Rectangle, bag.Len())
	m.tiles = make([][]int32, across*ceil(m.Height, tileSide))
	placed, painted := 0, 0
	for i, b := range bag.Boxes {
		r := m.onMap(b).Intersect(whole)
		if m.boxes[i] = r; r.Empty() {
			continue
		}
		columns := (r.Max.X-1)/tileSide - r.Min.X/tileSide + 1
		rows := (r.Max.Y-1)/tileSide - r.Min.Y/tileSide + 1
		placed += columns * rows
		painted += r.Dx() * r.Dy()
		const often = "patches overlap too often for a heat map"
		if painted > mostPainted {
			return &draw.LimitError{What: often + " (pixels)", Requested: painted,
				Limit: mostPainted}
		}
		if placed > mostPlaced {
			return &draw.LimitError{What: often + " (tiles)", Requested: placed, Limit: mostPlaced}
		}
		for row := r.Min.Y / tileSide; row <= (r.Max.Y-1)/tileSide; row++ {
			for column := r.Min.X / tileSide; column <= (r.Max.X-1)/tileSide; column++ {
				at := row*across + column
				m.tiles[at] = append(m.tiles[at], int32(i))
			}
		}
	}
	return nil
}

// onMap returns where a box of level 0 lies. Neighbours share a side, because both round it, and no
// patch of the slide is without a pixel.
func (m *Map) onMap(b image.Rectangle) image.Rectangle {
	if b.Empty() {
		return image.Rectangle{}
	}
	round := func(v int) int { return int(math.Floor(float64(v)/float64(m.Scale) + .5)) }
	r := image.Rect(round(b.Min.X), round(b.Min.Y), round(b.Max.X), round(b.Max.Y))
	if r.Dx() == 0 {
		r.Min.X = int(math.Floor(float64(b.Min.X) / float64(m.Scale)))
		r.Max.X = r.Min.X + 1
	}
	if r.Dy() == 0 {
		r.Min.Y = int(math.Floor(float64(b.Min.Y) / float64(m.Scale)))
		r.Max.Y = r.Min.Y + 1
	}
	return r
}
