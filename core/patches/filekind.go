package patches

import (
	"context"
	"image"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/annotation"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/slide"
)

// A FileKind says what a file states of the patches of a slide.
type FileKind string

// The kinds of files.
const (
	OtherFile   FileKind = ""            // nothing: the file is a bag, a picture, a card or unknown
	Annotations FileKind = "annotations" // drawn areas: a truth, tissue, or what is none
	MaskFile    FileKind = "mask"        // a mask of the slide: tissue, or what is none
	PlacesFile  FileKind = "places"      // where patches lie, without features
)

// KindOf says by its content what a file states of the patches of a slide. A mask is a picture of
// the slide's shape with few colours; without a slide, nil, no picture is one. A file of features
// with places is a bag, and OtherFile. What is read is reserved in the Memory of ctx, which ends
// it; files that do not fit are OtherFile.
func KindOf(ctx context.Context, file string, data []byte, s *slide.Slide) FileKind {
	if annotation.IsPicture(data) {
		if s == nil {
			return OtherFile
		}
		area, err := annotation.ReadArea(ctx, file, data)
		if err != nil {
			return OtherFile
		}
		on, err := Options{}.ground(file, s)
		if err != nil {
			return OtherFile
		}
		if _, err := area.Mask(on, 1); err != nil {
			return OtherFile
		}
		return MaskFile
	}
	if _, err := annotation.ReadIn(ctx, file, data); err == nil {
		return Annotations
	}
	o := bagio.Options{SlideMPP: 1, Limits: bagio.LimitsIn(quota.MemoryOf(ctx))}
	places, err := bagio.ReadPlaces(file, data, o)
	if err != nil {
		return OtherFile
	}
	if set, err := bagio.Read(file, data, o); err == nil {
		if bag, err := set.Bag(0); err == nil && hasFeatures(bag, places.Boxes) {
			return OtherFile
		}
	}
	return PlacesFile
}

// hasFeatures reports whether a bag of a file with these places has others than places. A table of
// places alone is read as one of features: of x and y, and then has no boxes, or of the width and
// the height of each box.
func hasFeatures(bag *core.Bag, boxes []image.Rectangle) bool {
	if bag.Boxes == nil {
		return false
	}
	if len(bag.Values) != 2*len(boxes) {
		return true
	}
	for i, box := range boxes {
		if bag.Values[2*i] != float32(box.Dx()) || bag.Values[2*i+1] != float32(box.Dy()) {
			return true
		}
	}
	return false
}
