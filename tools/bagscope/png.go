package main

import (
	"github.com/bagscope/bagscope/core/draw"
)

// png draws the bag with the report's first method into a file, at twice the size that a page would
// use, so that it is sharp in print.
func (x *explained) png(name string) error {
	picture, err := draw.Auto(x.bag, x.set.Picture(x.index), x.report, draw.Options{ClassNames: x.classes, Scale: 2})
	if err != nil {
		return err
	}
	return writeFile(name, picture.EncodePNG)
}
