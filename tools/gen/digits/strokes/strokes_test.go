package strokes

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestFrame holds every digit to MNIST's frame: the ink inside a box of 20 by 20, its centre of
// mass in the middle, white enough to be read.
func TestFrame(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	for digit := range 10 {
		for range 30 {
			picture := Draw(r, digit)
			must.Equal(t, len(picture), Side*Side)
			ink := make([]float64, len(picture))
			left, right, top, bottom := Side, 0, Side, 0
			for i, v := range picture {
				ink[i] = float64(v)
				if v > 200 {
					left, right = min(left, i%Side), max(right, i%Side)
					top, bottom = min(top, i/Side), max(bottom, i/Side)
				}
			}
			if w, h := right-left+1, bottom-top+1; max(w, h) < 14 || max(w, h) > box+1 {
				t.Errorf("a %d is %d by %d pixels", digit, w, h)
			}
			if dx, dy := offCentre(ink); math.Hypot(dx, dy) > .3 {
				t.Errorf("the ink of a %d is off centre by %.2f, %.2f", digit, dx, dy)
			}
		}
	}
}

func TestDigitsVaryInAllStyles(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	for digit := range 10 {
		must.Equal(t, len(glyphs[digit]) >= 3, true, len(glyphs[digit]), digit)
		if a, b := Draw(r, digit), Draw(r, digit); bytes.Equal(a, b) {
			t.Errorf("two times the same %d", digit)
		}
	}
}

// TestStrokesPassThroughTheirPoints also checks that a stroke of two points is straight.
func TestStrokesPassThroughTheirPoints(t *testing.T) {
	s := arc(.5, .5, .3, .4, -90, 270)
	line := s.smooth()
	for _, p := range s {
		if !slices.ContainsFunc(line, func(q point) bool {
			return math.Hypot(p.x-q.x, p.y-q.y) < 1e-12
		}) {
			t.Errorf("the line misses %v", p)
		}
	}
	for _, p := range (stroke{{0, 0}, {1, 2}}).smooth() {
		must.Equal(t, math.Abs(p.y-2*p.x) <= 1e-12, true, p)
	}
}

func TestDistance(t *testing.T) {
	lines := [][]point{{{0, 0}, {4, 0}}, {{10, 10}, {10, 10}}}
	for _, c := range []struct {
		p    point
		want float64
	}{{point{2, 3}, 3}, {point{-3, 4}, 5}, {point{4, 0}, 0}, {point{10, 8}, 2}} {
		must.Equal(t, math.Abs(distance(lines, c.p)-c.want) <= 1e-12, true, c.p, c.want)
	}
}
