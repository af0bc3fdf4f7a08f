package signature_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// imputing puts zero where a value is NaN, then goes through a layer with a Relu, in which NaN
// would vanish.
func imputing(nodes ...ot.Node) ot.Model {
	return ot.Model{
		Opset: 13, Inputs: []ot.Value{ot.In("bag", "k", 2)},
		Outputs: []ot.Value{ot.In("logits", 2)},
		Initializers: []ot.Tensor{ot.F("zero", []float32{0}),
			ot.F("W", []float32{1, -1, .5, 2}, 2, 2), ot.I("axis0", []int64{0}, 1), ot.F("low",
				[]float32{-5}), ot.F("high", []float32{5})},
		Nodes: append(nodes,
			ot.Nodes(`h = MatMul(x, W); r = Relu(h)
				logits = ReduceMax<axes=[0], keepdims=0>(r)`)...),
	}
}

// TestValuesThatAreNotFinite rejects NaN and infinities with their place, unless the model tests
// for them.
func TestValuesThatAreNotFinite(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	impute := ot.Nodes(`b = Identity(bag); n = IsNaN(b); x = Where(n, zero, b)`)
	for _, c := range []struct {
		name  string
		nodes []ot.Node
		bad   float32
		want  string // words of the error, "" for a bag that is accepted
	}{
		{"NaN", []ot.Node{ot.N("Identity", []string{"bag"}, []string{"x"})}, nan,
			"instance 2 has NaN as feature 1"},
		{"infinite", []ot.Node{ot.N("Identity", []string{"bag"}, []string{"x"})}, inf,
			"instance 2 has -Inf as feature 1"},
		{"imputed", impute, nan, ""},
		{"compared with itself", ot.Nodes(`e = Equal(bag, bag); x = Where(e, bag, zero)`), nan, ""},
		{"other numbers are tested", ot.Nodes(`b = Relu(bag); n = IsNaN(b)
			x = Where(n, zero, bag)`), nan, "instance 2 has NaN as feature 1"},
		{"infinite and clipped", ot.Nodes(`x = Clip(bag, low, high)`), inf, ""},
		{"NaN and clipped", []ot.Node{ot.N("Clip", []string{"bag", "low", "high"}, []string{"x"})},
			nan, "instance 2"},
		{"looked for and kept", []ot.Node{ot.N("IsInf", []string{"bag"}, []string{"i"}),
			ot.N("Where", []string{"i", "bag", "bag"}, []string{"x"})}, -inf, "score of class"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := must.Get(onnxbackend.Open(imputing(c.nodes...).Bytes(), onnxbackend.Options{}))(t)
			bag := enginetest.SmallBag(4, 2)
			bag.Values[5] = c.bad
			_, bound := m.Bind(context.Background(), bag)
			p, predicted := m.Predict(context.Background(), bag)
			if c.want == "" {
				if bound != nil || predicted != nil || slices.ContainsFunc(p.Scores, math.IsNaN) {
					t.Fatalf("%v, %v, %v", bound, predicted, p)
				}
				return
			}
			for _, err := range []error{bound, predicted} {
				var b *core.BagError
				must.As(t, err, &b, c.want)
			}
		})
	}
}

// TestNumbersOfIntegerInputs rejects numbers that an integer input does not hold, because they
// would wrap around.
func TestNumbersOfIntegerInputs(t *testing.T) {
	model := imputing(ot.N("Cast", []string{"bag"}, []string{"x"}, ot.Int("to", 1)))
	model.Inputs[0].Type = ot.Uint8
	m := must.Get(onnxbackend.Open(model.Bytes(), onnxbackend.Options{}))(t)
	for _, c := range []struct {
		v  float32
		ok bool
	}{{0, true}, {255, true}, {256, false}, {-1, false}, {.5, false}} {
		bag := &core.Bag{Shape: []int{2}, Values: []float32{1, 2, 3, c.v}}
		_, bound := m.Bind(context.Background(), bag)
		_, predicted := m.Predict(context.Background(), bag)
		for _, err := range []error{bound, predicted} {
			var b *core.BagError
			if c.ok != (err == nil) || err != nil &&
				(!errors.As(err, &b) || !strings.Contains(err.Error(), "uint8")) {
				t.Errorf("%v: %v", c.v, err)
			}
		}
	}
}
