package bagio

import (
	"image"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
)

// slideOf returns what the attributes of CLAM and TRIDENT say of a slide.
func slideOf(a attributes) *core.Slide {
	s := &core.Slide{
		Width:         int(min(a.number("level0_width"), math.MaxInt32)),
		Height:        int(min(a.number("level0_height"), math.MaxInt32)),
		Magnification: a.number("level0_magnification", "magnification"),
		MPP:           a.number("level0_mpp", "mpp", "mpp_x"),
	}
	// CLAM writes the size of the level that patches were cut from.
	if w, h := a.pair("level_dim"); s.Width == 0 && w > 0 {
		x, y := a.pair("downsample")
		if x == 0 {
			x, y = 1, 1
		}
		if a.number("patch_level") == 0 || x > 1 {
			s.Width = int(min(math.Round(w*x), math.MaxInt32))
			s.Height = int(min(math.Round(h*y), math.MaxInt32))
		}
	}
	return s
}

// patchSide returns the side of a patch in pixels of level 0: what the file says of level 0, or of
// the level that patches were cut from and its downsampling, else the smallest distance between two
// coordinates of an axis, with a note.
func patchSide(a attributes, corners []float64) (int, string) {
	if side := a.number("patch_size_level0"); side > 0 {
		return wholeSide(side), ""
	}
	size := a.number("patch_size", "tile_size", "patch_width")
	down := a.number("downsample", "patch_downsample")
	// A lower level without its downsampling does not say how large a patch is at level 0.
	if size > 0 && (down > 0 || a.number("patch_level", "level") == 0) {
		return wholeSide(size * max(down, 1)), ""
	}
	return wholeSide(smallestStep(corners)), smallestStepNote
}

// smallestStepNote says where the size of patches comes from.
const smallestStepNote = "it does not say how large a patch is; " +
	"the smallest distance between two patches is used"

// isPlace reports whether a coordinate can be a place on a slide.
func isPlace(v float64) bool { return math.Abs(v) < math.MaxInt32/2 }

func wholeSide(side float64) int { return int(max(1, min(math.Round(side), math.MaxInt32))) }

// smallestStep returns the smallest distance above zero between two coordinates (x, y) of the same
// axis; 1 if there is none.
func smallestStep(corners []float64) float64 {
	least := math.Inf(1)
	for axis := range 2 {
		var along []float64
		for i := axis; i < len(corners); i += 2 {
			along = append(along, corners[i])
		}
		slices.Sort(along)
		for i := 1; i < len(along); i++ {
			if step := along[i] - along[i-1]; step > 0 {
				least = min(least, step)
			}
		}
	}
	if math.IsInf(least, 1) {
		return 1
	}
	return least
}

// cornersOf returns the numbers of coordinates (k, 2), (k, 4), or the same with a first axis of
// size 1, and how many there are for each instance.
func cornersOf(file string, a *Array, k int) ([]float64, int, error) {
	shape := a.Shape
	if len(shape) == 3 && shape[0] == 1 {
		shape = shape[1:]
	}
	if len(shape) != 2 || shape[0] != k || shape[1] != 2 && shape[1] != 4 || a.dtype.isText() {
		return nil, 0, bad(file, "its coordinates have shape %s; %d instances need shape (%d, 2), "+
			"or (%d, 4) for x0 y0 x1 y1", shapeText(a.Shape), k, k, k)
	}
	get, size := a.dtype.float(), a.dtype.size
	out := make([]float64, k*shape[1])
	for i := range out {
		if out[i] = get(a.data[i*size:]); !isPlace(out[i]) {
			return nil, 0, bad(file, "coordinate %d of instance %d is %v, which is no place on a "+
				"slide", i%shape[1], i/shape[1], out[i])
		}
	}
	return out, shape[1], nil
}

// boxesOf returns the rectangles of patches: of corners (x, y) and a side, or of x0 y0 x1 y1,
// rounded to whole pixels.
func boxesOf(file string, corners []float64, axes, side int) ([]image.Rectangle, error) {
	out := make([]image.Rectangle, len(corners)/axes)
	for i := range out {
		var c []int
		for _, v := range corners[i*axes:][:axes] {
			c = append(c, int(math.Round(v)))
		}
		if axes == 2 {
			c = append(c, c[0]+side, c[1]+side)
		}
		var err error
		if out[i], err = box(c); err != nil {
			return nil, bad(file, "the place of instance %d: %v", i, err)
		}
	}
	return out, nil
}
