package metric

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/bagscope/bagscope/core"
)

// A LayersCheck compares the map with those of models whose last layers have shuffled weights
// (Adebayo et al. 2018). A map that stays the same shows the instances, not what the model has
// learnt.
type LayersCheck struct {
	Steps    []LayersStep // one layer, half of them, all
	Passed   bool
	Sentence string
}

// A LayersStep is the comparison with models of so many random layers.
type LayersStep struct {
	Layers int // random layers, from the output on
	// Correlation is the mean magnitude of the rank correlation over draws. Its sign does not
	// matter: a random layer exchanges classes as often as not.
	Correlation float64
}

// Rank correlations from which maps count as the same, and below which as different.
const (
	sameMap      = .8
	differentMap = .5
)

// layers runs the check of random layers.
func (c *checker) layers(ctx context.Context, _ core.Model) error {
	switch {
	case c.q.Layers < 1:
		c.out.Notes = append(c.out.Notes, "layers were not randomised: the model has "+
			"no weights of real numbers to shuffle")
		return nil
	case c.q.Randomised == nil:
		c.out.Notes = append(c.out.Notes, "layers were not randomised: the model cannot be opened "+
			"again with other weights")
		return nil
	}
	check := &LayersCheck{}
	for _, n := range []int{1, (c.q.Layers + 1) / 2, c.q.Layers} {
		if last := len(check.Steps) - 1; last >= 0 && check.Steps[last].Layers >= n {
			continue
		}
		r, err := c.randomised(ctx, n)
		if err != nil {
			return err
		}
		check.Steps = append(check.Steps, LayersStep{n, r})
	}
	check.judge()
	c.out.Layers = check
	return nil
}

// randomised returns the mean correlation with maps of models of n random layers. A model whose
// scores are not finite, or that takes no such bag any more, has another map: 0.
func (c *checker) randomised(ctx context.Context, n int) (float64, error) {
	sum := 0.0
	for draw := range checkDraws {
		model, err := c.q.Randomised(ctx, n, c.o.Seed+uint64(draw))
		if err != nil {
			return 0, err
		}
		m, err := c.explain(ctx, model, c.bag, c.o.Seed)
		switch {
		case errors.As(err, new(*core.NonFiniteError)) || errors.As(err, new(*core.BagError)):
			continue
		case err != nil:
			return 0, err
		}
		sum += math.Abs(c.agreement(m))
	}
	return sum / checkDraws, nil
}

// judge sets Passed and Sentence.
func (l *LayersCheck) judge() {
	last := l.Steps[len(l.Steps)-1]
	text := fmt.Sprintf("With random weights in all %d layers the map has a rank correlation of "+
		"%.2f with the original: ", last.Layers, last.Correlation)
	switch r := last.Correlation; {
	case r >= sameMap:
		text += "an untrained model gives nearly the same map, so that it shows the instances " +
			"rather than what the model has learnt."
	case r >= differentMap:
		text += "a part of it comes from the instances themselves, " +
			"not from what the model has learnt."
	default:
		l.Passed = true
		text += "it depends on what the model has learnt."
	}
	l.Sentence = text
}
