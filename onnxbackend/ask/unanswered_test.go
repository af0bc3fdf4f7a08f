package ask

import (
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// inputOf returns an input of k instances for a model.
func inputOf(t *testing.T, model ot.Model, k int) *Input {
	t.Helper()
	bag := enginetest.SmallBag(k, 4)
	return &Input{Engine: enginetest.Open(t, model.Bytes(), onnxbackend.Options{}), Bag: bag,
		Whole: bag}
}

// TestDefaultOfMultiples explains a model that averages pseudo-bags of 4 without a method, and by
// Consensus, which cannot remove single instances.
func TestDefaultOfMultiples(t *testing.T) {
	in := inputOf(t, ot.Model{
		Opset:        13,
		Inputs:       []ot.Value{ot.In("bag", "k", 4)},
		Outputs:      []ot.Value{ot.In("logits", 4)},
		Initializers: []ot.Tensor{ot.I("shape", []int64{-1, 4, 4}, 3)},
		Nodes: ot.Nodes(`bags = Reshape(bag, shape)
			logits = ReduceMean<axes=[0, 1], keepdims=0>(bags)`),
	}, 24)
	x := must.Get(must.Get((&Settings{}).Plan())(t).Explain(t.Context(), in, nil))(t)
	must.Equal(t, x.Report.Explanations[0].Method, "random_shap", "explained by")
	if !slices.ContainsFunc(x.Notes(), func(n string) bool {
		return strings.HasPrefix(n, "Random SHAP explains this model")
	}) {
		t.Errorf("notes %q", x.Notes())
	}
	check := must.Get((&Ask{}).Check(t.Context(), in, CheckOptions{}, nil))(t)
	must.Equal(t, check.Method, "random_shap", check.Notes)
	must.Equal(t, slices.Contains(check.Notes, x.Report.Notes[0]), true, check.Method, check.Notes)
	named := must.Get((&Settings{Methods: []string{"consensus"}}).Plan())(t)
	must.Fail(t, must.Err(named.Explain(t.Context(), in, nil)), "use random_shap")
}

// TestWhatIfsBesideUnanswered asks each question about a model that has no answer for instances of
// the gate 0 alone, and none for those of other bags.
func TestWhatIfsBesideUnanswered(t *testing.T) {
	const note = "evaluated bags have no answer"
	model := ot.Model{
		Opset:   13,
		Inputs:  []ot.Value{ot.In("bag", "k", 4)},
		Outputs: []ot.Value{ot.In("logits", 4)},
		Initializers: []ot.Tensor{ot.I("axis0", []int64{0}, 1), ot.I("axis1", []int64{1}, 1),
			ot.I("i0", []int64{0}, 1)},
		Nodes: ot.Nodes(`gate = Gather<axis=1>(bag, i0); gated = Mul(gate, bag)
			sum = ReduceSum<keepdims=0>(gated, axis0); weight = ReduceSum<keepdims=0>(gate, axis0)
			logits = Div(sum, weight)`),
	}
	yes := true
	for name, ask := range map[string]func(in *Input) Answered{
		"sets": func(in *Input) Answered {
			a, err := (&Ask{}).Sets(t.Context(), in, SetsOptions{Curves: &yes}, nil)
			return must.Get(a, err)(t).Answered
		},
		"pairs": func(in *Input) Answered {
			a, err := (&Ask{}).Pairs(t.Context(), in, PairsOptions{}, nil)
			return must.Get(a, err)(t).Answered
		},
	} {
		for closed := range 2 {
			in := inputOf(t, model, 8)
			for i := range in.Bag.Len() {
				in.Bag.Values[4*i] = 1
				if i < 3*closed {
					in.Bag.Values[4*i] = 0
				}
			}
			a := ask(in)
			must.Equal(t, strings.Contains(strings.Join(a.Notes, " "), note), closed > 0, name,
				3*closed, a.Notes)
		}
	}
}
