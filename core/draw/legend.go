package draw

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// A legend explains a picture: the values of the strongest colours, the unit, the neutral point,
// the number of scores that are not evidence, the number of removed instances, and the notes of
// classes in which no score is evidence, which say why.
type legend struct {
	*Words
	ramp      bool   // whether to draw the scale of colours
	low, high string // the values at the ends of the ramp
	entries   []entry
}

// An entry is a text of a legend with a sample of its colour.
type entry struct {
	sample sample
	text   string
}

// A sample is the symbol before an entry.
type sample int

// The samples of a legend. noSample is a text without a symbol, such as the unit.
const (
	noSample sample = iota
	supportSample
	refuteSample
	unclearSample
	removedSample
)

// mostListed is the maximum number of classes for which a legend lists a number each. A bag may
// have forty classes, whose numbers would fill the picture.
const mostListed = 6

// newLegend returns the legend of one or more layers.
func newLegend(ls []layer, o Options) *legend {
	g := &legend{Words: o.words(), ramp: true}
	unit := g.unit(ls[0].unit)
	evident := slices.ContainsFunc(ls, func(l layer) bool { return l.count() > 0 })
	g.scale(ls, unit, evident, o)
	g.neutral(ls)
	removed, left := o.removal(len(ls[0].scores))
	g.unclear(ls, left)
	g.small(ls)
	g.beyond(ls)
	if n := len(removed) - left; n > 0 {
		g.add(removedSample, fill(g.Removed, strconv.Itoa(n)))
	}
	g.notes(ls)
	return g
}

// notes adds the notes of the classes in which no score is evidence, each once.
func (g *legend) notes(ls []layer) {
	var notes []string
	classes := map[string][]string{} // names of the classes that have a note
	for i := range ls {
		if ls[i].count() > 0 {
			continue
		}
		for _, note := range ls[i].notes {
			if classes[note] == nil {
				notes = append(notes, note)
			}
			classes[note] = append(classes[note], ls[i].name)
		}
	}
	for _, note := range notes {
		text := msg.Line(note)
		if n := len(classes[note]); n < len(ls) && n <= mostListed {
			text = strings.Join(classes[note], ", ") + ": " + text
		}
		g.add(noSample, text)
	}
}

// add appends an entry with its sample.
func (g *legend) add(s sample, text string) { g.entries = append(g.entries, entry{s, text}) }

// scale adds the values at the ends of the ramp and the unit.
func (g *legend) scale(ls []layer, unit string, evident bool, o Options) {
	// top is the value of the strongest colour, largest the largest difference of the drawn
	// classes.
	top, largest := 0.0, 0.0
	for i := range ls {
		top, largest = max(top, ls[i].max), max(largest, ls[i].magnitude())
	}
	explained := ls[0].explained
	mixed := slices.ContainsFunc(ls, func(l layer) bool { return l.unit != ls[0].unit })
	withUnit := func(value func(*layer) float64) string {
		return g.listed(ls, func(l *layer) string {
			return g.unsigned(value(l)) + " " + g.unit(l.unit)
		})
	}
	scale := func(l *layer) float64 { return l.max }
	switch {
	case !evident && mixed:
		g.ramp = false
		g.add(noSample, fill(g.Largest, withUnit((*layer).magnitude)))
		return
	case !evident:
		g.ramp = false
		g.add(noSample, fill(g.LargestIn, unit, g.unsigned(largest)))
		return
	case o.Top > 0: // patches are bright or dark, so that there is no ramp of colours
		g.ramp = false
		g.add(supportSample, g.Supports)
		g.add(refuteSample, g.Refutes)
		g.add(noSample, g.spotlighted(&ls[0], unit, o))
		return
	case mixed:
		g.low, g.high = "−100 %", "+100 %"
		text := g.UnitScales
		if o.PerClass {
			text = g.ClassScales
		}
		g.add(noSample, text)
		g.add(noSample, fill(g.Full, withUnit(scale)))
		return
	case o.PerClass && len(ls) > 1:
		g.low, g.high = "−100 %", "+100 %"
		g.add(noSample, g.ClassScales)
		g.add(noSample, fill(g.FullIn, unit,
			g.listed(ls, func(l *layer) string { return g.unsigned(l.max) })))
		return
	}
	g.low, g.high = g.signed(-top), g.signed(top)
	switch {
	case ls[0].stated:
		unit = fill(g.Stated, unit, cmp.Or(o.StrongestFrom, g.AsStated))
	case explained > 1 && o.PerClass:
		unit = fill(g.OneClass, unit)
	case explained > 1:
		unit = fill(g.Shared, unit, strconv.Itoa(explained))
	}
	g.add(noSample, unit)
}

// spotlighted returns the entry for the patches that stay bright in an overlay: their number and
// the range of their scores.
func (g *legend) spotlighted(l *layer, unit string, o Options) string {
	_, left := o.removal(len(l.scores))
	n := min(o.Top, left)
	order := descending(l.scores)
	first, last := l.difference(order[0]), l.difference(order[max(n, 1)-1])
	text := fill(g.Bright, strconv.Itoa(n), g.signed(first), g.signed(last), unit)
	if o.Discount {
		text = fill(g.ByRank, text)
	}
	return text
}

// neutral adds the neutral points if they are not all 0.
func (g *legend) neutral(ls []layer) {
	if hasNeutral(ls) {
		g.add(noSample, fill(g.Neutral, g.listed(ls,
			func(l *layer) string { return g.unsigned(l.neutral) })))
	}
}

// hasNeutral reports whether any layer has a neutral point other than 0.
func hasNeutral(ls []layer) bool {
	return slices.ContainsFunc(ls, func(l layer) bool { return l.neutral != 0 })
}

// unclear adds the number of scores that are drawn without colour and sign.
func (g *legend) unclear(ls []layer, left int) {
	total := 0
	for i := range ls {
		total += left - ls[i].count()
	}
	switch {
	case total == 0:
		return
	case !slices.ContainsFunc(ls, func(l layer) bool { return !l.unknown }):
		g.add(unclearSample, g.Unknown)
		return
	}
	text := g.FromZero
	if hasNeutral(ls) {
		text = g.FromNeutral
	}
	text = fill(text, g.listed(ls, func(l *layer) string { return strconv.Itoa(left - l.count()) }),
		strconv.Itoa(left))
	// A single number for several classes would be read as their total.
	other := func(l layer) bool { return l.count() != ls[0].count() }
	if len(ls) > 1 && !slices.ContainsFunc(ls, other) {
		text = fill(g.EachClass, text)
	}
	g.add(unclearSample, text)
}

// small adds the number of scores that are evidence, and too little to have a colour.
func (g *legend) small(ls []layer) {
	count := func(l *layer) (n int) {
		for i := range l.scores {
			if l.small(i) {
				n++
			}
		}
		return n
	}
	if slices.ContainsFunc(ls, func(l layer) bool { return count(&l) > 0 }) {
		g.add(noSample, fill(g.Small,
			g.listed(ls, func(l *layer) string { return strconv.Itoa(count(l)) })))
	}
}

// beyond adds the number of scores that are larger than a stated scale.
func (g *legend) beyond(ls []layer) {
	count := func(l *layer) (n int) {
		for i := range l.scores {
			if l.stated && l.evidence(i) && math.Abs(l.difference(i)) > l.max {
				n++
			}
		}
		return n
	}
	if slices.ContainsFunc(ls, func(l layer) bool { return count(&l) > 0 }) {
		g.add(noSample, fill(g.Beyond,
			g.listed(ls, func(l *layer) string { return strconv.Itoa(count(l)) })))
	}
}
