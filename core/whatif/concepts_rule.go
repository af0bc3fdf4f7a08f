package whatif

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core/internal/stats"
	"github.com/bagscope/bagscope/internal/msg"
)

const (
	nearlyBest = .02 // fit that a shorter rule may lose
	leastFit   = .5  // fit from which a rule describes a model
)

// A Rule says for which sets of concepts f is high (METHODS section 7): where at least Least of Of
// hold, and Also or Else hold where they are given.
type Rule struct {
	Of    []Literal
	Least int
	Also  *Literal // must hold, too
	Else  *Literal // suffices
	// Fit is the share of the variance of f over the sets of concepts that the rule explains.
	Fit  float64
	Text string // the rule in words, names in the quotation marks “ and ”
}

// A Literal holds if a concept is present or, with Not, if it is absent.
type Literal struct {
	Concept int
	Not     bool
}

// Holds reports whether the rule holds for a set of concepts.
func (r *Rule) Holds(present func(concept int) bool) bool {
	holds := func(l Literal) bool { return present(l.Concept) != l.Not }
	n := 0
	for _, l := range r.Of {
		if holds(l) {
			n++
		}
	}
	return (n >= r.Least && (r.Also == nil || holds(*r.Also))) || r.Else != nil && holds(*r.Else)
}

// rule finds the rule over the evident concepts, of which it takes the 8 with the largest Shapley
// values. The others are present.
func (c *conceptGame) rule(ctx context.Context, out *Concepts) error {
	var of []int
	for j, e := range out.List {
		if e.Evident {
			of = append(of, j)
		}
	}
	slices.SortStableFunc(of, func(a, b int) int {
		return cmp.Compare(math.Abs(out.List[b].Shapley), math.Abs(out.List[a].Shapley))
	})
	of = of[:min(len(of), mostRuled)]
	slices.Sort(of)
	if len(of) == 0 {
		return nil
	}
	f, err := c.values(ctx, c.subsets(of))
	if err != nil || stats.NonFinite(f) >= 0 {
		return err
	}
	s := newRuleSearch(f, of)
	if out.Additive = s.additive(); math.IsNaN(out.Additive) {
		return nil
	}
	if best := s.search(); best.Fit >= max(leastFit, out.Additive-nearlyBest) {
		best.Text = c.text(best)
		out.Rule = best
	}
	return nil
}

// A ruleSearch enumerates rules over the sets of n concepts.
type ruleSearch struct {
	f     []float64 // (set) minus its mean
	of    []int     // the concepts
	total float64   // sum of squares of f
	best  [mostRuled + 1]Rule
}

// newRuleSearch returns the search over f of all sets of concepts.
func newRuleSearch(f []float64, of []int) *ruleSearch {
	s := &ruleSearch{of: of}
	mean := stats.Mean(f)
	for _, v := range f {
		d := v - mean
		if math.Abs(d) < 1e-9*max(1, math.Abs(v)) { // rounding
			d = 0
		}
		s.f = append(s.f, d)
		s.total += d * d
	}
	return s
}

// additive returns the share of the variance that a sum of effects explains, or NaN if f is
// constant. Columns of all sets are orthogonal, so that each effect is a difference of two means.
func (s *ruleSearch) additive() float64 {
	explained := 0.0
	for j := range s.of {
		with := 0.0
		for set, v := range s.f {
			if set>>j&1 == 1 {
				with += v
			}
		}
		explained += 4 * with * with / float64(len(s.f))
	}
	return explained / s.total
}

// search returns the shortest rule whose fit is within nearlyBest of the best.
func (s *ruleSearch) search() *Rule {
	for used := 1; used < len(s.f); used++ {
		for not := used; ; not = (not - 1) & used { // all subsets of used
			s.thresholds(used, not)
			if not == 0 {
				break
			}
		}
	}
	best := slices.MaxFunc(s.best[:], func(a, b Rule) int { return cmp.Compare(a.Fit, b.Fit) })
	n := slices.IndexFunc(s.best[:], func(r Rule) bool { return r.Fit >= best.Fit-nearlyBest })
	return &s.best[n]
}

