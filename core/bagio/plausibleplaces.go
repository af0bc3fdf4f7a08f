package bagio

import (
	"image"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/lattice"
	"github.com/bagscope/bagscope/internal/msg"
)

// A laidPlaces is how the places of a set were read, for checks of their unit.
type laidPlaces struct {
	*places
	layout
	ground
	stated bool // whether the caller states the unit
}

// mostLapped is how many times the side of a patch may be the distance to the next one, if nothing
// states how far they overlap.
const mostLapped = 10

// crowded asks for the unit of coordinates if patches cover each other nearly, or much more than
// the file states: coordinates then count rows and columns, or pixels of a smaller level.
func (s *Set) crowded() (string, error) {
	step, apart := s.closest(func(apart float64) bool {
		return apart > mostLapped || dividesSide(apart) && s.laid.apartStated
	})
	if apart == 0 {
		return "", nil
	}
	return "", s.laid.ask(step, apart)
}

// leastLapped is how many times the side of a patch is at least the distance to the next one for a
// note. Half of a patch is a usual overlap.
const leastLapped = 3

// lapped notes patches that cover each other by most of their side, if nothing states an overlap.
func (s *Set) lapped() (string, error) {
	step, apart := s.closest(func(apart float64) bool {
		return apart >= leastLapped && dividesSide(apart) && !s.laid.apartStated
	})
	if apart == 0 {
		return "", nil
	}
	l := s.laid
	return msg.Sprintf("its patches of %v lie %v apart, and nothing states that they overlap; if "+
		"their coordinates are pixels of a level that is %v times smaller, state coords-unit %v",
		shortNumber(l.layout.width), shortNumber(step), math.Round(apart),
		shortNumber(math.Round(apart)*l.factor)), nil
}

// dividesSide reports whether patches lie on a grid whose step is a part of their side.
func dividesSide(apart float64) bool {
	return apart > 1.5 && math.Abs(apart-math.Round(apart)) < apart/50
}

// closest returns the step of the patches of the first bag that cover each other so, and how many
// times it goes into their side without the stated overlap; 0 if there is none, or if the caller
// states the unit.
func (s *Set) closest(so func(apart float64) bool) (step, apart float64) {
	l := s.laid
	if l == nil || l.stated || l.axes != 2 || l.inUnitSquare() {
		return 0, 0
	}
	for b := range s.Len() {
		boxes := s.boxes[s.offsets[b]:s.offsets[b+1]]
		// Steps of the corner are in units of the map.
		step = lattice.Step(cornersOf(boxes))
		if apart = l.layout.width * (1 - l.lap) / step; so(apart) && dense(boxes) {
			return step, apart
		}
	}
	return 0, 0
}

// cornersOf returns the left upper corners of rectangles, (k, 2).
func cornersOf(boxes []image.Rectangle) (corners []float64) {
	for _, b := range boxes {
		corners = append(corners, float64(b.Min.X), float64(b.Min.Y))
	}
	return corners
}

// dense reports whether rectangles of one size are more than twice as many as lie side by side
// where they are. A few that overlap by chance are not.
func dense(boxes []image.Rectangle) bool {
	var all image.Rectangle
	seen := make(map[image.Rectangle]bool, len(boxes))
	for _, b := range boxes {
		all, seen[b] = all.Union(b), true
	}
	if len(seen) == 0 {
		return false
	}
	one, area := boxes[0].Size(), float64(all.Dx())*float64(all.Dy())
	return float64(len(seen)) > 2*area/(float64(one.X)*float64(one.Y))
}

// ask returns the question about the unit of coordinates. Patches lie step apart on the map, and
// should lie times as far.
func (l *laidPlaces) ask(step, times float64) error {
	read := l.ground.unit
	meant := unit{shortNumber(times * l.factor), l.layout.slide.Unit == core.Microns}
	meaning := msg.Sprintf("they are pixels of a level that is %v times smaller", meant.length)
	if math.Round(step/l.factor) == 1 {
		meaning = "they are rows and columns of a grid"
	}
	answers := []Answer{{meant.String(), meaning}}
	if !read.microns {
		answers = append(answers, Answer{core.Microns, "they are micrometres"})
	}
	answers = append(answers, Answer{read.String(), "patches do cover each other so"})
	return &QuestionError{File: l.file, Seen: msg.Sprintf("its patches of %v lie %v apart, one "+
		"over the other", shortNumber(l.layout.width), shortNumber(step)),
		Option: "coords-unit", Answers: answers}
}

