package host

import (
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
)

// A trace contains coalitions that are evaluated by index, too. A trace that is too large is an
// error.
func TestTraceOfInstances(t *testing.T) {
	m, err := onnxbackend.Open(testdata(t, "tiny.onnx"), onnxbackend.Options{})
	must.Do(t, err)
	shape := m.Info().Inputs[0].Shape
	bag := &core.Bag{Shape: shape[1:]}
	for i := range 4 * bag.Stride() {
		bag.Values = append(bag.Values, float32(i%5)/4)
	}
	b := must.Get(m.BindWith(t.Context(), bag, nil, nil))(t)
	var trace []string
	w := requestEvaluator{Bound: b, host: New(Config{}), trace: &trace}
	c := b.Task().Classes
	got, want := make([]float64, 2*c), make([]float64, 2*c)
	must.Do(t, w.EvaluateInstances(t.Context(), got, true, 1, 3))
	must.Do(t, b.EvaluateInstances(t.Context(), want, true, 1, 3))
	must.EqualSlices(t, got, want)
	if len(trace) != 2 || trace[0] != "1011" || trace[1] != "1101" {
		t.Errorf("the trace holds %q", trace)
	}
	large := requestEvaluator{trace: new([]string)}
	var setting *core.SettingError
	err = noteTrace(large.trace, core.InstanceCoalitions(maxTrace/2, false, 0, 3))
	must.As(t, err, &setting)
	if n := len(*large.trace); n > 0 {
		t.Errorf("%d coalitions are in a trace that is refused", n)
	}
}