// A histogram has the sum of f and the number of sets by the number of literals that hold.
type histogram struct{ sum, sets [mostRuled + 1]float64 }

// from returns the totals from a number of literals on.
func (h *histogram) from(least int) (sum, sets float64) {
	for n := least; n <= mostRuled; n++ {
		sum, sets = sum+h.sum[n], sets+h.sets[n]
	}
	return sum, sets
}

// thresholds considers all rules whose Of are the concepts in used, negated if they are in not.
func (s *ruleSearch) thresholds(used, not int) {
	size := bits.OnesCount(uint(used))
	whole := s.histogram(used, not, 0, 0)
	for least := 1; least <= size; least++ {
		sum, sets := whole.from(least)
		s.consider(used, not, least, sum, sets, nil, false)
	}
	for j := range s.of {
		if used>>j&1 == 1 || size == 1 {
			continue
		}
		for _, l := range []Literal{{j, false}, {j, true}} {
			want := 0
			if !l.Not {
				want = 1 << j
			}
			part := s.histogram(used, not, 1<<j, want)
			all, allSets := part.from(0)
			for least := 1; least <= size; least++ {
				sum, sets := part.from(least)
				if least < size { // else it is one more of Of
					s.consider(used, not, least, sum, sets, &l, true)
				}
				if least > 1 { // else it is one more of Of
					own, ownSets := whole.from(least)
					s.consider(used, not, least, own+all-sum, ownSets+allSets-sets, &l, false)
				}
			}
		}
	}
}

// histogram returns that of the sets whose bits under a mask are those of want.
func (s *ruleSearch) histogram(used, not, mask, want int) (h histogram) {
	for set, v := range s.f {
		if set&mask == want {
			n := bits.OnesCount(uint((set ^ not) & used))
			h.sum[n] += v
			h.sets[n]++
		}
	}
	return h
}

// consider keeps the rule if it is the best one of its length. It holds for a number of sets, whose
// f has the given sum. also says what more is, if it is not nil: Also or Else.
func (s *ruleSearch) consider(
	used, not, least int, sum, sets float64, more *Literal, also bool,
) {
	all := float64(len(s.f))
	if sum <= 0 || sets == all {
		return
	}
	r := Rule{Least: least, Fit: sum * sum * all / (sets * (all - sets)) / s.total}
	size := bits.OnesCount(uint(used))
	if more != nil {
		size++
	}
	if r.Fit <= s.best[size].Fit+1e-9 {
		return
	}
	for n, j := range s.of {
		if used>>n&1 == 1 {
			r.Of = append(r.Of, Literal{j, not>>n&1 == 1})
		}
	}
	if more != nil {
		l := &Literal{s.of[more.Concept], more.Not}
		if also {
			r.Also = l
		} else {
			r.Else = l
		}
	}
	s.best[size] = r
}

// text returns a rule in words.
func (c *conceptGame) text(r *Rule) string {
	name := func(l Literal) string {
		text := msg.Sprintf("“%s”", msg.Line(c.concepts[l.Concept].Name))
		if l.Not {
			return "not " + text
		}
		return text
	}
	var names []string
	for _, l := range r.Of {
		names = append(names, name(l))
	}
	text := ""
	switch r.Least {
	case len(names):
		text = strings.Join(names, " and ")
	case 1:
		text = strings.Join(names, " or ")
	default:
		text = msg.Sprintf("at least %d of %s", r.Least, msg.Text(strings.Join(names, ", ")))
	}
	switch {
	case r.Also != nil:
		return msg.Sprintf("(%s) and %s", msg.Text(text), msg.Text(name(*r.Also)))
	case r.Else != nil:
		return msg.Sprintf("(%s) or %s", msg.Text(text), msg.Text(name(*r.Else)))
	}
	return text
}
