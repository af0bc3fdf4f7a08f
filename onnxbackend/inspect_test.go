package onnxbackend_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

func nodeNames(nodes []NodeInfo) []string {
	var names []string
	for _, n := range nodes {
		names = append(names, n.Op+n.Activation)
	}
	return names
}

// TestPlan reads the plans of a model that pools, opened with passes and plain.
func TestPlan(t *testing.T) {
	b := enginetest.OpenAndBind(t, enginetest.AttentionModel().Bytes(), Options{},
		enginetest.SmallBag(4, 2))
	p := b.Plan()
	if p.Strategy != "attention" || !slices.Equal(nodeNames(p.Prefix),
		[]string{"GemmTanh", "MatMul"}) || !slices.Equal(nodeNames(p.Suffix), []string{"Softmax",
		"Mul", "ReduceSum", "MatMul"}) {
		t.Errorf("%+v", p)
	}
	want := []ValueInfo{{"t", "float32", []int{4, 3}, DependsInstance, 0},
		{"s", "float32", []int{4, 1}, DependsInstance, 0}}
	if len(p.Boundary) != 2 {
		t.Fatalf("boundary %+v", p.Boundary)
	}
	for _, w := range want {
		if !slices.ContainsFunc(p.Boundary, func(v ValueInfo) bool {
			return v.Name == w.Name && v.Type == w.Type && slices.Equal(v.Shape, w.Shape) &&
				v.Depends == w.Depends && v.Axis == w.Axis
		}) {
			t.Errorf("boundary %+v lacks %+v", p.Boundary, w)
		}
	}
	if why := strings.Join(p.Why, " "); !strings.Contains(why, "meet at Softmax") ||
		strings.Contains(why, "meet at ReduceSum") {
		t.Errorf("why: %s", why)
	}
	plain := enginetest.OpenAndBind(t, enginetest.AttentionModel().Bytes(), Options{Plain: true},
		enginetest.SmallBag(4, 2))
	if p := plain.Plan(); len(p.Prefix) != 0 ||
		len(p.Suffix) != len(enginetest.AttentionModel().Nodes) ||
		p.Strategy != StrategyPlain || !strings.Contains(p.Why[len(p.Why)-1], "opened plain") {
		t.Errorf("%+v", p)
	}
	if got := nodeNames(plain.Nodes()); len(got) != len(enginetest.AttentionModel().Nodes) ||
		got[1] != "Tanh" {
		t.Errorf("nodes of the file: %v", got)
	}
}

// TestPlanNamesReasonForPlain checks that plan and notes give the reason why the whole graph runs
// for every coalition.
func TestPlanNamesReasonForPlain(t *testing.T) {
	m := ot.Model{
		Opset: 13, Inputs: []ot.Value{ot.In("bag", "k", 2)},
		Outputs: []ot.Value{ot.In("logits", 2)},
		Nodes: []ot.Node{ot.N("CumSum", []string{"bag", "axis"}, []string{"c"}),
			ot.N("ReduceMax", []string{"c"}, []string{"logits"}, ot.Ints("axes", 0),
				ot.Int("keepdims", 0))},
		Initializers: []ot.Tensor{ot.I("axis", []int64{0})},
	}
	b := enginetest.OpenAndBind(t, m.Bytes(), Options{}, enginetest.SmallBag(4, 2))
	const said = "the whole graph runs for every coalition"
	if p := b.Plan(); p.Strategy != StrategyPlain || len(p.Prefix) != 0 ||
		!strings.Contains(p.Why[len(p.Why)-1], said) {
		t.Errorf("%+v", p)
	}
	methods, err := core.NewMethods([]string{"single"}, core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := core.Explain(context.Background(), b, core.Request{Methods: methods})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(report.Notes, " "), said) {
		t.Errorf("notes of the report: %q", report.Notes)
	}
}
