package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
)

// TestFrame holds every digit to MNIST's frame: the ink inside a box of 20 by 20, its centre of mass in
// the middle, white enough to be read.
func TestFrame(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	for digit := range 10 {
		for range 30 {
			picture := draw(r, digit)
			if len(picture) != side*side {
				t.Fatalf("a digit has %d pixels", len(picture))
			}
			ink := make([]float64, len(picture))
			left, right, top, bottom := side, 0, side, 0
			for i, v := range picture {
				ink[i] = float64(v)
				if v > 200 {
					left, right = min(left, i%side), max(right, i%side)
					top, bottom = min(top, i/side), max(bottom, i/side)
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

// TestHands wants digits of one kind to differ, and each way to write one to be used.
func TestHands(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	for digit := range 10 {
		if len(glyphs[digit]) < 3 {
			t.Errorf("there are only %d ways to write a %d", len(glyphs[digit]), digit)
		}
		if a, b := draw(r, digit), draw(r, digit); bytes.Equal(a, b) {
			t.Errorf("two times the same %d", digit)
		}
	}
}

// TestSmooth: the pen goes through every point of a stroke, and straight between two alone.
func TestSmooth(t *testing.T) {
	s := arc(.5, .5, .3, .4, -90, 270)
	line := s.smooth()
	for _, p := range s {
		if !slices.ContainsFunc(line, func(q point) bool { return math.Hypot(p.x-q.x, p.y-q.y) < 1e-12 }) {
			t.Errorf("the line misses %v", p)
		}
	}
	for _, p := range (stroke{{0, 0}, {1, 2}}).smooth() {
		if math.Abs(p.y-2*p.x) > 1e-12 {
			t.Errorf("%v is off the straight line", p)
		}
	}
}

func TestDistance(t *testing.T) {
	lines := [][]point{{{0, 0}, {4, 0}}, {{10, 10}, {10, 10}}}
	for _, c := range []struct {
		p    point
		want float64
	}{{point{2, 3}, 3}, {point{-3, 4}, 5}, {point{4, 0}, 0}, {point{10, 8}, 2}} {
		if got := distance(lines, c.p); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("distance of %v is %g, want %g", c.p, got, c.want)
		}
	}
}

// TestRecipe checks bags against the recipe: their class, their size, the share of key digits, and that
// the place of an instance tells nothing of it.
func TestRecipe(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 0))
	const bags = 2000
	for class := range classes {
		var sizes, keys, firstHalf float64
		for range bags {
			digits := digitsOf(r, class)
			if got := classOf(digits); got != class {
				t.Fatalf("a bag of class %d has class %d: %v", class, got, digits)
			}
			sizes += float64(len(digits))
			for i, d := range digits {
				if d >= 8 {
					keys++
					if 2*i < len(digits) {
						firstHalf++
					}
				}
			}
		}
		if mean := sizes / bags; math.Abs(mean-30) > .3 {
			t.Errorf("class %d: bags hold %.2f digits in the mean, want 30", class, mean)
		}
		if class == neither {
			continue
		}
		// The share of key digits in 30 places, given that the bag is of its class.
		want := rate / (1 - math.Pow(1-rate, 30))
		if class == both {
			none, one := math.Pow(1-rate, 30), math.Pow(1-rate/2, 29)
			want = (rate - rate*one) / (1 - 2*one*(1-rate/2) + none)
		}
		if share := keys / sizes; math.Abs(share-want) > .005 {
			t.Errorf("class %d: %.4f of the digits are key digits, want %.4f", class, share, want)
		}
		if part := firstHalf / keys; math.Abs(part-.5) > .03 {
			t.Errorf("class %d: %.3f of the key digits lie in the first half", class, part)
		}
	}
}

// TestSeed: equal seeds give equal bags, and a longer list of classes begins with the same ones.
func TestSeed(t *testing.T) {
	few, more := newBags(5, []int{both, neither}), newBags(5, []int{both, neither, nine})
	for b := range few {
		equalBag(t, few[b], more[b], 0)
	}
	if other := newBags(6, []int{both}); slices.Equal(other[0].Values, few[0].Values) {
		t.Error("two seeds give one bag")
	}
	if err := few[0].Validate(); err != nil || len(more) != 3 {
		t.Errorf("%d bags, the first of which: %v", len(more), err)
	}
}

// TestExample draws the bundled example again. One grey level is left to the arithmetic of other
// processors.
func TestExample(t *testing.T) {
	file, err := os.ReadFile("../../examples/digits/bags.npz")
	if err != nil {
		t.Fatal(err)
	}
	got, err := bagio.Read("bags.npz", file, bagio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := parseClasses("3,1,2,0,3,3", 0)
	if err != nil {
		t.Fatal(err)
	}
	if got.Len() != len(wanted) {
		t.Fatalf("the example has %d bags, want %d", got.Len(), len(wanted))
	}
	for b, want := range newBags(87, wanted) {
		bag, err := got.Bag(b)
		if err != nil {
			t.Fatal(err)
		}
		equalBag(t, bag, want, 1)
	}
}

func equalBag(t *testing.T, got, want *core.Bag, tolerance float64) {
	t.Helper()
	if got.Name != want.Name || !slices.Equal(got.Class, want.Class) || !slices.Equal(got.Labels, want.Labels) {
		t.Fatalf("%q of class %v with %v, want %q of class %v with %v", got.Name, got.Class, got.Labels, want.Name, want.Class, want.Labels)
	}
	if !got.Raw || !slices.Equal(got.Shape, want.Shape) || len(got.Values) != len(want.Values) {
		t.Fatalf("%s: raw %v, shape %v, %d values, want %d", got.Name, got.Raw, got.Shape, len(got.Values), len(want.Values))
	}
	for i, v := range want.Values {
		if math.Abs(float64(got.Values[i]-v)) > tolerance {
			t.Fatalf("%s: value %d is %v, want %v", got.Name, i, got.Values[i], v)
		}
	}
}

func TestContents(t *testing.T) {
	for _, c := range []struct {
		digits []int
		want   string
	}{
		{[]int{1, 2}, "no 8, no 9"},
		{[]int{8}, "an 8"},
		{[]int{9, 9, 3}, "two 9s"},
		{[]int{8, 8, 8, 9}, "three 8s and a 9"},
		{slices.Repeat([]int{8}, 12), "12 8s"},
	} {
		if got := contents(c.digits); got != c.want {
			t.Errorf("%v: %q, want %q", c.digits, got, c.want)
		}
	}
}

func TestParseClasses(t *testing.T) {
	if got, err := parseClasses("", 6); err != nil || !slices.Equal(got, []int{0, 1, 2, 3, 0, 1}) {
		t.Errorf("six bags in turn: %v, %v", got, err)
	}
	if got, err := parseClasses("3, 0", 6); err != nil || !slices.Equal(got, []int{3, 0}) {
		t.Errorf("a list: %v, %v", got, err)
	}
	for _, wrong := range []string{"4", "-1", "x", "1,,2"} {
		if got, err := parseClasses(wrong, 6); err == nil {
			t.Errorf("%q gives %v", wrong, got)
		}
	}
	if _, err := parseClasses("", 0); err == nil {
		t.Error("no bags are no error")
	}
}
