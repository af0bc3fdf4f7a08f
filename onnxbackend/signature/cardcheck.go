package signature

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
)

// A cardCheck compares the JSON of a card with the declared keys.
type cardCheck struct {
	what    string   // name of the card in errors
	err     error    // the first error
	unknown []string // keys that are not declared, each with those that are
	more    int      // unknown keys that are not listed
}

// listedUnknown is the number of unknown keys that a note lists. A card may have thousands.
const listedUnknown = 5

// fail records an error about a key, unless there is one.
func (c *cardCheck) fail(path, reason string, args ...any) {
	if c.err == nil {
		c.err = fault.Formatf(c.what, "key %q: %s", path, msg.Text(msg.Sprintf(reason, args...)))
	}
}

// value checks the value at a path. It must have one of some forms.
func (c *cardCheck) value(path string, v *fastjson.Value, forms []CardForm) {
	if c.err != nil {
		return
	}
	var fitting []CardForm
	for _, f := range forms {
		if f.Type.fits(v) {
			fitting = append(fitting, f)
		}
	}
	switch {
	case len(fitting) == 0:
		c.fail(path, "it is the JSON %s instead of %s", described(v), formNames(forms))
	case fitting[0].Type == CardText:
		c.text(path, v, fitting[0], forms)
	case fitting[0].Type == CardNumber || fitting[0].Type == CardWhole:
		c.number(path, v, fitting[0])
	case fitting[0].Type == CardTruth:
	case fitting[0].Type == CardList:
		c.list(path, v, fitting[0])
	default:
		if f := c.kind(path, v, fitting); f != nil {
			c.object(path+".", v, *f)
		}
	}
}

// fits reports whether a value has the JSON type. A number that is not whole fits CardWhole too:
// number has the better error.
func (t CardType) fits(v *fastjson.Value) bool {
	switch v.Type() {
	case fastjson.TypeString:
		return t == CardText
	case fastjson.TypeNumber:
		return t == CardNumber || t == CardWhole
	case fastjson.TypeTrue, fastjson.TypeFalse:
		return t == CardTruth
	case fastjson.TypeArray:
		return t == CardList
	case fastjson.TypeObject:
		return t == CardObject
	}
	return false
}

// text checks a text.
func (c *cardCheck) text(path string, v *fastjson.Value, f CardForm, forms []CardForm) {
	text := textOf(v)
	if n := utf8.RuneCountInString(text); f.Longest > 0 && n > f.Longest {
		c.fail(path, "it has %d characters, and up to %d are allowed", n, f.Longest)
	}
	if f.Words == nil {
		return
	}
	for _, w := range f.Words {
		if w.Word == text {
			return
		}
	}
	for _, other := range forms {
		if other.Kind == text && text != "" {
			c.fail(path, `%q needs more than a word; write an object such as {"kind": %[1]q, ...}`,
				text)
		}
	}
	c.fail(path, "%s is none of %s", shortened(v), formNames(forms))
}

// number checks a number. The parser accepts NaN and infinities too.
func (c *cardCheck) number(path string, v *fastjson.Value, f CardForm) {
	x := numberOf(v)
	switch r := f.Range; {
	case math.IsNaN(x) || math.IsInf(x, 0):
		c.fail(path, "it is the JSON number %s, which is not finite", shortened(v))
	case f.Type == CardWhole && !isWhole(x):
		c.fail(path, "%s must be a whole number within ±2^31", shortened(v))
	case r == nil || x > r.Least && x < r.Most || !r.Open && (x == r.Least || x == r.Most):
	case r.Least == r.Most:
		c.fail(path, "it is %s, and this release reads %g; use a newer release", shortened(v),
			r.Least)
	case r.Open:
		c.fail(path, "%s must be above %g", shortened(v), r.Least)
	case math.IsInf(r.Most, 1):
		c.fail(path, "%s must be at least %g", shortened(v), r.Least)
	default:
		c.fail(path, "%s must be from %.15g to %.15g", shortened(v), r.Least, r.Most)
	}
}

