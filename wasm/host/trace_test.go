package host

import (
	"context"
	"errors"
	"testing"

	"github.com/bagscope/bagscope/core"
)

// sums scores coalitions by how many instances they have, each by its mask.
type sums struct{ k int }

func (s sums) Task() core.Task {
	return core.Task{Instances: s.k, Classes: 1, Scale: core.ScaleRaw, Negative: -1}
}

func (s sums) Evaluate(_ context.Context, dst []float64, z *core.Coalitions) error {
	for j := range dst {
		dst[j] = float64(z.Size(j))
	}
	return nil
}

// A trace holds what is asked for by number as well, and is refused in words before it fills the memory.
func TestTraceOfInstances(t *testing.T) {
	h := New(Config{})
	var trace []string
	w := witness{Evaluator: sums{4}, host: h, trace: &trace}
	got := make([]float64, 2)
	if err := w.EvaluateInstances(t.Context(), got, true, 1, 3); err != nil || got[0] != 3 {
		t.Fatal(got, err)
	}
	if len(trace) != 2 || trace[0] != "1011" || trace[1] != "1101" {
		t.Errorf("the trace holds %q", trace)
	}
	large := witness{Evaluator: sums{maxTrace / 2}, host: h, trace: new([]string)}
	var setting *core.SettingError
	if err := large.EvaluateInstances(t.Context(), make([]float64, 3), false, 0, 3); !errors.As(err, &setting) {
		t.Errorf("%v, want a SettingError", err)
	}
	if n := len(*large.trace); n > 0 {
		t.Errorf("%d coalitions are in a trace that is refused", n)
	}
}
