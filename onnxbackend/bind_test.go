package onnxbackend

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bagscope/bagscope/core"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

func shapedBag(k int, shape ...int) *core.Bag {
	width := 1
	for _, d := range shape {
		width *= d
	}
	b := smallBag(k, width)
	b.Shape = shape
	return b
}

func bindBytes(t testing.TB, data []byte, o Options, bag *core.Bag) *Bound {
	t.Helper()
	return bound(t, open(t, data, o), bag, nil)
}

func TestConcurrentEvaluate(t *testing.T) {
	const k, workers = 20, 8
	b := bindBytes(t, attentionModel().Bytes(), Options{}, smallBag(k, 2))
	z := core.NewCoalitions(k, k)
	for i := range k {
		z.AppendWithout(i)
	}
	want := make([]float64, k*2)
	if err := b.Evaluate(context.Background(), want, z); err != nil {
		t.Fatal(err)
	}
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
	b := bindBytes(t, attentionModel().Bytes(), Options{}, smallBag(4, 2))
	z := core.NewCoalitions(5, 1)
	z.AppendWithout()
	if err := b.Evaluate(context.Background(), make([]float64, 2), z); err == nil {
		t.Error("coalitions over another number of instances were evaluated")
	}
	z = core.NewCoalitions(4, 1)
	z.AppendEmpty()
	if err := b.Evaluate(context.Background(), make([]float64, 2), z); err == nil {
		t.Error("an empty coalition was evaluated")
	}
}

func TestAttention(t *testing.T) {
	bag := smallBag(5, 2)
	b := bindBytes(t, attentionModel().Bytes(), Options{}, bag)
	phi, err := b.Attention(context.Background(), 1)
	if err != nil || len(phi) != 5 {
		t.Fatal(phi, err)
	}
	sum := 0.0
	for _, v := range phi {
		sum += v
	}
	if math.Abs(sum-1) > 1e-6 {
		t.Errorf("attention sums to %v", sum)
	}
	m := attentionModel()
	m.Metadata = nil
	_, err = bindBytes(t, m.Bytes(), Options{}, bag).Attention(context.Background(), 0)
	var none *core.UnavailableError
	if !errors.As(err, &none) || !strings.Contains(err.Error(), `"weights"`) {
		t.Errorf("error %v", err)
	}
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
				Nodes: []ot.Node{
					ot.N("ReduceSum", []string{"bag", "axes"}, []string{"logits"},
						ot.Int("keepdims", 0)),
					ot.N("Identity", []string{"bag"}, []string{"each"}),
				},
			}
			if turned {
				m.Nodes[1].Op = "Transpose"
				m.Outputs[1] = ot.In("each", 2, "k")
			}
			bag := smallBag(k, 2)
			b := bindBytes(t, m.Bytes(), Options{}, bag)
			phi, err := b.Attention(context.Background(), 1)
			if err != nil {
				t.Fatal(err)
			}
			var want []float64
			for i := range k {
				x := bag.Instance(i)
				want = append(want, 1/(1+math.Exp(float64(x[0]-x[1]))))
			}
			near(t, "attention", phi, want, 1e-6)
		}
	}
}
