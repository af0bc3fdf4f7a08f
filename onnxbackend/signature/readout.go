package signature

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
)

// A readout turns the raw scores of one head of the card into the numbers that people read.
type readout struct {
	Answer
	key   string   // the head's object in the card, for errors
	names []string // names of its classes
	raw   int      // number of raw scores
	at    int      // place of the first one
	heads []core.Head
	// target is what the raw scores, a vector, are compared with; nil for all other kinds.
	target *Target
}

// number writes a whole number.
func number(n int) string { return strconv.Itoa(n) }

// width returns how many classes the readout gives.
func (p *readout) width() (n int) {
	for _, h := range p.heads {
		n += h.Classes
	}
	return n
}

// count returns the number of raw scores that the card states, 0 if it states none.
func (a *Answer) count() int {
	switch {
	case a.Kind == core.KindHazards:
		return len(a.Edges) - 1
	case a.Kind == kindOrdinal && a.cumulative():
		return max(len(a.Classes), len(a.Values), 1) - 1
	case a.Kind == kindOrdinal:
		return max(len(a.Classes), len(a.Values))
	}
	return len(a.Classes)
}

// cumulative reports whether an ordinal output has one score for each class above the first.
func (a *Answer) cumulative() bool {
	return a.Scale == cumulativeLogits || a.Scale == cumulativeProbabilities
}

// grades returns the number of ordered classes.
func (p *readout) grades() int {
	if p.cumulative() {
		return p.raw + 1
	}
	return p.raw
}

// complete checks the number of raw scores, and fills in names and heads. first is the number of
// classes of the heads before this one. Errors are a *fault.Format that names the key.
func (p *readout) complete(first int, several bool) error {
	bad := func(key, reason string, args ...any) error {
		return fault.Formatf("model card", "key %q: %s", p.key+key,
			msg.Text(msg.Sprintf(reason, args...)))
	}
	if n := p.count(); n > 0 && n != p.raw {
		key := "classes"
		switch {
		case p.Kind == core.KindHazards:
			return bad("edges", "%d edges are for %d bins, and the output has %d hazards; give "+
				"one edge more than bins", len(p.Edges), n, p.raw)
		case p.Kind == kindOrdinal && len(p.Values) > len(p.Classes):
			key = "values"
		}
		return bad(key, "it is for %d scores, and the output has %d", n, p.raw)
	}
	head := core.Head{Kind: p.Kind, Classes: 1, Scale: core.ScaleRaw, Negative: -1,
		Unit: core.Unit(p.Unit)}
	if several {
		head.Name = p.Name
	}
	switch p.Kind {
	case core.KindHazards:
		p.name("restricted mean survival")
	case core.KindRegression:
		head.Classes = p.raw
		p.regression(several)
	case kindOrdinal:
		if len(p.Values) > 0 && len(p.Values) != p.grades() {
			return bad("values", "it has %d numbers for %d ordered classes", len(p.Values),
				p.grades())
		}
		if len(p.Classes) > 0 && len(p.Classes) != p.grades() {
			return bad("classes", "it names %d classes, and there are %d", len(p.Classes),
				p.grades())
		}
		return p.ordinal(head, several, bad)
	default:
		head.Classes, head.Scale = p.raw, p.Scale
		return p.classes(head, first, several, bad)
	}
	p.heads = []core.Head{head}
	return nil
}

// name names the only class as the card does, or by the usual name.
func (p *readout) name(usual string) {
	p.names = []string{cmp.Or(p.Name, usual)}
}

// regression names the numbers of a regression.
func (p *readout) regression(several bool) {
	switch {
	case len(p.Classes) > 0:
		p.names = p.within(several, p.Classes)
	case p.raw == 1:
		p.name("value")
	default:
		p.names = p.within(several, classNames(p.raw, core.ScaleRaw))
	}
}

// within puts the head's name before the names of its classes, if there are several heads.
func (p *readout) within(several bool, names []string) []string {
	out := slices.Clone(names)
	for i := range out {
		if several {
			out[i] = p.Name + ":" + out[i]
		}
	}
	return out
}

