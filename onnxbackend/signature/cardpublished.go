package signature

import (
	"errors"
	"math"
	"slices"

	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/published"
)

// readPublished reads v if it is a configuration that another library publishes. Only keys of cards
// stay in it then: they win over what the configuration states.
func (c *Card) readPublished(v *fastjson.Value, what string) error {
	p, err := published.Read(v)
	var wrong *published.Error
	switch {
	case errors.As(err, &wrong):
		return fault.Formatf(what, "key %q: %s", wrong.Key, msg.Text(wrong.Reason))
	case p == nil:
		return nil
	}
	c.take(p)
	c.unknown = append(c.unknown, publishedNotes(what, p)...)
	keepCardKeys(v)
	return nil
}

// publishedNotes says what is from a configuration, and what no card can state.
func publishedNotes(what string, p *published.Card) []string {
	stated := p.Stated()
	if len(stated) == 0 {
		return p.Notes
	}
	first := msg.Sprintf("From the %s, %s: %s.", what, msg.Text(p.From), msg.List(stated))
	return append([]string{first}, p.Notes...)
}

// take sets what a configuration states.
func (c *Card) take(p *published.Card) {
	if p.Classes != nil {
		c.Classes, c.besides = p.Classes, false
	}
	if in := p.Preprocess; in != nil {
		c.Preprocess = &Preprocess{Scale: in.Scale, Mean: in.Mean, Std: in.Std}
	}
	if p.Size > 0 {
		c.Patch = &Patch{Size: p.Size, Stride: p.Size, Background: math.Inf(1),
			Microns: p.Microns}
	}
}

// keepCardKeys removes the keys of an object that are no keys of cards. A key of a card with a
// value of another type is the configuration's own, such as the version "1.0".
func keepCardKeys(v *fastjson.Value) {
	var drop []string
	declared := CardForm{Type: CardObject, Keys: CardKeys()}
	v.GetObject().Visit(func(name []byte, in *fastjson.Value) {
		key := declared.key(string(name))
		if key == nil || !slices.ContainsFunc(key.Forms,
			func(f CardForm) bool { return f.Type.fits(in) }) {
			drop = append(drop, string(name))
		}
	})
	for _, name := range drop {
		v.Del(name)
	}
}

// A Published is a configuration of another library that was found beside a model.
type Published struct {
	Name string // the name of its file, for messages
	Data []byte
}

// StatesPixels reports whether a file is a configuration of another library that states the size or
// the preprocessing of pictures.
func StatesPixels(data []byte) bool {
	if len(data) > MaxCard {
		return false
	}
	v, err := fastjson.ParseBytes(data)
	if err != nil {
		return false
	}
	p, err := published.Read(v)
	return err == nil && p != nil && (p.Size > 0 || p.Preprocess != nil)
}

// ReadPublished reads the configurations of other libraries that were found beside a model. Of two
// of one kind the first counts. Files of other contents have no effect. shape is that of the
// pictures that the model takes, (channels, height, width) with sides below 1 if they are open, or
// nil for a model of features, which has no use for patches and preprocessing. A configuration of
// other pictures is not read, and a note says so. Errors are those of Read.
func (c *Card) ReadPublished(files []Published, shape []int) error {
	var parser fastjson.Parser
	found := map[string]bool{} // kinds of configurations
	for _, file := range files {
		if len(file.Data) > MaxCard {
			continue
		}
		v, err := parser.ParseBytes(file.Data)
		if err != nil {
			continue
		}
		p, err := published.Read(v)
		var wrong *published.Error
		if errors.As(err, &wrong) {
			return fault.Formatf(cardFile(file.Name), "key %q: %s; correct it, or state a model "+
				"card instead", wrong.Key, msg.Text(wrong.Reason))
		}
		if p == nil || found[p.From] {
			continue
		}
		found[p.From] = true
		if shape == nil {
			p = &published.Card{From: p.From, Classes: p.Classes}
		} else if why := p.Fits(shape); why != "" {
			c.unknown = append(c.unknown, msg.Sprintf("The %s is not read: %s.",
				cardFile(file.Name), msg.Text(why)))
			continue
		}
		besides := c.besides
		c.take(p)
		c.besides = besides || p.Classes != nil
		c.unknown = append(c.unknown, publishedNotes(cardFile(file.Name), p)...)
	}
	return nil
}

// cardFile names a file of a configuration in messages.
func cardFile(name string) string { return msg.Sprintf("model card %s", name) }
