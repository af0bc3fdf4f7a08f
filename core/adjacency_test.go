package core

import (
	"errors"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// placedBag returns k instances of two values at random places of patches of side 4, on a grid of
// distance 4 or anywhere.
func placedBag(k int, grid bool) *Bag {
	r := rand.New(rand.NewPCG(uint64(k), 11))
	b := &Bag{Name: "placed", Shape: []int{2}}
	for range k {
		x, y := r.IntN(60), r.IntN(60)
		if grid {
			x, y = 4*r.IntN(9)+3, 4*r.IntN(9)+1
		}
		b.Boxes = append(b.Boxes, image.Rect(x, y, x+4, y+4))
		b.Values = append(b.Values, float32(r.NormFloat64()), float32(r.NormFloat64()))
	}
	return b
}

// slowAdjacency computes the matrix of an adjacency from all pairs, by the definitions of the doc
// comment.
func slowAdjacency(a *Adjacency, b *Bag) []float64 {
	k := b.Len()
	m := make([]float64, k*k)
	for i := range k {
		type pair struct{ j, dx, dy int }
		var others []pair
		for j := range k {
			d := b.Boxes[i].Min.Sub(b.Boxes[j].Min)
			if i != j {
				others = append(others, pair{j, d.X, d.Y})
			}
		}
		slices.SortStableFunc(others, func(p, q pair) int {
			return p.dx*p.dx + p.dy*p.dy - q.dx*q.dx - q.dy*q.dy
		})
		for n, p := range others {
			d := math.Hypot(float64(p.dx), float64(p.dy)) / 4
			joined := map[string]bool{
				"knn": n < int(a.Reach), "radius": d <= a.Reach,
				"grid8": max(p.dx, -p.dx, p.dy, -p.dy) <= 4, "grid4": d <= 1,
			}[a.Neighbours]
			w := 1.
			switch a.Weights {
			case "gaussian":
				w = math.Exp(-d * d / (2 * a.Scale * a.Scale))
			case "exponential":
				w = math.Exp(-d / a.Scale)
			case "features":
				x, y := b.Instance(i), b.Instance(p.j)
				w = math.Exp(-math.Hypot(float64(x[0]-y[0]), float64(x[1]-y[1])) / 2)
			}
			if joined {
				m[i*k+p.j] = w
			}
		}
		if a.Loops {
			m[i*k+i] = 1
		}
	}
	sums := make([]float64, k)
	for i := range m {
		sums[i/k] += m[i]
	}
	for i := range m {
		switch by := sums[i/k]; {
		case m[i] == 0:
		case a.Normalised == "row":
			m[i] /= by
		case a.Normalised == "symmetric":
			m[i] /= math.Sqrt(by * sums[i%k])
		}
	}
	return m
}

func TestAdjacencyEqualsAllPairs(t *testing.T) {
	for _, text := range []string{"grid4", "grid8 loops", "knn(1)", "knn(8)", "knn(200)",
		"radius(1)", "radius(1.5) symmetric", "radius(1.5) features loops symmetric",
		"grid8 gaussian(2) row", "knn(4) exponential(.5) loops row"} {
		for _, k := range []int{1, 2, 60} {
			for _, grid := range []bool{true, false} {
				if strings.HasPrefix(text, "grid") && !grid {
					continue
				}
				t.Run(fmt.Sprint(text, k, grid), func(t *testing.T) {
					a := must.Get(ParseAdjacency(text))(t)
					bag := placedBag(k, grid)
					bag.Relations = must.Get(a.Relations(bag))(t)
					must.Do(t, bag.Validate())
					want := slowAdjacency(a, bag)
					for i, v := range bag.Relations.matrix(k) {
						must.Equal(t, math.Abs(float64(v)-want[i]) <= 1e-6, true, i/k, i%k, v,
							want[i])
					}
				})
			}
		}
	}
}

func TestParseAdjacency(t *testing.T) {
	for text, again := range map[string]string{
		"grid4":                        "grid4",
		"loops,  knn(8)":               "knn(8) loops",
		"row radius(1.50) gaussian(2)": "radius(1.5) gaussian(2) row",
	} {
		a := must.Get(ParseAdjacency(text))(t)
		must.Equal(t, a.String(), again, text, a)
	}
	for text, says := range map[string]string{
		"":                    "begin with grid4",
		"loops":               "begin with grid4",
		"grid6":               "none of grid4",
		"grid4 grid8":         `"grid8" contradicts "grid4"`,
		"grid4(2)":            "takes no number",
		"knn":                 "such as knn(2)",
		"knn(2.5)":            "whole number",
		"knn(99999)":          "up to 1024",
		"radius(0)":           "above 0",
		"radius(NaN)":         "above 0",
		"radius(+Inf)":        "above 0",
		"radius(2":            "above 0",
		"grid8 row symmetric": "contradicts",
	} {
		var wrong *SettingError
		must.Equal(t, errors.As(must.Err(ParseAdjacency(text)), &wrong), true, text, says)
		must.Equal(t, strings.Contains(wrong.Reason, says), true, text, says)
	}
}

func TestAdjacencyErrors(t *testing.T) {
	grid, _ := ParseAdjacency("grid4")
	for says, bag := range map[string]*Bag{
		"have no places": {Shape: []int{1}, Values: []float32{1, 2}},
		"do not lie on a grid": {Shape: []int{1}, Values: []float32{1, 2, 3},
			Boxes: []image.Rectangle{image.Rect(0, 0, 100, 100), image.Rect(100, 0, 200, 100),
				image.Rect(140, 0, 240, 100)}},
	} {
		must.Fail(t, must.Err(grid.Relations(bag)), says)
	}
	all, _ := ParseAdjacency("radius(1)")
	crowd := &Bag{Shape: []int{1}, Values: make([]float32, 4200),
		Boxes: slices.Repeat([]image.Rectangle{image.Rect(0, 0, 4, 4)}, 4200)}
	must.Fail(t, must.Err(all.Relations(crowd)), "edges")
}

// FuzzParseAdjacency parses the text of each adjacency again.
func FuzzParseAdjacency(f *testing.F) {
	for _, text := range []string{"grid8 row", "knn(8),loops", "radius(1e3) gaussian(.5)",
		"knn(("} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAdjacency(text)
		if err != nil {
			return
		}
		must.Equal(t, *must.Get(ParseAdjacency(a.String()))(t), *a, text, a)
	})
}
