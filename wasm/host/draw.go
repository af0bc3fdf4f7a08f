package host

import (
	"bytes"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/wasm/wire"
)

// draw draws a bag with its explanations, if the request has any.
func (h *Host) draw(r wire.Draw) (any, error) {
	s, err := h.scene(r)
	if err != nil {
		return nil, err
	}
	return drawn(s), nil
}

// writePNG writes a drawing as a PNG file.
func (h *Host) writePNG(r wire.WritePNG) (any, error) {
	s, err := h.scene(r.Draw)
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	err = s.EncodePNG(&file)
	return wire.PNG{Bytes: file.Bytes()}, err
}

// scene returns the scene of a request. The kind "" is the one that suits the bag.
func (h *Host) scene(r wire.Draw) (*draw.Scene, error) {
	b, report, o, err := h.drawing(r, h.drawnBag)
	if err != nil {
		return nil, err
	}
	o.Words = r.Look.Words
	switch r.Look.Kind {
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
		Reason: msg.Sprintf("%q is not one of strip, overlay, map, bars", r.Look.Kind)}
}

// drawing returns the bag of a request, which open returns by its handle, its report, nil if it has
// none, and how it is drawn.
func (h *Host) drawing(
	r wire.Draw, open func(handle int) (*heldBag, error),
) (*heldBag, *core.Report, draw.Options, error) {
	l := r.Look
	o := draw.Options{Method: l.Method, ClassNames: l.ClassNames, NameWidth: l.NameWidth,
		Width: l.Width, Cell: l.Cell, Height: l.Height, Scale: l.Scale, Dark: l.Dark,
		Colours: l.Colours, PerClass: l.PerClass, Strongest: l.Strongest,
		Top: l.Top, Discount: l.Discount, Opacity: l.Opacity, Sorted: l.Sorted}
	if l.Order != nil {
		o.Order = append([]int{}, *l.Order...)
	}
	if l.Classes != nil {
		o.Classes = append([]int{}, *l.Classes...) // an empty list draws no class
	}
	b, err := open(r.Bag)
	if err != nil {
		return nil, nil, o, err
	}
	var report *core.Report
	if r.Report != nil {
		if report, err = reportOf(*r.Report, b.bag); err != nil {
			return nil, nil, o, err
		}
		o.Removed = others(r.Report.Instances, b.bag.Len())
	}
	if l.Removed != nil {
		o.Removed = *l.Removed
	}
	return b, report, o, nil
}

// reportOf returns the report of a request about a bag. It checks the lists, which come from the
// client and must have an entry for each of the instances.
func reportOf(r wire.Report, bag *core.Bag) (*core.Report, error) {
	if err := inRange("instances", r.Instances, bag.Len()); err != nil {
		return nil, err
	}
	out := &core.Report{Prediction: r.Prediction}
	for _, a := range r.Explanations {
		e := core.Explanation{Method: a.Method, Class: a.Class, Scores: a.Scores,
			Unit: core.Unit(a.Unit), Neutral: a.Neutral, Evident: a.Evident,
			Notes: a.Notes}
		if a.Stderr != nil {
			e.StdErr = *a.Stderr
		}
		k := len(r.Instances)
		if len(e.Scores) != k || e.Evident != nil && len(e.Evident) != k ||
			e.StdErr != nil && len(e.StdErr) != k {
			return nil, &core.SettingError{Setting: "report",
				Reason: "its lists must have an entry for each of its instances"}
		}
		if a.Class < 0 {
			return nil, &core.SettingError{Setting: "class", Reason: "must not be negative"}
		}
		out.Explanations = append(out.Explanations, e)
	}
	return out, nil
}

// drawn returns the message of a scene.
func drawn(s *draw.Scene) wire.Drawn {
	out := wire.Drawn{Width: s.Width, Height: s.Height, Scale: s.Scale}
	// Cells tell the page which instance is under the pointer.
	for _, c := range s.Cells {
		cell := wire.Cell{Instance: c.Instance, X: c.Rect.Min.X, Y: c.Rect.Min.Y,
			Width: c.Rect.Dx(), Height: c.Rect.Dy()}
		if c.Class != draw.OwnCell {
			cell.Class = &c.Class
		}
		out.Cells = append(out.Cells, cell)
	}
	for _, n := range s.Names {
		out.Names = append(out.Names, wire.Name{Class: n.Class, Above: n.Above, X: n.Rect.Min.X,
			Y: n.Rect.Min.Y, Width: n.Rect.Dx(), Height: n.Rect.Dy()})
	}
	n := len(s.Marks)
	out.Kinds, out.Places = make([]byte, 0, n), make([]float32, 0, 4*n)
	out.Colours, out.Opacities = make([]byte, 0, 3*n), make([]float32, 0, n)
	for i := range s.Marks {
		m := &s.Marks[i]
		out.Kinds = append(out.Kinds, byte(m.Kind))
		out.Places = append(out.Places, float32(m.Rect.Min.X), float32(m.Rect.Min.Y),
			float32(m.Rect.Dx()), float32(m.Rect.Dy()))
		out.Colours = append(out.Colours, m.Colour.R, m.Colour.G, m.Colour.B)
		out.Opacities = append(out.Opacities, float32(m.Opacity))
		switch m.Kind {
		case draw.Text:
			out.Texts = append(out.Texts, m.Text)
		case draw.Pixels:
			out.RGBA = s.AppendRGBA(out.RGBA, m)
		}
	}
	return out
}
