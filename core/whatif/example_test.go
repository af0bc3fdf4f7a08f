package whatif_test

import (
	"context"
	"fmt"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/whatif"
)

// The game has the value 1 if instances 1 and 4 are both in the bag. Sets finds that they suffice,
// and that each of them is necessary.
func ExampleSetsQuestion_Answer() {
	ctx := context.Background()
	game, err := core.NewGame(coretest.Unanimity(6, 1, 4), core.GameOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, kind := range []whatif.SetKind{whatif.SetsSufficient, whatif.SetsNecessary} {
		sets, err := whatif.SetsQuestion{Kind: kind, Level: new(1.), Several: 2}.Answer(ctx, game)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, found := range sets.Found {
			fmt.Println(kind, found.Instances, found.Smallest)
		}
	}
	// Output:
	// sufficient [1 4] true
	// necessary [4] true
	// necessary [1] true
}

// Two left gloves and one right glove: a left and the right glove complete each other, the two left
// ones stand in for each other.
func ExamplePairsQuestion_Answer() {
	game, err := core.NewGame(coretest.Glove(2, 1), core.GameOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	pairs, err := whatif.PairsQuestion{}.Answer(context.Background(), game)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, pair := range pairs.List {
		fmt.Printf("%d and %d %+.2f\n", pair.A, pair.B, pair.Value)
	}
	// Output:
	// 0 and 1 -0.50
	// 0 and 2 +0.50
	// 1 and 2 +0.50
}

// Three of five instances give the answer, so that it turns when three are removed.
func ExampleTurnQuestion_Answer() {
	game, err := core.NewGame(coretest.Majority(5, 3), core.GameOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	turn, err := whatif.TurnQuestion{Level: new(1.)}.Answer(context.Background(), game)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(turn.Turned, len(turn.Steps), len(turn.Fewest.Instances), turn.Fewest.Smallest)
	// Output:
	// true 3 3 true
}

// The curves show the value of the class by the number of instances that are kept or removed, the
// best first.
func ExampleCurvesQuestion_Answer() {
	game, err := core.NewGame(coretest.Unanimity(4, 1, 3), core.GameOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	curves, err := whatif.CurvesQuestion{}.Answer(context.Background(), game)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range curves.Kept {
		fmt.Printf("%d kept: %.0f, at random %.2f\n", p.Instances, p.Best, p.Random)
	}
	// Output:
	// 1 kept: 0, at random 0.00
	// 2 kept: 1, at random 0.00
	// 3 kept: 1, at random 0.40
	// 4 kept: 1, at random 1.00
}

// A firstFeature is a model of one class: a bag is positive unless all of its instances are
// negative. The probability of an instance is the sigmoid of four times its first feature.
type firstFeature struct{}

func (firstFeature) Info() core.ModelInfo {
	return core.ModelInfo{Classes: []string{"positive"}, Negative: -1,
		Scale: core.ScaleProbabilities}
}

func (firstFeature) Bind(_ context.Context, bag *core.Bag) (core.Evaluator, error) {
	var p []float64
	for i := range bag.Len() {
		p = append(p, 1/(1+math.Exp(-4*float64(bag.Instance(i)[0]))))
	}
	return coretest.NoisyOr(p...), nil
}

func ExampleInsideQuestion_Answer() {
	ctx := context.Background()
	model := firstFeature{}
	bag := &core.Bag{Name: "a", Shape: []int{3}, Values: []float32{1, 1, 1, -1, 2, 0}}
	evaluator, err := model.Bind(ctx, bag)
	if err != nil {
		fmt.Println(err)
		return
	}
	game, err := core.NewGame(evaluator, core.GameOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	inside, err := whatif.InsideQuestion{Instance: 0, Cell: 1}.Answer(ctx, game, model, bag)
	if err != nil {
		fmt.Println(err)
		return
	}
	for cell, score := range inside.Scores {
		fmt.Printf("feature %d %+.2f %t\n", cell, score, inside.Evident[cell])
	}
	// Output:
	// feature 0 +0.47 true
	// feature 1 +0.00 false
	// feature 2 +0.00 false
}

// An embedded is an evaluator with embeddings, by which Groups finds instances that are alike.
type embedded struct {
	*coretest.Game
	values []float32 // (instance, 2)
}

func (e embedded) Embeddings(context.Context) ([]float32, int, error) { return e.values, 2, nil }

func ExampleGroups() {
	game, err := core.NewGame(embedded{coretest.Majority(4, 2),
		[]float32{1, 0, 0, 1, 1.01, 0, -1, -1}}, core.GameOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(whatif.Groups(context.Background(), game))
	// Output:
	// [[0 2]] <nil>
}
