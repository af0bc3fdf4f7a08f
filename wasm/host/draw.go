package host

import (
	"bytes"
	"fmt"
	"image"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/wasm/wire"
)

// draw draws a bag with its explanations, if the request has any.
func (h *Host) draw(r wire.Draw) (any, error) {
	b, err := h.bag(r.Bag)
	if err != nil {
		return nil, err
	}
	report, o := drawing(r)
	p, err := drawKind(r.Kind, b, report, o)
	if err != nil {
		return nil, err
	}
	out := wire.Drawn{Width: p.Bounds().Dx(), Height: p.Bounds().Dy(), RGBA: p.Pix}
	// Cells tell the page which instance is under the pointer.
	for _, c := range p.Cells {
		cell := wire.Cell{Instance: c.Instance, X: c.Rect.Min.X, Y: c.Rect.Min.Y,
			Width: c.Rect.Dx(), Height: c.Rect.Dy()}
		if c.Class != draw.OwnCell {
			cell.Class = &c.Class
		}
		out.Cells = append(out.Cells, cell)
	}
	return out, nil
}

// drawing returns the explanations of a request, nil if it has none, and the options.
func drawing(r wire.Draw) (*core.Report, draw.Options) {
	var report *core.Report
	if r.Shown != nil {
		// An empty list of evident scores arrives as nil, which draws every score as evidence.
		report = &core.Report{Prediction: r.Prediction,
			Explanations: listOf(*r.Shown, func(s wire.Shown) core.Explanation {
				return core.Explanation{Method: s.Method, Class: s.Class, Scores: s.Scores,
					Unit: core.Unit(s.Unit), Neutral: s.Neutral, Evident: s.Evident}
			})}
	}
	// nil draws all classes, an empty list none.
	var classes []int
	if r.Classes != nil {
		classes = append([]int{}, *r.Classes...)
	}
	return report, draw.Options{
		Width: r.Width, Cell: r.Cell, Scale: r.Scale, Dark: r.Dark,
		Classes: classes, ClassNames: r.ClassNames, PerClass: r.PerClass, Removed: r.Removed,
		Top: r.Top, Discount: r.Discount, Opacity: r.Opacity, Sorted: r.Sorted,
	}
}

// drawKind draws the kind of picture that a request names; "" selects the kind that suits the bag.
func drawKind(kind string, b *heldBag, report *core.Report, o draw.Options) (*draw.Picture, error) {
	switch kind {
	case "":
		return draw.Auto(b.bag, b.picture, report, o)
	case "strip":
		return draw.Strip(b.bag, report, o)
	case "overlay":
		return draw.Overlay(b.bag, b.picture, report, o)
	case "map":
		return draw.Map(b.bag, report, o)
	case "bars":
		return draw.Bars(b.bag, report, o)
	}
	return nil, &core.SettingError{Setting: "kind",
		Reason: msg.Sprintf("%q is not one of strip, overlay, map, bars", kind)}
}

// maxPNGSide bounds a side, so that the product of two sides does not overflow.
const maxPNGSide = 1 << 16

// encodePNG encodes RGBA pixels, four bytes each, as PNG.
func encodePNG(r wire.EncodePNG) (any, error) {
	// The bytes must match the size before they are used as pixels.
	if r.Width <= 0 || r.Height <= 0 || r.Width > maxPNGSide || r.Height > maxPNGSide ||
		len(r.RGBA) != 4*r.Width*r.Height {
		return nil, &core.SettingError{Setting: "rgba",
			Reason: fmt.Sprintf("%d bytes are not an RGBA picture of %d x %d pixels", len(r.RGBA),
				r.Width, r.Height)}
	}
	p := draw.Picture{RGBA: &image.RGBA{Pix: r.RGBA, Stride: 4 * r.Width,
		Rect: image.Rect(0, 0, r.Width, r.Height)}}
	var file bytes.Buffer
	if err := p.EncodePNG(&file); err != nil {
		return nil, err
	}
	return wire.PNG{Bytes: file.Bytes()}, nil
}
