package core_test

import (
	"context"
	"fmt"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
)

// A noisyOr is a model of one class: a bag is positive unless all of its instances are negative.
// The probability of an instance is the sigmoid of the weighted sum of its features.
type noisyOr struct{ weights []float32 }

func (noisyOr) Info() core.ModelInfo {
	return core.ModelInfo{Name: "noisy-or", Classes: []string{"positive"}, Negative: -1,
		Scale: core.ScaleProbabilities}
}

// Bind computes the probability of each instance once.
func (m noisyOr) Bind(_ context.Context, bag *core.Bag) (core.Evaluator, error) {
	if bag.Stride() != len(m.weights) {
		return nil, &core.BagError{Bag: bag.Name, Reason: "instances have other features"}
	}
	var p []float64
	for i := range bag.Len() {
		sum := 0.0
		for j, x := range bag.Instance(i) {
			sum += float64(x * m.weights[j])
		}
		p = append(p, 1/(1+math.Exp(-sum)))
	}
	return boundNoisyOr(p), nil
}

// A boundNoisyOr holds the probability of each instance of a bag.
type boundNoisyOr []float64

// Task sets Negative to -1, because no class means "nothing found".
func (p boundNoisyOr) Task() core.Task {
	return core.Task{Instances: len(p), Classes: 1, Scale: core.ScaleProbabilities, Negative: -1}
}

func (p boundNoisyOr) Evaluate(_ context.Context, dst []float64, z *core.Coalitions) error {
	var members []int
	for j := range z.Len() {
		none := 1.0
		members = z.Members(members[:0], j)
		for _, i := range members {
			none *= 1 - p[i]
		}
		dst[j] = 1 - none
	}
	return nil
}

// A model of your own implements Model and Evaluator. Info.Negative and Task.Negative are -1 unless
// one of its classes means "nothing found".
func Example_model() {
	ctx := context.Background()
	model := noisyOr{weights: []float32{2, -1}}
	bag := &core.Bag{Name: "a", Shape: []int{2}, Values: []float32{1, 0, 0, 3, -1, 0}}
	evaluator, err := model.Bind(ctx, bag)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := core.Explain(ctx, evaluator,
		core.Request{Methods: []core.Method{methods.Consensus{}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("prediction %.3f\n", report.Prediction[0])
	for i, score := range report.Explanations[0].Scores {
		fmt.Printf("instance %d %+.2f\n", i, score)
	}
	// Output:
	// prediction 0.900
	// instance 0 +4.35
	// instance 1 +0.18
	// instance 2 +0.64
}
