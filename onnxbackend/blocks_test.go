package onnxbackend

import (
	"context"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
)

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

// A model whose instances are encoded holds no more of a large bag than one block of its hidden
// layers, and the plain way takes instances from the bag itself.
func TestBlocks(t *testing.T) {
	m, err := Open(attentionModel().Bytes(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	encoderOf(m).BlockValues = 6
	bag := smallBag(20, 2)
	fitted, err := encoderOf(m).Signature.Fit(bag)
	if err != nil {
		t.Fatal(err)
	}
	f, err := encoderOf(m).Forward(context.Background(), fitted, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !f.InBlocks() || f.Whole().Bag.Len() != 3 {
		t.Fatalf("a bag of 20 went at once: %+v", f)
	}
	ev, err := m.Bind(context.Background(), bag)
	if err != nil {
		t.Fatal(err)
	}
	if b := ev.(*Bound); !evaluatorOf(b).InBlocks || b.Strategy() != "attention" {
		t.Errorf("strategy %s from the bag %v", b.Strategy(), evaluatorOf(b).Fitted.Len())
	}
}
