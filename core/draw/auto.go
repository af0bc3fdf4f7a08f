package draw

import (
	"image"

	"github.com/bagscope/bagscope/core"
)

// Auto draws a bag as what it is: an Overlay when it was cut from the picture given, a Strip when its
// instances are pictures themselves (shape [h w], [1 h w], [3 h w], [h w 1] or [h w 3], sides of four pixels
// or more), Bars otherwise. picture and report may be nil. Errors are those of the three.
func Auto(bag *core.Bag, picture image.Image, report *core.Report, o Options) (*Picture, error) {
	if err := bag.Validate(); err != nil {
		return nil, err
	}
	if picture != nil && bag.Boxes != nil {
		return Overlay(bag, picture, report, o)
	}
	if _, ok := newThumbs(bag); ok {
		return Strip(bag, report, o)
	}
	return Bars(bag, report, o)
}
