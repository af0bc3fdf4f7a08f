package draw

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// A layer holds the scores of one class, which are drawn as differences from its neutral point.
type layer struct {
	class   int
	name    string
	unit    core.Unit
	neutral float64
	scores  []float64 // (instance); NaN for removed instances
	evident []bool    // (instance), nil if every score is drawn as evidence
	unknown bool      // whether the errors of all scores are unknown
	notes   []string  // notes of the explanation
	// the difference with the strongest colour, see Scale
	max       float64
	stated    bool // whether Options state max
	explained int  // number of classes that share the scale: those explained in the same unit
}

// difference returns the score of instance i minus the neutral point.
func (l *layer) difference(i int) float64 { return l.scores[i] - l.neutral }

// evidence reports whether the score of instance i is drawn with a colour and a sign.
func (l *layer) evidence(i int) bool {
	d := l.difference(i)
	return !math.IsNaN(d) && d != 0 && (l.evident == nil || l.evident[i])
}

// strength returns the strength of the colour of instance i, 0 to 1, and its sign: +1 supports, -1
// refutes, 0 is not evidence, or too little to be drawn.
func (l *layer) strength(i int) (t float64, sign int) {
	if sign = l.sign(i); sign == 0 || l.small(i) {
		return 0, 0
	}
	return l.share(i), sign
}

// sign returns the sign of a score: +1 supports, -1 refutes, 0 is not evidence.
func (l *layer) sign(i int) int {
	switch {
	case !l.evidence(i):
		return 0
	case l.difference(i) < 0:
		return -1
	}
	return 1
}

// small reports whether the score of instance i is evidence, but too little to have a colour.
func (l *layer) small(i int) bool { return l.evidence(i) && l.share(i) < LeastDrawn }

// order returns the instances in the order in which they are drawn over each other: from the
// weakest on, or with o.Top from the lowest.
func (l *layer) order(o Options) []int {
	if o.Top > 0 {
		order := descending(l.scores)
		slices.Reverse(order)
		return order
	}
	visible := make([]float64, len(l.scores))
	for i := range visible {
		visible[i] = -1 // no evidence
		if t, sign := l.strength(i); sign != 0 {
			visible[i] = t
		}
	}
	order := upTo(len(visible))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(visible[i], visible[j]) })
	return order
}

// count returns the number of scores that are evidence. The legend states how many of the others
// there are.
func (l *layer) count() (n int) {
	for i := range l.scores {
		if l.evidence(i) {
			n++
		}
	}
	return n
}

// share returns the magnitude of the difference of instance i relative to max, 0 to 1. A NaN score,
// that of a removed instance, has 0.
func (l *layer) share(i int) float64 {
	d := math.Abs(l.difference(i))
	if math.IsNaN(d) || d == 0 {
		return 0
	}
	return min(1, d/l.max) // if the only score is infinite, this is Inf/0 and the result is 1
}

// strengths returns how much there is to see of each shown instance: its largest share of any
// layer, where evidence comes before scores that are not evidence. Without layers all are 0.
func strengths(ls []layer, shown []int) []float64 {
	out := make([]float64, len(shown))
	for n, i := range shown {
		for l := range ls {
			t := ls[l].share(i) / 2
			if ls[l].evidence(i) {
				t += .5
			}
			out[n] = max(out[n], t)
		}
	}
	return out
}

// placesOf returns the place of each shown instance in the picture, from 0.
func (o Options) placesOf(ls []layer, shown []int) []int {
	if o.Order != nil {
		at, out := make(map[int]int, len(shown)), make([]int, len(shown))
		for n, i := range shown {
			at[i] = n
		}
		place := 0
		for _, i := range o.Order {
			if n, ok := at[i]; ok {
				out[n] = place
				place++
			}
		}
		return out
	}
	if !o.Sorted {
		return upTo(len(shown))
	}
	return ranks(strengths(ls, shown))
}

