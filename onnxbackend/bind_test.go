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
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// reshapeModel views instances through a shape that is computed from the bag ("shape", "product"
// with a one before it), written down with what is left ("rest"), or mixes them ("mix").
func reshapeModel(how string) ot.Model {
	m := ot.Model{
		Opset: 13,
		Initializers: []ot.Tensor{
			ot.I("rest", []int64{-1, 4}, 2), ot.I("mix", []int64{2, -1}, 2), ot.I("zero",
				[]int64{0}, 1), ot.I("minus", []int64{-1}, 1),
			ot.F("W", []float32{1, 2, 3, 4, 5, 6, 7, 8}, 4, 2),
		},
		Inputs:  []ot.Value{ot.In("bag", "k", 2, 2)},
		Outputs: []ot.Value{ot.In("scores", 2)},
		Nodes: []ot.Node{
			ot.N("Sin", []string{"bag"}, []string{"a"}),
			ot.N("Shape", []string{"a"}, []string{"s"}),
			ot.N("Gather", []string{"s", "zero"}, []string{"k"}),
			ot.N("Concat", []string{"k", "minus"}, []string{"shape"}, ot.Int("axis", 0)),
		},
	}
	if how == "product" {
		m.Initializers = append(m.Initializers, ot.I("one", []int64{1}, 1))
		m.Nodes[3] = ot.N("Mul", []string{"one", "k"}, []string{"times"})
		m.Nodes = append(m.Nodes, ot.N("Concat", []string{"times", "minus"}, []string{"product"},
			ot.Int("axis", 0)))
	}
	if how == "mix" {
		m.Nodes = append(m.Nodes,
			ot.N("Reshape", []string{"a", "mix"}, []string{"r"}),
			ot.N("ReduceMax", []string{"r"}, []string{"scores"}, ot.Ints("axes", 1),
				ot.Int("keepdims", 0)))
		return m
	}
	m.Nodes = append(m.Nodes,
		ot.N("Reshape", []string{"a", how}, []string{"r"}),
		ot.N("MatMul", []string{"r", "W"}, []string{"h"}),
		ot.N("ReduceMean", []string{"h"}, []string{"scores"}, ot.Ints("axes", 0),
			ot.Int("keepdims", 0)))
	return m
}

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

// heldNames returns the values that a coalition gathers.
func heldNames(b *Bound) []string {
	var names []string
	for _, h := range evaluatorOf(b).Suffix.Boundary {
		names = append(names, evaluatorOf(b).Graph.Values[h.ID].Name)
	}
	slices.Sort(names)
	return names
}

func TestCutFollowsReshapes(t *testing.T) {
	for _, c := range []struct {
		how  string
		held []string
	}{{"shape", []string{"h"}}, {"product", []string{"h"}}, {"rest", []string{"h"}}, {"mix",
		[]string{"a"}}} {
		t.Run(c.how, func(t *testing.T) {
			for _, k := range []int{2, 4, 5} {
				m := reshapeModel(c.how)
				bag := shapedBag(k, 2, 2)
				opened := open(t, m.Bytes(), Options{})
				b := bound(t, opened, bag, nil)
				if got := heldNames(b); !slices.Equal(got, c.held) {
					t.Errorf("%s, k=%d: gathers %v, want %v (%s)", c.how, k, got, c.held, b.Notes())
				}
				cutEqualsPlain(t, opened, bag)
			}
		})
	}
}

func TestPlainOption(t *testing.T) {
	b := bindBytes(t, attentionModel().Bytes(), Options{Plain: true}, smallBag(4, 2))
	if b.Strategy() != StrategyPlain || !slices.Equal(heldNames(b), []string{"bag"}) {
		t.Errorf("strategy %s gathers %v", b.Strategy(), heldNames(b))
	}
	g := bindBytes(t, attentionModel().Bytes(), Options{}, smallBag(4, 2))
	if g.Strategy() != "attention" || !slices.Equal(heldNames(g), []string{"s", "t"}) {
		t.Errorf("strategy %s gathers %v", g.Strategy(), heldNames(g))
	}
}

// TestProofCatchesWrongCuts gives the analysis a wrong answer and expects the proof to find it.
func TestProofCatchesWrongCuts(t *testing.T) {
	m, err := Open(attentionModel().Bytes(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range encoderOf(m).Graph.Nodes {
		if encoderOf(m).Graph.Nodes[i].Op == "Softmax" {
			row := *encoderOf(m).Graph.Nodes[i].Row
			row.Axes = ops.Lookup("", "Tanh").Axes
			encoderOf(m).Graph.Nodes[i].Row = &row
		}
	}
	ev, err := m.Bind(context.Background(), smallBag(6, 2))
	if err != nil {
		t.Fatal(err)
	}
	b := ev.(*Bound)
	if b.Strategy() != StrategyPlain || !strings.Contains(strings.Join(b.Notes(), " "),
		"changes the scores") {
		t.Errorf("strategy %s, notes %q", b.Strategy(), b.Notes())
	}
	cutMustEqual(t, b, m, smallBag(6, 2))
}

func cutMustEqual(t *testing.T, b *Bound, m *Model, bag *core.Bag) {
	z := core.NewCoalitions(bag.Len(), 1)
	z.AppendMembers(0, bag.Len()-1)
	got := make([]float64, b.Task().Classes)
	if err := b.Evaluate(context.Background(), got, z); err != nil {
		t.Fatal(err)
	}
	p, err := m.Predict(context.Background(), bag.Select([]int{0, bag.Len() - 1}))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "scores", got, p.Scores, tolerance.For(2))
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
