package core_test

import (
	"context"
	"fmt"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
)

// A ratio scores an instance by the share of the prediction that is lost without it:
// (F_c(X) - F_c(X without x_i)) / max(F_c(X), Least).
type ratio struct {
	Least float64 // smallest divisor; 0 means 1e-6
}

func (ratio) Name() string { return "ratio" }

func (m ratio) Settings(int) []core.Setting {
	return []core.Setting{{Name: "least", Value: m.Least}}
}

// Evaluations counts the whole bag, and the bag without each of its k instances.
func (ratio) Evaluations(k, _ int) int { return k + 1 }

// Validate is called first. No other function is called if it returns an error.
func (m ratio) Validate(*core.Game) error {
	if m.Least < 0 {
		return &core.SettingError{Method: m.Name(), Setting: "least",
			Reason: "must not be negative"}
	}
	return nil
}

func (m ratio) Attribute(
	ctx context.Context, g *core.Game, classes []int,
) (*core.Attribution, error) {
	if g.Instances() == 1 {
		return g.Alone(ctx, classes) // every method scores a single instance as the prediction
	}
	full, err := g.Full(ctx)
	if err != nil {
		return nil, err
	}
	removed, err := g.Removed(ctx) // an *UnavailableError if the model takes no smaller bag
	if err != nil {
		return nil, err
	}
	scores := g.ByClass(removed, classes)
	for n, c := range classes {
		for i, without := range scores[n] {
			scores[n][i] = (full[c] - without) / max(full[c], m.Least, 1e-6)
		}
	}
	return &core.Attribution{Scores: scores, Unit: "share"}, nil
}

// A method of your own implements Method, and Validator if its settings can be invalid. A Game
// has the values that it needs, and caches them. coretest.CheckContract tests it.
func Example_method() {
	report, err := core.Explain(context.Background(), coretest.NoisyOr(.9, .4, .01),
		core.Request{Methods: []core.Method{ratio{}}, Classes: []int{0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s %.3f %s\n", report.Explanations[0].Method, report.Explanations[0].Scores,
		report.Explanations[0].Unit)
	// Output:
	// ratio [0.568 0.042 0.001] share
}
