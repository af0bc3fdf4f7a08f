package ask

import (
	"context"

	"github.com/bagscope/bagscope/core/whatif"
)

// A ProfileAnswer holds the predictions of the bag over values of one covariate.
type ProfileAnswer struct {
	Answered
	Covariate string     `json:"covariate"` // name of the model's input
	Stated    []Number   `json:"stated"`    // what the bag states, else the model card
	Values    [][]Number `json:"values"`    // (value, element) what the covariate takes instead
	// (value, class) Prediction for each class; units are those of Prediction.
	Predictions [][]Number `json:"predictions"`
}

// ProfileOptions are the options that whatif.ProfileOptions declares.
type ProfileOptions struct {
	Covariate *string `json:"covariate"`
	Values    *string `json:"values"`
	Steps     *int    `json:"steps"`
}

// Profile answers the question for other values of a covariate. Errors are those of
// whatif.ProfileQuestion, of the binding, *core.UnavailableError for a model without covariates,
// and *core.SettingError for options.
func (a *Ask) Profile(
	ctx context.Context, in *Input, o ProfileOptions, progress func(done, total int),
) (*ProfileAnswer, error) {
	if err := checkOptions(&o, whatif.ProfileOptions()); err != nil {
		return nil, err
	}
	q := whatif.ProfileQuestion{}
	var err error
	q.Covariate, err = whatif.FindCovariate(in.Engine.Info().Covariates, given(o.Covariate))
	if err != nil {
		return nil, err
	}
	if o.Values != nil {
		q.Values, err = whatif.ProfileValues(*o.Values, q.Covariate.Size)
	} else {
		q.Values, err = whatif.ProfileGrid(q.Covariate, in.Covariates, given(o.Steps))
	}
	if err != nil {
		return nil, err
	}
	of, err := a.ask(ctx, in, nil, progress)
	if err != nil {
		return nil, err
	}
	p, err := q.Answer(ctx, of.Game, in.Engine, in.Bag)
	if err != nil {
		return nil, err
	}
	return &ProfileAnswer{Answered: of.end(), Covariate: q.Covariate.Name,
		Stated: Numbers(p.Stated), Values: ListOf(q.Values, Numbers),
		Predictions: ListOf(p.Predictions, Numbers)}, nil
}
