// Package published reads configurations that other libraries publish beside their models, as
// model cards: those of WSInfer, timm, Hugging Face, MONAI and TIAToolbox. A configuration is known
// by its contents and not by its name. What a library's loader does to pictures and a card cannot
// state is a note.
package published

import (
	"slices"

	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/internal/msg"
)

// A Card is what a configuration states about a model.
type Card struct {
	From       string      // what it is, "a configuration of WSInfer"
	Classes    []string    // names of classes, nil if it has none
	Preprocess *Preprocess // how pixels become inputs, nil if it does not say
	Size       int         // side of a patch in pixels, 0 if it does not say
	Microns    float64     // microns that a pixel of a patch covers, 0 if it does not say
	Notes      []string    // sentences: what a card cannot state, and holds only nearly
}

// Preprocess maps a pixel v from 0 to 255 of channel c to (v*Scale - Mean[c]) / Std[c]. A Mean or
// Std of one entry is that of all channels.
type Preprocess struct {
	Scale     float64
	Mean, Std []float64
}

// An Error is a value of a configuration that is wrong, or that no card can state.
type Error struct {
	Key    string // keys of objects joined by dots: "transform.mean"
	Reason string
}

// Error returns the key and the reason.
func (e *Error) Error() string { return msg.Sprintf("key %q: %s", e.Key, msg.Text(e.Reason)) }

// forms lists the configurations. The first whose mark an object has reads it: timm's have keys of
// Hugging Face's, too.
var forms = []struct {
	name string
	is   func(v *fastjson.Value) bool
	read func(r *reader, c *Card)
}{
	{"a configuration of WSInfer", isWSInfer, readWSInfer},
	{"a configuration of timm", isTimm, readTimm},
	{"an image processor of Hugging Face", isProcessor, readProcessor},
	{"a configuration of Hugging Face", isHuggingFace, readHuggingFace},
	{"the metadata of a MONAI bundle", isMONAI, readMONAI},
	{"an input configuration of TIAToolbox", isTIAToolbox, readTIAToolbox},
}

// Read returns the card that an object of JSON states, or nil if it is none of the configurations.
// Errors are of type *Error.
func Read(v *fastjson.Value) (*Card, error) {
	if v.Type() != fastjson.TypeObject {
		return nil, nil
	}
	for _, f := range forms {
		if !f.is(v) {
			continue
		}
		r, c := &reader{v: v, err: new(error)}, &Card{From: f.name}
		f.read(r, c)
		if *r.err != nil {
			return nil, *r.err
		}
		return c, nil
	}
	return nil, nil
}

// Fits returns "" if pictures of a shape (channels, height, width) can be those of the
// configuration, else why not. Sides of the shape below 1 are open.
func (c *Card) Fits(shape []int) string {
	if p := c.Preprocess; p != nil && shape[0] > 0 {
		for _, list := range [][]float64{p.Mean, p.Std} {
			if len(list) > 1 && len(list) != shape[0] {
				return msg.Sprintf("it states %d channels, and the model takes %d", len(list),
					shape[0])
			}
		}
	}
	open := func(side int) bool { return side < 1 || side == c.Size }
	if c.Size > 0 && !(open(shape[1]) && open(shape[2])) {
		return msg.Sprintf("it states pictures of %d x %[1]d pixels, and the model takes %d x %d",
			c.Size, shape[2], shape[1])
	}
	return ""
}

// Stated names the parts that a configuration states, such as "patches" and "classes".
func (c *Card) Stated() []string {
	var list []string
	for _, part := range []struct {
		name string
		is   bool
	}{
		{"the size of patches", c.Size > 0}, {"the microns of their pixels", c.Microns > 0},
		{"their preprocessing", c.Preprocess != nil}, {"the names of classes", c.Classes != nil},
	} {
		if part.is {
			list = append(list, part.name)
		}
	}
	return list
}

// has reports whether an object has all of some keys, with a value other than null.
func has(v *fastjson.Value, keys ...string) bool {
	return !slices.ContainsFunc(keys, func(key string) bool {
		in := v.Get(key)
		return in == nil || in.Type() == fastjson.TypeNull
	})
}
