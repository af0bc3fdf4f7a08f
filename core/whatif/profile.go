package whatif

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// Limits and defaults of a ProfileQuestion.
const (
	MostProfile  = 1000 // values
	usualProfile = 11   // values between the lowest and the highest
)

// A ProfileQuestion asks what a model predicts for a bag if one covariate takes other values and
// all else stays: the profile of the bag over this covariate (METHODS section 7).
type ProfileQuestion struct {
	Covariate core.CovariateInput
	Values    [][]float64 // each a number for each element of the input, or one for all
}

// A Profile holds the predictions of a bag over values of a covariate.
type Profile struct {
	Stated      []float64   // what the bag states, else the model's default
	Predictions [][]float64 // (value, class) on the output of the game
}

// Answer predicts the bag once for each value. g is the game of the bag as it is. Errors are those
// of core.Game.FullWith and core.Game.CheckBudget.
func (q ProfileQuestion) Answer(
	ctx context.Context, g *core.Game, model core.Model, bag *core.Bag,
) (*Profile, error) {
	if err := g.CheckBudget(len(q.Values)); err != nil {
		return nil, err
	}
	g.Expect(len(q.Values))
	out := &Profile{Stated: bag.Covariate(q.Covariate.Name)}
	if out.Stated == nil {
		out.Stated = q.Covariate.Default
	}
	for _, values := range q.Values {
		prediction, err := g.FullWith(ctx, model, bag,
			[]core.Covariate{{Name: q.Covariate.Name, Values: values}})
		if err != nil {
			return nil, err
		}
		out.Predictions = append(out.Predictions, prediction)
	}
	return out, nil
}

// FindCovariate returns the covariate of a name, or the only one for "". It returns a
// *core.UnavailableError if a model takes none, and else a *core.SettingError of covariate.
func FindCovariate(
	inputs []core.CovariateInput, name string,
) (in core.CovariateInput, err error) {
	if len(inputs) == 0 {
		return in, &core.UnavailableError{Reason: "the model takes no covariate beside the " +
			"bag, so that nothing can be changed"}
	}
	if name == "" && len(inputs) == 1 {
		return inputs[0], nil
	}
	return named(inputs, name, "covariate")
}

// named returns the covariate of a name. It returns a *core.SettingError of a setting if there is
// none.
func named(
	inputs []core.CovariateInput, name, setting string,
) (in core.CovariateInput, err error) {
	var names []string
	for _, in := range inputs {
		if in.Name == name {
			return in, nil
		}
		names = append(names, msg.Quoted(in.Name))
	}
	return in, &core.SettingError{Setting: setting, Reason: msg.Sprintf(
		"the model takes no covariate %q; name one of %s", name,
		msg.Text(strings.Join(msg.Fit(names, func(s string) int { return len(s) + 2 }), ", ")))}
}

// ProfileValues reads the values of a covariate as users write them: 40,50,60 for an input of one
// number, and 0,0,1; 1,0,0 for one of three. It returns a *core.SettingError of values for other
// text, numbers that are not finite, and more than MostProfile values.
func ProfileValues(text string, size int) ([][]float64, error) {
	separator := ";"
	if size == 1 {
		separator = ","
	}
	rows := strings.Split(strings.Trim(text, separator+" "), separator)
	var out [][]float64
	for _, row := range rows[:min(len(rows), MostProfile+1)] {
		var values []float64
		for word := range strings.SplitSeq(row, ",") {
			v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
			if err != nil || v-v != 0 {
				return nil, wrongValues("%q is not a finite number", strings.TrimSpace(word))
			}
			values = append(values, v)
		}
		if len(values) != size && len(values) != 1 {
			return nil, wrongValues("%q has %d numbers, and the covariate takes %d", row,
				len(values), size)
		}
		out = append(out, values)
	}
	if len(out) > MostProfile {
		return nil, wrongValues("there are more than %d values; state fewer", MostProfile)
	}
	return out, nil
}

// ProfileGrid returns equal steps from the lowest to the highest value of a covariate that the bags
// of a file state: n values, 0 means 11. Whole numbers have whole steps. It returns a
// *core.SettingError of values for a covariate of several numbers, and if the bags do not state two
// different values.
func ProfileGrid(in core.CovariateInput, bags [][]core.Covariate, n int) ([][]float64, error) {
	if in.Size != 1 {
		return nil, wrongValues("the covariate %q takes %d numbers, which have no order; state "+
			"its values, such as %s; %s", in.Name, in.Size, repeated("0", in.Size),
			repeated("1", in.Size))
	}
	var seen []float64
	for _, bag := range bags {
		if v := (&core.Bag{Covariates: bag}).Covariate(in.Name); len(v) == 1 {
			seen = append(seen, v[0])
		}
	}
	if len(seen) == 0 || slices.Min(seen) == slices.Max(seen) {
		return nil, wrongValues("the bags of the file do not state two different values of the "+
			"covariate %q; state its values, such as 0,0.5,1", in.Name)
	}
	if n == 0 {
		n = usualProfile
	}
	whole := !slices.ContainsFunc(seen, func(v float64) bool { return v != math.Trunc(v) })
	low, high := slices.Min(seen), slices.Max(seen)
	var out [][]float64
	for i := range n {
		share := float64(i) / float64(n-1)
		v := low*(1-share) + high*share // exact at both ends, and finite between them
		if whole {
			v = math.Round(v)
		}
		if len(out) == 0 || v > out[len(out)-1][0] {
			out = append(out, []float64{v})
		}
	}
	return out, nil
}

// repeated returns a word for each of n elements, separated by commas, or one for all of more than
// three.
func repeated(word string, n int) string {
	if n > 3 {
		n = 1
	}
	return strings.Join(slices.Repeat([]string{word}, n), ",")
}

func wrongValues(reason string, args ...any) error {
	return &core.SettingError{Setting: "values", Reason: msg.Sprintf(reason, args...)}
}
