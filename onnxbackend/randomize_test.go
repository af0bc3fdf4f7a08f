package onnxbackend_test

import (
	"context"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// Shuffled weights change the scores, equal seeds give equal models, and 0 layers change nothing.
func TestRandomize(t *testing.T) {
	trained := enginetest.TrainedModels[0]
	bag := enginetest.SetBag(t, trained.Bags(t), 0)
	prediction := func(r onnxbackend.Randomize) float64 {
		p := must.Get(trained.Open(t,
			onnxbackend.Options{Randomize: r}).Predict(context.Background(), bag))(t)
		return p.Scores[1]
	}
	whole := trained.Open(t, onnxbackend.Options{})
	// Two convolutions, two layers of features, two of attention and two of classes.
	must.Equal(t, whole.Layers(), 8)
	usual := prediction(onnxbackend.Randomize{})
	one := prediction(onnxbackend.Randomize{Layers: 1, Seed: 1})
	all := prediction(onnxbackend.Randomize{Layers: 8, Seed: 1})
	must.Equal(t, usual != one, true, usual, one, all)
	must.Equal(t, one != all, true, usual, one, all)
	must.Equal(t, prediction(onnxbackend.Randomize{Layers: 8, Seed: 1}), all)
	must.Equal(t, prediction(onnxbackend.Randomize{Layers: 8, Seed: 2}) != all, true)
}

// Maps of trained networks pass the check of random layers and of noise.
func TestChecksOfTrainedNetworks(t *testing.T) {
	for _, trained := range enginetest.TrainedModels {
		t.Run(trained.Name, func(t *testing.T) {
			m := trained.Open(t, onnxbackend.Options{})
			bag := enginetest.SetBag(t, trained.Bags(t), 0)
			c := must.Get(metric.CheckMap(context.Background(), m, bag, metric.CheckQuestion{
				Class: 1, Layers: m.Layers(), Randomised: func(
					_ context.Context, n int, seed uint64,
				) (core.Model, error) {
					r := onnxbackend.Randomize{Layers: n, Seed: seed}
					return trained.Open(t, onnxbackend.Options{Randomize: r}), nil
				}}, core.GameOptions{}))(t)
			must.Equal(t, c.Layers.Passed, true, c.Layers)
			must.Equal(t, c.Noise.Passed, true, c.Noise)
		})
	}
}
