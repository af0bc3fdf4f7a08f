package metric_test

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/internal/must"
)

// TestFROCByHand checks sensitivities that can be counted.
func TestFROCByHand(t *testing.T) {
	for name, c := range map[string]struct {
		slides []metric.Detections
		want   [6]float64
	}{
		"all found before any other": {[]metric.Detections{{Hits: []float64{.9, .8},
			False: []float64{.1}}}, [6]float64{1, 1, 1, 1, 1, 1}},
		// The threshold .1 is the lowest and has no point: one of two lesions is never found.
		"one missed": {[]metric.Detections{{Hits: []float64{.9, 0}, False: []float64{.1}}},
			[6]float64{.5, .5, .5, .5, .5, .5}},
		// At .6: one false positive on two slides, and one of two lesions; at .5 both lesions.
		"one between": {[]metric.Detections{{Hits: []float64{.7}, False: []float64{.6}},
			{Hits: []float64{.5}, False: []float64{.4}}}, [6]float64{.5, 1, 1, 1, 1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			score, got, ok := metric.FROC(c.slides)
			mean := 0.0
			for _, s := range c.want {
				mean += s / 6
			}
			if got != c.want || !ok || !(math.Abs(score-mean) <= 1e-15) {
				t.Errorf("%v, %v, want %v", score, got, c.want)
			}
		})
	}
	none := []metric.Detections{{False: []float64{1}}, {}}
	if score, _, ok := metric.FROC(none); ok || score == score {
		t.Errorf("%v without a lesion", score)
	}
	if e := metric.FROCError(none[:1]); e == e {
		t.Errorf("an error %v of one slide", e)
	}
	equal := []metric.Detections{{Hits: []float64{1}}, {Hits: []float64{1}}}
	must.Equal(t, metric.FROCError(equal), 0)
}

// TestPeaks compares peaks with those of a search over all pairs, with equal and negative scores
// and patches at negative places.
func TestPeaks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for range 200 {
		var boxes []image.Rectangle
		var scores []float64
		for range 60 {
			at := image.Pt(r.IntN(200)-40, r.IntN(200)-40)
			boxes = append(boxes, image.Rectangle{Min: at, Max: at.Add(image.Pt(16, 16))})
			scores = append(scores, float64(r.IntN(12)-3))
		}
		order := make([]int, len(boxes))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return int(scores[b] - scores[a]) })
		var want []int
		for _, i := range order {
			near := func(j int) bool {
				d := boxes[i].Min.Sub(boxes[j].Min)
				return d.X > -24 && d.X < 24 && d.Y > -24 && d.Y < 24
			}
			if scores[i] > 0 && !slices.ContainsFunc(want, near) {
				want = append(want, i)
			}
		}
		must.EqualSlices(t, metric.Peaks(boxes, scores), want)
	}
	must.Equal(t, metric.Peaks(nil, nil) == nil, true)
}
