package metric

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
)

// sentence returns the summary of the measurements for one class, whose values have a unit.
func (t *Trust) sentence(n int, unit core.Unit) string {
	if len(t.AOPCR) == 0 {
		return "No instance of this bag can be removed, so no order of its instances can be tested."
	}
	aopcr := t.AOPCR[0].Values[n]
	var others, better []string
	for _, row := range t.AOPCR[1:] {
		title := titleOf(row.Method)
		others = append(others, fmt.Sprintf("%s %.2g", title, row.Values[n]))
		if row.Values[n] > aopcr+muchBetter*max(math.Abs(aopcr), math.Abs(row.Values[n])) {
			better = append(better, title)
		}
	}
	beside := ""
	if len(others) > 0 {
		beside = " (" + strings.Join(others, ", ") + ")"
	}
	text := fmt.Sprintf(
		"Removing the highest scores first lowers %s more than a random order does%s",
		drop(unit, aopcr), beside)
	switch b := t.Beaten[n]; {
	case b == TrustOrders:
		text += fmt.Sprintf(", and more than each of %d random orders", b)
	case b >= fewestBeaten:
		text += fmt.Sprintf(", and more than %d of %d random orders", b, TrustOrders)
	default:
		text += fmt.Sprintf(", but %d of %d random orders lower it at least as much", TrustOrders-b,
			TrustOrders)
	}
	if len(better) > 0 {
		text += "; " + better[0] + " gives a better order"
	}
	return text + "; " + t.agreement(n) + "." + t.kept(n, unit)
}

// kept says what the shown instances do, and how many keep the answer.
func (t *Trust) kept(n int, unit core.Unit) (text string) {
	k := t.Kept[n]
	if k.Shown > 0 && !math.IsNaN(k.Sufficiency) && !math.IsNaN(k.Necessity) {
		text = fmt.Sprintf(" The %d that stand out for the answer have the %s %.2g alone, and the "+
			"others %.2g", k.Shown, unit, k.Sufficiency, k.Necessity)
		if !math.IsNaN(k.Recoverability) {
			text += fmt.Sprintf(" (recoverability %.2f)", k.Recoverability)
		}
		text += "."
	}
	if k.Least > 0 {
		text += fmt.Sprintf(" Instances that keep the answer: %d by the highest scores, %d at "+
			"least found.", k.Ranked, k.Least)
	}
	return text
}

// drop says by how much the value of a class falls.
func drop(unit core.Unit, by float64) string {
	switch unit {
	case core.UnitProbability, core.UnitLogit, core.UnitScore:
		return fmt.Sprintf("the %s by %.2g", unit, by)
	}
	return fmt.Sprintf("the output by %.2g %s", by, unit)
}

// agreement returns the part of the summary about the other seed.
func (t *Trust) agreement(n int) string {
	r := t.Correlation[n]
	if r == 1 {
		return "another seed gives the same order"
	}
	how := "a different order"
	switch {
	case r >= .95:
		how = "nearly the same order"
	case r >= .8:
		how = "a similar order"
	case r >= .5:
		how = "a partly different order"
	}
	text := fmt.Sprintf("another seed gives %s (correlation %.2f)", how, r)
	if m, _ := methods.Find(t.Method); r < .8 && slices.Contains(m.Options, "samples") {
		text += ": draw more samples"
	}
	return text
}

// titleOf returns the title of a method.
func titleOf(method string) string {
	m, _ := methods.Find(method)
	return cmp.Or(m.Title, method)
}
