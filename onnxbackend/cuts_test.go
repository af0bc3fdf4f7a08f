package onnxbackend

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

func TestZooCutEqualsPlain(t *testing.T) {
	zooBags(t, func(t *testing.T, m *Model, _, _ string,
		bag *core.Bag) {
		cutEqualsPlain(t, m, bag)
	})
}

// cutEqualsPlain compares the chosen way with whole runs on the members alone.
func cutEqualsPlain(t *testing.T, m *Model, bag *core.Bag) {
	t.Helper()
	b := bound(t, m, bag, nil)
	if b.Strategy() == StrategyPlain {
		t.Errorf("strategy %s: %q", b.Strategy(), b.Notes())
	}
	k := bag.Len()
	z := core.NewCoalitions(k, 8)
	r := rand.New(rand.NewPCG(7, uint64(k)))
	for range 7 {
		z.AppendMembers(r.Perm(k)[:1+r.IntN(k)]...)
	}
	z.AppendWithout()
	got := make([]float64, z.Len()*b.Task().Classes)
	if err := b.Evaluate(context.Background(), got, z); err != nil {
		t.Fatal(err)
	}
	var want []float64
	for j := range z.Len() {
		p, err := m.Predict(context.Background(), bag.Select(z.Members(nil, j)))
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, p.Scores...)
	}
	near(t, "scores", got, want, tolerance.For(1))
	instancesEqualMasks(t, b)
	neighboursEqualPlain(t, b)
	blocksEqualWhole(t, m, b, bag)
}

func TestTrainedCutEqualsPlain(t *testing.T) {
	for _, c := range []struct{ model, bags string }{
		{"testdata/models/mnist/mi_attn.onnx", "digits"},
		{"testdata/models/mnist/mi_net_embedding.onnx", "digits"},
		{"examples/tissue/model.onnx", "tissue"},
		{"examples/tissue/networks/mi-net-instance.onnx", "tissue"},
	} {
		t.Run(c.model, func(t *testing.T) {
			data, err := os.ReadFile(repositoryFile(t, "examples/"+c.bags+"/bags.npz"))
			if err != nil {
				t.Fatal(err)
			}
			set, err := bagio.Read(c.bags, data, bagio.Options{})
			if err != nil {
				t.Fatal(err)
			}
			bag, err := set.Bag(0)
			if err != nil {
				t.Fatal(err)
			}
			cutEqualsPlain(t, openRepositoryFile(t, Options{}, c.model),
				bag.Select([]int{0, 5, 2, 9, 11, 3, 20}))
		})
	}
}

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

// heldNames returns the values that a coalition gathers.
func heldNames(b *Bound) []string {
	var names []string
	for _, h := range evaluatorOf(b).Suffix.Boundary {
		names = append(names, evaluatorOf(b).Graph.Values[h.ID].Name)
	}
	slices.Sort(names)
	return names
}

// blocksEqualWhole binds and predicts a bag again, three instances at a time, and expects what they
// gave at once.
func blocksEqualWhole(t *testing.T, m *Model, whole *Bound, bag *core.Bag) {
	t.Helper()
	ctx := context.Background()
	before := encoderOf(m).BlockValues
	defer func() { encoderOf(m).BlockValues = before }()
	predicted, err := m.Predict(ctx, bag)
	if err != nil {
		t.Fatal(err)
	}
	encoderOf(m).BlockValues = 3 * bag.Stride()
	again, err := m.Predict(ctx, bag)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range predicted.Outputs {
		if !slices.Equal(again.Outputs[i].Shape, o.Shape) {
			t.Errorf("output %s has shape %v in blocks, %v at once", o.Name, again.Outputs[i].Shape,
				o.Shape)
			continue
		}
		near(t, "output "+o.Name+" in blocks", again.Outputs[i].Data, o.Data,
			tolerance.For(bag.Len()))
	}
	b := bound(t, m, bag, nil)
	if b.Strategy() != whole.Strategy() || !slices.Equal(heldNames(b), heldNames(whole)) {
		t.Errorf("in blocks strategy %s gathers %v, at once %s and %v (%s %q)", b.Strategy(),
			heldNames(b), whole.Strategy(), heldNames(whole), evaluatorOf(b).WhyNot, b.Notes())
	}
	k := bag.Len()
	z := core.InstanceCoalitions(k, true, 0, min(k, 4)*min(1, k-1))
	z.AppendWithout()
	z.AppendMembers(k-1, 0)
	got, want := make([]float64, z.Len()*b.Task().Classes), make([]float64,
		z.Len()*b.Task().Classes)
	for _, s := range []struct {
		b  *Bound
		to []float64
	}{{b, got}, {whole, want}} {
		if err := s.b.Evaluate(ctx, s.to, z); err != nil {
			t.Fatal(err)
		}
	}
	near(t, "scores in blocks", got, want, tolerance.For(bag.Len()))
	for i, n := range whole.Nodes() {
		for j, v := range n.Outputs {
			if w := b.Nodes()[i].Outputs[j]; w.Depends != v.Depends ||
				!slices.Equal(w.Shape, v.Shape) {
				t.Errorf("value %s is %v in blocks, %v at once", v.Name, w, v)
			}
		}
	}
}
