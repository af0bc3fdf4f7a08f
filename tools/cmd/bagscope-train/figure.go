package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/train/figure"
)

// figureCommand holds the flags of figure.
type figureCommand struct {
	kind    string
	out     string
	k       int       // instances of the bag
	pairs   []string  // ALPHA:BETA
	alphas  []float64 // between 0 and 1
	most    float64   // largest beta
	model   cli.ModelFlags
	bags    cli.BagFlags
	methods cli.MethodFlags
	index   int
}

// The kinds of figures.
const (
	kindCurve = "curve"
	kindSize  = "size"
	kindBag   = "bag"
)

// newFigure returns the command that draws figures of MILLI's sampler or of an explained bag.
func newFigure() *cobra.Command {
	f := &figureCommand{}
	c := cli.Command("figure", "Draw the paper's figures as SVG or PNG", f.run)
	// Each flag names the kinds of figures to which it applies.
	s := c.Flags()
	s.StringVar(&f.kind, "kind", "", "curve: MILLI's probability against rank; size: the "+
		"expected coalition size against beta; bag: a bag with its explanations")
	s.StringVar(&f.out, "out", "", "file to write, .svg or .png")
	s.IntVar(&f.k, "k", 30, "curve and size: number of instances of the bag")
	s.StringSliceVar(&f.pairs, "pairs", []string{".05:-5", ".05:-.1", ".05:-.01", ".05:.01",
		".05:.1", ".3:.01", ".95:.01"}, "curve: the pairs ALPHA:BETA to draw")
	s.Float64SliceVar(&f.alphas, "alphas", []float64{.008, .05, .2, .35, .5},
		"size: values of alpha; alpha and 1 - alpha share a line")
	s.Float64Var(&f.most, "most", 1, "size: largest beta; the axis goes from -MOST to MOST")
	// The flags of the model, the bag and the methods apply to the kind bag only.
	f.model.Register(c)
	f.bags.Register(c, "bag", cli.BagUsage)
	f.methods.Register(c, "inherent,milli,consensus")
	cli.IndexFlag(c, &f.index)
	return c
}

// run draws the figure of the kind that --kind names.
func (f *figureCommand) run(c *cobra.Command) error {
	// All flags are validated before anything is computed.
	if err := cli.Require(c, "kind", "out"); err != nil {
		return err
	}
	// The ending is checked before minutes of computation.
	if _, err := figure.Format(f.out); err != nil {
		return cli.Usagef("--out: %v", err)
	}
	// The sampling curve needs two ranks. The upper bound limits the time.
	if f.k < 2 || f.k > 100_000 {
		return cli.Usagef("--k must be between 2 and 100000, got %d", f.k)
	}
	var drawn *figure.Figure
	var err error
	switch f.kind {
	case kindCurve:
		drawn, err = f.curve()
	case kindSize:
		if err := checkAlphas(f.alphas); err != nil {
			return err
		}
		if !(f.most > 0 && f.most <= 100) {
			return cli.Usagef("--most must be above 0 and at most 100, got %g", f.most)
		}
		drawn, err = figure.Size(f.k, f.most, f.alphas)
	case kindBag:
		drawn, err = f.bag(c)
	default:
		return cli.Usagef("--kind %q is unknown; use one of curve, size, bag", f.kind)
	}
	if err != nil {
		return err
	}
	return writeFigure(f.out, drawn)
}

// checkAlphas returns a usage error unless every alpha is a probability between 0 and 1. At 0 or 1
// MILLI's sampling curve is not defined. The condition also rejects NaN.
func checkAlphas(alphas []float64) error {
	for _, alpha := range alphas {
		if !(alpha > 0 && alpha < 1) {
			return cli.Usagef("--alphas must be between 0 and 1, got %g", alpha)
		}
	}
	return nil
}

// curve draws MILLI's probability of an instance against its rank, for each pair of alpha and beta.
func (f *figureCommand) curve() (*figure.Figure, error) {
	if len(f.pairs) == 0 {
		return nil, cli.Usagef("--pairs is empty; give one or more ALPHA:BETA, for example .05:-1")
	}
	var curves []methods.MILLICurve
	for _, pair := range f.pairs {
		a, b, ok := strings.Cut(pair, ":")
		alpha, errA := strconv.ParseFloat(a, 64)
		beta, errB := strconv.ParseFloat(b, 64)
		// The conditions also reject NaN.
		if !ok || errA != nil || errB != nil || !(alpha > 0 && alpha < 1) ||
			!(beta >= -1000 && beta <= 1000) {
			return nil, cli.Usagef("--pairs %q is not of the form ALPHA:BETA with alpha between "+
				"0 and 1, for example .05:-1", pair)
		}
		// Each pair is one line of the figure.
		curves = append(curves, methods.MILLICurve{Alpha: alpha, Beta: beta})
	}
	return figure.Curve(f.k, curves)
}

// writeFigure writes a figure to a file. The extension of the name selects the format.
func writeFigure(name string, f *figure.Figure) error {
	format, err := figure.Format(name)
	if err != nil {
		return err
	}
	return cli.WriteFile(name, func(w io.Writer) error {
		if err := f.Write(w, format); err != nil {
			return fmt.Errorf("the figure cannot be drawn: %w", err)
		}
		return nil
	})
}
