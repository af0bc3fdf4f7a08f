package network

import (
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/core"
)

// A Recipe is an architecture with how it is trained.
type Recipe struct {
	Architecture
	Rate  float64 // of learning
	Decay float64 // of weights: its multiple of each parameter is added to the gradient
}

// A Preset says whose settings a recipe has, where the paper's print and its published code differ.
// They do for mi-net and mi-net-instance on instances of features: the code trained with the
// dropouts the other way round, and mi-net at a fifth of the printed rate. And they do in mi-gnn,
// whose weights cancel in the code and leave a sum of the instances: Summing has that sum. Paper
// and Reference weigh the instances, as the paper prints it; on CRC the printed decay goes with the
// sum, and Reference has one that goes with weights: see tissueDecay.
type Preset string

// The presets.
const (
	Paper     Preset = "paper"
	Reference Preset = "reference"
	// Reference, but for mi-gnn: that one sums, and has nothing to say of its instances
	Summing Preset = "summing"
)

// For returns the paper's recipe for a kind of network and a kind of data, told from the shape of
// an instance: features (SIVAL, Musk, Tiger, Elephant, Fox), pictures of one channel
// (4-MNIST-Bags), or of several (CRC).
func For(kind Kind, shape []int, classes int, scale core.Scale, preset Preset) (Recipe, error) {
	if preset != Paper && preset != Reference && preset != Summing {
		return Recipe{}, fmt.Errorf("there is no preset %q; there are %s, %s and %s", preset, Paper,
			Reference, Summing)
	}
	table := features
	switch {
	case len(shape) == 3 && shape[0] == 1:
		table = digits
	case len(shape) == 3:
		table = tissue
	}
	r, ok := table()[kind]
	if !ok {
		return Recipe{}, fmt.Errorf("there is no network %q; there are %v", kind, Kinds())
	}
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

// tissueDecay is the printed decay of mi-gnn on CRC, 1e-2, over the 264 instances of a bag. The
// printed one was found with the sum of the paper's code, where a gradient is 264 times that of the
// mean which weights begin as, and Adam heeds only how large gradient and decay are beside each
// other. With weights and the printed decay the loss stays at ln 2.
const tissueDecay = 4e-5

func features() map[Kind]Recipe {
	with := func(a Architecture, rate, decay float64) Recipe { return Recipe{a, rate, decay} }
	return map[Kind]Recipe{
		MINet: with(Architecture{Encoder: []int{128, 256}, Pool: Max, Dropout: .45}, 5e-3,
			1e-3),
		MINetInstance: with(Architecture{Encoder: []int{512}, Head: []int{256, 64}, Pool: Mean,
			Dropout: .25}, 5e-4, 1e-5),
		MIAttn: with(Architecture{Encoder: []int{128, 256, 128}, Attention: 256,
			Dropout: .15}, 1e-3, 1e-5),
		MIGNN: with(Architecture{Encoder: []int{128}, Graph: []int{128, 256, 64},
			Head: []int{128}, Dropout: .2}, 5e-4, 1e-5),
	}
}

func digits() map[Kind]Recipe {
	with := func(a Architecture, rate, decay float64) Recipe {
		a.Convolutions = []Kernel{{Maps: 20, Size: 5}, {Maps: 50, Size: 5}}
		return Recipe{a, rate, decay}
	}
	return map[Kind]Recipe{
		MINet: with(Architecture{Encoder: []int{128, 512}, Pool: Mean, Dropout: .3}, 1e-4,
			1e-3),
		MINetInstance: with(Architecture{Encoder: []int{512}, Head: []int{128, 64}, Pool: Mean,
			Dropout: .3}, 1e-4, 1e-4),
		MIAttn: with(Architecture{Encoder: []int{64, 256}, Attention: 64, Head: []int{64},
			Dropout: .15}, 1e-4, 1e-4),
		MIGNN: with(Architecture{Encoder: []int{64, 64}, Graph: []int{128, 128, 128},
			Head: []int{64}, Dropout: .3}, 5e-5, 1e-5),
	}
}

func tissue() map[Kind]Recipe {
	with := func(a Architecture, rate, decay float64) Recipe {
		a.Convolutions = []Kernel{{Maps: 36, Size: 4}, {Maps: 48, Size: 3}}
		return Recipe{a, rate, decay}
	}
	return map[Kind]Recipe{
		MINet: with(Architecture{Encoder: []int{64, 512}, Head: []int{128, 64}, Pool: Max,
			Dropout: .3}, 5e-4, 1e-3),
		MINetInstance: with(Architecture{Encoder: []int{64, 64}, Head: []int{64}, Pool: Max,
			Dropout: .25}, 5e-4, 1e-2),
		MIAttn: with(Architecture{Encoder: []int{64, 64, 256}, Attention: 128, Dropout: .2},
			1e-3, 1e-6),
		MIGNN: with(Architecture{Encoder: []int{64, 128}, Graph: []int{128},
			Head: []int{128}, Dropout: .35}, 1e-3, 1e-2),
	}
}
