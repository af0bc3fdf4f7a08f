package draw

import (
	"fmt"
	"math"

	"github.com/bagscope/bagscope/core"
)

// A layer is the scores of one class as they are drawn.
type layer struct {
	class  int
	name   string
	scores []float64 // (instance); NaN where there is none to show
	max    float64   // largest finite magnitude, of the class or of all drawn classes
}

// strength returns how strongly instance i is coloured, 0 to 1, and whether for or against: sign is
// +1, -1, or 0 for what is neutral.
func (l *layer) strength(i int) (t float64, sign int) {
	s := l.scores[i]
	switch {
	case math.IsNaN(s) || s == 0:
		return 0, 0
	case s < 0:
		sign = -1
	default:
		sign = 1
	}
	return min(1, math.Abs(s)/l.max), sign // a lone infinity gives Inf/0, and so 1
}

// layers picks the scores to draw out of a report, in the order of the classes asked for. A nil report
// has none. A report on the bag without its removed instances is spread over the whole bag.
func layers(report *core.Report, k int, o Options) ([]layer, error) {
	if report == nil {
		return nil, nil
	}
	method := o.Method
	if method == "" && len(report.Explanations) > 0 {
		method = report.Explanations[0].Method
	}
	found := map[int]core.Explanation{}
	var classes []int
	for _, e := range report.Explanations {
		if _, twice := found[e.Class]; e.Method == method && !twice {
			found[e.Class] = e
			classes = append(classes, e.Class)
		}
	}
	if len(found) == 0 {
		return nil, &core.SettingError{Setting: "method", Reason: fmt.Sprintf("the report holds no explanation by %q", method)}
	}
	if o.Classes != nil {
		classes = o.Classes
	}
	var out []layer
	for _, class := range classes {
		e, ok := found[class]
		if !ok {
			return nil, &core.SettingError{Setting: "classes", Reason: fmt.Sprintf("the report does not explain class %d by %s", class, method)}
		}
		scores, err := spread(e.Scores, k, o)
		if err != nil {
			return nil, err
		}
		out = append(out, layer{class: class, name: o.className(class), scores: scores, max: magnitude(scores)})
	}
	if o.Shared {
		top := 0.0
		for _, l := range out {
			top = max(top, l.max)
		}
		for i := range out {
			out[i].max = top
		}
	}
	return out, nil
}

// spread returns a score for each of k instances, NaN for removed ones.
func spread(scores []float64, k int, o Options) ([]float64, error) {
	gone, kept := o.gone(k)
	if len(scores) != k && len(scores) != kept {
		return nil, &core.BagError{Reason: fmt.Sprintf("it has %d instances, of which %d are removed, but the explanation has %d scores", k, k-kept, len(scores))}
	}
	out := make([]float64, k)
	next := 0
	for i := range out {
		if len(scores) == k {
			next = i
		}
		if gone[i] {
			out[i] = math.NaN()
			continue
		}
		out[i] = scores[next]
		next++
	}
	return out, nil
}

// magnitude returns the largest finite absolute score.
func magnitude(scores []float64) float64 {
	top := 0.0
	for _, s := range scores {
		if m := math.Abs(s); m > top && !math.IsInf(m, 0) {
			top = m
		}
	}
	return top
}
