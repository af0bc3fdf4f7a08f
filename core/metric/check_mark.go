package metric

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
)

// A MarkCheck compares the map with that of a bag in which some instances have a mark: a bright
// square in a corner, or the largest values of some features. A map that can be trusted shows the
// mark if the prediction follows it.
type MarkCheck struct {
	Instances []int   // the marked instances
	Change    float64 // change of the prediction
	// Scores is the mean magnitude of the change of their scores, relative to the largest score of
	// the map as it is.
	Scores     float64
	Prediction bool // the prediction follows the mark
	Map        bool // the map follows the mark
	Passed     bool // not so that the prediction follows and the map does not
	Sentence   string
}

const (
	markSide    = 5  // a mark takes a fifth of the side of a picture, or of the features
	mapFollows  = .1 // relative change of scores from which the map follows
	leastFollow = 1e-12
)

// mark runs the check of pasted marks. Instances with small scores get the mark, so that it does
// not hide what the model looks for.
func (c *checker) mark(ctx context.Context, model core.Model) error {
	k := c.bag.Len()
	order := c.random("mark", 0).Perm(k)
	slices.SortStableFunc(order, func(a, b int) int {
		return cmpMagnitude(c.map0.Scores[a]-c.map0.Neutral, c.map0.Scores[b]-c.map0.Neutral)
	})
	n := max(1, int(math.Round(c.q.Marked*float64(k))))
	check := &MarkCheck{Instances: order[:n]}
	slices.Sort(check.Instances)
	marked := c.copyBag()
	for _, i := range check.Instances {
		paste(marked, i, c.brightest())
	}
	m, err := c.explain(ctx, model, marked, c.o.Seed)
	if err != nil {
		return err
	}
	largest := leastFollow
	for _, v := range c.map0.Scores {
		largest = max(largest, math.Abs(v-c.map0.Neutral))
	}
	for _, i := range check.Instances {
		check.Scores += math.Abs(m.Scores[i]-c.map0.Scores[i]) / largest / float64(n)
	}
	check.Change = c.change(m)
	check.Prediction, check.Map = c.much(check.Change), check.Scores >= mapFollows
	check.judge()
	c.out.Mark = check
	return nil
}

// cmpMagnitude orders numbers by their magnitudes.
func cmpMagnitude(a, b float64) int {
	return cmp.Compare(math.Abs(a), math.Abs(b))
}

// brightest returns the largest value of each feature in the bag, or of all pixels.
func (c *checker) brightest() []float32 {
	if len(c.bag.Shape) > 1 {
		return slices.Repeat([]float32{slices.Max(c.bag.Values)}, c.bag.Stride())
	}
	out := slices.Clone(c.bag.Instance(0))
	for i := range c.bag.Len() {
		for at, v := range c.bag.Instance(i) {
			out[at] = max(out[at], v)
		}
	}
	return out
}

// paste sets the mark of instance i: along every axis but that of channels, the first fifth of the
// places get the given values.
func paste(bag *core.Bag, i int, values []float32) {
	at := bag.Instance(i)
	for n := range at {
		inside, rest := true, n
		for d := len(bag.Shape) - 1; d >= 0; d-- {
			side := bag.Shape[d]
			channels := len(bag.Shape) > 2 && side <= 4
			inside = inside && (channels || rest%side < (side+markSide-1)/markSide)
			rest /= side
		}
		if inside {
			at[n] = values[n]
		}
	}
}

// judge sets Passed and Sentence.
func (m *MarkCheck) judge() {
	text := fmt.Sprintf("A mark pasted into %d instances changes the prediction by %.2g and their "+
		"scores by %.0f %% of the largest: ", len(m.Instances), m.Change, 100*m.Scores)
	m.Passed = m.Map || !m.Prediction
	switch {
	case m.Prediction && m.Map:
		text += "the model reads such marks, and the map shows it."
	case m.Prediction:
		text += "the model reads such marks, but the map does not show it."
	case m.Map:
		text += "the map shows what the mark would do where the other instances do not decide."
	default:
		text += "neither the prediction nor the map follows such marks."
	}
	m.Sentence = text
}
