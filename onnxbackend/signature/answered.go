package signature

import (
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
)

// A Curve is the survival curve of a head of hazards for a bag.
type Curve struct {
	Class    string    // name of the class that reads it
	Unit     core.Unit // unit of the edges
	Edges    []float64
	Survival []float64 // survival at each edge; 1 at the first
}

// readouts completes c for the card's answer: what its n raw scores are read as. Errors are a
// *fault.Format that names the key of the card.
func (s *Signature) readouts(c *ClassOutput, n int) error {
	answer := s.card.Answer
	list, several := s.card.joinedHeads(), true
	if answer.Kind != kindHeads {
		one := *answer
		one.Classes, one.Negative = s.card.Classes, s.card.Negative
		list, several = []joinedHead{{Answer: one, key: "output.", raw: n, port: c.Name}}, false
	}
	c.raw, c.Classes, c.Names, c.Negative = n, 0, nil, -1
	at := 0
	for i := range list {
		h := &list[i]
		p := &readout{Answer: h.Answer, key: h.key, raw: h.raw, at: h.at}
		at = max(at, h.at+h.raw)
		s.squashed(c, p, h.port)
		if err := p.complete(c.Classes, several); err != nil {
			return err
		}
		c.Names = append(c.Names, p.names...)
		c.heads = append(c.heads, p.heads...)
		c.readouts = append(c.readouts, p)
		c.Classes += p.width()
	}
	if at != n {
		return fault.Formatf("model card", "key \"output.heads\": the heads have %d scores, and "+
			"output %q has %d; list all heads with their classes", at, c.Name, n)
	}
	if t := s.card.Truth; t != nil && len(t) != c.Classes {
		return fault.Formatf("model card", "key \"truth\" has %d entries, and %d numbers are "+
			"read: %s", len(t), c.Classes, msg.List(c.Names))
	}
	c.Scale, c.From = core.ScaleRaw, fromCard
	if len(c.heads) == 1 {
		c.Scale, c.Negative = c.heads[0].Scale, c.heads[0].Negative
	}
	for _, p := range c.readouts {
		if words := p.about(); words != "" {
			c.note("%s", msg.Text(words))
		}
	}
	return nil
}

// squashed takes logits for probabilities if the graph ends in a sigmoid or a softmax, with a note.
func (s *Signature) squashed(c *ClassOutput, p *readout, port string) {
	end, op := s.ending(s.outputs[s.output(port)].ID)
	to := map[core.Scale]core.Scale{core.ScaleLogits: end, core.ScaleSigmoidLogits: end,
		cumulativeLogits: cumulativeProbabilities}[p.Scale]
	if end != core.ScaleProbabilities || to == "" {
		return
	}
	c.note("The model card says %s, but the graph ends in %s: the scores of output %q are taken "+
		"as %s and not squashed again.", p.Scale, op, port, to)
	p.Scale = to
}

// about says what a number of the card's kind is, in a sentence.
func (p *readout) about() string {
	switch p.Kind {
	case core.KindHazards:
		return msg.Sprintf("%q is the area under the survival curve up to %g %s: a score above 0 "+
			"means that an instance prolongs survival, one below 0 that it shortens it.",
			p.names[0], p.Edges[len(p.Edges)-1], p.Unit)
	case kindOrdinal:
		return msg.Sprintf("%q is the mean of the grade's distribution, from %g to %g: a score "+
			"above 0 raises the grade.", p.names[0], p.Values[0], p.Values[len(p.Values)-1])
	case core.KindRegression:
		if p.Unit != "" {
			return msg.Sprintf("Scores of %s are in %s.", quoted(p.names), p.Unit)
		}
	}
	return ""
}

// quoted lists names.
func quoted(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = msg.Sprintf("%q", n)
	}
	return strings.Join(out, ", ")
}

// Heads returns the heads of the classes, nil for one without a unit.
func (c *ClassOutput) Heads() []core.Head { return slices.Clone(c.heads) }

// Raw returns the number of scores that the graph has.
func (c *ClassOutput) Raw() int {
	if c.readouts == nil {
		return c.Classes
	}
	return c.raw
}

// RawTask returns the task of an evaluator of the graph's own scores.
func (c *ClassOutput) RawTask(k int) core.Task {
	t := c.Task(k)
	t.Classes = c.Raw()
	return t
}

// Read fills rows of classes: raw writes the graph's scores of as many rows. Errors are those of
// raw, and a *fault.Format for scores that contradict the card.
func (c *ClassOutput) Read(dst []float64, raw func(dst []float64) error) error {
	if c.readouts == nil {
		return raw(dst)
	}
	rows := len(dst) / c.Classes
	values := make([]float64, rows*c.raw)
	if err := raw(values); err != nil {
		return err
	}
	for i := range rows {
		to, from := dst[i*c.Classes:(i+1)*c.Classes], values[i*c.raw:(i+1)*c.raw]
		for _, p := range c.readouts {
			if err := p.read(to, from); err != nil {
				return err
			}
			to = to[p.width():]
		}
	}
	return nil
}

// Reading returns the scores of the classes, (class), from the graph's scores of one bag. Errors
// are a *fault.Format for scores that contradict the card, and a *fault.Unsupported for a vector
// without a direction to compare.
func (c *ClassOutput) Reading(raw []float64) ([]float64, error) {
	if err := c.checkDirection(raw); err != nil {
		return nil, err
	}
	out := make([]float64, c.Classes)
	err := c.Read(out, func(dst []float64) error { copy(dst, raw); return nil })
	return out, err
}

// Curves returns the survival curves of the graph's scores of one bag, one for each head of
// hazards. Errors are those of Reading.
func (c *ClassOutput) Curves(raw []float64) (out []Curve, err error) {
	for _, p := range c.readouts {
		if p.Kind != core.KindHazards {
			continue
		}
		survival, err := p.survival(raw[p.at : p.at+p.raw])
		if err != nil {
			return nil, err
		}
		out = append(out, Curve{Class: p.names[0], Unit: core.Unit(p.Unit),
			Edges: slices.Clone(p.Edges), Survival: survival})
	}
	return out, nil
}
