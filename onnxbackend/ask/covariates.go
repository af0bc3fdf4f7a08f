package ask

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/whatif"
)

// UsedCovariate is what an input of the model beside the instances takes for a bag.
type UsedCovariate struct {
	Name   string   `json:"name"`   // name of the model's input
	Values []Number `json:"values"` // what the bag states, else the model card
	// What the values are compared with; empty if the request has no reference for the input, and
	// then so are the other lists.
	Reference []Number `json:"reference"`
	// What the values add for each class, relative to the reference: a Shapley value among the
	// covariates with references.
	Adds  []Number    `json:"adds"`
	Units []core.Unit `json:"units"` // unit of each of adds, log-odds for probabilities
	// The prediction for each class if this input alone took its reference.
	Instead []Number `json:"instead"`
}

// usedCovariates returns what the inputs beside the instances take for the bag.
func (in *Input) usedCovariates() []UsedCovariate {
	return ListOf(in.Engine.Info().Covariates, func(c core.CovariateInput) UsedCovariate {
		values := in.Bag.Covariate(c.Name)
		if values == nil {
			values = c.Default
		}
		return UsedCovariate{Name: c.Name, Values: Numbers(values), Reference: []Number{},
			Adds: []Number{}, Units: []core.Unit{}, Instead: []Number{}}
	})
}

// references returns the references of a request, nil for none. Errors are those of
// whatif.ReadReferences.
func (in *Input) references(text *string) ([]core.Covariate, error) {
	if text == nil {
		return nil, nil
	}
	return whatif.ReadReferences(*text, in.Engine.Info().Covariates, in.Covariates)
}

// addCovariates sets the Covariates, with what those with references add. Errors are those of
// whatif.AddedQuestion.
func (x *Explained) addCovariates(
	ctx context.Context, g *core.Game, references []core.Covariate,
) error {
	x.Covariates = x.usedCovariates()
	if references == nil {
		return nil
	}
	added, err := whatif.AddedQuestion{References: references}.Answer(ctx, g, x.Engine, x.Bag)
	if err != nil {
		return err
	}
	var units []core.Unit
	for c := range x.Classes {
		g.Enter(c)
		units = append(units, g.OddsUnit())
	}
	for n, r := range references {
		for i := range x.Covariates {
			if c := &x.Covariates[i]; c.Name == r.Name {
				c.Reference, c.Units = Numbers(r.Values), units
				c.Adds, c.Instead = Numbers(added[n].Adds[:len(units)]),
					Numbers(added[n].Instead[:len(units)])
			}
		}
	}
	return nil
}
