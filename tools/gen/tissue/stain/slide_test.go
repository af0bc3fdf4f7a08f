package stain

import (
	"bytes"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

func slide(seed uint64, positive bool) *Slide {
	return Draw(rand.New(rand.NewPCG(seed, 0)), positive)
}

func TestOnlyPositiveSlidesHaveGlands(t *testing.T) {
	for seed := range uint64(12) {
		positive := seed%2 == 0
		var count [3]int
		for _, n := range slide(seed, positive).Nuclei {
			count[n.Kind]++
			if n.X < 0 || n.X >= Side || n.Y < 0 || n.Y >= Side {
				t.Fatalf("seed %d: a nucleus at %.1f, %.1f", seed, n.X, n.Y)
			}
		}
		if (count[Gland] > 0) != positive || count[Round] == 0 || count[Spindle] == 0 {
			t.Errorf("seed %d, positive %t: %d of glands, %d round, %d spindles", seed, positive,
				count[Gland], count[Round], count[Spindle])
		}
	}
}

func TestEqualSeedsGiveEqualSlides(t *testing.T) {
	a, b, c := slide(7, true), slide(7, true), slide(8, true)
	must.EqualSlices(t, a.Picture.Pix, b.Picture.Pix, "equal seeds draw different slides")
	must.Equal(t, bytes.Equal(a.Picture.Pix, c.Picture.Pix), false,
		"different seeds draw the same slide")
}

// TestNucleiAreDarkerAndBluer compares nuclei with the tissue around them, because networks must be
// able to see them.
func TestNucleiAreDarkerAndBluer(t *testing.T) {
	s := slide(3, true)
	var inside, all float64
	for _, n := range s.Nuclei {
		inside += brightness(s, int(n.X), int(n.Y)) / float64(len(s.Nuclei))
	}
	for y := range Side {
		for x := range Side {
			all += brightness(s, x, y) / (Side * Side)
		}
	}
	must.Equal(t, inside <= all-50, true, inside, all)
}

func brightness(s *Slide, x, y int) float64 {
	c := s.Picture.RGBAAt(x, y)
	return (float64(c.R) + float64(c.G) + float64(c.B)) / 3
}

// TestBagLabels holds the labels of patches to the nuclei, counted the other way round.
func TestBagLabels(t *testing.T) {
	for seed := range uint64(6) {
		s := slide(seed, seed%2 == 0)
		bag := must.Get(s.Bag("slide"))(t)
		must.Equal(t, bag.Class[0], int(1-seed%2), seed)
		glands, others := make([]bool, len(bag.Boxes)), make([]bool, len(bag.Boxes))
		for _, n := range s.Nuclei {
			for i, box := range bag.Boxes {
				left, top := float64(box.Min.X), float64(box.Min.Y)
				if math.Abs(n.X-left-Patch/2.) <= Patch/2. &&
					math.Abs(n.Y-top-Patch/2.) <= Patch/2. {
					glands[i] = glands[i] || n.Kind == Gland
					others[i] = others[i] || n.Kind != Gland
				}
			}
		}
		for i, l := range bag.Labels {
			if hasGlands, hasOthers := l == Glands || l == Both, l == Other ||
				l == Both; hasGlands != glands[i] || hasOthers != others[i] {
				t.Errorf("seed %d: patch %d at %v is labelled %d; of glands %t, others %t", seed, i,
					bag.Boxes[i].Min, l, glands[i], others[i])
			}
		}
	}
}

func TestCropKeepsPixelsAndNuclei(t *testing.T) {
	s := slide(2, true)
	const x, y, side = 100, 60, 189
	c := s.Crop(image.Rect(x, y, x+side, y+side))
	must.Equal(t, c.Picture.Rect, image.Rect(0, 0, side, side), "the part is")
	for _, at := range []image.Point{{0, 0}, {50, 120}, {side - 1, side - 1}} {
		if got, want := c.Picture.RGBAAt(at.X, at.Y), s.Picture.RGBAAt(at.X+x,
			at.Y+y); got != want {
			t.Errorf("%v at %v, want %v", got, at, want)
		}
	}
	inside := 0
	for _, n := range s.Nuclei {
		if n.X >= x && n.Y >= y && n.X < x+side && n.Y < y+side {
			inside++
			must.Equal(t, slices.Contains(c.Nuclei, Nucleus{n.X - x, n.Y - y, n.Kind}), true, n)
		}
	}
	must.Equal(t, inside != 0, true, len(c.Nuclei), inside)
	must.Equal(t, inside, len(c.Nuclei))
	must.Equal(t, s.Crop(image.Rect(490, 490, 600, 600)).Picture.Rect, image.Rect(0, 0, 10, 10),
		"beyond the slide")
}

func TestNoiseIsSmoothBetween0And1(t *testing.T) {
	n := newNoise(rand.New(rand.NewPCG(1, 2)), 20, 3, .5, 2)
	for i := range 2000 {
		x, y := float64(i%50)*7.3-100, float64(i/50)*11.1-100
		v := n.at(x, y)
		must.Equal(t, v >= 0, true, v, x, y)
		must.Equal(t, v <= 1, true, v, x, y)
		must.Equal(t, math.Abs(v-n.at(x+.01, y)) <= .02, true, v, x, y)
	}
}
