package figure

import (
	"errors"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Axes names what a chart shows.
type Axes struct {
	Title, X, Y string
	Log         bool // X is logarithmic, and above zero
	Marked      bool // points carry marks
}

// Lines draws lines over one another, with a legend. Points that are not finite are left out. Lines
// without any point, of unequal lists, and a logarithmic axis with a point at or below zero are
// errors.
func Lines(a Axes, lines []Line) (*Figure, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = a.Title, a.X, a.Y
	p.X.Tick.Marker, p.Y.Tick.Marker = roundTicks{}, roundTicks{}
	if a.Log {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	p.Add(plotter.NewGrid())
	var levels []Line
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
	if a.Log && p.X.Min == p.X.Max { // the plot would widen it by 1 to either side, to 0 and below
		p.X.Min, p.X.Max = p.X.Min/2, 2*p.X.Max
	}
	return withLegend(p), nil
}

// legendWidth holds "Random LIME" and "α = 0.008, β = -0.01".
const legendWidth = 5 * vg.Centimeter

// withLegend sets the legend beside the plot, where it covers no line.
func withLegend(p *plot.Plot) *Figure {
	legend := p.Legend
	legend.Left, legend.Top, legend.Padding = true, true, vg.Points(2)
	p.Legend = plot.NewLegend()
	f := plotted(p)
	f.Width += legendWidth
	f.Draw = func(c draw.Canvas) {
		right := c.Max.X - legendWidth
		p.Draw(draw.Crop(c, 0, right-c.Max.X, 0, 0))
		legend.Draw(draw.Crop(c, right-c.Min.X+vg.Points(8), 0, 0, -vg.Points(30)))
	}
	return f
}
