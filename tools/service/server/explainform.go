package server

import (
	"cmp"
	"io"
	"net/http"
	"time"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/dicomout"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// Content types of explanations beside JSON: for QuPath, and for picture archives. A client
// requests them by the header Accept.
const (
	geoJSON   = "application/geo+json"
	dicomFile = "application/dicom"
)

// An explainForm is the format that an explanation is answered in.
type explainForm struct {
	kind    string // geoJSON, dicomFile or "" for JSON
	dicom   string // see dicomout.Forms
	colours string
	top     int
}

// form returns the format of the answer to a request, or a *core.SettingError for a key that has no
// effect on it. The result in a stream of events is one line of JSON.
func (q *explainRequest) form(r *http.Request) (f explainForm, err error) {
	f = explainForm{dicom: cmp.Or(q.DICOM, dicomout.Forms[0]), colours: q.Colours, top: q.Top}
	switch {
	case acceptsEvents(r):
	case accepts(r, dicomFile):
		f.kind = dicomFile
	case accepts(r, geoJSON):
		f.kind = geoJSON
	}
	if err := draw.CheckColours(q.Colours); err != nil {
		return f, err
	}
	if err := dicomout.CheckForm(f.dicom); err != nil {
		return f, &core.SettingError{Setting: "dicom", Reason: err.Error()}
	}
	switch {
	case q.Colours != "" && f.kind == "":
		return f, &core.SettingError{Setting: "colours", Reason: "JSON has no colours; omit the " +
			"key, or send the header Accept: application/geo+json"}
	case (q.DICOM != "" || q.Top != 0) && f.kind != dicomFile:
		return f, &core.SettingError{Setting: "dicom", Reason: "it and top are for answers in " +
			"DICOM; omit the keys, or send the header Accept: application/dicom"}
	}
	return f, nil
}

// check returns the error of a bag of which no file of the format can be written.
func (f explainForm) check(bag *core.Bag) error {
	switch f.kind {
	case geoJSON:
		return geojson.NeedPlaces(bag)
	case dicomFile:
		return dicomout.Options{Top: f.top}.Check(bag)
	}
	return nil
}

// answer returns what is sent of an explanation.
func (f explainForm) answer(x *ask.Explained) any {
	switch f.kind {
	case geoJSON:
		return attachment{geoJSON, func(w io.Writer) error { return x.GeoJSON(w, f.colours) }}
	case dicomFile:
		return attachment{dicomFile, func(w io.Writer) error {
			return x.DICOM(w, f.dicom, dicomout.Options{Top: f.top, Colours: f.colours,
				Time: time.Now()})
		}}
	}
	return x.JSON()
}
