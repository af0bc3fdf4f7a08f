package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/figure"
)

// lines draws each method against n, the number of coalitions. A method without n is a point at its
// number of model evaluations if it samples coalitions, and otherwise a horizontal line.
func (o *samplesJSON) lines(info metric.Info) (*figure.Figure, error) {
	var lines, levels []figure.Line // levels are horizontal
	// lo and hi are the ends of the axis.
	lo, hi := math.Inf(1), 0.
	for _, m := range o.Methods {
		// The legend shows the titles of the methods.
		l := figure.Line{Name: m.Title}
		sizes := m.Sizes
		if m.Fixed {
			l.Name, sizes = fmt.Sprintf("%s (%.0f)", m.Title, float64(sizes[0].Evaluations)),
				sizes[:1]
		}
		for _, s := range sizes {
			l.X, l.Y, l.Error = append(l.X, float64(s.Samples)), append(l.Y, float64(s.Mean)),
				append(l.Error, float64(s.SEM))
			lo, hi = min(lo, float64(s.Samples)), max(hi, float64(s.Samples))
		}
		switch {
		case !m.Fixed:
			lines = append(lines, l)
		case drawsItsOwn(m.Method):
			l.X[0] = float64(sizes[0].Evaluations)
			lo, hi = min(lo, l.X[0]), max(hi, l.X[0])
			lines = append(lines, l)
		default:
			l.Level = true
			levels = append(levels, l)
		}
	}
	// Horizontal lines are drawn last, because they span the whole axis.
	if lo == hi { // a line needs two ends
		lo, hi = lo/2, 2*hi
	}
	for i := range levels {
		l := &levels[i]
		l.X, l.Y, l.Error = []float64{lo, hi}, []float64{l.Y[0], l.Y[0]}, nil
	}
	x := "number of coalitions, n"
	if slices.ContainsFunc(o.Methods, func(m sizesJSON) bool { return m.Fixed }) {
		x += "\n(in brackets: model evaluations of methods without n)"
	}
	// The axis is logarithmic, because sizes grow by factors.
	return figure.Lines(figure.Axes{
		Title: fmt.Sprintf("%s, %s", info.Title, o.sweptOver), X: x, Y: info.Title, Log: true,
		Marked: true,
	}, append(lines, levels...))
}

// drawsItsOwn reports whether a method without the option samples still samples coalitions.
func drawsItsOwn(method string) bool {
	// Such a method chooses its number of coalitions from the size of the bag.
	methods, err := methods.New([]string{method}, methods.Options{})
	return err == nil && slices.ContainsFunc(methods[0].Settings(dataset.SmallestBag),
		func(s core.Setting) bool { return s.Name == "samples" })
}
