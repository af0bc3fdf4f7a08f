package cohort

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// A record holds the results of a finished bag.
type record struct {
	Rows        []row           `json:"rows"`
	Explanation json.RawMessage `json:"explanation"` // the bytes of bagscope explain --json
}

// A row holds the results of one class and one method. The methods random and oracle are reference
// orders and only have metrics.
type row struct {
	Method     string     `json:"method"`
	Class      int        `json:"class"`
	Name       string     `json:"name"`       // name of the class
	Prediction ask.Number `json:"prediction"` // class score of the whole bag
	// the class has the highest score of several classes
	Predicted bool     `json:"predicted"`
	Mean      *float64 `json:"mean,omitempty"`
	Top       *float64 `json:"top,omitempty"` // the highest score
	// the difference from the neutral point that has the strongest colour in a picture of the class
	Scale   float64             `json:"scale,omitempty"`
	Metrics map[string]judgment `json:"metrics,omitempty"`
}

// A judgment is the value of one metric.
type judgment struct {
	Value   float64 `json:"value"`
	Trivial bool    `json:"trivial,omitempty"` // every order of the instances has this value
}

// judge summarizes the explanations, each with those requested metrics that are defined for it, and
// then the reference orders.
func (t *task) judge(ctx context.Context, x *ask.Explained) ([]row, error) {
	r := x.Report
	measured, references, err := t.measure(ctx, x)
	if err != nil {
		return nil, err
	}
	highest := slices.Index(r.Prediction, slices.Max(r.Prediction))
	rows := []row{}
	scales := draw.Scales(r)
	for i, e := range slices.Concat(r.Explanations, references) {
		one := row{
			Method: e.Method, Class: e.Class, Name: x.Classes[e.Class],
			Metrics:    measured[ranking{e.Method, e.Class}],
			Prediction: ask.Number(r.Prediction[e.Class]), Predicted: len(r.Prediction) > 1 &&
				e.Class == highest,
		}
		one.Mean, one.Top = meanAndTop(e.Scores)
		if i < len(scales) && !math.IsInf(scales[i].Own, 0) { // references have no scores
			one.Scale = scales[i].Own
		}
		rows = append(rows, one)
	}
	return rows, nil
}

// A ranking identifies an explanation or a reference order.
type ranking struct {
	method string
	class  int
}

// measure computes the requested metrics of the explanations and of the reference orders, which it
// returns as explanations without scores.
func (t *task) measure(
	ctx context.Context, x *ask.Explained,
) (measured map[ranking]map[string]judgment, references []core.Explanation, err error) {
	if len(t.config.Metrics) == 0 {
		return nil, nil, nil
	}
	r := x.Report
	// The game uses the evaluator of the explanation, so that the bag is not encoded again.
	game, err := core.NewGame(x.Evaluator,
		core.GameOptions{Output: r.Output, Seed: r.Seed, Budget: t.request.Budget, Workers: 1})
	if err != nil {
		return nil, nil, err
	}
	bag := *x.Bag
	if t.line.Labels != nil {
		bag.Labels = t.line.Labels
	}
	options, _, err := t.request.Resolve(methods.DataSettings{})
	if err != nil {
		return nil, nil, err
	}
	o := metric.Options{Metrics: t.config.Metrics, Seed: r.Seed, Preset: options.Preset}
	rows, err := metric.Evaluate(ctx, game, &bag, x.Model.Truth, r.Explanations, o)
	if err != nil {
		return nil, nil, err
	}
	measured = map[ranking]map[string]judgment{}
	for i, row := range rows {
		values := map[string]judgment{}
		for _, v := range row.Values {
			values[v.Metric] = judgment{v.Score, v.Trivial}
		}
		measured[ranking{row.Method, row.Class}] = values
		// Rows after the explanations are the reference orders.
		if i >= len(r.Explanations) && len(values) > 0 {
			references = append(references, core.Explanation{Method: row.Method, Class: row.Class})
		}
	}
	return measured, references, nil
}

// meanAndTop returns the mean and the highest score, or nil if there are no scores or their mean is
// not finite. The sum is in the order of the instances, and the division inside it avoids an
// overflow.
func meanAndTop(scores []float64) (mean, top *float64) {
	if len(scores) == 0 {
		return nil, nil
	}
	sum, largest := 0.0, slices.Max(scores)
	for _, v := range scores {
		sum += v / float64(len(scores))
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, nil
	}
	return &sum, &largest
}
