package host

import (
	"bytes"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/wasm/wire"
)

// writeGeoJSON writes explanations for QuPath.
func (h *Host) writeGeoJSON(r wire.WriteGeoJSON) (any, error) {
	b, err := h.bag(r.Bag)
	if err != nil {
		return nil, err
	}
	report, err := reportOf(r.Report, b.bag)
	if err != nil {
		return nil, err
	}
	bag := *b.bag
	if len(r.InstanceNames) > 0 {
		bag.InstanceNames = r.InstanceNames
		if n, k := len(r.InstanceNames), bag.Len(); n != k {
			return nil, &core.SettingError{Setting: "instance names",
				Reason: msg.Sprintf("there are %d, and the bag has %d instances", n, k)}
		}
	}
	var out bytes.Buffer
	err = geojson.Write(&out, &bag, report, geojson.Options{Classes: r.ClassNames,
		Class: r.Class, Instances: r.Report.Instances, Colours: r.Colours})
	return wire.GeoJSON{Bytes: out.Bytes()}, err
}
