package published

import (
	"math"
	"strings"

	"github.com/valyala/fastjson"
)

// isProcessor reports whether an object is the preprocessor_config.json of an image processor of
// Hugging Face's transformers. Those of sound have other keys.
func isProcessor(v *fastjson.Value) bool {
	return has(v, "image_mean") || has(v, "image_std") ||
		has(v, "size") && (has(v, "do_resize") || has(v, "do_normalize"))
}

// resamples has the names of PIL's numbers of interpolations.
var resamples = []string{"nearest", "Lanczos", "bilinear", "bicubic", "box", "Hamming"}

// readProcessor reads what image processors do by these keys, in this order: resize, crop, rescale,
// normalize.
func readProcessor(r *reader, c *Card) {
	if r.truth("do_flip_channel_order", false) {
		r.fail("do_flip_channel_order", "it reverses the colours, and no model card can; export "+
			"the model with colours in the order red, green, blue")
	}
	r.processed(c)
	whole := 0
	if v := r.get("size"); v != nil && r.truth("do_resize", true) {
		whole = r.edge("size")
	}
	c.Size = whole
	// ConvNeXT: the middle of a picture resized to size / crop_pct, for sides below 384.
	if p := r.number("crop_pct", 0); p > 0 && p < 1 && whole < 384 {
		whole = int(math.Floor(float64(whole) / p))
	}
	if r.get("crop_size") != nil && r.truth("do_center_crop", true) {
		c.Size = r.edge("crop_size")
		if whole == 0 {
			whole = c.Size
		}
	}
	resize := float64(2) // bilinear
	if r.get("resample") != nil && r.truth("do_resize", true) {
		resize = r.number("resample", resize)
	}
	if resize != math.Trunc(resize) || resize < 0 || int(resize) >= len(resamples) {
		r.fail("resample", "%v is no number of an interpolation, 0 to %d", resize, len(resamples)-1)
	}
	if *r.err == nil && c.Size > 0 {
		c.notes("Hugging Face", resamples[int(resize)], whole)
	}
}

// processed reads how pixels become inputs.
func (r *reader) processed(c *Card) {
	scale := 1.
	if r.truth("do_rescale", true) {
		scale = r.number("rescale_factor", byte255)
	}
	p := &Preprocess{scale, unchanged.Mean, unchanged.Std}
	if r.truth("do_normalize", true) {
		if r.get("image_mean") == nil || r.get("image_std") == nil {
			c.Notes = append(c.Notes, "The image processor normalizes and does not state by which "+
				"image_mean and image_std, so that pixels are not changed.")
			return
		}
		p = r.normalization(scale, "image_mean", "image_std", unchanged)
	}
	if r.truth("rescale_offset", false) { // EfficientNet: v*scale - 1
		p.Mean = each(p.Mean, func(x float64) float64 { return x + 1 })
	}
	if r.truth("include_top", false) { // EfficientNet divides by the deviations again
		p.Std = each(p.Std, func(x float64) float64 { return x * x })
	}
	c.Preprocess = p
}

// each returns f of each entry.
func each(list []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}

// edge returns the side of a size: a number, or an object with height and width, or with the
// shortest edge.
func (r *reader) edge(key string) int {
	v := r.get(key)
	if v.Type() != fastjson.TypeObject {
		return r.sideOrSides(key)
	}
	in := r.within(key)
	if short := in.get("shortest_edge"); short != nil {
		return in.side("shortest_edge", short)
	}
	if !has(v, "height", "width") {
		r.fail(key, "it has neither height and width nor shortest_edge")
		return 0
	}
	return r.square(key, []*fastjson.Value{v.Get("height"), v.Get("width")})
}

// isHuggingFace reports whether an object is the config.json of a classifier of Hugging Face's
// transformers. It names the classes; pixels are the matter of preprocessor_config.json.
func isHuggingFace(v *fastjson.Value) bool { return has(v, "id2label") && has(v, "model_type") }

func readHuggingFace(r *reader, c *Card) {
	names := r.numbered("id2label")
	for _, name := range names {
		if !strings.HasPrefix(name, "LABEL_") { // what transformers writes for unnamed classes
			c.Classes = names
			return
		}
	}
}
