package draw

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
)

// Words are the words of a picture in a language. Texts have their values in the places {0}, {1}
// and so on, in any order.
type Words struct {
	Title             string // of the picture; "" for the title of its method
	Supports, Refutes string
	Strongest         string // number of drawn instances, of all
	// Units; those that a model's card names stay as they are.
	Probability, LogOdds, Logit, Score string
	Largest                            string // number, or numbers with units
	LargestIn                          string // unit, number
	UnitScales, ClassScales            string // units, classes that have scales of their own
	Full                               string // numbers with units
	FullIn                             string // unit, numbers
	Stated                             string // unit, what the scale is from
	AsStated                           string // what the scale is from if nobody says it
	OneClass                           string // unit
	Shared                             string // unit, number of classes
	Bright                             string // number, highest and lowest score, unit
	ByRank                             string // what Bright says
	Neutral                            string // numbers
	Unknown                            string
	FromZero, FromNeutral              string // numbers, number of instances
	EachClass                          string // what FromZero or FromNeutral says
	Small, Beyond                      string // numbers
	Removed                            string // number
	Of                                 string // a number, the class that it is of
	More                               string // numbers of classes, number of the others
	Comma                              string // between two numbers of classes
	Decimal                            string // the decimal sign
	// RightToLeft aligns title and legend at the right. Scales keep their direction.
	RightToLeft bool
}

// English are the words of Options without Words.
var English = Words{
	Supports: "supports", Refutes: "refutes",
	Strongest:   "the {0} strongest of {1}",
	Probability: string(core.UnitProbability), LogOdds: string(core.UnitLogOdds),
	Logit: string(core.UnitLogit), Score: string(core.UnitScore),
	Largest:     "the largest difference is {0}",
	LargestIn:   "{0}; the largest difference is {1}",
	UnitScales:  "each unit on its own scale",
	ClassScales: "each class on its own scale",
	Full:        "100 % is {0}",
	FullIn:      "100 % in {0} is {1}",
	Stated:      "{0}, the strongest colour {1}",
	AsStated:    "as stated",
	OneClass:    "{0}, scaled for this class alone",
	Shared:      "{0}, one scale for {1} classes",
	Bright:      "bright: the {0} highest scores, {1} to {2} {3}",
	ByRank:      "{0}, brighter by rank",
	Neutral:     "measured from the neutral point {0}",
	Unknown:     "no errors are known: nothing is claimed to stand out",
	FromZero:    "{0} of {1} do not stand out from 0",
	FromNeutral: "{0} of {1} do not stand out from the neutral point",
	EachClass:   "{0}, in each class",
	Small:       "{0} below 5 % of the strongest colour have none",
	Beyond:      "{0} beyond the strongest colour have it",
	Removed:     "{0} removed",
	Of:          "{0} ({1})",
	More:        "{0} and {1} more",
	Comma:       ", ",
	Decimal:     ".",
}

// words returns the words of a picture.
func (o Options) words() *Words { return cmp.Or(o.Words, &English) }

// fill returns a text with values in its places.
func fill(text string, values ...string) string {
	var pairs []string
	for i, value := range values {
		pairs = append(pairs, "{"+strconv.Itoa(i)+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// unit returns the name of a unit.
func (w *Words) unit(u core.Unit) string {
	switch u {
	case core.UnitProbability:
		return w.Probability
	case core.UnitLogOdds:
		return w.LogOdds
	case core.UnitLogit:
		return w.Logit
	case core.UnitScore, "":
		return w.Score
	}
	return string(u)
}

// start returns the left end of a text that begins a line between x and end.
func (w *Words) start(x, end int, text string) int {
	if w.RightToLeft {
		return end - textWidth(text)
	}
	return x
}

// signed formats a score with its sign.
func (w *Words) signed(v float64) string { return strings.Replace(signed(v), ".", w.Decimal, 1) }

// unsigned formats a number like signed, without a plus.
func (w *Words) unsigned(v float64) string { return strings.TrimPrefix(w.signed(v), "+") }

// listed returns the number of each class with its name, one number if all are equal, or the first
// few of many.
func (w *Words) listed(ls []layer, number func(*layer) string) string {
	same := true
	var parts []string
	for i := range ls {
		same = same && number(&ls[i]) == number(&ls[0])
		parts = append(parts, fill(w.Of, number(&ls[i]), ls[i].name))
	}
	switch {
	case same:
		return number(&ls[0])
	case len(ls) > mostListed:
		return fill(w.More, strings.Join(parts[:mostListed-1], w.Comma),
			strconv.Itoa(len(ls)-mostListed+1))
	}
	return strings.Join(parts, w.Comma)
}
