package network

import (
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/core"
)

// A Recipe is an architecture with the settings of its training.
type Recipe struct {
	Architecture
	Rate  float64 // learning rate
	Decay float64 // weight decay: this multiple of each parameter is added to its gradient
}

// A Preset chooses between the paper's printed settings and those of its published code. For
// features, the code exchanges the dropout rates of mi-net and mi-net-instance, and trains mi-net
// at a fifth of the printed rate.
type Preset string

// The presets.
const (
	// Paper has the printed settings.
	Paper Preset = "paper"
	// Reference has the code's settings of mi-net and mi-net-instance, and weights instances in
	// mi-gnn as the paper prints. On pictures in colour, it has another decay, see tissueDecay.
	Reference Preset = "reference"
	// Summing is Reference with the mi-gnn of the code, whose weights cancel and leave a sum of the
	// instances. This network has no clustering to show.
	Summing Preset = "summing"
)

// For returns the paper's recipe for a kind of network and a kind of data. The shape of an instance
// determines the kind of data: features (SIVAL, Musk, Tiger, Elephant, Fox), grey pictures
// (4-MNIST-Bags), or pictures in colour (CRC).
//
// Errors: an unknown kind or preset, and those of Architecture.Check.
func For(kind Kind, shape []int, classes int, scale core.Scale, preset Preset) (Recipe, error) {
	if preset != Paper && preset != Reference && preset != Summing {
		return Recipe{}, fmt.Errorf("the preset %q is unknown; use %s, %s or %s", preset, Paper,
			Reference, Summing)
	}
	table, kernels := features(), []Kernel(nil)
	switch {
	case len(shape) == 3 && shape[0] == 1:
		table, kernels = digits(), []Kernel{{Maps: 20, Size: 5}, {Maps: 50, Size: 5}}
	case len(shape) == 3:
		table, kernels = tissue(), []Kernel{{Maps: 36, Size: 4}, {Maps: 48, Size: 3}}
	}
	r, ok := table[kind]
	if !ok {
		return Recipe{}, fmt.Errorf("the network %q is unknown; use one of %v", kind, Kinds())
	}
	r.Convolutions = kernels
	if preset != Paper && len(shape) == 1 {
		switch kind {
		case MINet:
			r.Dropout, r.Rate = .25, 1e-3
		case MINetInstance:
			r.Dropout = .45
		}
	}
	if preset == Reference && kind == MIGNN && len(shape) == 3 && shape[0] > 1 {
		r.Decay = tissueDecay
	}
	if preset == Summing && kind == MIGNN {
		r.Pool = Sum
	}
	r.Kind, r.Shape, r.Classes, r.Scale = kind, slices.Clone(shape), classes, scale
	return r, r.Check()
}

// tissueDecay is the printed decay of mi-gnn on CRC, 1e-2, divided by the 264 instances of a bag.
// The paper's code sums instances, so its gradients are 264 times those of a weighted mean, and
// Adam depends only on the ratio of gradient and decay. With weights and the printed decay, the
// loss stays at ln 2.
const tissueDecay = 4e-5

// features returns the printed settings for bags of features.
func features() map[Kind]Recipe {
	return map[Kind]Recipe{
		MINet: {Architecture{Encoder: []int{128, 256}, Pool: Max, Dropout: .45}, 5e-3, 1e-3},
		MINetInstance: {Architecture{Encoder: []int{512}, Head: []int{256, 64}, Pool: Mean,
			Dropout: .25}, 5e-4, 1e-5},
		MIAttn: {Architecture{Encoder: []int{128, 256, 128}, Attention: 256, Dropout: .15},
			1e-3, 1e-5},
		MIGNN: {Architecture{Encoder: []int{128}, Graph: []int{128, 256, 64}, Head: []int{128},
			Dropout: .2}, 5e-4, 1e-5},
	}
}

// digits returns the printed settings for grey pictures, without convolutions.
func digits() map[Kind]Recipe {
	return map[Kind]Recipe{
		MINet: {Architecture{Encoder: []int{128, 512}, Pool: Mean, Dropout: .3}, 1e-4, 1e-3},
		MINetInstance: {Architecture{Encoder: []int{512}, Head: []int{128, 64}, Pool: Mean,
			Dropout: .3}, 1e-4, 1e-4},
		MIAttn: {Architecture{Encoder: []int{64, 256}, Attention: 64, Head: []int{64},
			Dropout: .15}, 1e-4, 1e-4},
		MIGNN: {Architecture{Encoder: []int{64, 64}, Graph: []int{128, 128, 128},
			Head: []int{64}, Dropout: .3}, 5e-5, 1e-5},
	}
}

// tissue returns the printed settings for pictures in colour, without convolutions.
func tissue() map[Kind]Recipe {
	return map[Kind]Recipe{
		MINet: {Architecture{Encoder: []int{64, 512}, Head: []int{128, 64}, Pool: Max,
			Dropout: .3}, 5e-4, 1e-3},
		MINetInstance: {Architecture{Encoder: []int{64, 64}, Head: []int{64}, Pool: Max,
			Dropout: .25}, 5e-4, 1e-2},
		MIAttn: {Architecture{Encoder: []int{64, 64, 256}, Attention: 128, Dropout: .2},
			1e-3, 1e-6},
		MIGNN: {Architecture{Encoder: []int{64, 128}, Graph: []int{128}, Head: []int{128},
			Dropout: .35}, 1e-3, 1e-2},
	}
}
