package published

import (
	"math"

	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/internal/msg"
)

// A reader reads the values of an object and keeps the first error. After an error it returns zero
// values.
type reader struct {
	v    *fastjson.Value
	path string // keys of the objects around it, each with a dot behind it
	err  *error
}

// fail records an error about a key, unless there is one.
func (r *reader) fail(key, reason string, args ...any) {
	if *r.err == nil {
		*r.err = &Error{r.path + key, msg.Sprintf(reason, args...)}
	}
}

// get returns the value of a key, or nil if it is absent or null.
func (r *reader) get(key string) *fastjson.Value {
	if v := r.v.Get(key); v != nil && v.Type() != fastjson.TypeNull {
		return v
	}
	return nil
}

// within returns a reader of the object of a key, or nil if there is none.
func (r *reader) within(key string) *reader {
	v := r.get(key)
	switch {
	case v == nil:
		return nil
	case v.Type() != fastjson.TypeObject:
		r.fail(key, "it is a JSON %s instead of an object", v.Type())
		return nil
	}
	return &reader{v, r.path + key + ".", r.err}
}

// text returns a text, or "" if it is absent.
func (r *reader) text(key string) string {
	v := r.get(key)
	if v == nil {
		return ""
	}
	if v.Type() != fastjson.TypeString {
		r.fail(key, "it is a JSON %s instead of a text", v.Type())
	}
	return string(v.GetStringBytes())
}

// truth returns a truth value, or standard if it is absent.
func (r *reader) truth(key string, standard bool) bool {
	v := r.get(key)
	if v == nil {
		return standard
	}
	if t := v.Type(); t != fastjson.TypeTrue && t != fastjson.TypeFalse {
		r.fail(key, "it is a JSON %s instead of true or false", t)
	}
	return v.GetBool()
}

// number returns a finite number, or standard if it is absent.
func (r *reader) number(key string, standard float64) float64 {
	v := r.get(key)
	if v == nil {
		return standard
	}
	return r.finite(key, v)
}

// finite returns the number that a value is.
func (r *reader) finite(key string, v *fastjson.Value) float64 {
	x, err := v.Float64()
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		r.fail(key, "it is a JSON %s instead of a finite number", v.Type())
		return 0
	}
	return x
}

// resolution returns a resolution, a number from 1e-6 to 1e6, or 0 if it is absent.
func (r *reader) resolution(key string) float64 {
	x := r.number(key, 0)
	if r.get(key) != nil && !(x >= 1e-6 && x <= 1e6) {
		r.fail(key, "%v must be from 1e-6 to 1e6", x)
	}
	return x
}

// mostSide bounds the side of a patch in pixels.
const mostSide = 1 << 13

// side returns a number of pixels that a value is.
func (r *reader) side(key string, v *fastjson.Value) int {
	x := r.finite(key, v)
	if *r.err == nil && (x != math.Trunc(x) || x < 1 || x > mostSide) {
		r.fail(key, "%v must be a whole number of pixels from 1 to %d", x, mostSide)
		return 0
	}
	return int(x)
}

// square returns the side that a list of height and width states. Patches are square.
func (r *reader) square(key string, sides []*fastjson.Value) int {
	if len(sides) != 2 {
		r.fail(key, "it has %d entries instead of a height and a width", len(sides))
		return 0
	}
	height, width := r.side(key, sides[0]), r.side(key, sides[1])
	if *r.err == nil && height != width {
		r.fail(key, "pictures have %d x %d pixels, but patches are square; state the patches in "+
			"a model card", width, height)
	}
	return height
}

// numbers returns a list of finite numbers, nil if it is absent. A number is a list of one.
func (r *reader) numbers(key string) []float64 {
	v := r.get(key)
	if v == nil {
		return nil
	}
	if v.Type() == fastjson.TypeNumber {
		return []float64{r.finite(key, v)}
	}
	entries, err := v.Array()
	if err != nil || len(entries) == 0 {
		r.fail(key, "it is the JSON %s instead of a list of numbers", shown(v))
		return nil
	}
	list := make([]float64, len(entries))
	for i, e := range entries {
		list[i] = r.finite(key, e)
	}
	return list
}

// names returns a list of texts, nil if it is absent.
func (r *reader) names(key string) []string {
	v := r.get(key)
	if v == nil {
		return nil
	}
	entries, err := v.Array()
	if err != nil {
		r.fail(key, "it is a JSON %s instead of a list of names", v.Type())
		return nil
	}
	var list []string
	for _, e := range entries {
		if e.Type() != fastjson.TypeString {
			r.fail(key, "an entry is a JSON %s instead of a text", e.Type())
		}
		list = append(list, string(e.GetStringBytes()))
	}
	return list
}

// numbered returns the texts of an object whose keys are the numbers from 0 on, such as
// {"0": "benign", "1": "tumour"}.
func (r *reader) numbered(key string) []string {
	v := r.get(key)
	o, err := v.Object()
	if err != nil {
		r.fail(key, "it is a JSON %s instead of an object", v.Type())
		return nil
	}
	var list []string
	for i := range o.Len() {
		name := v.Get(msg.Sprintf("%d", i))
		if name == nil || name.Type() != fastjson.TypeString {
			r.fail(key, "it has %d entries, and none with the number %d that is a text", o.Len(), i)
			return nil
		}
		list = append(list, string(name.GetStringBytes()))
	}
	return list
}

// normalization returns the preprocessing of a factor, means and deviations under two keys. Absent
// ones are those of standard.
func (r *reader) normalization(scale float64, mean, std string, standard Preprocess) *Preprocess {
	p := &Preprocess{scale, r.numbers(mean), r.numbers(std)}
	if p.Mean == nil {
		p.Mean = standard.Mean
	}
	if p.Std == nil {
		p.Std = standard.Std
	}
	if n, m := len(p.Mean), len(p.Std); n > 1 && m > 1 && n != m {
		r.fail(std, "it has %d entries, and %s has %d", m, mean, n)
	}
	for _, x := range p.Std {
		if x == 0 {
			r.fail(std, "a deviation is 0, and pixels would be divided by it")
		}
	}
	return p
}

// unchanged has the mean and the deviation that change nothing.
var unchanged = Preprocess{Mean: []float64{0}, Std: []float64{1}}

// byte255 is the factor of a pixel from 0 to 255 that becomes 0 to 1.
const byte255 = 1. / 255

// shown returns the JSON of a value for an error.
func shown(v *fastjson.Value) string { return string(v.MarshalTo(nil)) }
