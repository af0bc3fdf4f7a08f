package figure

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// A Grid is a value for every pair of settings.
type Grid struct {
	Title   string
	X, Y    string    // names of the settings
	XS, YS  []float64 // their values
	Values  []float64 // (y, x); NaN where there is none
	BestX   int       // the pair that is framed
	BestY   int
	Decimal int // digits behind the point of a value
}

// cells is a grid as a heat map takes it: cells of equal size, whatever lies between the values.
type cells struct{ grid *Grid }

func (c cells) Dims() (columns, rows int) { return len(c.grid.XS), len(c.grid.YS) }
func (c cells) Z(column, row int) float64 { return c.grid.Values[row*len(c.grid.XS)+column] }
func (c cells) X(column int) float64      { return float64(column) }
func (c cells) Y(row int) float64         { return float64(row) }

// blues go from dark to light in one hue: the values lie in lightness alone.
var blues = []color.Color{color.RGBA{8, 29, 88, 255}, color.RGBA{33, 113, 181, 255},
	color.RGBA{107, 174, 214, 255}, color.RGBA{247, 251, 255, 255}}

// check wants a value for every pair, and a pair that is the best.
func (g *Grid) check() error {
	columns, rows := len(g.XS), len(g.YS)
	switch {
	case columns == 0 || rows == 0 || len(g.Values) != columns*rows:
		return fmt.Errorf("a grid of %d by %d settings needs one value each, got %d", columns, rows,
			len(g.Values))
	case g.BestX < 0 || g.BestX >= columns || g.BestY < 0 || g.BestY >= rows:
		return fmt.Errorf("the best cell of a grid of %d by %d settings is outside, at %d, %d",
			columns, rows, g.BestX, g.BestY)
	}
	for _, v := range g.Values {
		if math.IsInf(v, 0) {
			return fmt.Errorf("the grid contains the value %g; all values must be finite", v)
		}
	}
	return nil
}

// Heat draws a grid, each cell with its value, and a frame around the best. A grid that lacks
// values is an error.
func Heat(g *Grid) (*Figure, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = g.Title, g.X, g.Y
	p.X.Tick.Marker, p.Y.Tick.Marker = named(g.XS), named(g.YS)
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range g.Values {
		if !math.IsNaN(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if !(lo < hi) { // one value, or none: a palette needs a range
		lo, hi = lo-1, lo+1
		if math.IsInf(lo, 0) {
			lo, hi = 0, 1
		}
	}
	hue, err := moreland.NewLuminance(blues)
	if err != nil {
		return nil, err
	}
	hue.SetMin(lo)
	hue.SetMax(hi)
	heat := plotter.NewHeatMap(cells{g}, hue.Palette(255))
	heat.Min, heat.Max, heat.NaN = lo, hi, color.White
	p.Add(heat)
	if err := g.label(p, lo, hi); err != nil {
		return nil, err
	}
	x, y := float64(g.BestX), float64(g.BestY)
	frame, err := plotter.NewLine(plotter.XYs{{X: x - .5, Y: y - .5}, {X: x + .5, Y: y - .5},
		{X: x + .5, Y: y + .5}, {X: x - .5, Y: y + .5}, {X: x - .5, Y: y - .5}})
	if err != nil {
		return nil, err
	}
	frame.Width, frame.Color = vg.Points(2.5), hues[1]
	p.Add(frame)
	return plotted(p), nil
}

// label writes each value into its cell, light on dark and dark on light.
func (g *Grid) label(p *plot.Plot, lo, hi float64) error {
	for _, light := range []bool{true, false} {
		var at plotter.XYLabels
		for i, v := range g.Values {
			if math.IsNaN(v) || light != (v < (lo+hi)/2) {
				continue
			}
			at.XYs = append(at.XYs, plotter.XY{X: float64(i % len(g.XS)),
				Y: float64(i / len(g.XS))})
			at.Labels = append(at.Labels, fmt.Sprintf("%.*f", g.Decimal, v))
		}
		labels, err := plotter.NewLabels(at)
		if err != nil {
			return err
		}
		for i := range labels.TextStyle {
			s := &labels.TextStyle[i]
			s.XAlign, s.YAlign, s.Font.Size = text.XCenter, text.YCenter, vg.Points(7)
			if light {
				s.Color = color.White
			}
		}
		p.Add(labels)
	}
	return nil
}

// named marks cells by the settings they stand for.
func named(values []float64) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for i, v := range values {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: fmt.Sprintf("%g", v)})
	}
	return ticks
}
