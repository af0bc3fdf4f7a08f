package onnxbackend_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
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
	must.Equal(t, p.Strategy, "attention", p)
	must.EqualSlices(t, nodeNames(p.Prefix), []string{"GemmTanh", "MatMul"}, p)
	must.EqualSlices(t, nodeNames(p.Suffix), []string{"Softmax", "Mul", "ReduceSum", "MatMul"}, p)
	want := []ValueInfo{{"t", "float32", []int{4, 3}, DependsInstance, 0},
		{"s", "float32", []int{4, 1}, DependsInstance, 0}}
	must.Equal(t, len(p.Boundary), 2, p.Boundary)
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
		Nodes: ot.Nodes(`c = CumSum(bag, axis)
			logits = ReduceMax<axes=[0], keepdims=0>(c)`),
		Initializers: []ot.Tensor{ot.I("axis", []int64{0})},
	}
	b := enginetest.OpenAndBind(t, m.Bytes(), Options{}, enginetest.SmallBag(4, 2))
	const said = "the whole graph runs for every coalition"
	if p := b.Plan(); p.Strategy != StrategyPlain || len(p.Prefix) != 0 ||
		!strings.Contains(p.Why[len(p.Why)-1], said) {
		t.Errorf("%+v", p)
	}
	methods := must.Get(methods.New([]string{"single"}, methods.Options{}))(t)
	report := must.Get(core.Explain(context.Background(), b, core.Request{Methods: methods}))(t)
	must.Contain(t, strings.Join(report.Notes, " "), said)
}

// TestOverwritesAreNoted opens scatters of instances. Where one instance may overwrite another, the
// plan, the notes and OrderNotes name the node.
func TestOverwritesAreNoted(t *testing.T) {
	const said = "has no reduction"
	for name, c := range map[string]struct {
		scatter ot.Node
		noted   bool
	}{
		"rows":   {ot.N("ScatterElements", []string{"zeros", "rows", "bag"}, []string{"z"}), true},
		"tuples": {ot.N("ScatterND", []string{"zeros", "first", "bag"}, []string{"z"}), true},
		"sums": {ot.N("ScatterND", []string{"zeros", "first", "bag"}, []string{"z"},
			ot.Text("reduction", "add")), false},
		// Each instance writes to its own row.
		"own": {ot.N("ScatterElements", []string{"bag", "rows", "bag"}, []string{"z"},
			ot.Int("axis", 1)), false},
	} {
		t.Run(name, func(t *testing.T) {
			m := ot.Model{
				Opset: 16, Inputs: []ot.Value{ot.In("bag", "k", 2)},
				Outputs: []ot.Value{ot.In("logits", 2)},
				Nodes: []ot.Node{
					ot.N("Greater", []string{"bag", "zero"}, []string{"positive"}),
					ot.N("Cast", []string{"positive"}, []string{"rows"}, ot.Int("to", ot.Int64)),
					ot.N("Slice", []string{"rows", "from", "to", "columns"}, []string{"first"}),
					c.scatter,
					ot.N("MatMul", []string{"z", "W"}, []string{"h"}),
					ot.N("ReduceMax", []string{"h"}, []string{"logits"}, ot.Ints("axes", 0),
						ot.Int("keepdims", 0)),
				},
				Initializers: []ot.Tensor{ot.F("zero", []float32{0}),
					ot.F("zeros", make([]float32, 4), 2, 2),
					ot.F("W", []float32{1, -1, 2, .5}, 2, 2),
					ot.I("from", []int64{0}, 1), ot.I("to", []int64{1}, 1),
					ot.I("columns", []int64{1}, 1)},
			}
			b := enginetest.OpenAndBind(t, m.Bytes(), Options{}, enginetest.SmallBag(9, 2))
			for where, texts := range map[string][]string{
				"plan": b.Plan().Why, "notes": b.Notes(), "notes of the order": b.OrderNotes(),
			} {
				must.Equal(t, strings.Contains(strings.Join(texts, " "), said), c.noted, where,
					texts)
			}
			must.Equal(t, b.Ordered(), c.noted)
		})
	}
}
