package coretest_test

import (
	"context"
	"fmt"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/methods"
)

// The games have known Shapley values, which all proper coalitions and the value of the empty one
// determine. In a test, CheckShapley compares a method with those of all games, and CheckContract
// tests it as core.Method demands.
func Example() {
	game := coretest.Airport(1, 1, 3)
	report, err := core.Explain(context.Background(), game, core.Request{
		Methods: []core.Method{
			methods.RandomSHAP{Efficiency: methods.EmptyGame},
		}, Classes: []int{0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, score := range report.Explanations[0].Scores {
		fmt.Printf("player %d: %.3f, known %.3f\n", i, score, game.Shapley[i])
	}
	// Output:
	// player 0: 0.333, known 0.333
	// player 1: 0.333, known 0.333
	// player 2: 2.333, known 2.333
}
