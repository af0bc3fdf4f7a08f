package ops_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

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
			b := enginetest.OpenAndBind(t, enginetest.SqueezeModel().Bytes(),
				onnxbackend.Options{Plain: plain}, c.bag)
			z := core.NewCoalitions(c.bag.Len(), 2)
			full := make([]int, c.bag.Len())
			for i := range full {
				full[i] = i
			}
			z.AppendMembers(full...)
			z.AppendMembers(0)
			got := make([]float64, 4)
			must.Do(t, b.Evaluate(context.Background(), got, z))
			for i, want := range append(c.want, 2, 8) {
				if got[i] != want {
					t.Errorf("%d instances, plain %v: scores %v, want %v and [2 8]", c.bag.Len(),
						plain, got, c.want)
				}
			}
		}
	}
}

func TestBrokenBranches(t *testing.T) {
	with := func(a ...ot.Attribute) ot.Model {
		m := enginetest.SqueezeModel()
		m.Nodes[4].Attributes = a
		return m
	}
	both := func(b ot.Model) ot.Model {
		return with(ot.Body("then_branch", b), ot.Body("else_branch", b))
	}
	var format *onnxbackend.FormatError
	var gap *onnxbackend.UnsupportedError
	var limit *onnxbackend.LimitError
	for _, c := range []struct {
		name string
		m    ot.Model
		kind any
		want string
	}{
		{"no branches", with(), &format, "else_branch"},
		{"one branch", with(ot.Body("then_branch", enginetest.BranchOf(1))), &format,
			"else_branch"},
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
			ot.Body("body", enginetest.BranchOf(1)))}, Outputs: []ot.Value{ot.In("y")}}), &format,
			"at least 2"},
		{"too deep", enginetest.NestedModel(40), &limit, "16 graphs nested"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := onnxbackend.Open(c.m.Bytes(), onnxbackend.Options{})
			if err == nil || !errors.As(err, c.kind) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v (%T), want %T with %q", err, err, c.kind, c.want)
			}
		})
	}
	open := func(depth int, l onnxbackend.Limits) error {
		_, err := onnxbackend.Open(enginetest.NestedModel(depth).Bytes(),
			onnxbackend.Options{Limits: l})
		return err
	}
	must.Do(t, open(8, onnxbackend.Limits{}), "eight deep")
	must.Do(t, open(40, onnxbackend.Limits{Depth: 50}), "forty deep where fifty are allowed")
}
