package auxinput_test

import (
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// pooledByBatch adds up q by the numbers of bags in "batch", as PyTorch Geometric does: into as
// many rows as there are bags, or into one row.
func pooledByBatch(oneBag bool, encoded ...ot.Node) ot.Model {
	m := enginetest.AuxiliaryModel([]ot.Value{ot.In("bag", "k", 3),
		enginetest.InputOf(ot.In("batch", "k"), ot.Int64)})
	bags := ot.N("Identity", []string{"axis1"}, []string{"bags"})
	if !oneBag {
		bags = ot.N("Add", []string{"last", "axis1"}, []string{"bags"})
	}
	last := len(m.Nodes) - 1
	m.Nodes = append(m.Nodes[:last:last], append(encoded,
		ot.N("ReduceMax", []string{"batch"}, []string{"last"}, ot.Ints("axes", 0)), bags,
		ot.N("Concat", []string{"bags", "width"}, []string{"sizes"}, ot.Int("axis", 0)),
		ot.N("Expand", []string{"zero", "sizes"}, []string{"none"}),
		ot.N("Shape", []string{"q"}, []string{"like"}),
		ot.N("Reshape", []string{"batch", "column"}, []string{"numbers"}),
		ot.N("Expand", []string{"numbers", "like"}, []string{"places"}),
		ot.N("ScatterElements", []string{"none", "places", "q"}, []string{"p"}, ot.Int("axis", 0),
			ot.Text("reduction", "add")), m.Nodes[last])...)
	m.Opset = 16
	m.Initializers = append(m.Initializers, ot.I("width", []int64{4}, 1))
	m.Outputs = []ot.Value{ot.In("logits", "bags", 2)}
	return m
}

// TestNumbersOfBags opens models that number the bags of a batch. The bag that is explained is the
// only one, so that its scores are those of the same model without a batch.
func TestNumbersOfBags(t *testing.T) {
	whole := ot.N("Identity", []string{"h"}, []string{"q"})
	// A softmax over all instances, whatever their bags: only the number 0 runs.
	softmax := ot.Nodes(`w = Softmax<axis=0>(a); q = Mul(w, h)`)
	for name, c := range map[string]struct {
		m     ot.Model
		plain []ot.Node
	}{
		"a row for each bag": {pooledByBatch(false, whole), []ot.Node{whole}},
		"one row":            {pooledByBatch(true, whole), []ot.Node{whole}},
		"one softmax":        {pooledByBatch(true, softmax...), softmax},
	} {
		t.Run(name, func(t *testing.T) {
			without := enginetest.AuxiliaryModel([]ot.Value{ot.In("bag", "k", 3)}, append(c.plain,
				ot.N("ReduceSum", []string{"q", "axis0"}, []string{"p"}))...)
			for _, k := range []int{1, 2, 7, 64} {
				bag := enginetest.SmallBag(k, 3)
				b := enginetest.OpenAndBind(t, c.m.Bytes(), onnxbackend.Options{}, bag)
				must.Contain(t, strings.Join(b.Notes(), " "),
					`"batch" has the number of each instance's bag in a batch and is given 0`)
				enginetest.CheckNear(t, "scores", predicted(t, c.m.Bytes(), "", bag),
					predicted(t, without.Bytes(), "", bag), 1e-5)
				enginetest.CheckStrategyEqualsPlain(t, b, c.m.Bytes(), bag)
			}
		})
	}
}

// TestNumbersOfInstances opens a model that looks up a row of a table for each instance. These
// numbers are not those of bags, and Open must return an error.
func TestNumbersOfInstances(t *testing.T) {
	m := enginetest.AuxiliaryModel([]ot.Value{ot.In("bag", "k", 3),
		enginetest.InputOf(ot.In("cluster", "k"), ot.Int64)},
		ot.Nodes(`rows4 = Gather<axis=0>(table, cluster); q = Mul(h, rows4)
			p = ReduceMean<axes=[0]>(q)`)...)
	m.Initializers = append(m.Initializers,
		ot.F("table", []float32{1, 2, 3, 4, -1, 3, -2, 1, .5, 1, 2, -1}, 3, 4))
	var gap *onnxbackend.UnsupportedError
	must.As(t, must.Err(onnxbackend.Open(m.Bytes(), onnxbackend.Options{})), &gap)
}
