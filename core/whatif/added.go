package whatif

import (
	"context"
	"errors"
	"math/bits"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// MostAdded is the number of covariates of an AddedQuestion at most: all of their sets are
// evaluated.
const MostAdded = 8

// MeanReference is the word for references that are means over the bags of a file.
const MeanReference = "mean"

// An AddedQuestion asks what the covariates of a bag add to its prediction, relative to references
// (METHODS section 7). The instances stay as they are.
type AddedQuestion struct {
	References []core.Covariate // values of different names, at most MostAdded
}

// Added is what one covariate adds.
type Added struct {
	Adds    []float64 // (class) Shapley value, in the unit of f
	Instead []float64 // (class) prediction if it alone takes its reference, on the game's output
}

// AddedEvaluations returns the number of evaluations of an AddedQuestion with n covariates, beside
// that of the bag as it is.
func AddedEvaluations(n int) int { return 1<<n - 1 }

// Answer returns what each covariate adds, in the order of the references. It predicts the bag once
// for each set of covariates that take their references. g is the game of the bag as it is. Errors
// are those of ProfileQuestion, and a *core.SettingError of reference for values that the model
// does not take.
func (q AddedQuestion) Answer(
	ctx context.Context, g *core.Game, model core.Model, bag *core.Bag,
) ([]Added, error) {
	n := len(q.References)
	if err := g.CheckBudget(AddedEvaluations(n)); err != nil {
		return nil, err
	}
	g.Expect(AddedEvaluations(n))
	outputs := make([][]float64, 1<<n) // (set of covariates as the bag states them, class)
	all := len(outputs) - 1
	var err error
	if outputs[all], err = g.Full(ctx); err != nil {
		return nil, err
	}
	for stated := range all {
		var changes []core.Covariate
		for i, c := range q.References {
			if stated>>i&1 == 0 {
				changes = append(changes, c)
			}
		}
		outputs[stated], err = g.FullWith(ctx, model, bag, changes)
		var wrong *core.BagError
		if errors.As(err, &wrong) {
			return nil, wrongReference("the model does not take it: %s; state another one",
				msg.Text(wrong.Reason))
		}
		if err != nil {
			return nil, err
		}
	}
	out := make([]Added, n)
	for i := range out {
		out[i].Instead = outputs[all&^(1<<i)]
	}
	addShapley(out, oddsOf(g, outputs))
	return out, nil
}

// oddsOf returns f of rows of outputs of all classes.
func oddsOf(g *core.Game, outputs [][]float64) [][]float64 {
	var odds [][]float64
	for _, row := range outputs {
		of := append([]float64{}, row...)
		for first := 0; first < len(of); {
			g.Enter(first)
			_, end := g.Columns()
			g.LogOdds(of[first:end])
			first = end
		}
		odds = append(odds, of)
	}
	return odds
}

// addShapley sets the Shapley values of n players from the values of all sets, (set, class).
func addShapley(out []Added, values [][]float64) {
	// weights has s! (n - s - 1)! / n! for sets of s others: 1/n for the empty one.
	n := len(out)
	weights := make([]float64, n)
	for s := range weights {
		weights[s] = 1 / float64(n)
		if s > 0 {
			weights[s] = weights[s-1] * float64(s) / float64(n-s)
		}
	}
	for i := range out {
		out[i].Adds = make([]float64, len(values[0]))
		for set, without := range values {
			if set>>i&1 == 1 {
				continue
			}
			w := weights[bits.OnesCount(uint(set))]
			for c, v := range values[set|1<<i] {
				out[i].Adds[c] += w * (v - without[c])
			}
		}
	}
}

// ReadReferences reads references as users write them: age=50, or age=50; stage=0,0,1, or mean for
// the means over the bags of the file, of which each states its own covariates. It returns a
// *core.SettingError of reference for other text, for covariates that the model does not take, for
// other numbers of values than it takes, for more than MostAdded covariates, and for means of
// covariates that fewer than two bags state.
func ReadReferences(
	text string, inputs []core.CovariateInput, bags [][]core.Covariate,
) ([]core.Covariate, error) {
	if len(inputs) == 0 {
		return nil, wrongReference("the model takes no covariate beside the bag; omit the " +
			"reference")
	}
	list, err := fileMeans(inputs, bags), error(nil)
	if strings.TrimSpace(text) != MeanReference {
		list, err = statedReferences(text, inputs)
	}
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, wrongReference("no two bags of the file state a covariate, so that there is "+
			"no mean; state the reference, such as %s=%s", inputs[0].Name,
			repeated("0", inputs[0].Size))
	case len(list) > MostAdded:
		return nil, wrongReference("it names %d covariates, and all sets of at most %d are "+
			"evaluated; state those of some, such as %s=%s", len(list), MostAdded, list[0].Name,
			repeated("0", len(list[0].Values)))
	}
	return list, nil
}

// statedReferences returns references of the covariates that a text names.
func statedReferences(text string, inputs []core.CovariateInput) ([]core.Covariate, error) {
	list, err := core.ParseCovariates(text)
	var wrong *core.SettingError
	if errors.As(err, &wrong) {
		return nil, wrongReference("%s; or %s, the means over the bags of the file",
			msg.Text(wrong.Reason), MeanReference)
	}
	if len(list) == 0 {
		return nil, wrongReference("it is empty; state %s, the means over the bags of the file, "+
			"or values, such as %s=%s", MeanReference, inputs[0].Name,
			repeated("0", inputs[0].Size))
	}
	for _, c := range list {
		in, err := named(inputs, c.Name, "reference")
		if err != nil {
			return nil, err
		}
		if n := len(c.Values); n != in.Size && n != 1 {
			return nil, wrongReference("%q has %d numbers, and the covariate takes %d", c.Name, n,
				in.Size)
		}
	}
	return list, nil
}

// fileMeans returns the mean of each covariate that at least two bags of a file state.
func fileMeans(
	inputs []core.CovariateInput, bags [][]core.Covariate,
) (list []core.Covariate) {
	for _, in := range inputs {
		mean, n := make([]float64, in.Size), 0.0
		for _, bag := range bags {
			values := (&core.Bag{Covariates: bag}).Covariate(in.Name)
			if len(values) != in.Size {
				continue
			}
			n++
			for i, v := range values {
				mean[i] = mean[i]*((n-1)/n) + v/n // finite, whatever the values
			}
		}
		if n > 1 {
			list = append(list, core.Covariate{Name: in.Name, Values: mean})
		}
	}
	return list
}

func wrongReference(reason string, args ...any) error {
	return &core.SettingError{Setting: "reference", Reason: msg.Sprintf(reason, args...)}
}
