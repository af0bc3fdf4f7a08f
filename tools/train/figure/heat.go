package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"

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
	Values  []float64 // (y, x); NaN for a pair without a value
	BestX   int       // index in XS of the pair to frame
	BestY   int       // index in YS of the pair to frame
	Decimal int       // number of decimals of a value
}

// cells implements plotter.GridXYZ. Cells have equal size, whatever the distances of settings are.
type cells struct{ grid *Grid }

// Dims, Z, X and Y implement plotter.GridXYZ.
func (c cells) Dims() (columns, rows int) { return len(c.grid.XS), len(c.grid.YS) }
func (c cells) Z(column, row int) float64 { return c.grid.Values[row*len(c.grid.XS)+column] }
func (c cells) X(column int) float64      { return float64(column) }
func (c cells) Y(row int) float64         { return float64(row) }

// blues go from dark to light in one hue, so that only lightness encodes values.
var blues = []color.Color{color.RGBA{8, 29, 88, 255}, color.RGBA{33, 113, 181, 255},
	color.RGBA{107, 174, 214, 255}, color.RGBA{247, 251, 255, 255}}

// check returns an error unless each pair has a value and the best pair exists.
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

// Heat draws a grid with the value in each cell and a frame around the best cell. It returns an
// error for a grid whose lists have inconsistent lengths.
func Heat(g *Grid) (*Figure, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = g.Title, g.X, g.Y
	p.X.Tick.Marker, p.Y.Tick.Marker = settingTicks(g.XS), settingTicks(g.YS)
	lo, hi := g.valueRange()
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

// valueRange returns a range of positive length that contains all values, because a palette needs
// one even for one value or none.
func (g *Grid) valueRange() (lo, hi float64) {
	values := slices.DeleteFunc(slices.Clone(g.Values), math.IsNaN)
	if len(values) == 0 {
		return 0, 1
	}
	lo, hi = slices.Min(values), slices.Max(values)
	if lo == hi {
		return lo - 1, lo + 1
	}
	return lo, hi
}

// label writes each value into its cell, in white on dark cells and in black on light ones.
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
		ink := color.Color(color.Black)
		if light {
			ink = color.White
		}
		labels, err := styled(at, text.XCenter, 7, ink)
		if err != nil {
			return err
		}
		p.Add(labels)
	}
	return nil
}

// styled returns labels at the middle height of their points, with a font size in points.
func styled(
	at plotter.XYLabels, align text.XAlignment, size float64, ink color.Color,
) (*plotter.Labels, error) {
	labels, err := plotter.NewLabels(at)
	if err != nil {
		return nil, err
	}
	for i := range labels.TextStyle {
		s := &labels.TextStyle[i]
		s.XAlign, s.YAlign, s.Font.Size, s.Color = align, text.YCenter, vg.Points(size), ink
	}
	return labels, nil
}

// settingTicks labels cells with their settings.
func settingTicks(values []float64) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for i, v := range values {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: fmt.Sprintf("%g", v)})
	}
	return ticks
}
