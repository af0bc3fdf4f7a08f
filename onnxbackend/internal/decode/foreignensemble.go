package decode

import (
	"fmt"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// ensembleModes has the modes of a TreeEnsemble (ai.onnx.ml 5) by their numbers.
var ensembleModes = []string{"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ",
	"BRANCH_NEQ"}

// Aggregates of a TreeEnsemble.
const (
	ensembleAverage = 0
	ensembleSum     = 1
)

// treeEnsemble writes a TreeEnsemble, whose inner nodes and leaves are lists of their own. A tree
// begins at a root of the list of inner nodes.
func (r *replacement) treeEnsemble() string {
	e, gap := r.readEnsemble()
	if gap != "" {
		return gap
	}
	f := forest{trees: map[int64]*tree{}}
	weights := map[int64][]int{} // leaves by tree, as the ids of their nodes count them
	visited := 0
	for i, root := range r.given("tree_roots").Ints {
		t := &tree{leaf: map[int64]int{}}
		var gap string
		if weights[int64(i)], gap = e.grow(t, root, &visited); gap != "" {
			return gap
		}
		f.trees[int64(i)] = t
		f.order = append(f.order, int64(i))
	}
	if gap := r.linkForest(&f); gap != "" {
		return gap
	}
	scale := float32(1)
	if e.average {
		scale = 1 / float32(len(f.order))
	}
	for id, t := range f.trees {
		t.weights = make([]float32, len(t.leaf)*e.targets)
		for node, leaf := range weights[id] {
			at := t.leaf[leafID(node)]*e.targets + int(e.leafTargets[leaf])
			t.weights[at] += e.leafWeights[leaf] * scale
		}
	}
	r.floats("sum", make([]float32, e.targets), 1, e.targets)
	r.expand("Cast 0 = x to:1")
	sums := "sum"
	for _, id := range f.order {
		sums = r.tree(id, f.trees[id], sums, e.targets)
	}
	r.expand("Identity " + sums + " = y0")
	return ""
}

// An ensemble has the lists of a TreeEnsemble.
type ensemble struct {
	features, ifTrue, ifFalse, trueLeaf, falseLeaf, missing []int64 // inner nodes
	modes                                                   []string
	splits                                                  []float32
	leafTargets                                             []int64
	leafWeights                                             []float32
	targets                                                 int
	average                                                 bool
}

// readEnsemble reads the lists and checks their lengths and numbers.
func (r *replacement) readEnsemble() (e ensemble, gap string) {
	modes, splits := r.given("nodes_modes").Tensor, r.given("nodes_splits").Tensor
	weights := r.given("leaf_weights").Tensor
	switch {
	case modes == nil || modes.Type != tensor.Uint8:
		return e, "its modes are no bytes"
	case splits == nil || weights == nil || splits.Type != tensor.Float32 ||
		weights.Type != tensor.Float32:
		return e, "its numbers are no real ones of 32 bits; export it without doubles"
	}
	e = ensemble{features: r.given("nodes_featureids").Ints,
		ifTrue: r.given("nodes_truenodeids").Ints, ifFalse: r.given("nodes_falsenodeids").Ints,
		trueLeaf: r.given("nodes_trueleafs").Ints, falseLeaf: r.given("nodes_falseleafs").Ints,
		missing: r.given("nodes_missing_value_tracks_true").Ints,
		splits:  tensor.Of[float32](splits), leafTargets: r.given("leaf_targetids").Ints,
		leafWeights: tensor.Of[float32](weights),
		targets:     int(min(r.given("n_targets").Int, 1<<16))}
	for _, mode := range tensor.Of[uint8](modes) {
		if int(mode) >= len(ensembleModes) {
			return e, "this engine does not support trees that compare by members of a set"
		}
		e.modes = append(e.modes, ensembleModes[mode])
	}
	if len(e.missing) == 0 { // a NaN then fails every comparison but NEQ
		e.missing = make([]int64, len(e.modes))
	}
	for _, n := range []int{len(e.features), len(e.ifTrue), len(e.ifFalse), len(e.trueLeaf),
		len(e.falseLeaf), len(e.splits), len(e.missing)} {
		if n != len(e.modes) {
			return e, "its lists of nodes differ in length"
		}
	}
	if len(e.leafTargets) != len(e.leafWeights) || e.targets < 1 {
		return e, "its lists of weights differ in length, or it has no results"
	}
	for _, id := range e.leafTargets {
		if id < 0 || id >= int64(e.targets) {
			return e, fmt.Sprintf("it has weights for result %d of %d", id, e.targets)
		}
	}
	aggregate := int64(ensembleSum)
	if a := r.given("aggregate_function"); a.Kind == KindInt {
		aggregate = a.Int
	}
	e.average = aggregate == ensembleAverage
	switch {
	case !e.average && aggregate != ensembleSum:
		return e, fmt.Sprintf("this engine does not support its aggregate %d", aggregate)
	case r.given("post_transform").Int != 0:
		// 1 is a softmax in the specification, and a sigmoid in ONNX Runtime 1.32; 2 the reverse.
		return e, "the specification of ONNX and ONNX Runtime transform its scores differently; " +
			"export the model with post_transform 0 and a Softmax or Sigmoid behind it"
	}
	return e, ""
}

// leafID returns the ID of a tree's node that is its leaf number n. Inner nodes have their place in
// the list, which is not negative.
func leafID(n int) int64 { return -1 - int64(n) }

// grow adds the nodes of a tree to t, and returns the leaf of the list for each leaf of the tree.
// visited counts the inner nodes of all trees: no node belongs to two.
func (e *ensemble) grow(t *tree, root int64, visited *int) (leaves []int, gap string) {
	leaf := func(at int64) int64 {
		t.nodes = append(t.nodes, treeNode{id: leafID(len(leaves)), mode: leafMode})
		leaves = append(leaves, int(at))
		return leafID(len(leaves) - 1)
	}
	const loose = "its nodes do not form trees"
	for todo := []int64{root}; len(todo) > 0; {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if *visited++; i < 0 || i >= int64(len(e.modes)) || *visited > len(e.modes) {
			return nil, loose
		}
		at := len(t.nodes)
		t.nodes = append(t.nodes, treeNode{id: i, feature: e.features[i], threshold: e.splits[i],
			mode: e.modes[i], missing: e.missing[i] != 0})
		sides := [2]int64{e.ifTrue[i], e.ifFalse[i]}
		for s, isLeaf := range [2]int64{e.trueLeaf[i], e.falseLeaf[i]} {
			switch id := sides[s]; {
			case isLeaf == 0:
				todo = append(todo, id)
			case id < 0 || id >= int64(len(e.leafWeights)):
				return nil, loose
			default:
				sides[s] = leaf(id)
			}
		}
		t.nodes[at].ifTrue, t.nodes[at].ifFalse = sides[0], sides[1]
	}
	return leaves, ""
}
