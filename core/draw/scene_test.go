package draw

import (
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// shapes returns a bag of k pictures of rings and discs, no two alike.
func shapes(k int, shape ...int) *core.Bag {
	bag := &core.Bag{Name: "shapes", Shape: shape}
	channels, h, w := 1, shape[len(shape)-2], shape[len(shape)-1]
	if len(shape) == 3 {
		channels = shape[0]
	}
	for i := range k {
		for c := range channels {
			for y := range h {
				for x := range w {
					dx, dy := float64(x)-float64(w-1)/2, float64(y)-float64(h-1)/2
					r := math.Hypot(dx, dy) / float64(min(w, h)) * 2
					wave := math.Cos(r*float64(1+i%5)*2 + float64(c) + math.Atan2(dy,
						dx)*float64(i%4))
					bag.Values = append(bag.Values, float32(wave*max(0, 1-r)))
				}
			}
		}
	}
	return bag
}

// vectors returns a bag of k feature vectors.
func vectors(k, n int) *core.Bag {
	bag := &core.Bag{Name: "vectors", Shape: []int{n}}
	for i := range k * n {
		bag.Values = append(bag.Values, float32(math.Sin(float64(i*i))))
	}
	return bag
}

// hill is a picture that the eye can find its way in: bright in the middle, coloured to the
// corners.
func hill(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			r := math.Hypot(float64(2*x-w)/float64(w), float64(2*y-h)/float64(h))
			img.SetRGBA(x, y, color.RGBA{uint8(230 - 90*r),
				uint8(200 - 110*r + 20*math.Sin(float64(x)/3)), uint8(215 - 40*r), 255})
		}
	}
	return img
}

// patches returns the bag of the square patches of a picture.
func patches(img *image.RGBA, side int) *core.Bag {
	bag := &core.Bag{Name: "hill", Shape: []int{3, side, side}, Raw: true}
	for y := 0; y+side <= img.Rect.Dy(); y += side {
		for x := 0; x+side <= img.Rect.Dx(); x += side {
			bag.Boxes = append(bag.Boxes, image.Rect(x, y, x+side, y+side))
			for c := range 3 {
				for i := range side * side {
					bag.Values = append(bag.Values,
						float32(img.Pix[img.PixOffset(x+i%side, y+i/side)+c]))
				}
			}
		}
	}
	return bag
}

// located returns a bag of feature vectors with the coordinates of patches of 256 pixels: those of
// a grid, of which two pieces of tissue cover a part.
func located(columns, rows int) *core.Bag {
	var boxes []image.Rectangle
	for y := range rows {
		for x := range columns {
			u, v := float64(x)/float64(columns), float64(y)/float64(rows)
			if math.Hypot(u-.3, v-.4) < .25 || math.Hypot((u-.75)*2, v-.6) < .35 {
				at := image.Pt(10_000+256*x, 3_000+256*y)
				boxes = append(boxes, image.Rectangle{at, at.Add(image.Pt(256, 256))})
			}
		}
	}
	bag := vectors(len(boxes), 3)
	bag.Boxes = boxes
	return bag
}

// waves returns a report of one method with scores of both signs for each class, the first of which
// has a zero too.
func waves(k, classes int) *core.Report {
	report := &core.Report{}
	for class := range classes {
		scores := make([]float64, k)
		for i := range scores {
			scores[i] = math.Sin(float64(i)*1.7+float64(class)) * math.Exp(-float64(i%7)/3)
		}
		report.Explanations = append(report.Explanations,
			core.Explanation{Method: "milli", Class: class, Scores: scores})
	}
	return report
}

// judged declares a report's scores as log-odds with a neutral point, and as evidence if
// they differ from it by at least so much.
func judged(report *core.Report, neutral, least float64) *core.Report {
	for n := range report.Explanations {
		e := &report.Explanations[n]
		e.Unit, e.Neutral = core.UnitLogOdds, neutral*float64(n+1)
		for _, s := range e.Scores {
			e.Evident = append(e.Evident, math.Abs(s-e.Neutral) >= least)
		}
	}
	return report
}

// scored returns a report with the given scores for class 0.
func scored(scores ...float64) *core.Report {
	return &core.Report{Explanations: []core.Explanation{{Method: "milli", Scores: scores}}}
}

// A picture is a painted scene.
type picture struct {
	*image.RGBA
	*Scene
}

func drawn(t *testing.T) func(*Scene, error) *picture {
	return func(s *Scene, err error) *picture {
		t.Helper()
		must.Do(t, err)
		return &picture{s.Picture(), s}
	}
}

// cellOf returns the cell of an instance and class.
func cellOf(t *testing.T, p *picture, instance, class int) image.Rectangle {
	t.Helper()
	for _, c := range p.Cells {
		if c.Instance == instance && c.Class == class {
			return c.Rect
		}
	}
	t.Fatalf("no cell for instance %d and class %d", instance, class)
	return image.Rectangle{}
}

func isFor(c color.RGBA, by int) bool {
	return int(c.B) >= int(c.R)+by && int(c.B) >= int(c.G)+by
}

func isAgainst(c color.RGBA, by int) bool {
	return int(c.R) >= int(c.G)+by && int(c.R) >= int(c.B)+by
}
