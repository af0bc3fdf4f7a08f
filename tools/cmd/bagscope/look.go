package main

import (
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/draw/glyphs"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// lookFlags say how pictures and maps are coloured.
type lookFlags struct {
	colours string // palette, as draw.Options.Colours
	given   string // --scale: a number, or the folder of a cohort's results
	scale   float64
	cohort  bool   // scale is that of a cohort
	font    string // file of letters, "" for none
	letters *glyphs.Font
}

// register adds the flags to a command.
func (f *lookFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.colours, "colours", draw.Palettes[0], "colours for and against a class "+
		"in pictures: "+strings.Join(draw.Palettes, " or "))
	c.Flags().StringVar(&f.given, "scale", "", "the score that has the strongest colour in "+
		"pictures, in its unit, so that those of several bags can be compared; or the folder of "+
		"results of bagscope cohort, for the scale of all its bags (default: the size of the "+
		"bag's decision, or its largest score)")
	c.Flags().StringVar(&f.font, "font", "", "font file (.ttf, .otf) for letters of names that "+
		"pictures lack: they have Latin, Greek and Cyrillic ones")
}

// check returns an error for a palette that does not exist and a scale that is none. A folder of a
// cohort has the scale of a model, by the name of its file, and of a method.
func (f *lookFlags) check(ctx context.Context, model, method string) error {
	if err := f.readFont(ctx); err != nil {
		return err
	}
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

// readFont reads the file of letters.
func (f *lookFlags) readFont(ctx context.Context) error {
	if f.letters = glyphs.GoMono(); f.font == "" {
		return nil
	}
	file, err := cli.ReadFile(ctx, f.font)
	if err != nil {
		return err
	}
	if f.letters, err = glyphs.New(file); err != nil {
		return msg.Errorf("--font %s: %w", f.font, err)
	}
	return nil
}

// options returns the options with what the flags say.
func (f lookFlags) options(o draw.Options) draw.Options {
	o.Colours, o.Strongest, o.Letters = f.colours, f.scale, f.letters
	if f.cohort {
		o.StrongestFrom = "as in the cohort"
	}
	return o
}
