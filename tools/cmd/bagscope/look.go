package main

import (
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// lookFlags say how pictures and maps are coloured.
type lookFlags struct {
	colours string  // palette, as draw.Options.Colours
	scale   float64 // see draw.Options.Strongest
}

// register adds the flags to a command.
func (f *lookFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.colours, "colours", draw.Palettes[0], "colours for and against a class "+
		"in pictures: "+strings.Join(draw.Palettes, " or "))
	c.Flags().Float64Var(&f.scale, "scale", 0, "the score that has the strongest colour in "+
		"pictures, in its unit, so that those of several bags can be compared (default: the size "+
		"of the bag's decision, or its largest score)")
}

// check returns an error for a palette that does not exist and a scale that is none.
func (f lookFlags) check() error {
	if !(f.scale >= 0) || math.IsInf(f.scale, 0) {
		return cli.Usagef("--scale must be a number above 0; omit it for the size of the decision")
	}
	return draw.CheckColours(f.colours)
}

// options returns the options with what the flags say.
func (f lookFlags) options(o draw.Options) draw.Options {
	o.Colours, o.Strongest = f.colours, f.scale
	return o
}
