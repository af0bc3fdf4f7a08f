package signature

import (
	"math"
	"slices"
	"unicode"

	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/core"
)

// kindOrdinal is the kind of an answer of ordered classes. It has two heads: the expected grade, and
// the probabilities of at least each grade.
const (
	kindOrdinal core.Kind = "ordinal"
	kindHeads   core.Kind = "heads"
)

// Scales of hazards and of ordinal classes. The words that core.Scale has too mean the same.
const (
	cumulativeLogits        core.Scale = "cumulative-logits"        // sigmoid gives P(grade >= g)
	cumulativeProbabilities core.Scale = "cumulative-probabilities" // P(grade >= g)
)

// An Answer is what the card's key "output" states about scores that are not those of classes
// alone. Which fields apply depends on the kind; README.md lists them.
type Answer struct {
	Kind   core.Kind // a constant of core, "ordinal" or "heads"
	Name   string    // name of the number; of a head, its name
	Unit   string    // unit of the number
	Scale  core.Scale
	Edges  []float64 // edges of the bins of hazards, one more than bins, increasing, in Unit
	Values []float64 // (class) number of each ordered class, increasing; nil for 0, 1, ...
	Heads  []Answer  // heads of a model with several; their own Heads are nil

	// The fields below belong to heads. Without heads the card's own keys count.
	Classes    []string
	Negative   *int   // counted within the head
	OutputName string // the graph output; heads that share one have its scores in order
}

// Limits of an answer.
const (
	maxHeads = 64
	maxBins  = 1 << 10
	maxUnit  = 32 // letters of a unit
)

// output reads the key "output": the word of a scale, or an object.
func (r *cardReader) output(c *Card) {
	v := r.v.Get("output")
	if v == nil || v.Type() == fastjson.TypeNull {
		return
	}
	c.Output, c.Answer = "", nil
	if v.Type() == fastjson.TypeObject {
		a := r.within("output", v).answer(true)
		c.Answer = &a
		if a.Kind == core.KindClasses {
			c.Output, c.Answer = a.Scale, nil
		}
		return
	}
	readKey(r, "output", "text or an object", (*string)(&c.Output), textOf)
	switch {
	case c.Output == "" || slices.Contains(classScales, c.Output):
	case slices.Contains(answerKinds, core.Kind(c.Output)):
		r.fail("output", `%q needs more than a word; write an object such as {"kind": %[1]q, ...}`,
			c.Output)
	default:
		r.fail("output", "%q is none of logits, sigmoid-logits, probabilities, "+
			"log-probabilities, raw, and no object with a kind", c.Output)
	}
}

// Words of the key "kind", and of the key "scale" of each.
var (
	answerKinds = []core.Kind{core.KindClasses, core.KindHazards, core.KindRegression, kindOrdinal,
		kindHeads}
	classScales = []core.Scale{core.ScaleLogits, core.ScaleSigmoidLogits, core.ScaleProbabilities,
		core.ScaleLogProbabilities, core.ScaleRaw}
	hazardScales  = []core.Scale{core.ScaleLogits, core.ScaleProbabilities}
	ordinalScales = []core.Scale{core.ScaleLogits, core.ScaleProbabilities, cumulativeLogits,
		cumulativeProbabilities}
)

// answer reads an object of the key "output", or a head, which may hold no heads.
func (r *cardReader) answer(outer bool) (a Answer) {
	if v := r.v.Get("kind"); v == nil {
		r.fail("kind", "it is missing; use one of %v", answerKinds)
		return a
	}
	readKey(r, "kind", "text", (*string)(&a.Kind), textOf)
	readKey(r, "name", "text", &a.Name, textOf)
	readKey(r, "unit", "text", &a.Unit, textOf)
	if bad := len([]rune(a.Unit)) > maxUnit || slices.ContainsFunc([]rune(a.Unit),
		func(c rune) bool { return !unicode.IsPrint(c) }); bad {
		r.fail("unit", "it must be up to %d printable letters", maxUnit)
	}
	switch a.Kind {
	case core.KindClasses:
		r.scale(&a, classScales)
	case core.KindHazards:
		r.scale(&a, hazardScales)
		r.edges(&a)
	case core.KindRegression:
		a.Scale = core.ScaleRaw
	case kindOrdinal:
		r.scale(&a, ordinalScales)
		r.increasing("values", &a.Values)
	case kindHeads:
		if !outer {
			r.fail("kind", "heads do not nest; list all heads beside each other")
			return a
		}
		r.heads(&a)
	default:
		r.fail("kind", "%q is none of %v", a.Kind, answerKinds)
	}
	return a
}

// scale reads the key "scale", which has no default: whether scores are logits is not guessed.
func (r *cardReader) scale(a *Answer, words []core.Scale) {
	readKey(r, "scale", "text", (*string)(&a.Scale), textOf)
	if !slices.Contains(words, a.Scale) {
		r.fail("scale", "%q is none of %v: it says what the graph's output holds", a.Scale, words)
	}
}

// edges reads the edges of the bins of hazards and requires their unit.
func (r *cardReader) edges(a *Answer) {
	r.increasing("edges", &a.Edges)
	switch {
	case len(a.Edges) < 2:
		r.fail("edges", "it has %d numbers; give the edges of the bins, one more than there are "+
			"bins", len(a.Edges))
	case len(a.Edges) > maxBins+1:
		r.fail("edges", "it has %d numbers, and up to %d bins are allowed", len(a.Edges), maxBins)
	case a.Edges[0] < 0:
		r.fail("edges", "the first edge is %g, before the beginning of time", a.Edges[0])
	case a.Unit == "":
		r.fail("unit", `it is missing; say the unit of the edges, such as "months"`)
	}
}

// increasing reads a list of numbers, each above the one before it.
func (r *cardReader) increasing(key string, dst *[]float64) {
	r.numbers(key, dst)
	list := *dst
	for i := range list {
		if i > 0 && list[i] <= list[i-1] {
			r.fail(key, "entry %d is %g and entry %d is %g: they must increase", i-1, list[i-1], i,
				list[i])
			return
		}
	}
	if n := len(list); n > 0 && math.IsInf(list[n-1]-list[0], 0) {
		r.fail(key, "the entries are too far apart")
	}
}

// heads reads the list of heads.
func (r *cardReader) heads(a *Answer) {
	var list []*fastjson.Value
	readKey(r, "heads", "a list", &list, (*fastjson.Value).Array)
	if len(list) == 0 || len(list) > maxHeads {
		r.fail("heads", "it has %d heads; give from 1 to %d", len(list), maxHeads)
		return
	}
	for i, v := range list {
		path := "heads[" + number(i) + "]"
		if v.Type() != fastjson.TypeObject {
			r.fail(path, "it is a JSON %s instead of an object", v.Type())
			return
		}
		s := r.within(path, v)
		h := s.answer(false)
		readList(s, "classes", "text", &h.Classes, textOf)
		s.whole("negative", func(n int) { h.Negative = &n })
		readKey(s, "output_name", "text", &h.OutputName, textOf)
		switch same := func(o Answer) bool { return o.Name == h.Name }; {
		case h.Name == "":
			s.fail("name", "it is missing; classes of several heads are called NAME:CLASS")
		case slices.ContainsFunc(a.Heads, same):
			s.fail("name", "there are two heads %q", h.Name)
		}
		a.Heads = append(a.Heads, h)
	}
}
