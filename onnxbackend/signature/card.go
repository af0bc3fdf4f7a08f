package signature

import (
	"fmt"
	"math"

	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
)

// CardKey is the metadata property of a model file that holds its card.
const CardKey = "bagscope"

// maxCard bounds the bytes of a model card.
const maxCard = 1 << 20

// A Card is a model card: what a model file cannot state about its inputs and outputs. It is read
// from the file's metadata key "bagscope", and from the caller's card, whose keys win. Pointers and
// slices are nil for keys that neither has.
type Card struct {
	Classes      []string
	Negative     *int       // the class that means "nothing found", -1 for none
	Output       core.Scale // what the scores are, "" if the card does not state it
	OutputName   string     // the graph output with the class scores
	Inherent     string     // the graph output with the model's own instance scores
	InstanceAxis *int       // the axis of the input along which instances lie
	Preprocess   *Preprocess
	Patch        *Patch
	Truth        []core.Truth
	Inputs       []CardInput // what each input takes if the graph has several
}

// Roles of inputs.
const (
	RoleCount     = "count"     // it takes the number of instances
	RoleInstances = "instances" // it takes values of each instance
)

// A CardInput says what one of several inputs takes: a role, or values, which are one for each
// element or one for all.
type CardInput struct {
	Name   string
	Role   string
	Values []float64
}

// Input returns what the card says about an input, or nil.
func (c *Card) Input(name string) *CardInput {
	for i := range c.Inputs {
		if c.Inputs[i].Name == name {
			return &c.Inputs[i]
		}
	}
	return nil
}

// Preprocess maps a raw pixel v to the model's input: (v*Scale - Mean[c]) / Std[c]. c is the
// channel, the first axis of an instance. A Mean or Std of one entry applies to all channels.
type Preprocess struct {
	Scale     float64
	Mean, Std []float64
}

// Patch says how pictures are cut into instances for the model.
type Patch struct {
	Size, Stride int
	Background   float64 // mean brightness, 0..255, above which a patch is left out
}

// Read parses JSON into the card. Its keys replace those that the card has already, and unknown
// keys are ignored. Errors name the card as what. They are a *fault.Format, or a *fault.Limit for a
// card of more than 1 MiB.
func (c *Card) Read(data []byte, what string) error {
	if len(data) == 0 {
		return nil
	}
	if len(data) > maxCard {
		return &fault.Limit{What: "bytes of a model card",
			Wanted: uint64(len(data)), Limit: maxCard, Fixed: true}
	}
	var p fastjson.Parser
	v, err := p.ParseBytes(data)
	if err != nil {
		return fault.Formatf(what, "it is no JSON: %v", err)
	}
	r := &cardReader{what: what, v: v}
	if v.Type() != fastjson.TypeObject {
		return fault.Formatf(what, "it is a JSON %s instead of an object", v.Type())
	}
	r.read(c)
	return r.err
}

// cardReader reads keys of one JSON object and keeps the first error.
type cardReader struct {
	what string
	path string
	v    *fastjson.Value
	err  error
}

func (r *cardReader) read(c *Card) {
	r.texts("classes", &c.Classes)
	r.whole("negative", func(n int) { c.Negative = &n })
	r.text("output", (*string)(&c.Output))
	r.text("output_name", &c.OutputName)
	r.text("inherent", &c.Inherent)
	r.whole("instance_axis", func(n int) { c.InstanceAxis = &n })
	if s := r.object("preprocess"); s != nil {
		p := &Preprocess{Scale: 1, Mean: []float64{0}, Std: []float64{1}}
		s.number("scale", &p.Scale)
		s.numbers("mean", &p.Mean)
		s.numbers("std", &p.Std)
		c.Preprocess = p
		r.join(s)
		r.checkPreprocess(p)
	}
	if s := r.object("patch"); s != nil {
		p := &Patch{Background: math.Inf(1)}
		s.whole("size", func(n int) { p.Size, p.Stride = n, n })
		s.whole("stride", func(n int) { p.Stride = n })
		s.number("background", &p.Background)
		c.Patch = p
		r.join(s)
		if p.Size < 1 || p.Stride < 1 || p.Size > 1<<20 || p.Stride > 1<<20 {
			r.fail("patch", "size %d and stride %d are no lengths of pixels", p.Size, p.Stride)
		}
	}
	r.truth(&c.Truth)
	r.inputs(c)
	switch c.Output {
	case "", core.ScaleLogits, core.ScaleSigmoidLogits, core.ScaleProbabilities,
		core.ScaleLogProbabilities, core.ScaleRaw:
	default:
		r.fail("output",
			"%q is none of logits, sigmoid-logits, probabilities, log-probabilities, raw",
			c.Output)
	}
}

func (r *cardReader) checkPreprocess(p *Preprocess) {
	if len(p.Mean) == 0 || len(p.Std) == 0 {
		r.fail("preprocess", "mean or std is empty")
	}
	for _, s := range p.Std {
		if s == 0 {
			r.fail("preprocess", "a std is 0, and pixels would be divided by it")
		}
	}
}

