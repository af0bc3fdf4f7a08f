package figure

import (
	"errors"
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// hues are those of Okabe and Ito, the yellow left out: it is pale on white.
var hues = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {86, 180, 233, 255}, {230, 159, 0, 255}, {0, 0, 0, 255},
}

var dashes = [][]vg.Length{nil, {vg.Points(5), vg.Points(2)}, {vg.Points(1.5), vg.Points(1.5)}}

var marks = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.RingGlyph{}, draw.PlusGlyph{}, draw.PyramidGlyph{}}

// A Line is points with their errors, by name.
type Line struct {
	Name  string
	X, Y  []float64
	Error []float64 // of Y, one standard error, or nil
	// Beside draws the points alone, in the hue of the line before and without a name of their own: another form of it.
	Beside bool
}

// Axes names what a chart shows.
type Axes struct {
	Title, X, Y string
	Log         bool // X is logarithmic, and above zero
	Marked      bool // points carry marks
}

// Lines draws lines over one another, with a legend. Points that are not finite are left out. Lines without any point,
// of unequal lists, and a logarithmic axis with a point at or below zero are errors.
func Lines(a Axes, lines []Line) (*Figure, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = a.Title, a.X, a.Y
	p.X.Tick.Marker, p.Y.Tick.Marker = roundTicks{}, roundTicks{}
	if a.Log {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	p.Add(plotter.NewGrid())
	n, empty := -1, true
	for _, l := range lines {
		if !l.Beside {
			n++
		}
		at := max(n, 0)
		hue, dash, mark := hues[at%len(hues)], dashes[at%len(dashes)], marks[at%len(marks)]
		points, deviations, err := l.finite(a.Log)
		if err != nil {
			return nil, err
		}
		if len(points) == 0 {
			continue
		}
		empty = false
		if l.Beside {
			dots, err := plotter.NewScatter(points)
			if err != nil {
				return nil, err
			}
			dots.GlyphStyle = draw.GlyphStyle{Color: hue, Radius: vg.Points(1.8), Shape: draw.CircleGlyph{}}
			p.Add(dots)
			continue
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return nil, err
		}
		line.Color, line.Dashes, line.Width = hue, dash, vg.Points(1.2)
		p.Add(line)
		if !a.Marked {
			p.Legend.Add(l.Name, line)
			continue
		}
		dots, err := plotter.NewScatter(points)
		if err != nil {
			return nil, err
		}
		dots.GlyphStyle = draw.GlyphStyle{Color: hue, Radius: vg.Points(2.2), Shape: mark}
		p.Add(dots)
		p.Legend.Add(l.Name, line, dots)
		if deviations != nil {
			bars, err := plotter.NewYErrorBars(struct {
				plotter.XYs
				plotter.YErrors
			}{points, deviations})
			if err != nil {
				return nil, err
			}
			bars.Color, bars.Width = hue, vg.Points(.6)
			p.Add(bars)
		}
	}
	if empty {
		return nil, errors.New("none of the lines has a point that could be drawn")
	}
	if a.Log && p.X.Min == p.X.Max {
		p.X.Min, p.X.Max = p.X.Min/2, p.X.Max*2
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

// finite returns the points that can be drawn, with their errors.
func (l *Line) finite(logarithmic bool) (plotter.XYs, plotter.YErrors, error) {
	if len(l.X) != len(l.Y) || l.Error != nil && len(l.Error) != len(l.Y) {
		return nil, nil, fmt.Errorf("the line %q has %d places, %d values and %d errors", l.Name, len(l.X), len(l.Y), len(l.Error))
	}
	var points plotter.XYs
	var deviations plotter.YErrors
	for i, y := range l.Y {
		if y-y != 0 || l.X[i]-l.X[i] != 0 { // NaN or infinite
			continue
		}
		if logarithmic && l.X[i] <= 0 {
			return nil, nil, fmt.Errorf("the line %q has a point at %g, which a logarithmic axis has no place for", l.Name, l.X[i])
		}
		points = append(points, plotter.XY{X: l.X[i], Y: y})
		if l.Error != nil {
			e := l.Error[i]
			if e-e != 0 {
				e = 0
			}
			deviations = append(deviations, struct{ Low, High float64 }{e, e})
		}
	}
	return points, deviations, nil
}
