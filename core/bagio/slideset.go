package bagio

import (
	"encoding/binary"
	"image"
	"unsafe"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/slide"
)

// SetOf returns a set of one bag, whose memory it shares. picture is the one that the bag was cut
// from, or the whole slide made small, and may be nil.
func SetOf(bag *core.Bag, picture image.Image, notes ...string) *Set {
	s := &Set{
		array: arrayOf(bag.Name, append([]int{bag.Len()}, bag.Shape...), bag.Values),
		shape: bag.Shape, offsets: []int{0, bag.Len()}, names: []string{bag.Name},
		classes: bag.Class, labels: bag.Labels, boxes: bag.Boxes, slide: bag.Slide,
		slices: bag.Slices, origin: bag.Origin, sources: bag.Pictures,
		relations: bag.Relations, covariates: [][]core.Covariate{bag.Covariates}, notes: notes,
		zeroCopy: true, computed: true,
	}
	if picture != nil {
		s.pictures = []image.Image{picture}
	}
	return s
}

// arrayOf returns an array that shares the memory of values.
func arrayOf[T float32 | float64](file string, shape []int, values []T) *Array {
	var zero T
	return &Array{Shape: shape, file: file, start: -1, data: bytesOf(values), dtype: dtype{
		kind: 'f', size: int(unsafe.Sizeof(zero)),
		big: binary.NativeEndian.Uint16([]byte{1, 0}) != 1}}
}

// takesSlide reports whether the caller makes the set of a file.
func (o Options) takesSlide(s *source) bool {
	return o.Slide != nil && (slide.IsSlide(s.head) && !isDICOM(s) || slide.IsDZI(s.name) ||
		isWholeSlide(s) || isOMEZarr(s, o.Limits) || o.takesZippedTiles(s))
}

// takesZippedTiles reports whether a file is a zip archive of tiles that are a slide.
func (o Options) takesZippedTiles(s *source) bool {
	size, ok := slide.TilesOf(s.name, s, s.size, slide.Options{Memory: o.Limits.Memory,
		TileNames: o.TileNames})
	return ok && o.takesTiles(size)
}

// setFromSlide returns the caller's set of a slide.
func setFromSlide(s *source, o Options) (*Set, error) {
	set, err := o.Slide(s.name, s, s.size)
	if err != nil {
		return nil, err
	}
	if o.Name != "" {
		set.names[0] = o.Name
	}
	return set, set.state(o)
}
