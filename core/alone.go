package core

import (
	"context"
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/core/internal/linear"
)

// Alone returns the attribution of a bag of one instance, which is the same for every method: the
// score is the prediction, without a standard error. Errors are those of [Game.Full].
func (g *Game) Alone(ctx context.Context, classes []int) (*Attribution, error) {
	full, err := g.Full(ctx)
	if err != nil {
		return nil, err
	}
	a := &Attribution{
		Scores: g.ByClass(full, classes),
		Notes:  []string{"the bag has a single instance, whose score is the prediction"},
	}
	if g.output == OutputProbability {
		a.Unit = UnitProbability
		// A prediction is not a difference, so the neutral point is not 0.
		first, end := g.Columns()
		prior := 1 / float64(max(2, end-first))
		a.Neutral = slices.Repeat([]float64{prior}, len(classes))
		a.AddNote(fmt.Sprintf("the neutral point is the probability of a guess, %.3g", prior))
	}
	return a, nil
}

// ByClass picks classes from values shaped (instance, class), such as those of Singles, and returns
// them shaped (class, instance), as the Scores of an [Attribution].
func (g *Game) ByClass(values []float64, classes []int) [][]float64 {
	out := make([][]float64, len(classes))
	for n, c := range classes {
		out[n] = linear.Column(values, g.Classes(), c)
	}
	return out
}
