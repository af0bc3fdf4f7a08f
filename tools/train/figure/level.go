package figure

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// levelGrey is dark enough to be read as text.
var levelGrey = color.RGBA{70, 70, 70, 255}

// nameGap is the least distance of the names of level lines, as a share of the range of Y: 10
// points of about 220.
const nameGap = 10. / 220

// addLevels draws level lines with their names at the right end. It moves a name up if it would
// overlap the one below.
func addLevels(p *plot.Plot, levels []Line) error {
	// The order by height lets each name only look at the one below.
	slices.SortStableFunc(levels, func(a, b Line) int { return cmp.Compare(a.Y[0], b.Y[0]) })
	for n, l := range levels {
		line, err := plotter.NewLine(plotter.XYs{{X: l.X[0], Y: l.Y[0]}, {X: l.X[1], Y: l.Y[1]}})
		if err != nil {
			return err
		}
		line.Color, line.Dashes, line.Width = levelGrey, dashes[n%len(dashes)], vg.Points(.7)
		p.Add(line)
	}
	var at plotter.XYLabels
	for n, l := range levels {
		y := l.Y[0]
		if n > 0 {
			y = max(y, at.XYs[n-1].Y+nameGap*(p.Y.Max-p.Y.Min))
		}
		at.XYs, at.Labels = append(at.XYs, plotter.XY{X: l.X[1], Y: y}), append(at.Labels, l.Name)
	}
	names, err := styled(at, text.XLeft, 8, levelGrey)
	if err != nil {
		return err
	}
	names.Offset.X = vg.Points(4)
	p.Add(names)
	return nil
}
