package host

import (
	"bytes"
	"time"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/dicom"
	"github.com/bagscope/bagscope/core/dicomout"
	"github.com/bagscope/bagscope/wasm/wire"
)

// writeDICOM writes an explanation as a DICOM file.
func (h *Host) writeDICOM(r wire.WriteDICOM) (any, error) {
	b, err := h.bag(r.Bag)
	if err != nil {
		return nil, err
	}
	report, err := reportOf(r.Report, b.bag)
	if err != nil {
		return nil, err
	}
	o := dicomout.Options{Classes: r.ClassNames, Class: r.Class, Instances: r.Report.Instances,
		Top: r.Top, Colours: r.Colours, Software: h.config.Version,
		Time: time.Unix(int64(r.Seconds), 0).UTC()}
	if len(r.Identifiers) > 0 {
		o.Identifiers, o.Study, err = dicom.Identifiers("the file of identifiers",
			bytes.NewReader(r.Identifiers), int64(len(r.Identifiers)), dicom.Options{})
		if err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	err = dicomout.Write(&out, r.Form, b.bag, report, o)
	return wire.DICOMFile{Bytes: out.Bytes()}, err
}

// slicesOf returns where the slices of a bag lie, or nil for a bag that is of no volume.
func slicesOf(bag *core.Bag) *wire.Slices {
	if len(bag.Slices) == 0 {
		return nil
	}
	first := bag.Slices[0]
	out := &wire.Slices{RowSpacing: first.Spacing.Rows, ColumnSpacing: first.Spacing.Columns,
		Thickness: first.Thickness, WindowCentre: first.Window.Centre,
		WindowWidth: first.Window.Width}
	if !first.Placed {
		return out
	}
	out.Rows, out.Across = first.Place.Rows[:], first.Place.Across[:]
	for _, s := range bag.Slices {
		if !s.Placed {
			out.Positions = nil
			break
		}
		out.Positions = append(out.Positions, s.Place.Along(first.Place))
	}
	return out
}
