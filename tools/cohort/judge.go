package cohort

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/tools/service/query"
)

// A record holds the results of a finished bag.
type record struct {
	Rows        []row           `json:"rows"`
	Explanation json.RawMessage `json:"explanation"` // the bytes of bagscope explain --json
}

// A row holds the results of one class and one method. The methods random and oracle are reference
// orders and only have metrics.
type row struct {
	Method     string       `json:"method"`
	Class      int          `json:"class"`
	Name       string       `json:"name"`       // name of the class
	Prediction query.Number `json:"prediction"` // class score of the whole bag
	// the class has the highest score of several classes
	Predicted bool                `json:"predicted"`
	Mean      *float64            `json:"mean,omitempty"`
	Top       *float64            `json:"top,omitempty"` // the highest score
	Metrics   map[string]judgment `json:"metrics,omitempty"`
}

// A judgment is the value of one metric.
type judgment struct {
	Value   float64 `json:"value"`
	Trivial bool    `json:"trivial,omitempty"` // every order of the instances has this value
}

// judge summarizes the explanations, each with those requested metrics that are defined for it.
func (t *task) judge(ctx context.Context, x *query.Explained) ([]row, error) {
	r := x.Report
	judged := map[[2]any]map[string]judgment{}
	references := []core.Explanation{}
	if len(t.config.Metrics) > 0 {
		// The game uses the evaluator of the explanation, so that the bag is not encoded again.
		game, err := core.NewGame(x.Evaluator,
			core.GameOptions{Output: r.Output, Seed: r.Seed, Budget: t.request.Budget, Workers: 1})
		if err != nil {
			return nil, err
		}
		bag := *x.Bag
		if t.line.Labels != nil {
			bag.Labels = t.line.Labels
		}
		options, _, err := t.request.Resolve(core.DataSettings{})
		if err != nil {
			return nil, err
		}
		o := metric.Options{Metrics: t.config.Metrics, Seed: r.Seed, Preset: options.Preset}
		rows, err := metric.Evaluate(ctx, game, &bag, x.Model.Truth, r.Explanations, o)
		if err != nil {
			return nil, err
		}
		for i, row := range rows {
			values := map[string]judgment{}
			for _, v := range row.Values {
				values[v.Metric] = judgment{v.Score, v.Trivial}
			}
			judged[[2]any{row.Method, row.Class}] = values
			// Rows after the explanations are the reference orders.
			if i >= len(r.Explanations) && len(values) > 0 {
				references = append(references,
					core.Explanation{Method: row.Method, Class: row.Class})
			}
		}
	}
	highest := slices.Index(r.Prediction, slices.Max(r.Prediction))
	rows := []row{}
	for _, e := range slices.Concat(r.Explanations, references) {
		one := row{
			Method: e.Method, Class: e.Class, Name: x.Classes[e.Class],
			Metrics:    judged[[2]any{e.Method, e.Class}],
			Prediction: query.Number(r.Prediction[e.Class]), Predicted: len(r.Prediction) > 1 &&
				e.Class == highest,
		}
		if len(e.Scores) > 0 {
			// The division inside the sum avoids an overflow. The order of the sum is that of the
			// instances.
			mean, top := 0.0, slices.Max(e.Scores)
			for _, v := range e.Scores {
				mean += v / float64(len(e.Scores))
			}
			if !math.IsNaN(mean) && !math.IsInf(mean, 0) {
				one.Mean, one.Top = &mean, &top
			}
		}
		rows = append(rows, one)
	}
	return rows, nil
}
