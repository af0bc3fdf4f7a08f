package main

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
)

// boundBag returns a bag of random features, bound to gated attention over 512 features.
func boundBag(b *testing.B, k, hidden int) core.Evaluator {
	b.Helper()
	const features = 1024
	model, err := onnxbackend.Open(gatedAttention(features, hidden), onnxbackend.Options{})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(uint64(k), 1))
	bag := &core.Bag{Name: "random", Shape: []int{features}, Values: make([]float32, k*features)}
	for i := range bag.Values {
		bag.Values[i] = float32(rng.NormFloat64())
	}
	ev, err := model.Bind(context.Background(), bag)
	if err != nil {
		b.Fatal(err)
	}
	return ev
}

// BenchmarkWhatIfs measures questions to a pooling model: what-ifs are evaluations of changed bags.
func BenchmarkWhatIfs(b *testing.B) {
	for _, c := range []struct {
		name      string
		k, hidden int
		question  func(ctx context.Context, g *core.Game) error
	}{
		{"turn/k=10000", 10_000, 0, turnTwice},
		{"turn/k=10000/hidden=64", 10_000, 64, turnTwice},
		{"pairs/k=264", 264, 0, allPairs},
		{"pairs/k=264/hidden=64", 264, 64, allPairs},
		{"sets/k=264", 264, 0, hardSets},
		{"sets/k=264/hidden=64", 264, 64, hardSets},
	} {
		b.Run(c.name, func(b *testing.B) {
			ev, ctx := boundBag(b, c.k, c.hidden), context.Background()
			evaluations := 0
			for b.Loop() {
				g, err := core.NewGame(ev, core.GameOptions{})
				if err != nil {
					b.Fatal(err)
				}
				if err := c.question(ctx, g); err != nil {
					b.Fatal(err)
				}
				evaluations += g.Evaluations()
			}
			b.ReportMetric(float64(evaluations)/float64(b.N)/1e6, "Mwhatifs/op")
			b.ReportMetric(b.Elapsed().Seconds()/float64(evaluations)*1e6, "s/Mwhatifs")
		})
	}
}

// turnTwice takes 50 greedy steps each way. The level cannot be reached.
func turnTwice(ctx context.Context, g *core.Game) error {
	level := 1 - 1e-12
	for class := range 2 {
		q := core.TurnQuestion{Class: class, Level: &level, Most: 50}
		if _, err := g.Turn(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// allPairs evaluates all pairs in the default number of contexts.
func allPairs(ctx context.Context, g *core.Game) error {
	_, err := g.Pairs(ctx, core.PairsQuestion{Among: 264})
	return err
}

// hardSets asks for a necessary set at a level that takes more than three instances, so that all
// sets of up to three are evaluated.
func hardSets(ctx context.Context, g *core.Game) error {
	full, err := g.Full(ctx)
	if err != nil {
		return err
	}
	level := full[0] * .8
	_, err = g.Sets(ctx, core.SetsQuestion{Kind: core.SetsNecessary, Class: 0, Level: &level})
	return err
}
