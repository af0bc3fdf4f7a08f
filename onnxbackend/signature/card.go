package signature

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/internal/otherfile"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
)

// CardProperty is the metadata property of a model file that holds its card.
const CardProperty = "bagscope"

// MaxCard bounds the bytes of a model card.
const MaxCard = 1 << 20

// A Card is a model card: what a model file cannot state about its inputs and outputs. It is read
// from configurations of other libraries beside the file, from the file's metadata key "bagscope",
// and from the caller's card; keys of the later ones win. Pointers and slices are nil for keys that
// none has.
type Card struct {
	Classes      []string
	Negative     *int       // the class that means "nothing found", -1 for none
	Output       core.Scale // what the scores are, "" if the card does not state it
	Answer       *Answer    // what they are if they are not those of classes alone, else nil
	OutputName   string     // the graph output with the class scores
	Pool         string     // how scores of instances become those of their bag; see Pool
	Inherent     string     // the graph output with the model's own instance scores
	InstanceAxis *int       // the axis of the input along which instances lie
	Preprocess   *Preprocess
	Patch        *Patch
	Bands        *core.Bands // what of a TIFF file of bands the channels are; nil for colours
	Encoder      string      // file beside the model that encodes the patches of slides for it
	Via          string      // file beside the model whose graph comes before that of the model
	ViaOutput    string      // output of Via that becomes the model's input; "" takes what fits
	Likeness     Likeness    // how an embedding is compared with a target, "" for Cosine
	Truth        []core.Truth
	Inputs       []CardInput // what each input takes if the graph has several
	// how relations are built from the places of a bag that has none
	Adjacency *core.Adjacency
	SlideMPP  float64 // microns of a pixel of level 0, for files that do not state them; 0 for none
	SliceAxes core.SliceAxes
	Window    core.Windows
	Spacing   core.Sampling
	// slices on each side of one that are its channels
	Neighbours int
	Columns    core.ColumnRules
	Noun       core.Noun // what an instance is called
	Features   []string  // what each value of an instance is called

	unknown []string // a note for each unknown key, and for each configuration of another library
	besides bool     // whether Classes are from a configuration beside the model

	joined      []joinedHead // the heads of Answer in the outputs of a file; see JoinHeads
	joinedPort  string       // the output that holds all of them
	joinedAdded bool         // whether JoinHeads added it

	pooledPort string // the output that Pool added, or ""

	target *Target // what the output is compared with, nil for nothing; see Signature.Toward
}

// A CardInput says what one of several inputs takes: a role, or values, which are one for each
// element or one for all.
type CardInput struct {
	Name   string
	Role   string
	Values []float64
}

// Input returns what the card says about an input, or nil.
func (c *Card) Input(name string) *CardInput {
	i := slices.IndexFunc(c.Inputs, func(in CardInput) bool { return in.Name == name })
	if i < 0 {
		return nil
	}
	return &c.Inputs[i]
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
	// Microns that a pixel of a patch of a slide covers; 0 if the card does not state it.
	Microns float64
}

// Read parses JSON into the card. Its keys replace those that the card has already. Unknown keys
// have no effect; see Notes. The JSON can be a configuration of WSInfer, timm, Hugging Face, MONAI
// or TIAToolbox, which package published reads. Errors name the card as what, and the key. They are
// a *fault.Format, or a *fault.Limit for a card of more than 1 MiB.
func (c *Card) Read(data []byte, what string) error {
	if len(data) == 0 {
		return nil
	}
	if len(data) > MaxCard {
		return &fault.Limit{What: "bytes of a model card",
			Wanted: uint64(len(data)), Limit: MaxCard}
	}
	v, err := fastjson.ParseBytes(data)
	if err != nil {
		if f := otherfile.Of(data); f != nil {
			return fault.Formatf(what, "it is %s, and not JSON", msg.Text(f.What))
		}
		return fault.Formatf(what, "it is not valid JSON: %s", err.Error())
	}
	if v.Type() != fastjson.TypeObject {
		return fault.Formatf(what, "it is a JSON %s instead of an object", v.Type())
	}
	if key := repeatedKey(v); key != "" {
		return fault.Formatf(what, "key %q occurs twice in one object; keep one", key)
	}
	if err := c.readPublished(v, what); err != nil {
		return err
	}
	check := &cardCheck{what: what}
	check.object("", v, CardForm{Type: CardObject, Keys: CardKeys()})
	// All keys are read although one is wrong; the caller drops the card on an error.
	r := &cardReader{check: check, v: v}
	if check.err == nil {
		r.read(c)
	}
	c.unknown = append(c.unknown, check.notes()...)
	return check.err
}

