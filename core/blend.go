package core

import (
	"context"
	"math"

	"github.com/bagscope/bagscope/core/internal/linear"
)

// A blend turns the class scores of the folds of an ensemble into those whose mean is that of the
// ensemble.
type blend struct {
	heads []Head   // the heads of the mean
	from  [][]Head // (fold, head)
}

// newBlend returns the blend of folds. The whole bag is evaluated if a fold returns probabilities
// of several classes, which are those of one distribution if they sum to 1.
func newBlend(ctx context.Context, folds []Evaluator, mean Mean) (*blend, error) {
	b := &blend{}
	for j, fold := range folds {
		if err := CheckEvaluator(fold); err != nil {
			return nil, err
		}
		heads, err := headsOf(fold)
		if err != nil {
			return nil, err
		}
		b.from = append(b.from, heads)
		if mean == MeanLogOdds {
			if heads, err = oddsHeads(ctx, fold, heads); err != nil {
				return nil, err
			}
		} else {
			heads = probabilityHeads(heads)
		}
		if j == 0 {
			b.heads = heads
		} else if err := b.agree(j, heads); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// headsOf returns the heads of an evaluator.
func headsOf(ev Evaluator) ([]Head, error) {
	t := ev.Task()
	heads := []Head{{Kind: KindClasses, Classes: t.Classes, Scale: t.Scale, Negative: t.Negative}}
	if by, ok := ev.(HeadsEvaluator); ok && by.Heads() != nil {
		heads = by.Heads()
	}
	return heads, checkHeads(heads, t.Classes)
}

// agree returns a *SettingError if the heads of a fold are not those of the first.
func (b *blend) agree(fold int, heads []Head) error {
	if len(heads) != len(b.heads) {
		return differ("model 0 of the ensemble has %d heads and model %d has %d; give models of "+
			"one task", len(b.heads), fold, len(heads))
	}
	for n, h := range heads {
		first := b.heads[n]
		switch {
		case h.Classes != first.Classes:
			return differ("model 0 of the ensemble has %d classes and model %d has %d; give "+
				"models of one task", first.Classes, fold, h.Classes)
		case h.Scale != first.Scale:
			return differ("model 0 of the ensemble has scores on the scale %s and model %d on %s, "+
				"of which there is no mean of log-odds; use the mean prob, if both have "+
				"probabilities", first.Scale, fold, h.Scale)
		case h.Negative != first.Negative || h.Unit != first.Unit:
			return differ("models 0 and %d of the ensemble differ in their negative class or "+
				"their unit; give models of one task", fold)
		}
	}
	return nil
}

// probabilityHeads returns the heads of a mean of probabilities.
func probabilityHeads(heads []Head) []Head {
	out := make([]Head, len(heads))
	for n, h := range heads {
		if h.Scale != ScaleRaw {
			h.Scale = ScaleProbabilities
		}
		out[n] = h
	}
	return out
}

// leastSum is the difference from 1 of the sum of probabilities that are not of one distribution.
const leastSum = 1e-3

// oddsHeads returns the heads of a mean of log-odds.
func oddsHeads(ctx context.Context, fold Evaluator, heads []Head) ([]Head, error) {
	out := make([]Head, len(heads))
	var whole []float64
	first := 0
	for n, h := range heads {
		switch {
		case h.Scale == ScaleLogProbabilities || h.Scale == ScaleProbabilities && h.Classes == 1:
			h.Scale = ScaleLogits
		case h.Scale == ScaleProbabilities:
			if whole == nil {
				z := NewCoalitions(fold.Task().Instances, 1)
				z.AppendWithout()
				whole = make([]float64, fold.Task().Classes)
				if err := fold.Evaluate(ctx, whole, z); err != nil {
					return nil, err
				}
			}
			h.Scale = ScaleLogits
			if math.Abs(linear.Total(whole[first:first+h.Classes])-1) > leastSum {
				h.Scale = ScaleSigmoidLogits
			}
		}
		first += h.Classes
		out[n] = h
	}
	return out, nil
}

// turn turns the scores of a bag by a fold, (class), into those of which the mean is taken.
func (b *blend) turn(fold int, row []float64) {
	for n, from := range b.from[fold] {
		from.turn(row[:from.Classes], b.heads[n].Scale)
		row = row[from.Classes:]
	}
}

// turn turns scores of the head into those on the scale of a mean.
func (h Head) turn(row []float64, to Scale) {
	switch {
	case h.Scale == to || h.Scale == ScaleRaw:
	case to == ScaleProbabilities:
		h.Scale.convert(row, OutputProbability)
	case h.Scale == ScaleLogProbabilities && len(row) > 1:
		for c, v := range row {
			row[c] = max(v, leastLog)
		}
	default:
		h.Scale.convert(row, OutputProbability)
		for c, p := range row {
			odds := max(math.Log(p), leastLog)
			if to == ScaleSigmoidLogits || len(row) == 1 {
				odds -= math.Log(max(1-p, leastComplement))
			}
			row[c] = odds
		}
	}
}

const (
	// leastLog bounds the logarithms of probabilities: that of the smallest normal float32.
	leastLog = -87.3
	// leastComplement bounds 1 - p for p in float32: half of its step below 1.
	leastComplement = 0x1p-25
)
