package figure

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// hues are those of Okabe and Ito without the yellow, which is pale on white.
var hues = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
	{86, 180, 233, 255}, {230, 159, 0, 255}, {0, 0, 0, 255},
}

// dashes alternate, so that lines differ in print without colour.
var dashes = [][]vg.Length{nil, {vg.Points(5), vg.Points(2)}, {vg.Points(1.5), vg.Points(1.5)}}

// marks are the shapes of points.
var marks = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{},
	draw.CrossGlyph{}, draw.RingGlyph{}, draw.PlusGlyph{}, draw.PyramidGlyph{}}

// A Line is a named list of points.
type Line struct {
	Name  string
	X, Y  []float64
	Error []float64 // standard error of each Y, or nil
	Level bool      // a constant: two points, drawn as a thin line with the name at its end
	// Beside draws only the points, in the hue of the previous line and without a name. They show
	// another form of that line.
	Beside bool
}

// add draws line n of a chart with its error bars, and adds it to the legend.
func (l *Line) add(
	p *plot.Plot, n int, marked bool, points plotter.XYs, deviations plotter.YErrors,
) error {
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	hue := hues[n%len(hues)]
	line.Color, line.Dashes, line.Width = hue, dashes[n%len(dashes)], vg.Points(1.2)
	dots, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: hue, Radius: vg.Points(2.2),
		Shape: marks[n%len(marks)]}
	switch {
	case l.Beside:
		dots.Radius, dots.Shape = vg.Points(1.8), draw.CircleGlyph{}
		p.Add(dots)
		return nil
	case !marked:
		p.Add(line)
		p.Legend.Add(l.Name, line)
		return nil
	case len(points) > 1:
		p.Legend.Add(l.Name, line, dots)
	default: // a single point needs a larger mark
		dots.Radius, dots.Shape = vg.Points(4), draw.CircleGlyph{}
		p.Legend.Add(l.Name, dots)
	}
	p.Add(line, dots)
	if deviations == nil {
		return nil
	}
	bars, err := plotter.NewYErrorBars(struct {
		plotter.XYs
		plotter.YErrors
	}{points, deviations})
	if err != nil {
		return err
	}
	bars.Color, bars.Width = hue, vg.Points(.6)
	p.Add(bars)
	return nil
}

// finite returns the finite points with their errors. It returns an error for lists of unequal
// lengths, for points that a logarithmic axis cannot show, and for a level line without two points.
func (l *Line) finite(logarithmic bool) (plotter.XYs, plotter.YErrors, error) {
	if len(l.X) != len(l.Y) || l.Error != nil && len(l.Error) != len(l.Y) {
		return nil, nil, fmt.Errorf(
			"the line %q has %d x values, %d y values and %d errors, which must be equal in number",
			l.Name, len(l.X), len(l.Y), len(l.Error))
	}
	var points plotter.XYs
	var deviations plotter.YErrors
	for i, y := range l.Y {
		if y-y != 0 || l.X[i]-l.X[i] != 0 { // NaN or infinite
			continue
		}
		if logarithmic && l.X[i] <= 0 {
			return nil, nil, fmt.Errorf(
				"the line %q has a point at %g, but a logarithmic axis needs positive values",
				l.Name, l.X[i])
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
	if l.Level && len(points) == 1 || l.Level && len(l.X) > 2 {
		return nil, nil, fmt.Errorf(
			"the level line %q needs two finite points, got %d with %d finite", l.Name, len(l.X),
			len(points))
	}
	return points, deviations, nil
}
