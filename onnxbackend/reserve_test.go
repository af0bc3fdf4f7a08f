package onnxbackend_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestMemoryOfModels explains under a bound of memory: results are those without it, and nothing
// stays reserved but the model.
func TestMemoryOfModels(t *testing.T) {
	file, bag := enginetest.AttentionModel().Bytes(), enginetest.SmallBag(300, 2)
	explain := func(ctx context.Context, l Limits) []float64 {
		t.Helper()
		m := must.Get(Open(file, Options{Limits: l}))(t)
		ev := must.Get(m.Bind(ctx, bag))(t)
		r := must.Get(core.Explain(ctx, ev,
			core.Request{Methods: []core.Method{methods.Single{}}}))(t)
		return r.Explanations[0].Scores
	}
	want := explain(context.Background(), Limits{})
	all := quota.NewMemory(64 << 20)
	model, request := all.Part(64<<20), all.Part(64<<20)
	got := explain(quota.WithMemory(context.Background(), request), Limits{Memory: model})
	for i := range want {
		must.Equal(t, got[i], want[i], i)
	}
	must.Equal(t, request.Held() > 4*int64(len(bag.Values)), true, request.Held())
	request.Close()
	must.Equal(t, all.Held(), model.Held())
	must.Equal(t, model.Held() <= 4<<20, true, model.Held(), all.Held())
}

// TestMemoryRefusesModels opens and runs models that need more than the bound.
func TestMemoryRefusesModels(t *testing.T) {
	weights := ot.Model{
		Opset: 13, Inputs: []ot.Value{ot.In("bag", "k", 2)}, Outputs: []ot.Value{ot.In("y", 2)},
		Initializers: []ot.Tensor{ot.F("w", make([]float32, 1<<18))},
		Nodes:        ot.Nodes(`y = ReduceMax<axes=[0], keepdims=0>(bag)`),
	}
	weights.Initializers[0].Dims = []int{1 << 18}
	var refused *quota.MemoryError
	_, err := Open(weights.Bytes(), Options{Limits: Limits{Memory: quota.NewMemory(1 << 19)}})
	must.As(t, err, &refused)
	all := quota.NewMemory(1 << 20)
	m := must.Get(Open(tiledModel(1<<20), Options{Limits: Limits{Memory: all}}))(t)
	bag := enginetest.SmallBag(4, 2)
	if _, err = m.Predict(context.Background(), bag); !errors.As(err, &refused) {
		t.Errorf("four tensors of 1 MB under 1 MB: %v", err)
	}
	var busy *quota.MemoryBusyError
	large := quota.NewMemory(8 << 20)
	other, part := large.Part(8<<20), large.Part(8<<20)
	must.Do(t, other.Reserve(6<<20, "another computation"))
	_, err = m.Predict(quota.WithMemory(context.Background(), part), bag)
	must.As(t, err, &busy)
	must.Fail(t, part.Busy())
	other.Close()
	_, err = m.Predict(quota.WithMemory(context.Background(), large.Part(8<<20)), bag)
	must.Do(t, err, "four tensors of 1 MB under 8 MB")
}

// TestMemoryOfGraphs opens models of many small parts, each of which takes far more memory than its
// bytes in the file.
func TestMemoryOfGraphs(t *testing.T) {
	axes := make([]any, 60)
	for i := range axes {
		axes[i] = ""
	}
	for name, m := range map[string]ot.Model{
		"nodes":   {Nodes: make([]ot.Node, 2000)},
		"names":   {Nodes: []ot.Node{{In: make([]string, 20_000)}}},
		"texts":   {Nodes: []ot.Node{ot.N("", nil, nil, ot.Texts("", make([]string, 20_000)...))}},
		"numbers": {Nodes: []ot.Node{ot.N("", nil, nil, ot.Ints("", make([]int64, 100_000)...))}},
		"tensors": {Initializers: slices.Repeat([]ot.Tensor{ot.I("", nil, 0)}, 4000)},
		"axes":    {Inputs: slices.Repeat([]ot.Value{ot.In("", axes...)}, 400)},
	} {
		t.Run(name, func(t *testing.T) {
			m.Opset = 13
			file := m.Bytes()
			_, err := Open(file, Options{Limits: Limits{Memory: quota.NewMemory(1 << 20)}})
			var refused *quota.MemoryError
			must.Equal(t, errors.As(err, &refused), true, len(file), err)
			var limit *LimitError
			_, err = Open(file, Options{Limits: Limits{RunBytes: 1 << 20}})
			must.Equal(t, errors.As(err, &limit), true, len(file), err)
		})
	}
}
