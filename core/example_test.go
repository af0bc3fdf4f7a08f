package core_test

import (
	"context"
	"fmt"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/methods"
)

// The example explains a noisy-or bag. The first instance nearly suffices for the class, and the
// last one hardly matters.
func Example() {
	bag := coretest.NoisyOr(.9, .4, .4, .01)
	report, err := core.Explain(context.Background(), bag, core.Request{
		Methods: []core.Method{methods.Single{}, methods.OneRemoved{},
			methods.RandomSHAP{Efficiency: methods.EmptyGame}},
		Classes: []int{0},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range report.Explanations {
		fmt.Printf("%-12s %.3f\n", e.Method, e.Scores)
	}
	// Output:
	// single       [0.900 0.400 0.400 0.010]
	// one_removed  [0.321 0.024 0.024 0.000]
	// random_shap  [0.586 0.187 0.187 0.004]
}
