package core

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core/internal/stats"
)

// FoldScores are the scores of the models of an ensemble, each of which is that of the model
// alone, and how far they agree. Differences are those of scores from their own neutral points.
type FoldScores struct {
	Scores  [][]float64 // (fold, instance)
	Between []float64   // (instance) standard deviation of the difference between models
	Agree   []int       // (instance) models whose difference has the sign of that of the mean
	// (instance) interval that holds the difference of one more model in 95 of 100 cases, if it was
	// trained as the models were: the mean m of their differences, and m ± t s √(1 + 1/n) for the
	// standard deviation s between n models and Student's t with n - 1 degrees of freedom
	Low, High []float64

	// (instance) standard deviation of the models' differences around that of the mean; it is
	// Between where the score of the mean is the mean of the scores
	around []float64
}

// PerClass returns the number of columns that explain a class: 1, or with the folds of an ensemble
// one more than folds. Methods that are not [Adaptive] get the classes to explain in groups of so
// many, of which the first is that of the mean.
func (g *Game) PerClass() int { return 1 + g.folds }

// own returns the number of classes that are not those of folds.
func (g *Game) own() int { return g.task.Classes / g.PerClass() }

// withFolds returns each class with those of the folds after it.
func (g *Game) withFolds(classes []int) []int {
	out := make([]int, 0, len(classes)*g.PerClass())
	for _, c := range classes {
		for j := range g.PerClass() {
			out = append(out, c+j*g.own())
		}
	}
	return out
}

// addFolds returns the explanations of the mean, each with those of the folds after it, by a method
// that is run for each fold. The evaluations of a fold count as their share of one of all folds.
func (g *Game) addFolds(
	ctx context.Context, m Method, classes []int, mean []Explanation,
) ([]Explanation, error) {
	of := g.ev.(*ensembleBag)
	out := make([]Explanation, len(mean)*g.PerClass())
	for n, e := range mean {
		out[n*g.PerClass()] = e
	}
	done, used := g.Evaluations(), 0
	for j := range of.folds {
		o := g.options
		if o.Budget > 0 {
			o.Budget = max(1, o.Budget-done)
		}
		if report := o.Progress; report != nil {
			o.Progress = func(n, _ int) {
				now := done + (used+n)/len(of.folds)
				report(now, max(now, g.total))
			}
		}
		fold, err := NewGame(of.alone(j), o)
		if err != nil {
			return nil, err
		}
		fold.Enter(classes[0])
		a, err := m.Attribute(ctx, fold, classes)
		if err == nil {
			err = checkAttribution(m.Name(), a, classes, g.Instances())
		}
		if short := (*BudgetError)(nil); errors.As(err, &short) {
			return nil, &BudgetError{done + short.Used, short.Needed, g.options.Budget}
		}
		if err != nil {
			return nil, err
		}
		for n, e := range fold.explanations(m, a, classes) {
			out[n*g.PerClass()+1+j] = e
		}
		used += fold.Evaluations()
	}
	g.AddEvaluations((used + len(of.folds) - 1) / len(of.folds))
	g.done = g.Evaluations()
	return out, nil
}

// join returns the explanations of the mean from those of the mean and of each fold. Evidence of
// sampling alone must be marked already.
func (g *Game) join(all []Explanation) []Explanation {
	if g.folds == 0 {
		return all
	}
	var out []Explanation
	for of := range slices.Chunk(all, g.PerClass()) {
		of[0].Folds = foldScores(of[0], of[1:])
		out = append(out, of[0])
	}
	return out
}

// foldScores returns what folds say beside their mean.
func foldScores(mean Explanation, folds []Explanation) *FoldScores {
	k, n := len(mean.Scores), float64(len(folds))
	f := &FoldScores{Between: make([]float64, k), Agree: make([]int, k), Low: make([]float64, k),
		High: make([]float64, k), around: make([]float64, k)}
	for _, e := range folds {
		f.Scores = append(f.Scores, e.Scores)
	}
	reach := stats.Student(.95, n-1) * math.Sqrt(1+1/n)
	of := make([]float64, len(folds))
	for i := range k {
		difference, squares := mean.Scores[i]-mean.Neutral, 0.0
		for j, e := range folds {
			of[j] = e.Scores[i] - e.Neutral
			squares += (of[j] - difference) * (of[j] - difference)
			if of[j]*difference > 0 {
				f.Agree[i]++
			}
		}
		f.around[i] = math.Sqrt(squares / (n - 1))
		middle := stats.Mean(of)
		f.Between[i] = math.Sqrt(stats.Variance(of) * n / (n - 1))
		f.Low[i], f.High[i] = middle-reach*f.Between[i], middle+reach*f.Between[i]
	}
	return f
}
