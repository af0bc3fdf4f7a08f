package draw

import (
	"image"

	"github.com/bagscope/bagscope/core"
)

// Auto draws a bag as an Overlay if it was cut from the given picture, as a Strip if its instances
// are pictures (shape [h w], [1 h w], [3 h w], [h w 1] or [h w 3], sides of four pixels or more),
// as a Map if its instances have coordinates, else as Bars. picture and report may be nil. Errors
// are those of the selected function.
func Auto(bag *core.Bag, picture image.Image, report *core.Report, o Options) (*Scene, error) {
	if err := bag.Validate(); err != nil {
		return nil, err
	}
	if picture != nil && bag.Boxes != nil {
		return Overlay(bag, picture, report, o)
	}
	if _, ok := newThumbs(bag); ok {
		return Strip(bag, report, o)
	}
	if bag.Boxes != nil {
		return Map(bag, report, o)
	}
	return Bars(bag, report, o)
}
