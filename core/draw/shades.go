package draw

import (
	"image/color"

	"github.com/bagscope/bagscope/core"
)

// Shades are the colours of a class in a map, for programs that draw the patches themselves.
type Shades struct {
	Class  int
	Name   string // name of the class
	Method string // title of the method
	// What the colours mean, as the legend of a Map says it: the strongest colours and the unit
	// first.
	Legend []string
	// Colours has the colour of each instance, opaque; that of a removed instance is transparent.
	Colours []color.RGBA
	// Signs (instance) are +1 for a score that supports, -1 for one that refutes, and 0 for others.
	// Marks are the colours of the signs, see SignBars.
	Signs []int
	Marks []color.RGBA
	// Order has the instances in the order in which Map draws them, from the weakest on, so that
	// patches which overlap hide no stronger one.
	Order []int
}

// ShadesOf returns the colours in which Map draws the patches of a bag, for every class of
// o.Classes in their order. The report must not be nil. Errors are those of Map; the bag may have
// no boxes.
func ShadesOf(bag *core.Bag, report *core.Report, o Options) ([]Shades, error) {
	if report == nil {
		return nil, &core.SettingError{Setting: "report", Reason: "colours need an explanation"}
	}
	o, ls, err := prepare(bag, report, o)
	if err != nil {
		return nil, err
	}
	p := themed(o.Colours, o.Dark)
	removed, _ := o.removal(bag.Len())
	out := make([]Shades, 0, len(ls))
	for n := range ls {
		l := &ls[n]
		s := Shades{Class: l.class, Name: l.name, Method: heading(report, o),
			Legend: newLegend(ls[n:n+1], o).lines(), Order: l.order(o),
			Colours: make([]color.RGBA, bag.Len()), Signs: make([]int, bag.Len()),
			Marks: make([]color.RGBA, bag.Len())}
		for i := range s.Colours {
			if !removed[i] {
				t, sign := l.strength(i)
				s.Colours[i], s.Signs[i] = p.signed(t, sign), sign
				s.Marks[i] = p.markOn(s.Colours[i], t, sign)
			}
		}
		out = append(out, s)
	}
	return out, nil
}

// lines returns a legend as text.
func (g *legend) lines() []string {
	var out []string
	if g.ramp {
		out = append(out, "refutes "+g.low+" to supports "+g.high)
	}
	for _, e := range g.entries {
		text := e.text
		if e.sample == unclearSample {
			text = "grey: " + text
		}
		out = append(out, text)
	}
	return out
}
