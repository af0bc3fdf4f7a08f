package onnxbackend_test

import (
	"context"
	"math"
	"math/cmplx"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// spectralModel averages, over the bag, the powers of the frequencies 0 to 4 of instances of 8
// samples.
func spectralModel() ot.Model {
	return ot.Model{
		Opset:        20,
		Inputs:       []ot.Value{ot.In("bag", "k", 8)},
		Outputs:      []ot.Value{ot.In("scores", 5)},
		Initializers: []ot.Tensor{ot.I("last", []int64{-1}, 1), ot.I("zero", []int64{0}, 1)},
		Nodes: ot.Nodes(`signals = Unsqueeze(bag, last); spectra = DFT<onesided=1>(signals)
			powers = ReduceSumSquare<keepdims=0>(spectra, last)
			scores = ReduceMean<keepdims=0>(powers, zero)`),
	}
}

// longKernel is the kernel that convolutionModel applies along the bag.
var longKernel = []float32{1, -.5, .25, .75, -1, .5}

// convolutionModel convolves each of 3 features along the bag with longKernel, as state-space
// layers do: by spectra of twice as many places as the bag has instances. The score of a feature is
// its mean square.
func convolutionModel() ot.Model {
	halves := func(of, re, im string) ot.Node {
		return ot.N("Split", []string{of}, []string{re, im}, ot.Int("axis", -1),
			ot.Int("num_outputs", 2))
	}
	binary := enginetest.Binary
	return ot.Model{
		Opset:   20,
		Inputs:  []ot.Value{ot.In("bag", "k", 3)},
		Outputs: []ot.Value{ot.In("scores", 3)},
		Initializers: []ot.Tensor{ot.I("last", []int64{-1}, 1), ot.I("first", []int64{0}, 1),
			ot.I("axis", []int64{0}), ot.I("two", []int64{2}), ot.I("none", nil, 0),
			ot.F("kernel", longKernel, len(longKernel), 1, 1)},
		Nodes: []ot.Node{
			binary("Unsqueeze", "bag", "last", "signals"),
			ot.N("Shape", []string{"bag"}, []string{"k"}, ot.Int("end", 1)),
			binary("Reshape", "k", "none", "count"),
			binary("Mul", "count", "two", "length"),
			ot.N("DFT", []string{"signals", "length", "axis"}, []string{"a"},
				ot.Int("onesided", 1)),
			ot.N("DFT", []string{"kernel", "length", "axis"}, []string{"b"}, ot.Int("onesided", 1)),
			halves("a", "ar", "ai"), halves("b", "br", "bi"),
			binary("Mul", "ar", "br", "rr"), binary("Mul", "ai", "bi", "ii"),
			binary("Sub", "rr", "ii", "re"),
			binary("Mul", "ar", "bi", "ri"), binary("Mul", "ai", "br", "ir"),
			binary("Add", "ri", "ir", "im"),
			ot.N("Concat", []string{"re", "im"}, []string{"product"}, ot.Int("axis", -1)),
			ot.N("DFT", []string{"product", "length", "axis"}, []string{"long"},
				ot.Int("onesided", 1), ot.Int("inverse", 1)),
			ot.N("Slice", []string{"long", "first", "k", "first"}, []string{"cut"}),
			binary("Squeeze", "cut", "last", "features"),
			binary("Mul", "features", "features", "squares"),
			ot.N("ReduceMean", []string{"squares", "first"}, []string{"scores"},
				ot.Int("keepdims", 0)),
		},
	}
}

// TestFourierModels compares models with transforms within instances and along the bag with the
// sums that define them, and their coalitions with runs of the whole graph.
func TestFourierModels(t *testing.T) {
	for _, c := range []struct {
		name  string
		model ot.Model
		width int
		want  func(*core.Bag) []float64
	}{
		{"spectra of instances", spectralModel(), 8, meanPowers},
		{"convolution along the bag", convolutionModel(), 3, meanConvolution},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, k := range []int{2, 3, 30} { // the kernel is cut, wraps around, or neither
				bag := enginetest.SmallBag(k, c.width)
				m := enginetest.Open(t, c.model.Bytes(), onnxbackend.Options{})
				b := enginetest.Bind(t, m, bag, nil)
				p := must.Get(m.Predict(context.Background(), bag))(t)
				// Spectra and products are float32 between the operators.
				enginetest.CheckNear(t, "scores", p.Scores, c.want(bag), 1e-5)
				enginetest.CheckStrategyEqualsPlain(t, b, c.model.Bytes(), bag)
			}
		})
	}
}

// meanPowers is the slow twin of spectralModel.
func meanPowers(bag *core.Bag) []float64 {
	powers := make([]float64, 5)
	for i := range bag.Len() {
		for f := range powers {
			var sum complex128
			for j, v := range bag.Instance(i) {
				sum += complex(float64(v), 0) * cmplx.Rect(1, -2*math.Pi*float64(j*f)/8)
			}
			powers[f] += real(sum*cmplx.Conj(sum)) / float64(bag.Len())
		}
	}
	return powers
}

// meanConvolution is the slow twin of convolutionModel. Where the kernel is long for the bag, the
// convolution wraps around after twice as many places as the bag has.
func meanConvolution(bag *core.Bag) []float64 {
	scores, k := make([]float64, 3), bag.Len()
	for c := range scores {
		out := make([]float64, 2*k)
		for i := range k {
			for j, w := range longKernel[:min(len(longKernel), 2*k)] {
				out[(i+j)%(2*k)] += float64(w) * float64(bag.Instance(i)[c])
			}
		}
		for _, v := range out[:k] {
			scores[c] += v * v / float64(k)
		}
	}
	return scores
}