// TakeInput takes over what other says of the input, for keys that the card does not have: other is
// the card of a model that comes before that of the card.
func (c *Card) TakeInput(other *Card) {
	take(&c.Preprocess, other.Preprocess)
	take(&c.Patch, other.Patch)
	take(&c.Bands, other.Bands)
	take(&c.InstanceAxis, other.InstanceAxis)
	take(&c.Encoder, other.Encoder)
	take(&c.Adjacency, other.Adjacency)
	take(&c.SlideMPP, other.SlideMPP)
	take(&c.SliceAxes, other.SliceAxes)
	take(&c.Spacing, other.Spacing)
	take(&c.Neighbours, other.Neighbours)
	take(&c.Noun, other.Noun)
	if c.Window == nil {
		c.Window = other.Window
	}
	if c.Columns == nil {
		c.Columns = other.Columns
	}
	if c.Features == nil {
		c.Features = other.Features
	}
	for _, in := range other.Inputs {
		if c.Input(in.Name) == nil {
			c.Inputs = append(c.Inputs, in)
		}
	}
	c.unknown = append(c.unknown, other.unknown...)
}

// take sets a key that has no value.
func take[T comparable](to *T, value T) {
	if *to == *new(T) {
		*to = value
	}
}

// Notes returns a sentence for each unknown key of the cards that were read, and what is from a
// configuration of another library.
func (c *Card) Notes() []string { return c.unknown }

// repeatedKey returns a key that occurs twice in one object of v, or "". Readers of JSON disagree
// on which of the two counts. The parser bounds the depth of v.
func repeatedKey(v *fastjson.Value) (repeated string) {
	for _, entry := range v.GetArray() {
		if key := repeatedKey(entry); key != "" {
			return key
		}
	}
	seen := map[string]bool{}
	v.GetObject().Visit(func(key []byte, inside *fastjson.Value) {
		if repeated == "" && seen[string(key)] {
			repeated = string(key)
		}
		seen[string(key)] = true
		repeated = cmp.Or(repeated, repeatedKey(inside))
	})
	return repeated
}

// A cardReader reads the keys of one JSON object of a card, whose types have been checked. It
// checks what the declarations cannot state.
type cardReader struct {
	check *cardCheck
	path  string // keys of the objects around this one, each with a dot behind it
	v     *fastjson.Value
}

// fail records an error about a key, unless there is one.
func (r *cardReader) fail(key, reason string, args ...any) {
	r.check.fail(r.path+key, reason, args...)
}

// within returns a reader of an object inside of r's.
func (r *cardReader) within(path string, v *fastjson.Value) *cardReader {
	return &cardReader{r.check, r.path + path + ".", v}
}

// read reads all keys.
func (r *cardReader) read(c *Card) {
	if readList(r, "classes", &c.Classes, textOf) {
		c.besides = false
	}
	r.whole("negative", func(n int) { c.Negative = &n })
	r.output(c)
	readKey(r, "output_name", &c.OutputName, textOf)
	if readKey(r, "pool", &c.Pool, textOf) {
		if wrong := checkPool(c.Pool); wrong != "" {
			r.fail("pool", "%s", msg.Text(wrong))
		}
	}
	readKey(r, "inherent", &c.Inherent, textOf)
	r.whole("instance_axis", func(n int) { c.InstanceAxis = &n })
	if s := r.object("preprocess"); s != nil {
		c.Preprocess = s.preprocess()
	}
	if s := r.object("patch"); s != nil {
		c.Patch = s.patch()
	}
	if s := r.object("bands"); s != nil {
		c.Bands = s.bands()
	}
	r.beside("encoder", &c.Encoder)
	r.beside("via", &c.Via)
	readKey(r, "via_output", &c.ViaOutput, textOf)
	readKey(r, "likeness", (*string)(&c.Likeness), textOf)
	r.truth(c)
	worded(r, "adjacency", &c.Adjacency, core.ParseAdjacency)
	readKey(r, "slide_mpp", &c.SlideMPP, numberOf)
	worded(r, "slice_axes", &c.SliceAxes, core.ParseSliceAxes)
	worded(r, "window", &c.Window, core.ParseWindows)
	worded(r, "spacing", &c.Spacing, core.ParseSampling)
	r.whole("neighbours", func(n int) { c.Neighbours = n })
	worded(r, "columns", &c.Columns, core.ParseColumnRules)
	worded(r, "instance", &c.Noun, core.ParseNoun)
	readList(r, "feature_names", &c.Features, textOf)
	if s := r.object("inputs"); s != nil {
		s.inputs(c)
	}
}

// beside reads a key that names a file beside the model.
func (r *cardReader) beside(key string, to *string) {
	if readKey(r, key, to, textOf) && strings.ContainsAny(*to, `/\:`) {
		r.fail(key, "%q must be the name of a file beside the model, without folders", *to)
	}
}

// preprocess reads the key "preprocess". Without its keys, pixels stay as they are.
func (r *cardReader) preprocess() *Preprocess {
	p := &Preprocess{Scale: 1, Mean: []float64{0}, Std: []float64{1}}
	readKey(r, "scale", &p.Scale, numberOf)
	r.numbers("mean", &p.Mean)
	r.numbers("std", &p.Std)
	if slices.Contains(p.Std, 0) {
		r.fail("std", "a std is 0, and pixels would be divided by it")
	}
	return p
}

