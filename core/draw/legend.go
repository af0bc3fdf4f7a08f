package draw

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
)

// A legend explains a picture: the values of the strongest colours, the unit, the neutral point,
// the number of scores that are not evidence, and the number of removed instances.
type legend struct {
	ramp    bool // whether to draw the scale of colours
	low, up string
	entries []entry
}

// An entry is a text of a legend with a sample of its colour.
type entry struct {
	sample sample
	text   string
}

// A sample is the symbol before an entry.
type sample int

const (
	noSample sample = iota
	supportSample
	refuteSample
	unclearSample
	removedSample
)

// mostListed is the maximum number of classes for which a legend lists a number each.
const mostListed = 6

// newLegend returns the legend of one or more layers. explained is the number of classes that share
// the scale.
func newLegend(ls []layer, explained int, o Options) *legend {
	g := &legend{ramp: true}
	unit := string(ls[0].unit)
	if unit == "" {
		unit = string(core.UnitScore)
	}
	clear := slices.ContainsFunc(ls, func(l layer) bool { return l.count() > 0 })
	g.scale(ls, unit, clear, explained, o)
	g.neutral(ls)
	gone, kept := o.gone(len(ls[0].scores))
	g.unclear(ls, kept)
	if len(gone) > kept {
		g.add(removedSample, fmt.Sprintf("%d removed", len(gone)-kept))
	}
	return g
}

func (g *legend) add(s sample, text string) { g.entries = append(g.entries, entry{s, text}) }

// scale adds the values at the ends of the ramp and the unit.
func (g *legend) scale(ls []layer, unit string, clear bool, explained int, o Options) {
	top, own := 0.0, 0.0
	for i := range ls {
		top, own = max(top, ls[i].max), max(own, ls[i].magnitude())
	}
	switch {
	case !clear:
		g.ramp = false
		g.add(noSample, fmt.Sprintf("%s; the largest difference is %s", unit, plain(own)))
		return
	case o.Top > 0:
		g.ramp = false
		g.add(supportSample, "supports")
		g.add(refuteSample, "refutes")
		g.add(noSample, spotlighted(&ls[0], unit, o))
		return
	case o.PerClass && len(ls) > 1:
		g.low, g.up = "−100 %", "+100 %"
		g.add(noSample, "each class on its own scale")
		g.add(noSample, "100 % in "+unit+" is "+listed(ls,
			func(l *layer) string { return plain(l.max) }))
		return
	}
	g.low, g.up = short(-top), short(top)
	switch {
	case explained > 1 && o.PerClass:
		unit += ", scaled for this class alone"
	case explained > 1:
		unit += fmt.Sprintf(", one scale for %d classes", explained)
	}
	g.add(noSample, unit)
}

// spotlighted returns the entry for the patches that an overlay keeps bright.
func spotlighted(l *layer, unit string, o Options) string {
	rank := ranks(l.scores)
	first, last := math.NaN(), math.NaN()
	_, kept := o.gone(len(rank))
	n := min(o.Top, kept)
	for i, r := range rank {
		if r == 0 {
			first = l.difference(i)
		}
		if r == n-1 {
			last = l.difference(i)
		}
	}
	text := fmt.Sprintf("bright: the %d highest scores, %s to %s %s", n, short(first), short(last),
		unit)
	if o.Discount {
		text += ", brighter by rank"
	}
	return text
}

// neutral adds the neutral points if they are not all 0.
func (g *legend) neutral(ls []layer) {
	if shifted(ls) {
		g.add(noSample, "measured from the neutral point "+listed(ls,
			func(l *layer) string { return plain(l.neutral) }))
	}
}

// shifted reports whether any layer has a neutral point other than 0.
func shifted(ls []layer) bool {
	return slices.ContainsFunc(ls, func(l layer) bool { return l.neutral != 0 })
}

// unclear adds the number of scores that are drawn without colour and sign.
func (g *legend) unclear(ls []layer, kept int) {
	total := 0
	for i := range ls {
		total += kept - ls[i].count()
	}
	if total == 0 {
		return
	}
	text := listed(ls, func(l *layer) string { return fmt.Sprint(kept - l.count()) })
	text += fmt.Sprintf(" of %d not distinguishable from ", kept)
	if shifted(ls) {
		text += "the neutral point"
	} else {
		text += "0"
	}
	if len(ls) > 1 && total == len(ls)*(kept-ls[0].count()) {
		text += ", in each class"
	}
	g.add(unclearSample, text)
}

// listed returns the number of each class with its name, one number if all are equal, or the first
// few of many.
func listed(ls []layer, number func(*layer) string) string {
	same := true
	var parts []string
	for i := range ls {
		same = same && number(&ls[i]) == number(&ls[0])
		parts = append(parts, fmt.Sprintf("%s (%s)", number(&ls[i]), ls[i].name))
	}
	switch {
	case same:
		return number(&ls[0])
	case len(ls) > mostListed:
		return fmt.Sprintf("%s and %d more", strings.Join(parts[:mostListed-1], ", "),
			len(ls)-mostListed+1)
	}
	return strings.Join(parts, ", ")
}

// plain formats a number like short, without a plus.
func plain(v float64) string { return strings.TrimPrefix(short(v), "+") }
