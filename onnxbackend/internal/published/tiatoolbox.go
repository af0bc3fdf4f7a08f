package published

import (
	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/internal/msg"
)

// aroundArguments are the keys of TIAToolbox's list of models around the arguments of a
// configuration.
var aroundArguments = []string{"ioconfig", "kwargs"}

// isTIAToolbox reports whether an object has the arguments of TIAToolbox's IOPatchPredictorConfig,
// or such an object as its ioconfig, or as the kwargs of that.
func isTIAToolbox(v *fastjson.Value) bool {
	for _, key := range aroundArguments {
		if in := v.Get(key); in != nil {
			v = in
		}
	}
	return has(v, "patch_input_shape", "input_resolutions")
}

// readTIAToolbox reads the side of patches and the microns of their pixels. The library's classes
// of models, and not its configurations, state how pixels become inputs.
func readTIAToolbox(r *reader, c *Card) {
	for _, key := range aroundArguments {
		if in := r.within(key); in != nil {
			r = in
		}
	}
	c.Size = r.sideOrSides("patch_input_shape")
	list := r.get("input_resolutions").GetArray()
	if len(list) != 1 {
		r.fail("input_resolutions", "it has %d entries, and a model card states one resolution",
			len(list))
		return
	}
	in := &reader{list[0], r.path + "input_resolutions.", r.err}
	switch value, units := in.resolution("resolution"), in.text("units"); units {
	case "mpp":
		c.Microns = value
	case "power":
		c.Microns = 10 / value
		c.Notes = append(c.Notes, msg.Sprintf("The microns of a pixel, %v, are those of a "+
			"magnification of %v by TIAToolbox's rule: 10 divided by it.", c.Microns, value))
	default:
		c.Notes = append(c.Notes, msg.Sprintf("The resolution of TIAToolbox has the units %q, "+
			"which do not state the microns of a pixel.", units))
	}
	c.Notes = append(c.Notes, "The input configuration of TIAToolbox does not state how pixels "+
		"become inputs; the class of the model does.")
}
