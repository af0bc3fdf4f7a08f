package draw

import (
	"image"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// boxed returns a bag of one feature for each box.
func boxed(boxes ...image.Rectangle) *core.Bag {
	bag := vectors(len(boxes), 1)
	bag.Boxes = boxes
	return bag
}

// TestMapPlaces checks the place, the order and the size of patches, also of those that are far
// smaller than a pixel.
func TestMapPlaces(t *testing.T) {
	const far = 1_000_000
	for name, bag := range map[string]*core.Bag{
		"patches": boxed(image.Rect(-512, -256, -256, 0), image.Rect(0, 0, 256, 256),
			image.Rect(1024, 512, 1280, 768)),
		"points": boxed(image.Rect(0, 0, 1, 1), image.Rect(far/2, far/4, far/2+1, far/4+1),
			image.Rect(far-1, far/2-1, far, far/2)),
	} {
		t.Run(name, func(t *testing.T) {
			const width, scale = 300, 2
			p := drawn(t)(Map(bag, scored(1, -1, .5), Options{Width: width, Scale: scale}))
			var area, shown image.Rectangle
			for i, b := range bag.Boxes {
				area = area.Union(b)
				shown = shown.Union(cellOf(t, p, i, 0))
			}
			for i, b := range bag.Boxes {
				r := cellOf(t, p, i, 0)
				x := shown.Min.X + (b.Min.X-area.Min.X)*shown.Dx()/area.Dx()
				y := shown.Min.Y + (b.Min.Y-area.Min.Y)*shown.Dy()/area.Dy()
				if max(r.Min.X-x, x-r.Min.X, r.Min.Y-y, y-r.Min.Y) > 2 ||
					r.Dx() < scale || r.Dy() < scale {
					t.Errorf("patch %d is drawn at %v, want the corner %d, %d", i, r, x, y)
				}
				c := p.RGBAAt(r.Min.X+r.Dx()/4, r.Min.Y+r.Dy()/4)
				if i == 1 && !isAgainst(c, 20) || i != 1 && !isFor(c, 20) {
					t.Errorf("patch %d has colour %v", i, c)
				}
			}
		})
	}
}

// TestMapOfFewPatches checks that the patches of a small bag do not fill the width.
func TestMapOfFewPatches(t *testing.T) {
	bag := boxed(image.Rect(0, 0, 256, 256), image.Rect(256, 0, 512, 256))
	for cell, want := range map[int]int{0: defaultThumb, 25: 25} {
		p := drawn(t)(Map(bag, scored(1, -1), Options{Cell: cell}))
		must.Equal(t, cellOf(t, p, 1, 0).Size(), image.Pt(want, want), cell)
	}
}

// TestMapTop checks that with Top only the top n patches have colour.
func TestMapTop(t *testing.T) {
	bag := located(12, 12)
	report := waves(bag.Len(), 1)
	rank := ranks(report.Explanations[0].Scores)
	p := drawn(t)(Map(bag, report, Options{Top: 5}))
	for i := range bag.Len() {
		r := cellOf(t, p, i, 0)
		c := p.RGBAAt(r.Min.X+3, r.Min.Y+3)
		must.Equal(t, isFor(c, 20), rank[i] < 5, i, rank[i], c)
		must.Equal(t, c != themed("", false).background, true, i, rank[i], c)
	}
}

// TestMapOfOverlaps checks that the strongest of patches which overlap is seen whole, wherever it
// stands in the bag.
func TestMapOfOverlaps(t *testing.T) {
	bag := boxed(image.Rect(0, 0, 512, 512), image.Rect(256, 0, 768, 512),
		image.Rect(512, 0, 1024, 512))
	for strongest := range bag.Len() {
		for name, o := range map[string]Options{"all": {}, "top": {Top: 1}} {
			scores := []float64{.2, .2, .2}
			if scores[strongest] = -1; o.Top > 0 {
				scores[strongest] = 1
			}
			p := drawn(t)(Map(bag, scored(scores...), o))
			r := cellOf(t, p, strongest, 0)
			for _, x := range []int{r.Min.X + 3, r.Max.X - 4} {
				for _, y := range []int{r.Min.Y + 3, r.Max.Y - 4} {
					if c := p.RGBAAt(x, y); o.Top == 0 && !isAgainst(c, 20) ||
						o.Top > 0 && !isFor(c, 20) {
						t.Errorf("%s: patch %d has colour %v at %d, %d of %v", name, strongest, c,
							x, y, r)
					}
				}
			}
		}
	}
}
