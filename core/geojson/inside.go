package geojson

import (
	"cmp"
	"iter"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// NeedPlaces returns a *core.BagError for a bag without Boxes, or with Boxes that are not in
// pixels.
func NeedPlaces(bag *core.Bag) error {
	reason := ""
	switch {
	case bag.Boxes == nil:
		reason = "its instances have no places, which GeoJSON, annotations and maps need; add " +
			"coordinates to the file of the bag"
	case bag.Slide != nil && bag.Slide.Unit == core.Microns:
		reason = "its places are in micrometres, and GeoJSON and annotations are in pixels of " +
			"the slide; state by slide-mpp how many micrometres a pixel covers"
	default:
		return nil
	}
	return &core.BagError{Bag: bag.Name, Reason: reason}
}

// maxCrossings bounds the work of Inside: pairs of an instance and a line at its height.
const maxCrossings int64 = 1 << 31

// Inside reports for each instance of a bag whether the centre of its rectangle lies in a region:
// in an odd number of its rings, so that holes among them are outside, and in none of its Holes. It
// returns a *core.BagError for a bag without Boxes and for regions with too many lines.
func Inside(bag *core.Bag, region Region) ([]bool, error) {
	if err := NeedPlaces(bag); err != nil {
		return nil, err
	}
	region = region.On(bag.Slide)
	c := centresOf(bag)
	work := c.work(region.Rings)
	for i := range region.Holes {
		work += c.work(region.Holes[i : i+1])
	}
	if work > maxCrossings {
		return nil, &core.BagError{Bag: bag.Name, Reason: msg.Sprintf("the annotation %q has too "+
			"many lines for %d instances; simplify it in QuPath", region.Class, len(c.order))}
	}
	inside := make([]bool, len(c.points))
	c.flip(region.Rings, func(i int) { inside[i] = !inside[i] })
	hidden := make([]bool, len(c.points)) // inside the hole of the turn; false between turns
	for i := range region.Holes {
		hole := region.Holes[i : i+1]
		c.flip(hole, func(i int) { hidden[i] = !hidden[i] })
		c.flip(hole, func(i int) {
			inside[i] = inside[i] && !hidden[i]
			hidden[i] = false
		})
	}
	return inside, nil
}

// centres are the middles of the instances of a bag, also in the order of their heights: a line
// concerns only the instances at its height.
type centres struct {
	points  []Point
	order   []int
	heights []float64 // those of order
}

func centresOf(bag *core.Bag) *centres {
	k := len(bag.Boxes)
	c := &centres{make([]Point, k), make([]int, k), make([]float64, k)}
	for i, b := range bag.Boxes {
		c.points[i] = Point{float64(b.Min.X+b.Max.X) / 2, float64(b.Min.Y+b.Max.Y) / 2}
		c.order[i] = i
	}
	slices.SortFunc(c.order, func(a, b int) int {
		return cmp.Compare(c.points[a].Y, c.points[b].Y)
	})
	for n, i := range c.order {
		c.heights[n] = c.points[i].Y
	}
	return c
}

// at returns the instances at the height of a line, which covers heights from its lower end,
// inclusive, to its higher, exclusive.
func (c *centres) at(p, q Point) []int {
	from, _ := slices.BinarySearch(c.heights, min(p.Y, q.Y))
	to, _ := slices.BinarySearch(c.heights, max(p.Y, q.Y))
	return c.order[from:to]
}

// work returns the number of pairs of a line and an instance at its height.
func (c *centres) work(rings []Ring) (pairs int64) {
	for p, q := range Lines(rings) {
		pairs += int64(len(c.at(p, q)))
	}
	return pairs
}

// flip calls do with an instance for each line to the right of it: an odd number of times if it
// lies inside of the rings.
func (c *centres) flip(rings []Ring, do func(i int)) {
	for p, q := range Lines(rings) {
		for _, i := range c.at(p, q) {
			at := c.points[i]
			if at.X < p.X+(at.Y-p.Y)*(q.X-p.X)/(q.Y-p.Y) {
				do(i)
			}
		}
	}
}

// Lines yields the ends of all lines of rings.
func Lines(rings []Ring) iter.Seq2[Point, Point] {
	return func(yield func(Point, Point) bool) {
		for _, ring := range rings {
			before := ring[len(ring)-1]
			for _, p := range ring {
				if !yield(before, p) {
					return
				}
				before = p
			}
		}
	}
}

// Labels returns an instance label for each instance: the position of its region's class in
// classes, from 1; 0 in no region of these classes. If regions overlap, the later region counts.
// Nil classes stand for the classes of the regions, in their order. Errors are those of Inside.
func Labels(bag *core.Bag, regions []Region, classes []string) ([]int, error) {
	if classes == nil {
		for _, r := range regions {
			if !slices.Contains(classes, r.Class) {
				classes = append(classes, r.Class)
			}
		}
	}
	labels := make([]int, bag.Len())
	for _, r := range regions {
		label := slices.Index(classes, r.Class) + 1
		if label == 0 {
			continue
		}
		inside, err := Inside(bag, r)
		if err != nil {
			return nil, err
		}
		for i, in := range inside {
			if in {
				labels[i] = label
			}
		}
	}
	return labels, nil
}

// InsideLabels returns the labels of Labels. It returns a *core.BagError for a bag without Boxes,
// for regions with too many lines, and if no instance is inside.
func InsideLabels(bag *core.Bag, regions []Region, classes []string) ([]int, error) {
	// Without a region of these classes, Labels does not look at places.
	if err := NeedPlaces(bag); err != nil {
		return nil, err
	}
	labels, err := Labels(bag, regions, classes)
	if err != nil {
		return nil, err
	}
	if slices.Max(labels) == 0 {
		return nil, NoneInside(bag)
	}
	return labels, nil
}

// NoneInside returns the *core.BagError of a bag of which no instance is inside.
func NoneInside(bag *core.Bag) error {
	return &core.BagError{Bag: bag.Name, Reason: "none of its instances lies inside the " +
		"annotations; coordinates of both must be pixels of the slide's level 0"}
}
