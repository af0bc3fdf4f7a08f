package published

import (
	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/internal/msg"
)

// isMONAI reports whether an object is the metadata.json of a bundle of MONAI.
func isMONAI(v *fastjson.Value) bool { return has(v, "network_data_format") }

// readMONAI reads the network_data_format of a bundle (MONAI Bundle Specification): the side and
// the range of values of its picture, and the names of its classes.
func readMONAI(r *reader, c *Card) {
	format := r.within("network_data_format")
	if format == nil {
		return
	}
	if in := format.within("inputs").one("image"); in != nil {
		in.monaiPicture(c)
	}
	if out := format.within("outputs").one("pred"); out != nil && out.get("channel_def") != nil {
		names := out.numbered("channel_def")
		if n := out.number("num_channels", float64(len(names))); int(n) == len(names) {
			c.Classes = names
		}
	}
}

// one returns the object of a key, or the only object if another key has it. r can be nil.
func (r *reader) one(key string) *reader {
	if r == nil {
		return nil
	}
	if o := r.v.GetObject(); r.get(key) == nil && o.Len() == 1 {
		o.Visit(func(name []byte, _ *fastjson.Value) { key = string(name) })
	}
	return r.within(key)
}

// monaiPicture reads a picture of two axes. Volumes are read by other keys of a card.
func (r *reader) monaiPicture(c *Card) {
	shape := r.get("spatial_shape").GetArray()
	if len(shape) != 2 {
		return
	}
	// An open side is a text such as "16*n".
	if shape[0].Type() == fastjson.TypeNumber && shape[1].Type() == fastjson.TypeNumber {
		c.Size = r.square("spatial_shape", shape)
	}
	values := r.numbers("value_range")
	if len(values) != 2 || *r.err != nil {
		return
	}
	low, high := values[0], values[1]
	if !(low < high) {
		r.fail("value_range", "it is from %v to %v", low, high)
		return
	}
	c.Preprocess = &Preprocess{(high - low) * byte255, []float64{-low}, []float64{1}}
	c.Notes = append(c.Notes, msg.Sprintf("The metadata of a MONAI bundle states the range of "+
		"inputs, %v to %v, and not how pixels get there: 0 becomes %[1]v and 255 becomes %[2]v.",
		low, high))
}
