package published

import (
	"math"

	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/internal/msg"
)

// isTimm reports whether an object is the config.json that timm writes for a model on a hub, or the
// pretrained_cfg that is inside of it.
func isTimm(v *fastjson.Value) bool {
	if in := v.Get("pretrained_cfg"); in != nil {
		v = in
	}
	return has(v, "input_size") && v.Get("input_size").Type() == fastjson.TypeArray &&
		(has(v, "mean") || has(v, "std") || has(v, "interpolation") || has(v, "crop_pct"))
}

// What timm takes for keys that a configuration does not have (timm.data.constants).
var imageNet = Preprocess{
	Mean: []float64{0.485, 0.456, 0.406}, Std: []float64{0.229, 0.224, 0.225},
}

const (
	timmCrop   = 0.875
	timmResize = "bicubic"
)

// ownResize is how patches of slides are resized.
const ownResize = "bilinear"

// readTimm reads what timm.data.resolve_data_config and create_transform make of a configuration.
func readTimm(r *reader, c *Card) {
	outer := r
	if in := r.within("pretrained_cfg"); in != nil {
		r = in
	}
	size := r.get("input_size").GetArray()
	if len(size) != 3 {
		r.fail("input_size", "it has %d entries instead of channels, height and width", len(size))
		return
	}
	c.Size = r.square("input_size", size[1:])
	c.Preprocess = r.normalization(byte255, "mean", "std", imageNet)
	crop := r.number("crop_pct", timmCrop)
	if *r.err == nil && !(crop > 0) {
		r.fail("crop_pct", "%v must be above 0", crop)
	}
	resize := timmResize
	if r.get("interpolation") != nil {
		resize = r.text("interpolation")
	}
	for _, from := range []*reader{outer, r} { // the outer one has names of a fine-tuned model
		for _, key := range []string{"label_names", "labels"} {
			if c.Classes == nil {
				c.Classes = from.names(key)
			}
		}
	}
	if *r.err != nil {
		return
	}
	whole := int(math.Floor(float64(c.Size) / crop))
	c.notes("timm", resize, whole)
}

// notes adds what a loader does to pictures and patches do not undergo: it resizes the shorter side
// to whole pixels by an interpolation and keeps the middle.
func (c *Card) notes(library, resize string, whole int) {
	if whole != c.Size {
		c.Notes = append(c.Notes, msg.Sprintf("The loader of %s resizes pictures to %d pixels and "+
			"keeps the middle %d. Patches here have %[3]d pixels and are not cropped.", library,
			whole, c.Size))
	}
	if resize != ownResize {
		c.Notes = append(c.Notes, msg.Sprintf("The loader of %s resizes by %s interpolation. "+
			"Patches of slides are resized by bilinear interpolation, and patches of pictures "+
			"are not resized.", library, resize))
	}
}
