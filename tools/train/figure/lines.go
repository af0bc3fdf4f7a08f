package figure

import (
	"errors"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Axes holds the titles and kinds of a chart's axes.
type Axes struct {
	Title, X, Y string
	Log         bool // X is logarithmic
	Marked      bool // points have marks
}

// Lines draws lines in one chart with a legend. It omits points that are not finite.
//
// Errors: no finite point in any line; lists of unequal lengths; a point at or below zero on a
// logarithmic axis; a level line without exactly two finite points.
func Lines(a Axes, lines []Line) (*Figure, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = a.Title, a.X, a.Y
	p.X.Tick.Marker, p.Y.Tick.Marker = roundTicks{}, roundTicks{}
	if a.Log {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	p.Add(plotter.NewGrid())
	var levels []Line
	// Lines with Beside share the number, and so the hue, of the line before.
	n, empty := -1, true
	for _, l := range lines {
		if !l.Beside {
			n++
		}
		points, deviations, err := l.finite(a.Log)
		if err != nil {
			return nil, err
		}
		if len(points) == 0 {
			continue
		}
		empty = false
		if l.Level {
			levels = append(levels, l)
		} else if err := l.add(p, max(n, 0), a.Marked, points, deviations); err != nil {
			return nil, err
		}
	}
	if empty {
		return nil, errors.New("none of the lines has a finite point")
	}
	if err := addLevels(p, levels); err != nil {
		return nil, err
	}
	// The plot widens an empty range by 1 to each side, which a logarithm cannot show.
	if a.Log && p.X.Min == p.X.Max {
		p.X.Min, p.X.Max = p.X.Min/2, 2*p.X.Max
	}
	return withLegend(p), nil
}

// legendWidth is wide enough for "α = 0.008, β = -0.01".
const legendWidth = 5 * vg.Centimeter

// withLegend moves the legend to the right of the plot, so that it covers no line.
func withLegend(p *plot.Plot) *Figure {
	legend := p.Legend
	legend.Left, legend.Top, legend.Padding = true, true, vg.Points(2)
	p.Legend = plot.NewLegend()
	f := plotted(p)
	f.Width += legendWidth
	// The legend has its own strip at the right; gonum would draw it over the lines.
	f.Draw = func(c draw.Canvas) {
		right := c.Max.X - legendWidth
		p.Draw(draw.Crop(c, 0, right-c.Max.X, 0, 0))
		legend.Draw(draw.Crop(c, right-c.Min.X+vg.Points(8), 0, 0, -vg.Points(30)))
	}
	return f
}
