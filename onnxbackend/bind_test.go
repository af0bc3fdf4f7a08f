package onnxbackend_test

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

func TestConcurrentEvaluate(t *testing.T) {
	const k, workers = 20, 8
	b := enginetest.OpenAndBind(t, enginetest.AttentionModel().Bytes(), Options{},
		enginetest.SmallBag(k, 2))
	z := core.NewCoalitions(k, k)
	for i := range k {
		z.AppendWithout(i)
	}
	want := make([]float64, k*2)
	must.Do(t, b.Evaluate(context.Background(), want, z))
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range 20 {
				got := make([]float64, k*2)
				if err := b.Evaluate(context.Background(), got, z); err != nil ||
					!slices.Equal(got, want) {
					t.Errorf("%v %v, want %v", got, err, want)
				}
				if _, err := b.Attention(context.Background(), 1); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestEvaluateChecksSizes(t *testing.T) {
	b := enginetest.OpenAndBind(t, enginetest.AttentionModel().Bytes(), Options{},
		enginetest.SmallBag(4, 2))
	z := core.NewCoalitions(5, 1)
	z.AppendWithout()
	must.Fail(t, b.Evaluate(context.Background(), make([]float64, 2), z))
	z = core.NewCoalitions(4, 1)
	z.AppendEmpty()
	must.Fail(t, b.Evaluate(context.Background(), make([]float64, 2), z))
}

func TestAttention(t *testing.T) {
	bag := enginetest.SmallBag(5, 2)
	b := enginetest.OpenAndBind(t, enginetest.AttentionModel().Bytes(), Options{}, bag)
	phi, err := b.Attention(context.Background(), 1)
	must.Do(t, err)
	must.Equal(t, len(phi), 5, phi)
	sum := 0.0
	for _, v := range phi {
		sum += v
	}
	must.Equal(t, math.Abs(sum-1) <= 1e-6, true, sum)
	m := enginetest.AttentionModel()
	m.Metadata = nil
	_, err = enginetest.OpenAndBind(t, m.Bytes(), Options{}, bag).Attention(context.Background(), 0)
	var none *core.UnavailableError
	must.As(t, err, &none, `"weights"`)
}

// TestAttentionByClass reads instance logits of shape (k, C) and (C, k), k equal to C and not.
func TestAttentionByClass(t *testing.T) {
	for _, k := range []int{1, 2, 3} {
		for _, turned := range []bool{false, true} {
			m := ot.Model{
				Opset:        13,
				Metadata:     map[string]string{"bagscope": `{"inherent": "each"}`},
				Initializers: []ot.Tensor{ot.I("axes", []int64{0}, 1)},
				Inputs:       []ot.Value{ot.In("bag", "k", 2)},
				Outputs:      []ot.Value{ot.In("logits", 2), ot.In("each", "k", 2)},
				Nodes: ot.Nodes(`logits = ReduceSum<keepdims=0>(bag, axes)
					each = Identity(bag)`),
			}
			if turned {
				m.Nodes[1].Op = "Transpose"
				m.Outputs[1] = ot.In("each", 2, "k")
			}
			bag := enginetest.SmallBag(k, 2)
			b := enginetest.OpenAndBind(t, m.Bytes(), Options{}, bag)
			phi := must.Get(b.Attention(context.Background(), 1))(t)
			var want []float64
			for i := range k {
				x := bag.Instance(i)
				want = append(want, 1/(1+math.Exp(float64(x[0]-x[1]))))
			}
			enginetest.CheckNear(t, "attention", phi, want, 1e-6)
		}
	}
}