// list checks a list and its entries.
func (c *cardCheck) list(path string, v *fastjson.Value, f CardForm) {
	entries := v.GetArray()
	switch n := len(entries); {
	case n < f.Least && f.Most > 0, f.Most > 0 && n > f.Most:
		c.fail(path, "it has %d entries; give from %d to %d", n, f.Least, f.Most)
	case n < f.Least:
		c.fail(path, "it has %d entries; give at least %d", n, f.Least)
	}
	for i, entry := range entries {
		c.value(msg.Sprintf("%s[%d]", path, i), entry, f.Entries)
	}
}

// kind returns the form that an object states in its key "kind", or nil.
func (c *cardCheck) kind(path string, v *fastjson.Value, forms []CardForm) *CardForm {
	if forms[0].Kind == "" {
		return &forms[0]
	}
	var words []string
	for i, f := range forms {
		if kind := v.Get(keyKind); kind != nil && kind.Type() == fastjson.TypeString &&
			textOf(kind) == f.Kind {
			return &forms[i]
		}
		words = append(words, f.Kind)
	}
	if v.Get(keyKind) == nil {
		c.fail(path+"."+keyKind, "it is missing; use one of %s", enumerated(words))
	} else {
		c.fail(path+"."+keyKind, "%s is none of %s", shortened(v.Get(keyKind)), enumerated(words))
	}
	return nil
}

// object checks the keys of an object. path precedes them. A key whose value is null is absent.
func (c *cardCheck) object(path string, v *fastjson.Value, f CardForm) {
	object, _ := v.Object()
	object.Visit(func(name []byte, in *fastjson.Value) {
		key := f.key(string(name))
		switch {
		case key == nil && f.Kind != "" && string(name) == keyKind:
		case key == nil:
			c.unknownKey(path+string(name), f)
		case in.Type() != fastjson.TypeNull || key.Required:
			c.value(path+string(name), in, key.Forms)
		}
	})
	for _, key := range f.Keys {
		if in := v.Get(key.Name); key.Name != AnyName && key.Required &&
			(in == nil || in.Type() == fastjson.TypeNull) {
			c.fail(path+key.Name, "it is missing; give %s: %s", formNames(key.Forms), key.Help)
		}
	}
}

// key returns the declaration of a key of an object, or nil.
func (f *CardForm) key(name string) *CardKey {
	for i, key := range f.Keys {
		if key.Name == name || key.Name == AnyName {
			return &f.Keys[i]
		}
	}
	return nil
}

// unknownKey records a key that is not declared.
func (c *cardCheck) unknownKey(path string, f CardForm) {
	if len(c.unknown) == listedUnknown {
		c.more++
		return
	}
	var known []string
	if f.Kind != "" {
		known = append(known, keyKind)
	}
	for _, key := range f.Keys {
		known = append(known, key.Name)
	}
	c.unknown = append(c.unknown, msg.Sprintf("The key %q of the %s is unknown and has no effect. "+
		"Known keys are %s.", path, c.what, msg.List(known)))
}

// notes returns a sentence for each unknown key, or for as many as are listed.
func (c *cardCheck) notes() []string {
	if c.more == 0 {
		return c.unknown
	}
	return append(c.unknown, msg.Sprintf("The %s has %d more unknown keys.", c.what, c.more))
}

// formNames names the forms of a value in a text: "logits, raw or an object with a kind".
func formNames(forms []CardForm) string {
	var names []string
	objects := false
	for _, f := range forms {
		switch {
		case f.Words != nil:
			for _, w := range f.Words {
				names = append(names, w.Word)
			}
		case f.Type == CardList:
			names = append(names, "a list")
		case f.Type != CardObject:
			names = append(names, map[CardType]string{CardText: "text", CardNumber: "a number",
				CardWhole: "a whole number", CardTruth: "true or false"}[f.Type])
		case f.Kind == "":
			names = append(names, "an object")
		case !objects:
			objects = true
			names = append(names, `an object with the key "kind"`)
		}
	}
	return enumerated(names)
}

// enumerated joins words as a text has them: "a, b or c".
func enumerated(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// described returns the type and the JSON of a value for an error.
func described(v *fastjson.Value) string {
	if t := v.Type().String(); t != v.String() {
		return t + " " + shortened(v)
	}
	return v.String() // null, true and false are types
}

// shortened returns the JSON of a value for an error.
func shortened(v *fastjson.Value) string {
	const most = 48
	text := []rune(string(v.MarshalTo(nil)))
	if len(text) > most {
		return string(text[:most]) + "..."
	}
	return string(text)
}
