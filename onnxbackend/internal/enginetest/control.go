package enginetest

import (
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// BranchOf returns the branch of an If whose output is a constant.
func BranchOf(values ...float32) ot.Model {
	return ot.Model{
		Initializers: []ot.Tensor{ot.F("c", values, len(values))},
		Nodes:        []ot.Node{ot.N("Identity", []string{"c"}, []string{"y"})},
		Outputs:      []ot.Value{ot.In("y")},
	}
}

// SqueezeModel returns a model of bags (k, 2). Its If drops the first axis if that has length 1, as
// exporters write a squeeze without axes, and otherwise takes the maximum over it. The branches
// read values of the graph around them, the inner one two graphs out.
func SqueezeModel() ot.Model {
	inner := ot.Model{
		Nodes:   []ot.Node{ot.N("Squeeze", []string{"doubled", "zero"}, []string{"narrow"})},
		Outputs: []ot.Value{ot.In("narrow")},
	}
	kept := ot.Model{
		Nodes:   ot.Nodes(`m = ReduceMax<axes=[0], keepdims=0>(doubled)`),
		Outputs: []ot.Value{ot.In("m")},
	}
	return ot.Model{
		Opset: 13,
		Initializers: []ot.Tensor{ot.I("zero", []int64{0}, 1), ot.I("one", []int64{1}, 1),
			{Name: "true", Type: ot.Bool, Ints32: []int32{1}}},
		Inputs:  []ot.Value{ot.In("bag", "k", 2)},
		Outputs: []ot.Value{ot.In("scores", 2)},
		Nodes: []ot.Node{
			ot.N("Add", []string{"bag", "bag"}, []string{"doubled"}),
			ot.N("Shape", []string{"doubled"}, []string{"shape"}),
			ot.N("Gather", []string{"shape", "zero"}, []string{"k"}),
			ot.N("Equal", []string{"k", "one"}, []string{"single"}),
			ot.N("If", []string{"single"}, []string{"scores"},
				ot.Body("then_branch", ot.Model{
					Nodes: []ot.Node{ot.N("If", []string{"true"}, []string{"inner"},
						ot.Body("then_branch", inner), ot.Body("else_branch", kept))},
					Outputs: []ot.Value{ot.In("inner")},
				}),
				ot.Body("else_branch", kept)),
		},
	}
}

// NestedModel returns a SqueezeModel whose branches hold an If in an If, depth of them.
func NestedModel(depth int) ot.Model {
	branch := BranchOf(1, 2)
	for range depth {
		branch = ot.Model{
			Initializers: []ot.Tensor{{Name: "c", Type: ot.Bool, Ints32: []int32{1}}},
			Nodes: []ot.Node{ot.N("If", []string{"c"}, []string{"y"},
				ot.Body("then_branch", branch), ot.Body("else_branch", BranchOf(3, 4)))},
			Outputs: []ot.Value{ot.In("y")},
		}
	}
	m := SqueezeModel()
	m.Nodes[4].Attributes = []ot.Attribute{ot.Body("then_branch", branch),
		ot.Body("else_branch", branch)}
	return m
}

// LoopModel returns a model of bags (k, 2) that adds their sum to itself in a Loop: once for each
// instance or, if it is endless, until a limit stops it.
func LoopModel(endless bool) ot.Model {
	trips := "count"
	if endless {
		trips = ""
	}
	body := ot.Model{
		Inputs:  []ot.Value{{Name: "t", Type: ot.Int64}, {Name: "go", Type: ot.Bool}, ot.In("v")},
		Outputs: []ot.Value{{Name: "on", Type: ot.Bool}, ot.In("w")},
		Nodes:   ot.Nodes(`w = Add(v, sum); on = Identity(go)`),
	}
	return ot.Model{
		Opset: 13, Initializers: []ot.Tensor{ot.I("zero", []int64{0}),
			ot.I("first", []int64{0}, 1)},
		Inputs: []ot.Value{ot.In("bag", "k", 2)}, Outputs: []ot.Value{ot.In("scores", 2)},
		Nodes: []ot.Node{
			ot.N("ReduceSum", []string{"bag", "first"}, []string{"sum"}, ot.Int("keepdims", 0)),
			ot.N("Shape", []string{"bag"}, []string{"shape"}),
			ot.N("Gather", []string{"shape", "zero"}, []string{"count"}),
			ot.N("Loop", []string{trips, "", "sum"}, []string{"scores"}, ot.Body("body", body)),
		},
	}
}
