package onnxbackend_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// branchOf returns the branch of an If that makes constants.
func branchOf(values ...float32) ot.Model {
	return ot.Model{
		Initializers: []ot.Tensor{ot.F("c", values, len(values))},
		Nodes:        []ot.Node{ot.N("Identity", []string{"c"}, []string{"y"})},
		Outputs:      []ot.Value{ot.In("y")},
	}
}

// squeezeModel takes bags of (k, width) and drops their first axis when it is one long, as
// exporters write a squeeze without axes: the branches read values of the graph around them, the
// inner one two graphs out.
func squeezeModel() ot.Model {
	inner := ot.Model{
		Nodes:   []ot.Node{ot.N("Squeeze", []string{"doubled", "zero"}, []string{"narrow"})},
		Outputs: []ot.Value{ot.In("narrow")},
	}
	kept := ot.Model{
		Nodes: []ot.Node{ot.N("ReduceMax", []string{"doubled"}, []string{"m"}, ot.Ints("axes", 0),
			ot.Int("keepdims", 0))},
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

// TestBranches runs both branches of a model, for bags and for coalitions of one.
func TestBranches(t *testing.T) {
	bag := func(values ...float32) *core.Bag {
		return &core.Bag{Name: "b", Values: values, Shape: []int{2}}
	}
	for _, c := range []struct {
		bag  *core.Bag
		want []float64
	}{
		{bag(1, 4), []float64{2, 8}},
		{bag(1, 4, 3, 2), []float64{6, 8}},
	} {
		for _, plain := range []bool{true, false} {
			b := enginetest.OpenAndBind(t, squeezeModel().Bytes(), Options{Plain: plain}, c.bag)
			z := core.NewCoalitions(c.bag.Len(), 2)
			full := make([]int, c.bag.Len())
			for i := range full {
				full[i] = i
			}
			z.AppendMembers(full...)
			z.AppendMembers(0)
			got := make([]float64, 4)
			if err := b.Evaluate(context.Background(), got, z); err != nil {
				t.Fatal(err)
			}
			for i, want := range append(c.want, 2, 8) {
				if got[i] != want {
					t.Errorf("%d instances, plain %v: scores %v, want %v and [2 8]", c.bag.Len(),
						plain, got, c.want)
				}
			}
		}
	}
}

// nested returns an If in an If, so many deep.
func nested(depth int) ot.Model {
	m := branchOf(1, 2)
	for range depth {
		m = ot.Model{
			Initializers: []ot.Tensor{{Name: "c", Type: ot.Bool, Ints32: []int32{1}}},
			Nodes: []ot.Node{ot.N("If", []string{"c"}, []string{"y"},
				ot.Body("then_branch", m), ot.Body("else_branch", branchOf(3, 4)))},
			Outputs: []ot.Value{ot.In("y")},
		}
	}
	return m
}

func TestBrokenBranches(t *testing.T) {
	with := func(a ...ot.Attribute) ot.Model {
		m := squeezeModel()
		m.Nodes[4].Attributes = a
		return m
	}
	both := func(b ot.Model) ot.Model {
		return with(ot.Body("then_branch", b),
			ot.Body("else_branch", b))
	}
	var format *FormatError
	var gap *UnsupportedError
	var limit *LimitError
	for _, c := range []struct {
		name string
		m    ot.Model
		kind any
		want string
	}{
		{"no branches", with(), &format, "else_branch"},
		{"one branch", with(ot.Body("then_branch", branchOf(1))), &format, "else_branch"},
		{"no graph", with(ot.Int("then_branch", 1), ot.Int("else_branch", 1)), &format,
			"then_branch is an integer, but it must be a graph"},
		{"empty", both(ot.Model{}), &format, "no outputs"},
		{"two outputs", both(ot.Model{Outputs: []ot.Value{ot.In("k"), ot.In("one")}}), &format,
			"2 outputs"},
		{"output without a name", both(ot.Model{Outputs: []ot.Value{ot.In("")}}), &format,
			"no node computes"},
		{"inputs", both(ot.Model{Inputs: []ot.Value{ot.In("x")}, Outputs: []ot.Value{ot.In("x")}}),
			&format, "1 inputs"},
		{"what comes later", both(ot.Model{Outputs: []ot.Value{ot.In("scores")}}), &format,
			"no node computes"},
		{"unknown operator", both(ot.Model{Nodes: []ot.Node{ot.N("Frob", []string{"k"},
			[]string{"y"})}, Outputs: []ot.Value{ot.In("y")}}), &gap, "Frob"},
		{"loop", both(ot.Model{Nodes: []ot.Node{ot.N("Loop", []string{"k"}, []string{"y"},
			ot.Body("body", branchOf(1)))}, Outputs: []ot.Value{ot.In("y")}}), &format,
			"at least 2"},
		{"too deep", both(nested(40)), &limit, "16 graphs nested"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Open(c.m.Bytes(), Options{})
			if err == nil || !errors.As(err, c.kind) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v (%T), want %T with %q", err, err, c.kind, c.want)
			}
		})
	}
	if _, err := Open(both(nested(8)).Bytes(), Options{}); err != nil {
		t.Errorf("eight deep: %v", err)
	}
	if _, err := Open(both(nested(40)).Bytes(), Options{Limits: Limits{Depth: 50}}); err != nil {
		t.Errorf("forty deep where fifty are allowed: %v", err)
	}
	if _, err := Open(both(nested(MaxDepth)).Bytes(),
		Options{Limits: Limits{Depth: 1 << 40}}); !errors.As(err, &limit) {
		t.Errorf("error %v, want a limit that no option lifts", err)
	}
}
