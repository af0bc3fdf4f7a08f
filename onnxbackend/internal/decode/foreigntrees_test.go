package decode_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// A branch is a node of a random tree: a question about one feature, or a leaf.
type branch struct {
	mode          string
	feature       int64
	threshold     float32
	missing       int64 // 1 if a NaN follows the branch of true
	ifTrue, other int64
	weight        float32
}

// walk returns the weight of the leaf that a row reaches, by asking one question after another, as
// the ONNX specification of TreeEnsembleRegressor describes it.
func walk(tree []branch, row []float32) float32 {
	n := tree[0]
	for n.mode != "LEAF" {
		v := row[n.feature]
		yes := map[string]bool{"BRANCH_LEQ": v <= n.threshold, "BRANCH_LT": v < n.threshold,
			"BRANCH_GTE": v >= n.threshold, "BRANCH_GT": v > n.threshold,
			"BRANCH_EQ": v == n.threshold, "BRANCH_NEQ": v != n.threshold}[n.mode]
		if yes || n.missing == 1 && v != v {
			n = tree[n.ifTrue]
		} else {
			n = tree[n.other]
		}
	}
	return n.weight
}

// grow returns a random tree whose questions have the given modes.
func grow(r *rand.Rand, depth int, modes []string) []branch {
	tree := []branch{{}}
	var fill func(at int64, depth int)
	fill = func(at int64, depth int) {
		if depth == 0 || r.IntN(5) == 0 && at > 0 {
			tree[at] = branch{mode: "LEAF", weight: float32(r.IntN(9) - 4)}
			return
		}
		next := int64(len(tree))
		tree = append(tree, branch{}, branch{})
		tree[at] = branch{mode: modes[r.IntN(len(modes))], feature: int64(r.IntN(2)),
			threshold: float32(r.IntN(5) - 2), missing: int64(r.IntN(2)), ifTrue: next,
			other: next + 1}
		fill(next, depth-1)
		fill(next+1, depth-1)
	}
	fill(0, depth)
	return tree
}

// regressor writes trees as converters do.
func regressor(trees [][]branch) ot.Node {
	lists := map[string][]int64{}
	var modes []string
	var values, weights []float32
	for id, tree := range trees {
		for i, n := range tree {
			modes, values = append(modes, n.mode), append(values, n.threshold)
			for name, v := range map[string]int64{"nodes_treeids": int64(id),
				"nodes_nodeids": int64(i), "nodes_featureids": n.feature,
				"nodes_truenodeids": n.ifTrue, "nodes_falsenodeids": n.other,
				"nodes_missing_value_tracks_true": n.missing} {
				lists[name] = append(lists[name], v)
			}
			if n.mode == "LEAF" {
				weights = append(weights, n.weight)
				lists["target_ids"] = append(lists["target_ids"], 0)
				lists["target_treeids"] = append(lists["target_treeids"], int64(id))
				lists["target_nodeids"] = append(lists["target_nodeids"], int64(i))
			}
		}
	}
	a := []ot.Attribute{ot.Int("n_targets", 1), ot.Texts("nodes_modes", modes...),
		ot.Floats("nodes_values", values...), ot.Floats("target_weights", weights...)}
	for name, v := range lists {
		a = append(a, ot.Ints(name, v...))
	}
	return ml("TreeEnsembleRegressor", []string{"bag"}, []string{"y"}, a...)
}

// TestTreesFollowEachBranch compares ensembles with a walk through their trees: trees of one mode
// and of mixed modes, with values on both sides of thresholds, equal to them, and missing.
func TestTreesFollowEachBranch(t *testing.T) {
	all := []string{"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"}
	r := rand.New(rand.NewPCG(1, 2))
	for round, modes := range append([][]string{all, {"BRANCH_LEQ", "BRANCH_EQ"}},
		slices.Collect(slices.Chunk(all, 1))...) {
		t.Run(fmt.Sprint(round, modes), func(t *testing.T) {
			trees := [][]branch{grow(r, 6, modes), grow(r, 3, modes), grow(r, 5, modes)}
			m := must.Get(onnxbackend.Open(largest(1, regressor(trees)).Bytes(),
				onnxbackend.Options{}))(t)
			for range 40 {
				bag := enginetest.SmallBag(1, 2)
				bag.Values = []float32{float32(r.IntN(7) - 3), float32(r.IntN(7) - 3)}
				bag.Values[r.IntN(2)] *= [...]float32{1, 1, float32(math.NaN())}[r.IntN(3)]
				want := 0.0
				for _, tree := range trees {
					want += float64(walk(tree, bag.Values))
				}
				p := must.Get(m.Predict(context.Background(), bag))(t)
				enginetest.CheckNear(t, fmt.Sprint(bag.Values), p.Scores, []float64{want}, 0)
			}
		})
	}
}

// TestNodesThatAreNoTree links nodes in other ways than a tree does.
func TestNodesThatAreNoTree(t *testing.T) {
	leaf := branch{mode: "LEAF", weight: 1}
	split := func(ifTrue, other int64) branch {
		return branch{mode: "BRANCH_LEQ", ifTrue: ifTrue, other: other}
	}
	for _, tree := range map[string][]branch{
		"an inner node without a parent": {split(1, 2), leaf, leaf, split(1, 2)},
		"a leaf without a parent":        {split(1, 2), leaf, leaf, leaf},
		"a leaf of two parents":          {split(1, 2), split(2, 2), leaf},
		"a node of two parents":          {split(1, 1), split(2, 3), leaf, leaf},
		"a cycle":                        {split(1, 2), split(0, 2), leaf},
		"a child that is missing":        {split(1, 9), leaf},
	} {
		_, err := onnxbackend.Open(largest(1, regressor([][]branch{tree})).Bytes(),
			onnxbackend.Options{})
		var gap *onnxbackend.UnsupportedError
		must.As(t, err, &gap, "the nodes of tree 0 do not form a tree")
	}
}