// inUnitSquare reports whether coordinates are fractions from 0 to 1.
func (p *places) inUnitSquare() bool {
	fraction := false
	for _, v := range p.corners {
		if v < 0 || v > 1 {
			return false
		}
		fraction = fraction || v != math.Trunc(v)
	}
	return fraction
}

// atOnePlace reports whether all of several instances have one place.
func (s *Set) atOnePlace() bool {
	return len(s.boxes) > 1 && !slices.ContainsFunc(s.boxes, func(b image.Rectangle) bool {
		return b.Min != s.boxes[0].Min
	})
}

// onePlace leaves out places that are all equal in pixels. How they were read does not matter then.
func (s *Set) onePlace() (string, error) {
	if !s.atOnePlace() {
		return "", nil
	}
	note := msg.Sprintf("all its instances have the place %v, which is not shown on a map",
		s.boxes[0].Min)
	if s.laid != nil && s.laid.inUnitSquare() {
		note = partsOfSlide
	}
	s.boxes, s.slide = nil, nil
	if s.laid != nil {
		s.notes = slices.DeleteFunc(s.notes, func(note string) bool {
			return slices.Contains(s.laid.notes, note)
		})
		s.laid = nil
	}
	return note, nil
}

// sharedPlaces notes patches that cover others on a map.
func (s *Set) sharedPlaces() (string, error) {
	if s.boxes == nil || s.laid != nil && s.laid.inUnitSquare() {
		return "", nil
	}
	return s.eachBag(func(from, to int) string {
		seen := make(map[image.Rectangle]bool, to-from)
		for _, b := range s.boxes[from:to] {
			seen[b] = true
		}
		if again := to - from - len(seen); again > 0 {
			return msg.Sprintf("%d of %d patches have the place of another one and cover it on a "+
				"map", again, to-from)
		}
		return ""
	}), nil
}

// counted returns a note on the number of patches for which is returns true, in the first bag that
// has any; text is a format of both numbers.
func (s *Set) counted(is func(image.Rectangle) bool, text string) string {
	if s.boxes == nil {
		return ""
	}
	return s.eachBag(func(from, to int) string {
		n := 0
		for _, b := range s.boxes[from:to] {
			if is(b) {
				n++
			}
		}
		if n == 0 {
			return ""
		}
		return msg.Sprintf("%d of %d patches %s", n, to-from, msg.Text(text))
	})
}

// outside notes patches outside of the slide whose size the file states.
func (s *Set) outside() (string, error) {
	if s.slide == nil || s.slide.Width == 0 || s.slide.Height == 0 || s.pictures != nil {
		return "", nil
	}
	whole := image.Rect(0, 0, s.slide.Width, s.slide.Height)
	return s.counted(func(b image.Rectangle) bool { return !b.Overlaps(whole) },
		msg.Sprintf("lie outside of the slide of %d x %d pixels; coords-unit states the unit of "+
			"their coordinates", s.slide.Width, s.slide.Height)), nil
}

// negative notes patches that begin before the corner of the slide.
func (s *Set) negative() (string, error) {
	return s.counted(func(b image.Rectangle) bool { return min(b.Min.X, b.Min.Y) < 0 },
		"begin left of or above the slide, at negative coordinates"), nil
}

// partsOfSlide is the note on coordinates between 0 and 1.
const partsOfSlide = "its coordinates lie between 0 and 1; if they are parts of the slide's " +
	"width and height, multiply them by these"

// fractions notes coordinates that are parts of the slide's sides.
func (s *Set) fractions() (string, error) {
	if s.laid == nil || !s.laid.inUnitSquare() {
		return "", nil
	}
	return partsOfSlide, nil
}
