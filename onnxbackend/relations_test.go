package onnxbackend_test

import (
	"context"
	"errors"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// related returns a bag of k instances of 3 features with random relations that are not symmetric,
// of which a third is not 0, dense or as edges.
func related(k int, dense bool) *core.Bag {
	bag := enginetest.SmallBag(k, 3)
	r := rand.New(rand.NewPCG(uint64(k), 7))
	values := make([]float32, k*k)
	for i := range values {
		if i%(k+1) == 0 || r.IntN(3) == 0 {
			values[i] = float32(r.Float64() + .1)
		}
	}
	bag.Relations = &core.Relations{Dense: values}
	if !dense {
		all := make([]int, k)
		for i := range all {
			all[i] = i
		}
		bag.Relations = &core.Relations{Edges: bag.Relations.AppendEdges(nil, k, all)}
	}
	return bag
}

// overMatrix averages the neighbours of each instance by the input "adj" and adds up the result.
func overMatrix(adj ot.Value) ot.Model {
	m := enginetest.AuxiliaryModel([]ot.Value{ot.In("bag", "k", 3), adj},
		ot.Nodes(`m = MatMul(adj, h); t = Tanh(m); n = Reshape(t, four)
			p = ReduceSum(n, axis0)`)...)
	m.Initializers = append(m.Initializers, ot.I("four", []int64{-1, 4}, 2))
	return m
}

// overEdges adds the weighted values of each edge's first end to its second end, as PyTorch
// Geometric does.
func overEdges(weights bool) ot.Model {
	inputs := []ot.Value{ot.In("bag", "k", 3),
		enginetest.InputOf(ot.In("edge_index", 2, "edges"), ot.Int64)}
	message := "message = Identity(source)"
	if weights {
		inputs = append(inputs, ot.In("edge_weight", "edges"))
		message = "weight = Unsqueeze(edge_weight, second1); message = Mul(source, weight)"
	}
	m := enginetest.AuxiliaryModel(inputs)
	last := len(m.Nodes) - 1
	nodes := ot.Nodes(`from = Gather<axis=0>(edge_index, first)
		to = Gather<axis=0>(edge_index, second); source = Gather<axis=0>(h, from)
		` + message + `; none = Mul(h, zero); toColumn = Unsqueeze(to, second1)
		sizes = Shape(message); places = Expand(toColumn, sizes)
		sums = ScatterElements<axis=0, reduction="add">(none, places, message); n = Tanh(sums)
		p = ReduceSum(n, axis0)`)
	m.Opset = 16
	m.Nodes = slices.Concat(m.Nodes[:last], nodes, m.Nodes[last:])
	m.Initializers = append(m.Initializers, ot.I("first", []int64{0}), ot.I("second", []int64{1}),
		ot.I("second1", []int64{1}, 1))
	return m
}

// TestRelationsOfCoalitions compares the scores of coalitions with those of the whole graph on bags
// without the other instances, whose relations lack their rows and columns.
func TestRelationsOfCoalitions(t *testing.T) {
	unnamed := ot.In("adj", 1, "", "")
	for _, c := range []struct {
		name  string
		model ot.Model
	}{
		{"matrix", overMatrix(ot.In("adj", "k", "k"))},
		{"matrix of a batch", overMatrix(ot.In("adj", 1, "k", "k"))},
		{"matrix without names", overMatrix(unnamed)},
		{"matrix of batches", overMatrix(ot.In("adj", "batch", "k", "k"))},
		{"edges", overEdges(false)},
		{"weighted edges", overEdges(true)},
	} {
		for _, dense := range []bool{true, false} {
			for _, k := range []int{1, 7, 64} {
				t.Run(c.name, func(t *testing.T) {
					bag := related(k, dense)
					m := enginetest.Open(t, c.model.Bytes(), onnxbackend.Options{})
					b := enginetest.Bind(t, m, bag, nil)
					want := onnxbackend.StrategyGathered
					if strings.HasPrefix(c.name, "matrix") {
						want = onnxbackend.StrategyMembers
					}
					if k > 1 && b.Strategy() != want {
						t.Errorf("strategy %s, want %s: %q", b.Strategy(), want, b.Notes())
					}
					checkRelated(t, m, b, bag)
					if k == 7 {
						enginetest.CheckStrategyEqualsPlain(t, b, c.model.Bytes(), bag)
					}
				})
			}
		}
	}
}

// TestRelationsOfOtherTypes takes matrices of truth values and of whole numbers, which hold the
// relations of joined pairs but no weights between 0 and 1.
func TestRelationsOfOtherTypes(t *testing.T) {
	for name, typ := range map[string]int{"bool": ot.Bool, "uint8": ot.Uint8, "int64": ot.Int64} {
		model := overMatrix(enginetest.InputOf(ot.In("adj_matrix", "k", "k"), typ))
		model.Nodes = slices.Insert(model.Nodes, len(model.Nodes)-5,
			ot.N("Cast", []string{"adj_matrix"}, []string{"adj"}, ot.Int("to", ot.Float32)))
		t.Run(name, func(t *testing.T) {
			m := enginetest.Open(t, model.Bytes(), onnxbackend.Options{})
			for _, k := range []int{1, 7, 64} {
				bag := related(k, k == 7)
				for i := range bag.Relations.Dense {
					bag.Relations.Dense[i] = float32(math.Ceil(float64(bag.Relations.Dense[i])))
				}
				for i := range bag.Relations.Edges {
					bag.Relations.Edges[i].Weight = 1
				}
				checkRelated(t, m, enginetest.Bind(t, m, bag, nil), bag)
			}
			for v, holds := range map[float32]bool{.5: typ == ot.Bool, -1: typ != ot.Uint8,
				255: true, 256: typ != ot.Uint8} {
				bag := related(7, true)
				bag.Relations = &core.Relations{Dense: make([]float32, 49)}
				bag.Relations.Dense[48] = v
				joined := *bag
				joined.Relations = &core.Relations{Edges: []core.Edge{{Weight: v}}}
				for _, bag := range []*core.Bag{bag, &joined} {
					_, err := m.Bind(context.Background(), bag)
					var wrong *core.BagError
					if holds && err != nil || !holds && (!errors.As(err, &wrong) ||
						!strings.Contains(wrong.Reason, "give whole numbers")) {
						t.Errorf("value %v, dense %t: error %v", v, bag != &joined, err)
					}
				}
			}
		})
	}
}

// TestSeveralValuesOfEdges opens a model with three values of each edge. They are not values of
// instances, and the error must say what an edge has.
func TestSeveralValuesOfEdges(t *testing.T) {
	m := overEdges(false)
	m.Inputs = append(m.Inputs, ot.In("edge_attr", "edges", 3))
	m.Nodes = slices.Insert(m.Nodes, len(m.Nodes)-1,
		ot.N("ReduceSum", []string{"edge_attr"}, []string{"unread"}))
	var gap *onnxbackend.UnsupportedError
	must.As(t, must.Err(onnxbackend.Open(m.Bytes(), onnxbackend.Options{})), &gap,
		"an edge of a bag has one value")
}

// TestPairsThatAreNoEdges opens a model with two integers of each instance, such as its place. Its
// card states what they are, so that no input has values of edges.
func TestPairsThatAreNoEdges(t *testing.T) {
	m := enginetest.AuxiliaryModel([]ot.Value{ot.In("bag", "k", 3),
		enginetest.InputOf(ot.In("places", 2, "k"), ot.Int64)},
		ot.Nodes(`numbers = Cast<to=1>(places); sums = ReduceSum(numbers, axis0)
			weights = Reshape(sums, column); q = Mul(h, weights); p = ReduceSum(q, axis0)`)...)
	bag := enginetest.SmallBag(5, 3)
	card := []byte(`{"inputs": {"places": 1}}`)
	opened := enginetest.Open(t, m.Bytes(), onnxbackend.Options{Card: card})
	b := enginetest.Bind(t, opened, bag, nil)
	must.Equal(t, strings.Contains(strings.Join(b.Notes(), " "), "edge"), false)
}

// TestListsOfNeighbours opens a model that takes the numbers of each instance's neighbours. They
// are no matrix of pairs, though their input is called adjacency.
func TestListsOfNeighbours(t *testing.T) {
	m := enginetest.AuxiliaryModel([]ot.Value{ot.In("bag", "k", 3),
		enginetest.InputOf(ot.In("adj", "k", "neighbours"), ot.Int64)},
		ot.Nodes(`near = Gather<axis=0>(h, adj); kept = ReduceSum(near, axis1)
			sums = ReduceSum(kept, axis0); p = Reshape(sums, line)`)...)
	var gap *onnxbackend.UnsupportedError
	must.As(t, must.Err(onnxbackend.Open(m.Bytes(), onnxbackend.Options{})), &gap,
		`"adjacency" for a matrix`)
}

// TestEdgesInRows opens a model whose edges are rows of two integers, which are no values of
// instances.
func TestEdgesInRows(t *testing.T) {
	m := overEdges(false)
	m.Inputs[1] = enginetest.InputOf(ot.In("edges", "", 2), ot.Int64)
	m.Nodes = slices.Insert(m.Nodes, 0, ot.Nodes(`edge_index = Transpose(edges)`)...)
	var gap *onnxbackend.UnsupportedError
	must.As(t, must.Err(onnxbackend.Open(m.Bytes(), onnxbackend.Options{})), &gap,
		"edges transposed")
}

// TestRelationsWithHelpers shares the coalitions of bags with relations between two programs.
func TestRelationsWithHelpers(t *testing.T) {
	for name, m := range map[string]ot.Model{"matrix": overMatrix(ot.In("adj", "k", "k")),
		"edges": overEdges(true)} {
		t.Run(name, func(t *testing.T) {
			model, bag := enginetest.Open(t, m.Bytes(), onnxbackend.Options{}), related(40, false)
			pool := enginetest.HelpersOf(enginetest.Open(t, m.Bytes(), onnxbackend.Options{}))
			b := enginetest.Bind(t, model, bag, pool)
			e := enginetest.EvaluatorOf(b)
			must.Equal(t, e.Shares(pool), true, "helpers do not share the coalitions")
			z := enginetest.RandomCoalitions(40, 30)
			alone := make([]float64, z.Len()*b.Task().Classes)
			must.Do(t, b.Evaluate(context.Background(), alone, z))
			must.Get(pool.Send(context.Background(), 0, e.HoldTask()))(t)
			must.Get(pool.Send(context.Background(), 0, e.ScoreTask(z)))(t)
			shared := make([]float64, len(alone))
			must.Do(t, e.EvaluateShared(context.Background(), pool, shared, z))
			must.EqualSlices(t, shared, alone, "helpers compute other scores")
		})
	}
}

// TestRelationsAreNeeded binds a bag without relations to a model that takes some.
func TestRelationsAreNeeded(t *testing.T) {
	m := enginetest.Open(t, overMatrix(ot.In("adj", "k", "k")).Bytes(), onnxbackend.Options{})
	_, err := m.Bind(context.Background(), enginetest.SmallBag(5, 3))
	var wrong *core.BagError
	must.As(t, err, &wrong)
	must.Contain(t, wrong.Reason, `"inputs": {"adj": 1}`)
	must.Contain(t, strings.Join(m.Info().Notes, " "), "each pair")
}

// TestRelationsByCard states what inputs take that shapes do not show.
func TestRelationsByCard(t *testing.T) {
	model := overMatrix(enginetest.InputOf(ot.In("mask", "a", "b"), ot.Bool))
	last := len(model.Nodes) - 1
	model.Nodes = slices.Insert(model.Nodes, last-4, ot.Nodes(`adj = Cast<to=1>(mask)`)...)
	bag := related(7, true)
	m := enginetest.Open(t, model.Bytes(), onnxbackend.Options{
		Card: []byte(`{"inputs": {"mask": "adjacency"}}`)})
	checkRelated(t, m, enginetest.Bind(t, m, bag, nil), bag)
	for card, says := range map[string]string{
		`{"inputs": {"bag": "edges"}}`:                        "of shape (2, edges)",
		`{"inputs": {"mask": "weights", "bag": "instances"}}`: "one list of edges",
		`{"inputs": {"mask": "graph"}}`:                       `"graph" is none of count`,
	} {
		_, err := onnxbackend.Open(model.Bytes(), onnxbackend.Options{Card: []byte(card)})
		must.Fail(t, err, says)
	}
}

// TestRelationsInBlocks encodes a large bag in blocks, and pools it over its relations.
func TestRelationsInBlocks(t *testing.T) {
	model, bag := overMatrix(ot.In("adj", "k", "k")), related(64, true)
	m := enginetest.Open(t, model.Bytes(), onnxbackend.Options{})
	whole := enginetest.Bind(t, m, bag, nil)
	blocks := enginetest.Open(t, model.Bytes(), onnxbackend.Options{})
	enginetest.EncoderOf(blocks).BlockValues = 30
	b := enginetest.Bind(t, blocks, bag, nil)
	z := enginetest.RandomCoalitions(64, 12)
	x, y := make([]float64, z.Len()*2), make([]float64, z.Len()*2)
	must.Do(t, whole.Evaluate(context.Background(), x, z))
	must.Do(t, b.Evaluate(context.Background(), y, z))
	must.EqualSlices(t, x, y, "blocks give other scores")
}

// TestAdjacencyOfCard builds relations from the places of a bag that has none.
func TestAdjacencyOfCard(t *testing.T) {
	model := overMatrix(ot.In("adj", "k", "k")).Bytes()
	m := enginetest.Open(t, model, onnxbackend.Options{
		Card: []byte(`{"adjacency": "radius(1.5) loops row"}`)})
	bag := enginetest.SmallBag(30, 3)
	for i := range 30 {
		bag.Boxes = append(bag.Boxes, image.Rect(i%6*8, i/6*8, i%6*8+8, i/6*8+8))
	}
	built := *bag
	var err error
	if built.Relations, err = m.Card().Adjacency.Relations(bag); err != nil {
		t.Fatal(err)
	}
	// Coalitions have the weights that the edges have in the whole bag.
	checkRelated(t, m, enginetest.Bind(t, m, bag, nil), &built)
	bag.Boxes = nil
	must.Fail(t, must.Err(m.Bind(context.Background(), bag)), "have no places")
	must.Fail(t, must.Err(onnxbackend.Open(model,
		onnxbackend.Options{Card: []byte(`{"adjacency": "near"}`)})),
		`key "adjacency": "near" is none of`)
}

// checkRelated compares the scores of random coalitions of a bound bag with predictions of its
// parts.
func checkRelated(t *testing.T, m *onnxbackend.Model, b *onnxbackend.Bound, bag *core.Bag) {
	t.Helper()
	enginetest.CheckParts(t, m, b, bag, enginetest.RandomCoalitions(bag.Len(), 12), 1e-5)
}
