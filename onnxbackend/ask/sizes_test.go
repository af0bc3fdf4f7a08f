package ask

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// TestWhatIfsOfSizes asks each what-if about a bag under models that take bags of certain sizes
// alone. It answers, or says which sizes the model takes and what to do instead, and that works.
func TestWhatIfsOfSizes(t *testing.T) {
	const multiples, one = "use random_shap or milli, which draw coalitions of these sizes",
		"then export with the axis of the instances dynamic"
	for name, refused := range map[string]map[string]string{
		"multiples": {"sets": multiples, "pairs": multiples, "whatif": multiples},
		"one size":  {"sets": one, "pairs": one, "whatif": one, "check": one},
	} {
		f := madeModels[name](t, rand.New(rand.NewPCG(3, 44)))
		m := must.Get(onnxbackend.Open(f.data, onnxbackend.Options{}))(t)
		bag := enginetest.SmallBag(f.instances, f.width)
		in := &Input{Engine: m, Bag: bag, Whole: bag}
		for _, w := range WhatIfs() {
			t.Run(name+", "+w.Name, func(t *testing.T) {
				way := refused[w.Name]
				if w.Name == "profile" {
					way = "takes no covariate"
				}
				_, err := w.New().Answer(t.Context(), in, nil)
				var missing *core.UnavailableError
				switch {
				case way == "" && err != nil, way != "" && !errors.As(err, &missing):
					t.Error(err)
				case way != "" && (!strings.Contains(err.Error(), way) ||
					w.Name != "profile" && !strings.Contains(err.Error(), f.says)):
					t.Errorf("it does not say %s and %s: %v", f.says, way, err)
				}
			})
		}
		if name != "multiples" {
			continue
		}
		for _, method := range []string{"random_shap", "milli"} {
			plan := must.Get((&Settings{Methods: []string{method}}).Plan())(t)
			must.Get(plan.Explain(t.Context(), in, nil))(t)
		}
	}
}

// TestInsideOfOneSize keeps the other instances, because the model takes no smaller bag.
func TestInsideOfOneSize(t *testing.T) {
	f := madeModels["one size"](t, rand.New(rand.NewPCG(3, 44)))
	m := must.Get(onnxbackend.Open(f.data, onnxbackend.Options{}))(t)
	bag := enginetest.SmallBag(f.instances, f.width)
	in := &Input{Engine: m, Bag: bag, Whole: bag}
	fixed := true
	free := must.Get((&Ask{}).Inside(t.Context(), in, InsideOptions{}, nil))(t)
	kept := must.Get((&Ask{}).Inside(t.Context(), in, InsideOptions{Fixed: &fixed}, nil))(t)
	must.Equal(t, free.Contexts, 1)
	must.Equal(t, len(free.Scores), f.width)
	for i, v := range free.Scores {
		must.Equal(t, v, kept.Scores[i], i)
	}
}
