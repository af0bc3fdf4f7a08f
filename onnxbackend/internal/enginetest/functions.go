package enginetest

import (
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// FunctionModel scores bags of (k, 2) by functions: one scales by an attribute, has a name inside
// that the graph has too, and is called twice, once by another function and in the branch of an If.
func FunctionModel() ot.Model {
	scale := ot.Function{
		Name: "Scale", Domain: "local", Opset: 13, In: []string{"x", "shift"}, Out: []string{"y",
			"spare"}, Defaults: []ot.Attribute{ot.Float("by", 3)},
		Nodes: []ot.Node{
			ot.N("Constant", nil, []string{"factor"}, ot.Ref("value_float", "by", 1)),
			ot.N("Mul", []string{"x", "factor"}, []string{"h"}),
			ot.N("Clip", []string{"h", "", ""}, []string{"y"}),
			ot.N("Neg", []string{"y"}, []string{"spare"}),
		},
	}
	// Its ReduceSum is that of opset 11, with axes as an attribute, and its second output hands on
	// an input.
	pool := ot.Function{
		Name: "Pool", Domain: "local", Opset: 11, In: []string{"x"}, Out: []string{"y", "x"},
		Nodes: []ot.Node{
			{Op: "Scale", Domain: "local", In: []string{"x"}, Out: []string{"h"}},
			ot.N("ReduceSum", []string{"h"}, []string{"y"}, ot.Ints("axes", 0),
				ot.Int("keepdims", 0)),
		},
	}
	branch := ot.Model{
		Nodes: []ot.Node{{Name: "call", Op: "Scale", Domain: "local", In: []string{"sum"},
			Out: []string{"z"}, Attributes: []ot.Attribute{ot.Float("by", 10)}}},
		Outputs: []ot.Value{ot.In("z")},
	}
	return ot.Model{
		Opset: 13, Domains: map[string]int{"local": 1}, Functions: []ot.Function{scale, pool},
		Initializers: []ot.Tensor{{Name: "true", Type: ot.Bool, Ints32: []int32{1}}},
		Inputs:       []ot.Value{ot.In("bag", "k", 2)}, Outputs: []ot.Value{ot.In("scores", 2)},
		Nodes: []ot.Node{
			ot.N("Add", []string{"bag", "bag"}, []string{"h"}),
			{Name: "p", Op: "Pool", Domain: "local", In: []string{"h"},
				Out: []string{"sum", "same"}},
			ot.N("If", []string{"true"}, []string{"scores"}, ot.Body("then_branch", branch),
				ot.Body("else_branch", branch)),
		},
	}
}
