package draw

import (
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
)

// A layer is the scores of one class as they are drawn: as differences from its neutral point.
type layer struct {
	class   int
	name    string
	unit    core.Unit
	neutral float64
	scores  []float64 // (instance); NaN where there is none to show
	evident []bool    // (instance), nil if every score is drawn as evidence
	max     float64   // the difference of the strongest colour: of the class, or of all of them
}

// difference returns how far the score of instance i lies from the neutral point.
func (l *layer) difference(i int) float64 { return l.scores[i] - l.neutral }

// clear reports whether the score of instance i is drawn with a colour and a sign.
func (l *layer) clear(i int) bool {
	d := l.difference(i)
	return !math.IsNaN(d) && d != 0 && (l.evident == nil || l.evident[i])
}

// strength returns how strongly instance i is coloured, 0 to 1, and whether for or against: sign is
// +1, -1, or 0 for a score that is not evidence.
func (l *layer) strength(i int) (t float64, sign int) {
	if !l.clear(i) {
		return 0, 0
	}
	sign = 1
	if l.difference(i) < 0 {
		sign = -1
	}
	return l.share(i), sign
}

// count returns how many scores are drawn with a colour and a sign.
func (l *layer) count() (n int) {
	for i := range l.scores {
		if l.clear(i) {
			n++
		}
	}
	return n
}

// share returns the magnitude of a difference beside the strongest colour's, 0 to 1.
func (l *layer) share(i int) float64 {
	d := math.Abs(l.difference(i))
	if math.IsNaN(d) || d == 0 {
		return 0
	}
	return min(1, d/l.max) // a lone infinity gives Inf/0, and so 1
}

// layers picks the scores to draw out of a report, in the order of the classes asked for, else the
// predicted class first. A nil report
// has none. A report on the bag without its removed instances is spread over the whole bag. The
// classes share one scale, that of all classes which the method explains, so that pictures of single
// classes compare; o.PerClass scales each by itself.
func layers(report *core.Report, k int, o Options) ([]layer, error) {
	if report == nil {
		return nil, nil
	}
	method := methodOf(report, o)
	found := map[int]layer{}
	var classes []int
	top := 0.0
	for _, e := range report.Explanations {
		if _, twice := found[e.Class]; e.Method != method || twice {
			continue
		}
		l, err := newLayer(e, k, o)
		if err != nil {
			return nil, err
		}
		found[e.Class] = l
		classes = append(classes, e.Class)
		top = max(top, l.max)
	}
	if len(found) == 0 {
		return nil, &core.SettingError{Setting: "method", Reason: fmt.Sprintf("the report holds no explanation by %q", method)}
	}
	if o.Classes != nil {
		classes = o.Classes
	} else {
		classes = predictedFirst(classes, report.Prediction)
	}
	var out []layer
	for _, class := range classes {
		l, ok := found[class]
		if !ok {
			return nil, &core.SettingError{Setting: "classes", Reason: fmt.Sprintf("the report does not explain class %d by %s", class, method)}
		}
		if !o.PerClass {
			l.max = top
		}
		out = append(out, l)
	}
	return out, nil
}

// predictedFirst moves the class of the highest prediction to the front; without a prediction the
// order stays.
func predictedFirst(classes []int, prediction []float64) []int {
	if len(prediction) == 0 {
		return classes
	}
	top := slices.Index(prediction, slices.Max(prediction))
	at := slices.Index(classes, top)
	if at <= 0 {
		return classes
	}
	return slices.Insert(slices.Delete(slices.Clone(classes), at, at+1), 0, top)
}

// methodOf returns the name of the method that is drawn, "" if the report has none.
func methodOf(report *core.Report, o Options) string {
	if o.Method == "" && len(report.Explanations) > 0 {
		return report.Explanations[0].Method
	}
	return o.Method
}

func newLayer(e core.Explanation, k int, o Options) (layer, error) {
	l := layer{class: e.Class, name: o.className(e.Class), unit: e.Unit, neutral: e.Neutral}
	places, err := spread(len(e.Scores), k, o)
	if err != nil {
		return l, err
	}
	if e.Evident != nil {
		if len(e.Evident) != len(e.Scores) {
			return l, &core.BagError{Reason: fmt.Sprintf("the explanation has %d scores but %d evidence flags", len(e.Scores), len(e.Evident))}
		}
		l.evident = make([]bool, k)
	}
	l.scores = make([]float64, k)
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
	l.max = l.magnitude()
	return l, nil
}

// spread returns for each of k instances which of n scores is its own, -1 for removed instances.
func spread(n, k int, o Options) ([]int, error) {
	gone, kept := o.gone(k)
	if n != k && n != kept {
		return nil, &core.BagError{Reason: fmt.Sprintf("it has %d instances, of which %d are removed, but the explanation has %d scores", k, k-kept, n)}
	}
	out := make([]int, k)
	next := 0
	for i := range out {
		switch {
		case gone[i]:
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

// magnitude returns the largest finite difference that is evidence; if none is, the largest of all.
func (l *layer) magnitude() float64 {
	largest := func(wanted func(i int) bool) (top float64) {
		for i := range l.scores {
			if m := math.Abs(l.difference(i)); m > top && !math.IsInf(m, 0) && wanted(i) {
				top = m
			}
		}
		return top
	}
	if top := largest(l.clear); top > 0 {
		return top
	}
	return largest(func(int) bool { return true })
}
