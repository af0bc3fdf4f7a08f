package ask

import (
	"io"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/dicomout"
	"github.com/bagscope/bagscope/core/geojson"
)

// A Slide is the JSON of core.Slide. Keys of unknown values are absent.
type Slide struct {
	Name          string `json:"name,omitempty"`
	Width         int    `json:"width,omitempty"`
	Height        int    `json:"height,omitempty"`
	Magnification Number `json:"magnification,omitempty"`
	MPP           Number `json:"mpp,omitempty"`
	PatchSize     int    `json:"patch_size,omitempty"`
	Overlap       int    `json:"overlap,omitempty"`
	// Unit is "um" if boxes, PatchSize and Overlap are in micrometres, because MPP is unknown.
	Unit string `json:"unit,omitempty"`
	// Origin is what boxes count from: "canvas", the corner of level 0, or "bounds", that of the
	// part that was scanned, as in QuPath.
	Origin string `json:"origin"`
	// That part, in the words of OpenSlide, if it is known and not all.
	BoundsX      int `json:"bounds_x,omitempty"`
	BoundsY      int `json:"bounds_y,omitempty"`
	BoundsWidth  int `json:"bounds_width,omitempty"`
	BoundsHeight int `json:"bounds_height,omitempty"`
}

// A Box is a rectangle in its picture: x0, y0, x1, y1 in pixels, on a slide those of level 0, or in
// the Unit of the slide. x1 and y1 are outside of it.
type Box [4]int

// slideOf returns the JSON of a slide, or nil for nil.
func slideOf(s *core.Slide) *Slide {
	if s == nil {
		return nil
	}
	origin, _ := s.CountsFrom(core.Canvas)
	out := &Slide{Name: s.Name, Width: s.Width, Height: s.Height,
		Magnification: Number(s.Magnification), MPP: Number(s.MPP), PatchSize: s.PatchSize,
		Overlap: s.Overlap, Unit: s.Unit, Origin: origin}
	if s.BoundsWidth != s.Width || s.BoundsHeight != s.Height {
		out.BoundsX, out.BoundsY = s.BoundsX, s.BoundsY
		out.BoundsWidth, out.BoundsHeight = s.BoundsWidth, s.BoundsHeight
	}
	return out
}

// boxes returns the boxes of a bag's instances, or nil for a bag without places.
func boxes(bag *core.Bag) []Box {
	var out []Box
	_, corner := bag.Slide.CountsFrom(core.Canvas)
	for _, b := range bag.Boxes {
		b = b.Sub(corner)
		out = append(out, Box{b.Min.X, b.Min.Y, b.Max.X, b.Max.Y})
	}
	return out
}

// GeoJSON writes the explanation for QuPath in colours of a palette, "" for the first, see
// geojson.Write. Its classifications are about the class with the largest prediction among those
// that are explained. A bag without places is a *core.BagError, another palette a
// *core.SettingError.
func (x *Explained) GeoJSON(w io.Writer, colours string) error {
	return geojson.Write(w, x.Whole, x.Report, geojson.Options{Classes: x.Classes,
		Instances: x.Instances, Class: x.likeliest(), Colours: colours})
}

// DICOM writes the explanation as a DICOM file of a form, see dicomout.Write, with that package's
// errors. It is about the class that GeoJSON is about. Of o, all but Classes, Class and Instances
// are used.
func (x *Explained) DICOM(w io.Writer, form string, o dicomout.Options) error {
	o.Classes, o.Class, o.Instances = x.Classes, x.likeliest(), x.Instances
	return dicomout.Write(w, form, x.Whole, x.Report, o)
}

// likeliest returns the class with the largest prediction among those that are explained.
func (x *Explained) likeliest() int {
	class := -1
	for i := range x.Report.Explanations {
		c := x.Report.Explanations[i].Class
		if class < 0 || x.Report.Prediction[c] > x.Report.Prediction[class] {
			class = c
		}
	}
	return class
}

// SelectRegions removes the instances outside of annotations of some classes, nil for all. It
// returns a *core.BagError if the bag has no places or no instance is inside.
func (in *Input) SelectRegions(regions []geojson.Region, classes []string) error {
	labels, err := geojson.InsideLabels(in.Whole, regions, classes)
	if err != nil {
		return err
	}
	var inside []int
	for i, label := range labels {
		if label > 0 {
			inside = append(inside, i)
		}
	}
	in.Select(inside)
	return nil
}
