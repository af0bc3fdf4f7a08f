package draw

import (
	"fmt"
	"image/color"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// TestRampHasColoursOfScores reads the ramp of a painted legend. At the place of each score it has
// the colour of the instance that has it: those of the theme, stated here, at its ends and, for
// scores that are no evidence, in its middle.
func TestRampHasColoursOfScores(t *testing.T) {
	scores := []float64{-1, -.75, -.5, -.25, 0, .25, .5, .75, 1}
	report := scored(scores...)
	report.Explanations[0].Unit = core.UnitLogOdds
	bag := shapes(len(scores), 1, 8, 8)
	p := drawn(t)(Strip(bag, report, Options{}))
	var ramp []Mark // columns of one pixel
	for _, m := range p.Marks {
		if m.Kind == Fill && m.Rect.Dx() == 1 && m.Rect.Dy() == rampHeight {
			ramp = append(ramp, m)
		}
	}
	slices.SortFunc(ramp, func(a, b Mark) int { return a.Rect.Min.X - b.Rect.Min.X })
	must.Equal(t, len(ramp) >= 100, true, len(ramp))
	column := func(at float64) color.RGBA { // at is from 0 to 1
		r := ramp[min(int(at*float64(len(ramp))), len(ramp)-1)].Rect
		return p.RGBAAt(r.Min.X, r.Min.Y+rampHeight/2)
	}
	near := func(name string, got, want color.RGBA) {
		t.Helper()
		for ch, d := range [3]int{int(got.R) - int(want.R), int(got.G) - int(want.G),
			int(got.B) - int(want.B)} {
			if d < -2 || d > 2 { // a column is 1/184 of the ramp
				t.Errorf("%s: channel %d of %v differs from %v", name, ch, got, want)
			}
		}
	}
	near("middle", column(.5), color.RGBA{0xce, 0xd2, 0xd8, 0xff})
	near("score -1", p.RGBAAt(cellOf(t, p, 0, 0).Min.X, cellOf(t, p, 0, 0).Min.Y),
		color.RGBA{0xe6, 0x6f, 0, 0xff})
	near("score 1", p.RGBAAt(cellOf(t, p, 8, 0).Min.X, cellOf(t, p, 8, 0).Min.Y),
		color.RGBA{0x2f, 0x62, 0xff, 0xff})
	for i, s := range scores {
		cell := cellOf(t, p, i, 0).Min
		near(fmt.Sprint("score ", s), column((s+1)/2), p.RGBAAt(cell.X, cell.Y))
	}
}