// newLayers returns the layers of a report in the order of o.Classes, by default with the predicted
// class first. A nil report has no layers. If the report explains the bag without its removed
// instances, its scores are assigned to the other instances of the bag. Classes share the scale of
// all classes that the method explains in the same unit, so that pictures of single classes are
// comparable; with o.PerClass each class has its own.
func newLayers(report *core.Report, k int, o Options) ([]layer, error) {
	if report == nil {
		return nil, nil
	}
	// Explanations of other methods are skipped. If a report explains a class twice, the first
	// counts.
	method := methodOf(report, o)
	found, sharing := map[int]int{}, map[core.Unit]int{}
	var (
		classes      []int
		layers       []layer
		explanations []core.Explanation
	)
	for _, e := range report.Explanations {
		if _, twice := found[e.Class]; e.Method != method || twice {
			continue
		}
		l, err := newLayer(e, k, o)
		if err != nil {
			return nil, err
		}
		found[e.Class] = len(layers)
		classes, layers = append(classes, e.Class), append(layers, l)
		explanations = append(explanations, e)
		sharing[l.unit]++
	}
	if len(found) == 0 {
		return nil, &core.SettingError{Setting: "method",
			Reason: msg.Sprintf("the report holds no explanation by %q", method)}
	}
	if o.Classes != nil {
		classes = o.Classes
	} else {
		classes = predictedFirst(classes, report)
	}
	of := scales(explanations, report.Prediction, layers)
	var out []layer
	for _, class := range classes {
		at, ok := found[class]
		if !ok {
			return nil, &core.SettingError{Setting: "classes",
				Reason: msg.Sprintf("the report does not explain class %d by %s", class, method)}
		}
		l := layers[at]
		l.explained, l.max = sharing[l.unit], of[at].Shared
		switch {
		case o.Strongest > 0 && len(out) > 0 && l.unit != out[0].unit:
			return nil, &core.SettingError{Setting: "strongest", Reason: msg.Sprintf("the classes "+
				"have scores in %s and in %s, which one number cannot scale; draw classes of one "+
				"unit", out[0].unit, l.unit)}
		case o.Strongest > 0:
			l.max, l.stated = o.Strongest, true
		case o.PerClass:
			l.max = of[at].Own
		}
		out = append(out, l)
	}
	return out, nil
}

// predictedFirst moves the class with the highest prediction to the front. Without a prediction, or
// if its units differ, it does not change the order.
func predictedFirst(classes []int, report *core.Report) []int {
	prediction, units := report.Prediction, report.Units
	other := func(u core.Unit) bool { return u != units[0] }
	if len(prediction) == 0 || slices.ContainsFunc(units, other) {
		return classes
	}
	top := slices.Index(prediction, slices.Max(prediction))
	at := slices.Index(classes, top)
	if at <= 0 {
		return classes
	}
	return slices.Insert(slices.Delete(slices.Clone(classes), at, at+1), 0, top)
}

// methodOf returns the name of the method to draw, or "" if the report has no explanation.
func methodOf(report *core.Report, o Options) string {
	if o.Method == "" && len(report.Explanations) > 0 {
		return report.Explanations[0].Method
	}
	return o.Method
}

// newLayer returns the layer of an explanation, without a scale. It returns a
// *core.BagError if the number of scores or of evidence flags does not match the bag.
func newLayer(e core.Explanation, k int, o Options) (layer, error) {
	l := layer{class: e.Class, name: o.className(e.Class), unit: e.Unit, neutral: e.Neutral,
		unknown: e.ErrorsUnknown(), notes: e.Notes}
	places, err := scoreIndices(len(e.Scores), k, o)
	if err != nil {
		return l, err
	}
	if e.Evident != nil {
		if len(e.Evident) != len(e.Scores) {
			return l, &core.BagError{Reason: fmt.Sprintf(
				"the explanation has %d scores but %d evidence flags", len(e.Scores),
				len(e.Evident))}
		}
		l.evident = make([]bool, k)
	}
	l.scores = make([]float64, k) // one score for each instance, also for removed ones
	for i, at := range places {
		if at < 0 {
			l.scores[i] = math.NaN()
			continue
		}
		l.scores[i] = e.Scores[at]
		if l.evident != nil {
			l.evident[i] = e.Evident[at]
		}
	}
	return l, nil
}

// scoreIndices returns, for each of k instances, the index of its score among n scores, or -1 if it
// is removed.
func scoreIndices(n, k int, o Options) ([]int, error) {
	removed, left := o.removal(k)
	if n != k && n != left {
		return nil, &core.BagError{Reason: fmt.Sprintf(
			"it has %d instances, of which %d are removed, but the explanation has %d scores", k,
			k-left, n)}
	}
	out := make([]int, k)
	next := 0 // index among the scores of a report without the removed instances
	for i := range out {
		switch {
		case removed[i]:
			out[i] = -1
		case n == k:
			out[i] = i
		default:
			out[i] = next
			next++
		}
	}
	return out, nil
}

// magnitude returns the largest finite difference that is evidence, or the largest of all if none
// is.
func (l *layer) magnitude() float64 {
	largest := func(counts func(i int) bool) (top float64) {
		for i := range l.scores {
			if m := math.Abs(l.difference(i)); m > top && !math.IsInf(m, 0) && counts(i) {
				top = m
			}
		}
		return top
	}
	// A large score that is not evidence must not make the cells of evidence pale.
	if top := largest(l.evidence); top > 0 {
		return top
	}
	return largest(func(int) bool { return true })
}

// A Scale says which differences from the neutral point have the strongest colours.
type Scale struct {
	Own    float64 // if each class has its own scale, as with Options.PerClass
	Shared float64 // if all classes that a method explains in a unit share one
}

// Scales returns the scale of each explanation of a report, see scales.
func Scales(report *core.Report) []Scale {
	ls := make([]layer, len(report.Explanations))
	for i, e := range report.Explanations {
		ls[i] = layer{neutral: e.Neutral, scores: e.Scores, evident: e.Evident}
	}
	return scales(report.Explanations, report.Prediction, ls)
}