// ordinal completes ordered classes: the expected grade, then P(grade >= g) of each class above the
// first.
func (p *readout) ordinal(
	head core.Head, several bool, bad func(key, reason string, args ...any) error,
) error {
	n := p.grades()
	if n < 2 {
		return bad("scale", "the output has %d scores, and %s of two or more ordered classes were "+
			"expected", p.raw, p.Scale)
	}
	if p.Values == nil {
		for g := range n {
			p.Values = append(p.Values, float64(g))
		}
	}
	names := p.Classes
	if names == nil {
		for _, v := range p.Values {
			names = append(names, strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	p.name("expected grade")
	var above []string
	for _, name := range names[1:] {
		above = append(above, "at least "+name)
	}
	p.names = append(p.names, p.within(several, above)...)
	head.Kind = core.KindGrade
	if head.Unit == "" {
		head.Unit = "grades"
	}
	p.heads = []core.Head{head, {Name: head.Name, Kind: core.KindAtLeast, Classes: n - 1,
		Scale: core.ScaleProbabilities, Negative: -1}}
	return nil
}

// classes completes the head of a classification.
func (p *readout) classes(
	head core.Head, first int, several bool, bad func(key, reason string, args ...any) error,
) error {
	p.names = p.Classes
	if p.names == nil {
		p.names = classNames(p.raw, p.Scale)
	}
	p.names = p.within(several, p.names)
	if p.raw > 1 { // convention: class 0 of several is the negative one
		head.Negative = first
	}
	if n := p.Negative; n != nil {
		if *n < -1 || *n >= p.raw {
			return bad("negative", "it is %d, and there are %d classes", *n, p.raw)
		}
		if head.Negative = -1; *n >= 0 {
			head.Negative = first + *n
		}
	}
	p.heads = []core.Head{head}
	return nil
}

// read writes the numbers of one row of raw scores to dst. Errors are a *fault.Format that names
// the key which the scores contradict. NaN stays NaN: it is a row without a value.
func (p *readout) read(dst, raw []float64) error {
	raw = raw[p.at : p.at+p.raw]
	if p.target != nil {
		p.target.likenesses(dst, raw)
		return nil
	}
	switch p.Kind {
	case core.KindHazards:
		survival, err := p.survival(raw)
		if err != nil {
			return err
		}
		dst[0] = p.Edges[0] // everyone survives up to the first edge
		for j, s := range survival[1:] {
			dst[0] += (p.Edges[j+1] - p.Edges[j]) * (survival[j] + s) / 2
		}
		return nil
	case kindOrdinal:
		atLeast, err := p.atLeast(raw)
		if err != nil {
			return err
		}
		dst[0] = p.Values[0]
		for g, v := range atLeast {
			dst[0] += (p.Values[g+1] - p.Values[g]) * v
			dst[g+1] = v
		}
		return nil
	}
	copy(dst, raw)
	return nil
}

// survival returns the survival at each edge: prod (1 - h) over the bins before it.
func (p *readout) survival(raw []float64) ([]float64, error) {
	s := []float64{1}
	for j, h := range raw {
		if p.Scale == core.ScaleLogits {
			h = sigmoid(h)
		}
		h, err := p.probability("hazard", j, h)
		if err != nil {
			return nil, err
		}
		s = append(s, s[j]*(1-h))
	}
	return s, nil
}

// atLeast returns P(grade >= g) of each class above the first.
func (p *readout) atLeast(raw []float64) ([]float64, error) {
	v := slices.Clone(raw)
	switch p.Scale {
	case cumulativeLogits:
		for g := range v {
			v[g] = sigmoid(v[g])
		}
		return v, nil
	case core.ScaleLogits:
		top, sum := slices.Max(v), 0.0
		for g := range v {
			v[g] = math.Exp(v[g] - top)
			sum += v[g]
		}
		for g := range v {
			v[g] /= sum
		}
	}
	sum := 0.0
	for g := range v {
		var err error
		if v[g], err = p.probability("score", g, v[g]); err != nil {
			return nil, err
		}
		sum += v[g]
	}
	if p.Scale == cumulativeProbabilities {
		return v, nil
	}
	if math.Abs(sum-1) > contradiction {
		return nil, fault.Formatf("model card", "key %q: it says probabilities of the classes, "+
			"and the scores sum to %.4g; say what they are, one of %v", p.key+"scale", sum,
			ordinalScales)
	}
	for g := len(v) - 2; g >= 0; g-- {
		v[g] += v[g+1]
	}
	return v[1:], nil
}

// probability returns a score that must be within 0..1, without what rounding adds.
func (p *readout) probability(what string, j int, v float64) (float64, error) {
	if v < -contradiction || v > 1+contradiction {
		return 0, fault.Formatf("model card", "key %q: it says %s, and %s %d is %.4g, outside "+
			"0..1; if the output holds logits, say so", p.key+"scale", p.Scale, what, j, v)
	}
	if math.IsNaN(v) {
		return v, nil
	}
	return min(max(v, 0), 1), nil
}

// sigmoid returns 1 / (1 + e^-x).
func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
