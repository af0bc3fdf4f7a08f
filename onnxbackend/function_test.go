package onnxbackend_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// functionModel scores bags of (k, 2) by functions: one scales by an attribute, has a name inside
// that the graph has too, and is called twice, once by another function and in the branch of an If.
func functionModel() ot.Model {
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

func TestFunctions(t *testing.T) {
	for _, plain := range []bool{true, false} {
		b := enginetest.OpenAndBind(t, functionModel().Bytes(), Options{Plain: plain},
			&core.Bag{Name: "b", Values: []float32{1, 2, 3, -4}, Shape: []int{2}})
		z := core.NewCoalitions(2, 1)
		z.AppendMembers(0, 1)
		got := make([]float64, 2)
		if err := b.Evaluate(context.Background(), got, z); err != nil {
			t.Fatal(err)
		}
		if want := []float64{240, -120}; !slices.Equal(got, want) { // (1+3)·2·3·10 and (2-4)·2·3·10
			t.Errorf("plain %v: %v, want %v", plain, got, want)
		}
	}
}

// TestFunctionNames looks at what inlined nodes are called: by the call and by the function's node.
func TestFunctionNames(t *testing.T) {
	m := functionModel()
	m.Functions[0].Nodes[1].Op = "Frob"
	_, err := Open(m.Bytes(), Options{})
	var gap *UnsupportedError
	if !errors.As(err, &gap) {
		t.Fatalf("error %v", err)
	}
	var got []string
	for _, n := range gap.Nodes {
		got = append(got, n.Node)
	}
	if want := []string{"p/#0/#1", "#2/call/#1", "#2/call/#1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestFunctionsThatExplode doubles the calls at each of thirty levels.
func TestFunctionsThatExplode(t *testing.T) {
	m := functionModel()
	m.Functions = []ot.Function{{Name: "f0", Domain: "local", Opset: 13, In: []string{"x"},
		Out: []string{"y"}, Nodes: []ot.Node{ot.N("Neg", []string{"x"}, []string{"y"})}}}
	for i := 1; i <= 30; i++ {
		below := fmt.Sprintf("f%d", i-1)
		m.Functions = append(m.Functions, ot.Function{Name: fmt.Sprintf("f%d", i), Domain: "local",
			Opset: 13, In: []string{"x"}, Out: []string{"y"}, Nodes: []ot.Node{
				{Op: below, Domain: "local", In: []string{"x"}, Out: []string{"h"}}, {Op: below,
					Domain: "local", In: []string{"h"}, Out: []string{"y"}},
			}})
	}
	m.Nodes = []ot.Node{{Op: "f30", Domain: "local", In: []string{"bag"}, Out: []string{"scores"}}}
	_, err := Open(m.Bytes(), Options{})
	var limit *LimitError
	if !errors.As(err, &limit) {
		t.Errorf("error %v, want a limit", err)
	}
}
