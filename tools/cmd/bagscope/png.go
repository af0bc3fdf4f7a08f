package main

import (
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// png draws the bag with the report's first method into a file, at twice the size that a page would
// use, so that it is sharp in print.
func (x explained) png(name string) error {
	// A page shows a pixel of the drawing as one pixel of the screen.
	picture, err := draw.Auto(x.Bag, x.Picture, x.Report,
		draw.Options{ClassNames: x.Classes, Scale: 2})
	if err != nil {
		return err
	}
	return cli.WriteFile(name, picture.EncodePNG)
}
