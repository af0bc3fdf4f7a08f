package bagio

import (
	"cmp"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// sort puts the slices into the order of their positions along their normal, or, if these are not
// known or slices have several orientations, of their numbers. It sets distances, and returns notes
// about the order.
func (s *series) sort() []string {
	// The order of members is that of their names.
	slices.SortStableFunc(s.slices, func(a, b slice) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.member, b.member),
			cmp.Compare(a.frame, b.frame))
	})
	first := s.slices[0]
	if len(s.slices) == 1 {
		if first.at.Placed {
			s.distances = []float64{0}
		}
		return nil
	}
	for _, other := range s.slices {
		switch {
		case !other.at.Placed:
			return []string{"The files do not state where slices lie in the patient: slices are " +
				"in " + s.otherOrder()}
		case !first.at.Place.Parallel(other.at.Place):
			return []string{"Slices have several orientations, as localizers have: they are in " +
				s.otherOrder()}
		}
	}
	distance := func(i int) float64 { return s.slices[i].at.Place.Along(first.at.Place) }
	slices.SortStableFunc(s.slices, func(a, b slice) int {
		return cmp.Compare(a.at.Place.Along(first.at.Place), b.at.Place.Along(first.at.Place))
	})
	for i := range s.slices {
		s.distances = append(s.distances, distance(i))
	}
	gaps := make([]float64, len(s.slices)-1)
	for i := range gaps {
		gaps[i] = s.distances[i+1] - s.distances[i]
	}
	usual := usualGap(gaps)
	notes := []string{msg.Sprintf("Slices are in the order of their positions in the patient, "+
		"%s%s.", msg.Text(directionText(first.at.Place.Normal())), msg.Text(apartText(usual)))}
	return append(notes, gapNotes(gaps, usual)...)
}

// otherOrder names the order of slices without positions.
func (s *series) otherOrder() string {
	counted := slices.ContainsFunc(s.slices, func(a slice) bool { return a.counted })
	if counted && s.slices[0].number != s.slices[len(s.slices)-1].number {
		return "the order of their instance numbers."
	}
	return "the order of their frames and file names."
}

// sameGap is the distance in mm below which two slices lie at the same position.
const sameGap = 0.01

// usualGap returns the median distance of slices that do not lie at the same position, or 0.
func usualGap(gaps []float64) float64 {
	var apart []float64
	for _, g := range gaps {
		if g >= sameGap {
			apart = append(apart, g)
		}
	}
	if len(apart) == 0 {
		return 0
	}
	slices.Sort(apart)
	return apart[len(apart)/2]
}

// gapNotes says where slices may be missing, and which lie at the position of another one.
func gapNotes(gaps []float64, usual float64) []string {
	var notes []string
	wide, doubled := 0, 0
	widest := 0
	for i, g := range gaps {
		switch {
		case g < sameGap:
			doubled++
		case g > 1.5*usual:
			if wide++; wide == 1 || g > gaps[widest] {
				widest = i
			}
		}
	}
	if wide > 0 {
		notes = append(notes, msg.Sprintf("Slices may be missing (wide gaps: %d); the widest gap "+
			"is %.4g mm instead of %.4g mm, between instances %d and %d, counted from 0.", wide,
			gaps[widest], usual, widest, widest+1))
	}
	if doubled > 0 {
		notes = append(notes, msg.Sprintf("Slices that lie at the position of another one: %d; "+
			"all are instances.", doubled))
	}
	return notes
}

// directionText returns the axis of the patient that a direction is nearest to: "from feet to
// head". x grows to the left of the patient, y to the back and z to the head.
func directionText(n [3]float64) string {
	words := [3][2]string{{"right", "left"}, {"front", "back"}, {"feet", "head"}}
	axis := 0
	for i := range n {
		if math.Abs(n[i]) > math.Abs(n[axis]) {
			axis = i
		}
	}
	from, to := words[axis][0], words[axis][1]
	if n[axis] < 0 {
		from, to = to, from
	}
	return "from " + from + " to " + to
}

// apartText returns the distance of slices for a note, "" for 0.
func apartText(gap float64) string {
	if gap == 0 {
		return ""
	}
	return msg.Sprintf(", %.4g mm apart", gap)
}

// notes returns what is said of the series: order are the notes about the order, and left is the
// number of DICOM files without pictures.
func (s *series) notes(order []string, left int, windows core.Windows) []string {
	notes := order
	switch {
	case len(windows) > 0:
		notes = append(notes, windowNote(windows))
	case !s.bytes:
		notes = append(notes, "Values are what the files state that pixels stand for, such as "+
			"Hounsfield units of CT, without a window.")
	}
	if s.burned > 0 {
		notes = append(notes, msg.Sprintf("Files that state that text about the patient is "+
			"burned into their pixels: %d; drawings and reports of them show that text.", s.burned))
	}
	if left > 0 {
		notes = append(notes, msg.Sprintf("DICOM files without pictures, which are left "+
			"out: %d.", left))
	}
	return notes
}
