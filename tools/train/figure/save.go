package figure

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Figure is a drawing of a fixed size. Write draws it.
type Figure struct {
	Width, Height vg.Length
	Draw          func(c draw.Canvas)
}

// dpi is the resolution of PNG files; 200 is sharp in print.
const dpi = 200

// Format returns the format of a file's name, "svg" or "png". Another ending is an error.
func Format(name string) (string, error) {
	switch ending := strings.ToLower(filepath.Ext(name)); ending {
	case ".svg", ".png":
		return ending[1:], nil
	default:
		return "", fmt.Errorf("%s must end in .svg or .png", name)
	}
}

// Write draws the figure and writes it in the format "svg" or "png".
func (f *Figure) Write(w io.Writer, format string) error {
	if f.Width <= 0 || f.Height <= 0 {
		return errors.New("there is nothing to draw")
	}
	var canvas interface {
		vg.CanvasSizer
		io.WriterTo
	}
	switch format {
	case "svg":
		canvas = vgsvg.New(f.Width, f.Height)
	case "png":
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(f.Width, f.Height),
			vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))}
	default:
		return fmt.Errorf("the format %q is unknown; use svg or png", format)
	}
	f.Draw(draw.New(canvas))
	_, err := canvas.WriteTo(w)
	return err
}

// plotted returns a figure of the plot, in a size of which two are as wide as a page.
func plotted(p *plot.Plot) *Figure {
	return &Figure{Width: 16 * vg.Centimeter, Height: 11 * vg.Centimeter, Draw: p.Draw}
}
