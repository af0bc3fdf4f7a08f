package auxinput_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestTraining fills an input that only turns on training with 0, and no other input: the scores
// are those of the model without Dropout.
func TestTraining(t *testing.T) {
	mean := func(h string) ot.Node {
		return ot.N("ReduceMean", []string{h}, []string{"y"}, ot.Ints("axes", 0),
			ot.Int("keepdims", 0))
	}
	dropout := func(mode string) ot.Node {
		return ot.N("Dropout", []string{"x", "ratio", mode}, []string{"h"})
	}
	bag := &core.Bag{Shape: []int{2}, Values: []float32{1, 2, 3, 5, 8, 13}}
	for name, c := range map[string]struct {
		mode  ot.Value
		nodes []ot.Node
		opens bool
	}{
		"truth": {enginetest.InputOf(ot.In("mode"), ot.Bool), []ot.Node{dropout("mode"),
			mean("h")}, true},
		"a number": {enginetest.InputOf(ot.In("mode", 1), ot.Int64), []ot.Node{
			ot.N("Cast", []string{"mode"}, []string{"truth"}, ot.Int("to", ot.Bool)),
			dropout("truth"), mean("h")}, true},
		"read twice": {enginetest.InputOf(ot.In("mode"), ot.Bool), []ot.Node{dropout("mode"),
			ot.N("Where", []string{"mode", "h", "x"}, []string{"g"}), mean("g")}, false},
		"the negation": {enginetest.InputOf(ot.In("mode"), ot.Bool), []ot.Node{
			ot.N("Not", []string{"mode"}, []string{"train"}), dropout("train"), mean("h")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := onnxbackend.Open(ot.Model{Opset: 13,
				Inputs:       []ot.Value{ot.In("x", "k", 2), c.mode},
				Outputs:      []ot.Value{ot.In("y", 2)},
				Initializers: []ot.Tensor{ot.F("ratio", []float32{.5})},
				Nodes:        c.nodes}.Bytes(), onnxbackend.Options{})
			if !c.opens {
				must.Fail(t, err)
				return
			}
			must.Do(t, err)
			must.Contain(t, strings.Join(m.Info().Notes, " "),
				`Input "mode" turns on training, and takes 0.`)
			p := must.Get(m.Predict(t.Context(), bag))(t)
			if !slices.Equal(p.Scores, []float64{4, 20. / 3}) &&
				!slices.Equal(p.Scores, []float64{4, float64(float32(20. / 3))}) {
				t.Errorf("%v", p.Scores)
			}
		})
	}
}
