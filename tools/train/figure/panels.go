package figure

import (
	"image"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Panel is a picture with a title above it.
type Panel struct {
	Title   string
	Picture image.Image
}

// The layout of panels.
const (
	panelWidth = 16 * vg.Centimeter
	panelTitle = 16 // height of a title in points
	panelGap   = 8  // distance of panels in points
)

// Panels arranges pictures in rows with the given number of columns, and scales each to the width
// of its column.
func Panels(panels []Panel, columns int) *Figure {
	columns = min(max(columns, 1), max(len(panels), 1))
	width := (panelWidth - vg.Length(columns-1)*panelGap) / vg.Length(columns)
	// All panels of a row have the height of the highest one.
	heights := make([]vg.Length, (len(panels)+columns-1)/columns) // height of each row
	for i, p := range panels {
		heights[i/columns] = max(heights[i/columns], scaledHeight(p.Picture, width))
	}
	f := &Figure{Width: panelWidth}
	for _, h := range heights {
		f.Height += h + panelTitle + panelGap
	}
	f.Draw = func(c draw.Canvas) {
		style := text.Style{Font: font.From(plot.DefaultFont, vg.Points(10)),
			Handler: plot.DefaultTextHandler, YAlign: text.YTop}
		top := c.Max.Y
		for i, p := range panels {
			if i > 0 && i%columns == 0 {
				top -= heights[i/columns-1] + panelTitle + panelGap
			}
			left := c.Min.X + vg.Length(i%columns)*(width+panelGap)
			c.FillText(style, vg.Point{X: left, Y: top - vg.Points(2)}, p.Title)
			bottom := top - panelTitle - scaledHeight(p.Picture, width)
			c.DrawImage(vg.Rectangle{Min: vg.Point{X: left, Y: bottom},
				Max: vg.Point{X: left + width, Y: top - panelTitle}}, p.Picture)
		}
	}
	return f
}

// scaledHeight returns the height of a picture that is scaled to a width.
func scaledHeight(p image.Image, width vg.Length) vg.Length {
	size := p.Bounds().Size()
	return width * vg.Length(size.Y) / vg.Length(max(size.X, 1))
}
