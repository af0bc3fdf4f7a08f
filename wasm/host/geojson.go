package host

import (
	"bytes"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/wasm/wire"
)

// writeGeoJSON writes explanations for QuPath. It checks the lists of the request, which come from
// JavaScript and must have an entry for each instance.
func (h *Host) writeGeoJSON(r wire.WriteGeoJSON) (any, error) {
	b, err := h.bag(r.Bag)
	if err != nil {
		return nil, err
	}
	if err := inRange("instances", r.Instances, b.bag.Len()); err != nil {
		return nil, err
	}
	report := &core.Report{}
	for _, m := range r.Measured {
		e := core.Explanation{Method: m.Method, Class: m.Class, Scores: m.Scores,
			Neutral: m.Neutral, Evident: m.Evident}
		if m.Stderr != nil {
			e.StdErr = *m.Stderr
		}
		k := len(r.Instances)
		if len(e.Scores) != k || len(e.Evident) != k || e.StdErr != nil && len(e.StdErr) != k {
			return nil, &core.SettingError{Setting: "report",
				Reason: "its lists must have an entry for each of its instances"}
		}
		if m.Class < 0 {
			return nil, &core.SettingError{Setting: "class", Reason: "must not be negative"}
		}
		report.Explanations = append(report.Explanations, e)
	}
	var out bytes.Buffer
	err = geojson.Write(&out, b.bag, report, geojson.Options{Classes: r.ClassNames,
		Class: r.Class, Instances: r.Instances})
	return wire.GeoJSON{Bytes: out.Bytes()}, err
}
