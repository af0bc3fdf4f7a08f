package published

import "github.com/valyala/fastjson"

// isWSInfer reports whether an object is the config.json of WSInfer's zoo (its
// model-config.schema.json), of a model of WSInfer-MIL, or of WSInfer before the zoo.
func isWSInfer(v *fastjson.Value) bool {
	return has(v, "class_names") && (has(v, "patch_size_pixels", "spacing_um_px") ||
		has(v, "spec_version", "feature_extractor"))
}

// readWSInfer reads what WSInfer's loader does: a patch of patch_size_pixels at spacing_um_px is
// resized, divided by 255 and normalized. A patch of the resized side that covers the same tissue
// is the same picture.
func readWSInfer(r *reader, c *Card) {
	c.Classes = r.names("class_names")
	if n := r.number("num_classes", float64(len(c.Classes))); int(n) != len(c.Classes) {
		r.fail("class_names", "it names %d classes, and num_classes is %v", len(c.Classes), n)
	}
	if r.get("patch_size_pixels") == nil { // a model of features
		return
	}
	side := r.side("patch_size_pixels", r.get("patch_size_pixels"))
	microns := r.resolution("spacing_um_px")
	c.Size, c.Preprocess = side, &Preprocess{byte255, unchanged.Mean, unchanged.Std}
	switch t := r.get("transform"); {
	case t == nil:
	case t.Type() == fastjson.TypeObject: // the form before the zoo
		old := r.within("transform")
		if v := old.get("resize_size"); v != nil {
			c.Size = old.side("resize_size", v)
		}
		c.Preprocess = old.normalization(byte255, "mean", "std", unchanged)
	default:
		r.steps(c, t.GetArray())
	}
	if c.Size > 0 {
		c.Microns = microns * float64(side) / float64(c.Size)
	}
}

// steps reads the transform of the zoo, a list of named steps of torchvision.
func (r *reader) steps(c *Card, list []*fastjson.Value) {
	for _, step := range list {
		s := &reader{step, r.path + "transform.", r.err}
		switch name := s.text("name"); name {
		case "ToTensor":
		case "Resize":
			if a := s.within("arguments"); a != nil && a.get("size") != nil {
				c.Size = a.sideOrSides("size")
			}
		case "Normalize":
			if a := s.within("arguments"); a != nil {
				c.Preprocess = a.normalization(byte255, "mean", "std", unchanged)
			}
		default:
			s.fail("name", "the step %q is none of Resize, ToTensor and Normalize", name)
		}
	}
}

// sideOrSides returns the side that a number, a list of one, or one of height and width states.
func (r *reader) sideOrSides(key string) int {
	v := r.get(key)
	switch list := v.GetArray(); {
	case v.Type() == fastjson.TypeNumber:
		return r.side(key, v)
	case len(list) == 1:
		return r.side(key, list[0])
	default:
		return r.square(key, list)
	}
}
