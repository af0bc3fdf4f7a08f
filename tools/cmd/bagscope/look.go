package main

import (
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// lookFlags say how pictures and maps are coloured.
type lookFlags struct {
	colours string // palette, as draw.Options.Colours
	given   string // --scale: a number, or the folder of a cohort's results
	scale   float64
	cohort  bool // scale is that of a cohort
}

// register adds the flags to a command.
func (f *lookFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.colours, "colours", draw.Palettes[0], "colours for and against a class "+
		"in pictures: "+strings.Join(draw.Palettes, " or "))
	c.Flags().StringVar(&f.given, "scale", "", "the score that has the strongest colour in "+
		"pictures, in its unit, so that those of several bags can be compared; or the folder of "+
		"results of bagscope cohort, for the scale of all its bags (default: the size of the "+
		"bag's decision, or its largest score)")
}

// check returns an error for a palette that does not exist and a scale that is none. A folder of a
// cohort has the scale of a model, by the name of its file, and of a method.
func (f *lookFlags) check(model, method string) error {
	number, err := strconv.ParseFloat(f.given, 64)
	switch {
	case f.given == "":
	case err == nil && !(number >= 0 && !math.IsInf(number, 0)):
		return cli.Usagef("--scale must be a number above 0; omit it for the size of the decision")
	case err == nil:
		f.scale = number
	default:
		f.cohort = true
		if f.scale, err = cohortScale(f.given, model, method); err != nil {
			return err
		}
	}
	return draw.CheckColours(f.colours)
}

// options returns the options with what the flags say.
func (f lookFlags) options(o draw.Options) draw.Options {
	o.Colours, o.Strongest = f.colours, f.scale
	if f.cohort {
		o.StrongestFrom = "as in the cohort"
	}
	return o
}
