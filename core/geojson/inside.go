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
// in an odd number of its rings, so that holes are outside. It returns a *core.BagError for a bag
// without Boxes and for regions with too many lines.
func Inside(bag *core.Bag, region Region) ([]bool, error) {
	if err := NeedPlaces(bag); err != nil {
		return nil, err
	}
	centres := make([]Point, len(bag.Boxes))
	order := make([]int, len(bag.Boxes))
	for i, b := range bag.Boxes {
		centres[i] = Point{float64(b.Min.X+b.Max.X) / 2, float64(b.Min.Y+b.Max.Y) / 2}
		order[i] = i
	}
	// A line concerns only the instances at its height: they are found in the order of Y.
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(centres[a].Y, centres[b].Y) })
	heights := make([]float64, len(order))
	for n, i := range order {
		heights[n] = centres[i].Y
	}
	at := func(p, q Point) []int { // the instances at the height of a line
		// A line covers heights from the lower end, inclusive, to the higher, exclusive.
		from, _ := slices.BinarySearch(heights, min(p.Y, q.Y))
		to, _ := slices.BinarySearch(heights, max(p.Y, q.Y))
		return order[from:to]
	}
	work := int64(0)
	for p, q := range lines(region) {
		work += int64(len(at(p, q)))
	}
	if work > maxCrossings {
		return nil, &core.BagError{Bag: bag.Name, Reason: msg.Sprintf("the annotation %q has too "+
			"many lines for %d instances; simplify it in QuPath", region.Class, len(order))}
	}
	inside := make([]bool, len(centres))
	for p, q := range lines(region) {
		for _, i := range at(p, q) {
			c := centres[i]
			if c.X < p.X+(c.Y-p.Y)*(q.X-p.X)/(q.Y-p.Y) {
				inside[i] = !inside[i]
			}
		}
	}
	return inside, nil
}

// lines yields the ends of all lines of a region.
func lines(region Region) iter.Seq2[Point, Point] {
	return func(yield func(Point, Point) bool) {
		for _, ring := range region.Rings {
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
		return nil, &core.BagError{Bag: bag.Name, Reason: "none of its instances lies inside the " +
			"annotations; coordinates of both must be pixels of the slide's level 0"}
	}
	return labels, nil
}