// patch reads the key "patch". Without a stride, patches lie side by side.
func (r *cardReader) patch() *Patch {
	p := &Patch{Background: math.Inf(1)}
	r.whole("size", func(n int) { p.Size, p.Stride = n, n })
	r.whole("stride", func(n int) { p.Stride = n })
	readKey(r, "background", &p.Background, numberOf)
	readKey(r, "mpp", &p.Microns, numberOf)
	if p.Size == 0 && p.Stride == 0 && p.Microns > 0 { // the shape of the input states the size
		return p
	}
	if min(p.Size, p.Stride) < 1 {
		r.fail("size", "size %d and stride %d must be from 1 to 2^20 pixels", p.Size, p.Stride)
	}
	return p
}

// bands reads the key "bands".
func (r *cardReader) bands() *core.Bands {
	b := &core.Bands{}
	number := func(v *fastjson.Value) int { return int(v.GetFloat64()) }
	readList(r, "use", &b.Use, number)
	if readList(r, "draw", &b.Draw, number) && len(b.Draw) == 2 {
		r.fail("draw", "2 bands are drawn; state three, for red, green and blue, or one")
	}
	var missing float64
	if readKey(r, "nodata", &missing, numberOf) {
		b.NoData = &missing
	}
	return b
}

// readKey sets dst to what convert makes of a key's value, and reports whether it did. An absent
// key and null leave dst unchanged.
func readKey[T any](r *cardReader, key string, dst *T, convert func(*fastjson.Value) T) bool {
	v := r.v.Get(key)
	if v == nil || v.Type() == fastjson.TypeNull {
		return false
	}
	*dst = convert(v)
	return true
}

// worded is readKey for a text that parse reads, which returns a *core.SettingError for a wrong
// one.
func worded[T any](r *cardReader, key string, dst *T, parse func(string) (T, error)) {
	var text string
	if !readKey(r, key, &text, textOf) {
		return
	}
	value, err := parse(text)
	if err != nil {
		r.fail(key, "%s", msg.Text(err.(*core.SettingError).Reason))
		return
	}
	*dst = value
}

// readList is readKey for a list.
func readList[T any](r *cardReader, key string, dst *[]T, convert func(*fastjson.Value) T) bool {
	var entries []*fastjson.Value
	if !readKey(r, key, &entries, listOf) {
		return false
	}
	*dst = nil
	for _, v := range entries {
		*dst = append(*dst, convert(v))
	}
	return true
}

func listOf(v *fastjson.Value) []*fastjson.Value { return v.GetArray() }

func textOf(v *fastjson.Value) string { return string(v.GetStringBytes()) }

// numberOf returns a number, or 1 for true and 0 for false.
func numberOf(v *fastjson.Value) float64 {
	if v.Type() == fastjson.TypeTrue {
		return 1
	}
	return v.GetFloat64()
}

// object returns a reader of the object that a key holds, or nil.
func (r *cardReader) object(key string) *cardReader {
	var v *fastjson.Value
	if !readKey(r, key, &v, func(v *fastjson.Value) *fastjson.Value { return v }) {
		return nil
	}
	return r.within(key, v)
}

// whole calls set with a key's whole number.
func (r *cardReader) whole(key string, set func(int)) {
	var x float64
	if readKey(r, key, &x, numberOf) {
		set(int(x))
	}
}

// isWhole reports whether a number is an integer that every platform's int holds.
func isWhole(x float64) bool { return x == math.Trunc(x) && math.Abs(x) <= 1<<31 }

// numbers reads a list of numbers. A number counts as a list of one, and so does true or false.
func (r *cardReader) numbers(key string, dst *[]float64) {
	if v := r.v.Get(key); v != nil && (CardNumber.fits(v) || CardTruth.fits(v)) {
		*dst = []float64{numberOf(v)}
		return
	}
	readList(r, key, dst, numberOf)
}

// truth reads the key "truth", a list with an object for each class.
func (r *cardReader) truth(c *Card) {
	var classes []*fastjson.Value
	if !readKey(r, "truth", &classes, listOf) {
		return
	}
	c.Truth = nil
	for i, v := range classes {
		s := r.within(fmt.Sprintf("truth[%d]", i), v)
		c.Truth = append(c.Truth,
			core.Truth{Support: s.labels("support"), Refute: s.labels("refute")})
	}
}

// labels reads a list of instance labels.
func (r *cardReader) labels(key string) (labels []int) {
	var list []float64
	r.numbers(key, &list)
	for _, x := range list {
		labels = append(labels, int(x))
	}
	return labels
}

// inputs reads what each input takes. An input of the card that is read last replaces an earlier
// one.
func (r *cardReader) inputs(c *Card) {
	o, _ := r.v.Object()
	o.Visit(func(key []byte, v *fastjson.Value) {
		in := CardInput{Name: string(key)}
		if v.Type() == fastjson.TypeString {
			in.Role = textOf(v)
		} else {
			r.numbers(in.Name, &in.Values)
		}
		if old := c.Input(in.Name); old != nil {
			*old = in
			return
		}
		c.Inputs = append(c.Inputs, in)
	})
}
