package bagio

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
)

// Files can be valid and still not mean what was read: padding, values in a type that nothing
// states, places in another unit. All checks of that are here. They run after a file was read, for
// every caller alike. A check whose answer changes the results asks by a *QuestionError; the others
// add a note.

// plausibility lists the checks, the most important first. Each returns a note without the file's
// name, or "", or the error.
var plausibility = []func(*Set) (note string, err error){
	(*Set).bfloat16Bits,
	(*Set).onePlace, // first of places: it leaves them out
	(*Set).crowded,
	(*Set).lapped,
	(*Set).hugeValues,
	(*Set).wideIntegers,
	(*Set).narrowIntegers,
	(*Set).paddedRows,
	(*Set).repeatedRows,
	(*Set).sharedPlaces,
	(*Set).outside,
	(*Set).negative,
	(*Set).fractions,
	(*Set).oddMicrons,
}

// plausible runs all checks and puts their notes before those of the reader. It passes the result
// of a reader on; sets of slides, of pictures that were cut and of values that are read later
// have nothing to check.
func plausible(s *Set, err error) (*Set, error) {
	if err != nil {
		return nil, err
	}
	if s.computed || s.cut != nil || s.Deferred() {
		return s, nil
	}
	var notes []string
	for _, check := range plausibility {
		note, err := check(s)
		if err != nil {
			return nil, err
		}
		if note != "" {
			notes = append(notes, msg.Sprintf("%s: %s.", s.array.file, msg.Text(note)))
		}
	}
	s.notes = slices.Concat(notes, s.notes)
	return s, nil
}

// eachBag returns what note says of the first bag for which it is not empty, with the name of the
// bag and the number of others alike in a set of several. note gets the instances of a bag.
func (s *Set) eachBag(note func(from, to int) string) string {
	first, more := "", 0
	for b := range s.Len() {
		text := note(s.offsets[b], s.offsets[b+1])
		switch {
		case text == "":
		case first != "":
			more++
		case s.Len() > 1:
			first = msg.Sprintf("in bag %q, %s", s.names[b], msg.Text(text))
		default:
			first = text
		}
	}
	if more > 0 {
		first += msg.Sprintf(", and %d other bags are alike", more)
	}
	return first
}

// Micrometres that a pixel of a slide covers, at least and at most: 100x oil immersion and an
// overview.
const (
	leastMPP = .1
	mostMPP  = 10
)

// OddMicrons returns a note without a subject if no microscope has pixels of so many micrometres,
// and "" otherwise and for 0, which is unknown.
func OddMicrons(mpp float64) string {
	if mpp == 0 || mpp >= leastMPP && mpp <= mostMPP {
		return ""
	}
	return msg.Sprintf("a pixel of level 0 covers %v micrometres, and pixels of slides cover %v "+
		"to %v; if that is another unit, slide-mpp states the micrometres", shortNumber(mpp),
		leastMPP, mostMPP)
}

// oddMicrons checks the micrometres of a pixel.
func (s *Set) oddMicrons() (string, error) {
	if s.slide == nil {
		return "", nil
	}
	return OddMicrons(s.slide.MPP), nil
}

// shortNumber rounds a number to four digits.
func shortNumber(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) {
		return v
	}
	digits := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*digits) / digits
}
