package figure

import (
	"image/color"
	"math"
	"strconv"

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
	Level bool      // one value whatever X is: two points, drawn thin with the name at its end
}

// Axes names what a chart shows.
type Axes struct {
	Title, X, Y string
	Log         bool // X is logarithmic, and above zero
	Marked      bool // points carry marks
}

// Lines draws lines over one another, with a legend. Points that are not finite are left out.
func Lines(a Axes, lines []Line) (*Figure, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = a.Title, a.X, a.Y
	p.X.Tick.Marker, p.Y.Tick.Marker = roundTicks{}, roundTicks{}
	if a.Log {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	p.Add(plotter.NewGrid())
	var levels []Line
	for n, l := range lines {
		hue, dash, mark := hues[n%len(hues)], dashes[n%len(dashes)], marks[n%len(marks)]
		points, errors := l.finite()
		if len(points) == 0 {
			continue
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return nil, err
		}
		line.Color, line.Dashes, line.Width = hue, dash, vg.Points(1.2)
		if l.Level {
			levels = append(levels, l)
			continue
		}
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
		if len(points) > 1 {
			p.Legend.Add(l.Name, line, dots)
		} else { // a point stands alone, and is found by its size
			dots.Radius, dots.Shape = vg.Points(4), draw.CircleGlyph{}
			p.Legend.Add(l.Name, dots)
		}
		if errors != nil {
			bars, err := plotter.NewYErrorBars(struct {
				plotter.XYs
				plotter.YErrors
			}{points, errors})
			if err != nil {
				return nil, err
			}
			bars.Color, bars.Width = hue, vg.Points(.6)
			p.Add(bars)
		}
	}
	if a.Log && p.X.Min == p.X.Max { // the plot would widen it by 1 to either side, to 0 and below
		p.X.Min, p.X.Max = p.X.Min/2, 2*p.X.Max
	}
	if err := addLevels(p, levels); err != nil {
		return nil, err
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

func (l *Line) finite() (plotter.XYs, plotter.YErrors) {
	var points plotter.XYs
	var errors plotter.YErrors
	for i, y := range l.Y {
		if math.IsNaN(y) || math.IsInf(y, 0) {
			continue
		}
		points = append(points, plotter.XY{X: l.X[i], Y: y})
		if l.Error != nil {
			e := l.Error[i]
			if math.IsNaN(e) {
				e = 0
			}
			errors = append(errors, struct{ Low, High float64 }{e, e})
		}
	}
	return points, errors
}

// roundTicks marks about eight round values.
type roundTicks struct{}

func (roundTicks) Ticks(lo, hi float64) []plot.Tick {
	const wanted = 8
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/wanted)))
	for _, factor := range []float64{2, 2.5, 2} { // 2, 5 and 10 times
		if (hi-lo)/step > wanted {
			step *= factor
		}
	}
	var ticks []plot.Tick
	for i := math.Ceil(lo/step-1e-9) + 0; i*step <= hi+1e-9*step; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: strconv.FormatFloat(i*step, 'g', 6, 64)})
	}
	return ticks
}
