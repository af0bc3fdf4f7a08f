package metric

import (
	"context"
	"fmt"
	"math"

	"github.com/bagscope/bagscope/core"
)

// A NoiseCheck compares the map with those of bags whose values have small noise.
type NoiseCheck struct {
	Noise       float64 // standard deviation of the noise, relative to that of the values
	Correlation float64 // mean rank correlation of the maps with the original
	Change      float64 // the largest change of the prediction, by magnitude
	Passed      bool
	Sentence    string
}

// lessThanSeeds is by how much noise may lower the correlation below that of another seed.
const lessThanSeeds = .15

// noise runs the check of small noise.
func (c *checker) noise(ctx context.Context, model core.Model) error {
	check := &NoiseCheck{Noise: c.q.Noise}
	spread := c.spread()
	for draw := range checkDraws {
		noisy, rng := c.copyBag(), c.random("noise", draw)
		for at := range noisy.Values {
			noisy.Values[at] += float32(c.q.Noise * spread[at%len(spread)] * rng.NormFloat64())
		}
		m, err := c.explain(ctx, model, noisy, c.o.Seed)
		if err != nil {
			return err
		}
		check.Correlation += c.agreement(m) / checkDraws
		if d := c.change(m); math.Abs(d) >= math.Abs(check.Change) {
			check.Change = d
		}
	}
	c.judgeNoise(check)
	c.out.Noise = check
	return nil
}

// spread returns the standard deviation of each feature over the bag, or of all pixels together,
// because a place that is blank in all pictures would get no noise.
func (c *checker) spread() []float64 {
	n := c.bag.Stride()
	if len(c.bag.Shape) > 1 {
		n = 1
	}
	sums, squares := make([]float64, n), make([]float64, n)
	for at, v := range c.bag.Values {
		sums[at%n] += float64(v)
		squares[at%n] += float64(v) * float64(v)
	}
	count := float64(len(c.bag.Values) / n)
	for at := range sums {
		mean := sums[at] / count
		sums[at] = math.Sqrt(max(0, squares[at]/count-mean*mean))
	}
	return sums
}

// judgeNoise sets Passed and Sentence.
func (c *checker) judgeNoise(n *NoiseCheck) {
	text := fmt.Sprintf("Noise of %.3g %% of the values' spread changes the prediction by %.2g "+
		"and leaves a rank correlation of %.2f (another seed: %.2f): ", 100*n.Noise, n.Change,
		n.Correlation, c.out.Seeds)
	moved := c.much(n.Change)
	switch n.Passed = n.Correlation >= c.out.Seeds-lessThanSeeds; {
	case n.Passed && moved:
		text += "the map is stable, but the prediction is not."
	case n.Passed:
		text += "the map is stable."
	case moved:
		text += "the map changes because the prediction does; the model is sensitive to noise."
	default:
		text += "the map is not stable, although the prediction is; do not read details of it."
	}
	n.Sentence = text
}
