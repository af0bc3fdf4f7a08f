package patches

import (
	"testing"

	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/must"
)

// TestSideOf takes the size of a level that is large enough, and else makes an overview of its own.
func TestSideOf(t *testing.T) {
	for _, c := range []struct {
		sides []int // sides of the levels
		want  int
	}{{[]int{100_000, 25_000, 6_250, 1_562}, 1_562}, {[]int{4_000, 2_000, 1_100}, 2_000},
		{[]int{80_000, 20_000, 1_000}, 2_048}, {[]int{50_000}, 2_048}, {[]int{9_000, 1_024}, 2_048},
		{[]int{300}, 2_048}} {
		s := &slide.Slide{}
		for _, side := range c.sides {
			s.Levels = append(s.Levels, slide.Level{Width: side / 2, Height: side})
		}
		must.Equal(t, sideOf(s), c.want, c.sides)
	}
}

// TestOverviewBytes bounds the overview of a slide: eleven bytes for each of its pixels, of which
// the longer side has at most 2048.
func TestOverviewBytes(t *testing.T) {
	for _, c := range []struct{ wide, high, pixels int }{{300, 200, 300 * 200},
		{2048, 1, 2048}, {4096, 2048, 2048 * 1024}, {1000, 8192, 250 * 2048}, {1 << 20, 3, 2048}} {
		must.Equal(t, overviewBytes(slide.Level{Width: c.wide, Height: c.high}), int64(11*c.pixels),
			c.wide, c.high, c.pixels)
	}
}
