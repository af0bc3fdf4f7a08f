package onnxbackend

import (
	"slices"
	"testing"

	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// normalizationSteps is a LayerNormalization of x as exporters write it for older opsets, up to "y".
func normalizationSteps(x, power, scale, shift string) []ot.Node {
	mean := func(in, out string) ot.Node {
		return ot.N("ReduceMean", []string{in}, []string{out}, ot.Ints("axes", -1))
	}
	return []ot.Node{
		mean(x, "m"), op2("Sub", x, "m", "d"), op2("Pow", "d", power, "p"), mean("p", "v"), op2("Add", "v", "epsilon", "e"), op1("Sqrt", "e", "s"),
		op2("Div", "d", "s", "q"), op2("Mul", "q", scale, "w"), op2("Add", "w", shift, "y"),
	}
}

// geluSteps is a Gelu of the bag in steps, up to "y".
func geluSteps(half, one string) []ot.Node {
	return []ot.Node{op2("Div", "bag", "root2", "d"), op1("Erf", "d", "e"), op2("Add", "e", one, "a"), op2("Mul", "bag", "a", "x"), op2("Mul", "x", half, "y")}
}

func stepModel(nodes []ot.Node) []byte {
	m := passModel(nodes)
	m.Initializers = append(slices.Clone(m.Initializers), ot.F("power2", []float32{2}), ot.F("power3", []float32{3}), ot.F("half", []float32{.5}), ot.F("whole", []float32{1}),
		ot.F("root2", []float32{1.4142135}), ot.F("epsilon", []float32{1e-5}), ot.I("column1", []int64{-1, 1}, 2))
	return m.Bytes()
}

// What exporters write in steps is computed in one go, to the last bit; see passesKeep.
func TestPassesKeepSteps(t *testing.T) {
	m := openShared(t, Options{}, "models", "zoo", "transformer_cls", "model.onnx")
	if got := changes(m)["steps"]; got != 4*8+2*4 { // two layers of two normalizations and a Gelu
		t.Errorf("%d nodes are steps of others: %q", got, m.Passes())
	}
	for _, c := range []struct {
		name  string
		nodes []ot.Node
		want  int
	}{
		{"normalization", normalizationSteps("bag", "power2", "scale", "shift"), 8},
		{"rows of one element, which would broadcast", append([]ot.Node{ot.N("Reshape", []string{"bag", "column1"}, []string{"h"})}, normalizationSteps("h", "power2", "scale", "shift")...), 0},
		{"another power", normalizationSteps("bag", "power3", "scale", "shift"), 0},
		{"a sum that is read twice", append(normalizationSteps("bag", "power2", "scale", "shift"), op2("Add", "y", "d", "z")), 0},
		{"gelu", geluSteps("half", "whole"), 4},
		{"gelu without its half", geluSteps("whole", "whole"), 0},
		{"gelu that adds another number", geluSteps("half", "half"), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := stepModel(c.nodes)
			with, without := open(t, model, Options{}), open(t, model, Options{Plain: true})
			if got := changes(with)["steps"]; got != c.want {
				t.Errorf("%d nodes are steps, want %d: %q", got, c.want, with.Passes())
			}
			for _, k := range []int{1, 3, 9} {
				passesKeep(t, with, without, smallBag(k, 4))
			}
		})
	}
}