func (r *cardReader) fail(key, reason string, args ...any) {
	if r.err == nil {
		r.err = fault.Formatf(r.what, "key %q: %s", r.path+key, fmt.Sprintf(reason, args...))
	}
}

func (r *cardReader) join(s *cardReader) {
	if r.err == nil {
		r.err = s.err
	}
}

// get returns a key's value, nil when it is absent or null.
func (r *cardReader) get(key string) *fastjson.Value {
	v := r.v.Get(key)
	if v == nil || v.Type() == fastjson.TypeNull {
		return nil
	}
	return v
}

func (r *cardReader) object(key string) *cardReader {
	v := r.get(key)
	if v == nil {
		return nil
	}
	if v.Type() != fastjson.TypeObject {
		r.fail(key, "it is a JSON %s instead of an object", v.Type())
		return nil
	}
	return &cardReader{what: r.what, path: r.path + key + ".", v: v}
}

func (r *cardReader) text(key string, dst *string) {
	v := r.get(key)
	if v == nil {
		return
	}
	b, err := v.StringBytes()
	if err != nil {
		r.fail(key, "it is a JSON %s instead of text", v.Type())
		return
	}
	*dst = string(b)
}

func (r *cardReader) number(key string, dst *float64) {
	v := r.get(key)
	if v == nil {
		return
	}
	f, err := v.Float64()
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		r.fail(key, "it is a JSON %s instead of a number", v.Type())
		return
	}
	*dst = f
}

func (r *cardReader) whole(key string, set func(int)) {
	f := math.NaN()
	r.number(key, &f)
	switch {
	case math.IsNaN(f):
	case f != math.Trunc(f) || math.Abs(f) > 1<<31:
		r.fail(key, "%v is no whole number of use here", f)
	default:
		set(int(f))
	}
}

// list calls f for each entry of an array and reports whether the key is there.
func (r *cardReader) list(key string, f func(i int, v *fastjson.Value)) bool {
	v := r.get(key)
	if v == nil {
		return false
	}
	a, err := v.Array()
	if err != nil {
		r.fail(key, "it is a JSON %s instead of a list", v.Type())
		return false
	}
	for i, e := range a {
		f(i, e)
	}
	return true
}

func (r *cardReader) texts(key string, dst *[]string) {
	var out []string
	if r.list(key, func(i int, v *fastjson.Value) {
		b, err := v.StringBytes()
		if err != nil {
			r.fail(key, "entry %d is a JSON %s instead of text", i, v.Type())
		}
		out = append(out, string(b))
	}) {
		*dst = out
	}
}

func (r *cardReader) numbers(key string, dst *[]float64) {
	out := []float64{}
	if v := r.get(key); v != nil && v.Type() == fastjson.TypeNumber {
		out = append(out, 0)
		r.number(key, &out[0])
		*dst = out
		return
	}
	if r.list(key, func(i int, v *fastjson.Value) {
		f, err := v.Float64()
		if err != nil {
			r.fail(key, "entry %d is a JSON %s instead of a number", i, v.Type())
		}
		out = append(out, f)
	}) {
		*dst = out
	}
}

func (r *cardReader) truth(dst *[]core.Truth) {
	var out []core.Truth
	if r.list("truth", func(i int, v *fastjson.Value) {
		s := &cardReader{what: r.what, path: fmt.Sprintf("truth[%d].", i), v: v}
		out = append(out, core.Truth{Support: s.labels("support"), Refute: s.labels("refute")})
		r.join(s)
	}) {
		*dst = out
	}
}

func (r *cardReader) labels(key string) []int {
	var f []float64
	r.numbers(key, &f)
	var out []int
	for _, v := range f {
		if v != math.Trunc(v) || math.Abs(v) > 1<<31 {
			r.fail(key, "%v is no instance label", v)
			return nil
		}
		out = append(out, int(v))
	}
	return out
}

// inputs reads what each input takes. An input of the card that is read last replaces an earlier
// one.
func (r *cardReader) inputs(c *Card) {
	s := r.object("inputs")
	if s == nil {
		return
	}
	o, _ := s.v.Object()
	o.Visit(func(key []byte, v *fastjson.Value) {
		in := CardInput{Name: string(key)}
		if v.Type() == fastjson.TypeString {
			if s.text(in.Name, &in.Role); in.Role != RoleCount && in.Role != RoleInstances {
				s.fail(in.Name, "%q is none of count, instances, a number and a list of numbers",
					in.Role)
			}
		} else if s.numbers(in.Name, &in.Values); len(in.Values) == 0 {
			s.fail(in.Name, "it is none of count, instances, a number and a list of numbers")
		}
		if old := c.Input(in.Name); old != nil {
			*old = in
			return
		}
		c.Inputs = append(c.Inputs, in)
	})
	r.join(s)
}
