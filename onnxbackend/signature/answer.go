package signature

import (
	"math"
	"slices"
	"unicode"

	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/core"
)

// kindOrdinal is the kind of an answer of ordered classes. It has two heads: the expected grade,
// and the probabilities of at least each grade.
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

// output reads the key "output": the word of a scale, or an object.
func (r *cardReader) output(c *Card) {
	v := r.v.Get("output")
	if v == nil || v.Type() == fastjson.TypeNull {
		return
	}
	c.Output, c.Answer = "", nil
	if v.Type() == fastjson.TypeObject {
		a := r.within("output", v).answer()
		c.Answer = &a
		if a.Kind == core.KindClasses {
			c.Output, c.Answer = a.Scale, nil
		}
		return
	}
	c.Output = core.Scale(textOf(v))
}

// answer reads an object of the key "output", or a head.
func (r *cardReader) answer() (a Answer) {
	readKey(r, keyKind, (*string)(&a.Kind), textOf)
	readKey(r, "name", &a.Name, textOf)
	readKey(r, "unit", &a.Unit, textOf)
	readKey(r, "scale", (*string)(&a.Scale), textOf)
	if slices.ContainsFunc([]rune(a.Unit), func(c rune) bool { return !unicode.IsPrint(c) }) {
		r.fail("unit", "%q must have printable characters alone", a.Unit)
	}
	switch a.Kind {
	case core.KindHazards:
		if r.increasing("edges", &a.Edges); a.Edges[0] < 0 {
			r.fail("edges", "the first edge is %g, before the beginning of time", a.Edges[0])
		}
		if a.Unit == "" {
			r.fail("unit", `it is empty; give the unit of the edges, such as "months"`)
		}
	case core.KindRegression:
		a.Scale = core.ScaleRaw
	case kindOrdinal:
		r.increasing("values", &a.Values)
	case kindHeads:
		r.heads(&a)
	}
	return a
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
	for i, v := range r.v.GetArray("heads") {
		s := r.within("heads["+number(i)+"]", v)
		h := s.answer()
		readList(s, "classes", &h.Classes, textOf)
		s.whole("negative", func(n int) { h.Negative = &n })
		readKey(s, "output_name", &h.OutputName, textOf)
		switch same := func(o Answer) bool { return o.Name == h.Name }; {
		case h.Name == "":
			s.fail("name", "it is empty; classes of several heads are called NAME:CLASS")
		case slices.ContainsFunc(a.Heads, same):
			s.fail("name", "there are two heads %q", h.Name)
		}
		a.Heads = append(a.Heads, h)
	}
}
