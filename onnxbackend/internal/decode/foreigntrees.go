package decode

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// maxTreeCells bounds the matrices of an ensemble: 2^24 numbers are 64 MB, a hundred trees of four
// hundred leaves each.
const maxTreeCells = 1 << 24

// A tree of an ensemble: inner nodes ask, leaves answer.
type tree struct {
	nodes     []treeNode
	feature   []int64   // (question)
	threshold []float32 // (question)
	way       []float32 // (question, leaf) 1 where the way to the leaf goes by yes, -1 where by no
	yes       []float32 // (leaf) answers of yes on its way
	leaf      map[int64]int
	weights   []float32 // (leaf, result)
}

type treeNode struct {
	id, feature, yes, no int64
	threshold            float32
	leaf                 bool
}

type forest struct {
	of    map[int64]*tree
	order []int64
}

// trees replaces an ensemble by three steps for each tree: which questions are answered yes, how
// many answers agree with each leaf's way, and what the one leaf adds with whose way all agree.
// Counts are small and exact.
func (r *replacement) trees() string {
	kind, n := "target", int(min(r.given("n_targets").Int, 1<<16))
	classifier := r.of.Op == "TreeEnsembleClassifier"
	if classifier {
		kind, n = "class", max(len(r.given("classlabels_int64s").Ints),
			len(r.given("classlabels_strings").Strings))
	}
	ids := r.given(kind + "_ids").Ints
	single := true
	for _, id := range ids {
		if id < 0 || id >= int64(n) {
			return fmt.Sprintf("it gives weight to result %d of %d", id, n)
		}
		single = single && id == 0
	}
	if classifier && n == 2 && single {
		n = 1
	}
	list, compare, gap := r.grow()
	if gap != "" {
		return gap
	}
	base := r.given("base_values").Floats
	if len(base) != n {
		base = make([]float32, n)
	}
	r.floats("sum", base, 1, n)
	r.spell("Cast 0 = x to:1")
	sums := "sum"
	nodes, trees, weights := r.given(kind+"_nodeids").Ints, r.given(kind+"_treeids").Ints,
		r.given(kind+"_weights").Floats
	if len(nodes) != len(ids) || len(trees) != len(ids) || len(weights) != len(ids) {
		return "its lists of weights differ in length"
	}
	scale := float32(1)
	switch f := r.given("aggregate_function").String; f {
	case "", "SUM":
	case "AVERAGE":
		scale = 1 / float32(len(list.order))
	default:
		return fmt.Sprintf("this engine does not know the aggregate %q", f)
	}
	for i, id := range ids {
		t := list.of[trees[i]]
		if t == nil {
			return fmt.Sprintf("it gives weight to tree %d, which is not there", trees[i])
		}
		if l, ok := t.leaf[nodes[i]]; ok {
			t.weigh(l, n)[id] += weights[i] * scale
		}
	}
	for _, id := range list.order {
		sums = r.tree(id, list.of[id], compare, sums, n)
	}
	if !classifier {
		return r.transformed(sums + " = y0")
	}
	rest := float32(1)
	if r.given("post_transform").String != "LOGISTIC" &&
		slices.ContainsFunc(weights, func(w float32) bool { return w < 0 }) {
		rest = 0 // as ONNX Runtime takes scores that are no probabilities
	}
	return r.classified(sums, n, rest)
}

func (t *tree) weigh(leaf, n int) []float32 {
	if t.weights == nil {
		t.weights = make([]float32, len(t.leaf)*n)
	}
	return t.weights[leaf*n : (leaf+1)*n]
}

// comparisons are the operators of the ways in which nodes ask.
var comparisons = map[string]string{"BRANCH_LEQ": "LessOrEqual", "BRANCH_LT": "Less",
	"BRANCH_GTE": "GreaterOrEqual", "BRANCH_GT": "Greater", "BRANCH_EQ": "Equal"}

// grow reads the trees and the one way in which all their nodes ask.
func (r *replacement) grow() (f forest, compare, gap string) {
	trees, ids, modes, thresholds := r.given("nodes_treeids").Ints, r.given("nodes_nodeids").Ints,
		r.given("nodes_modes").Strings, r.given("nodes_values").Floats
	features, yes, no := r.given("nodes_featureids").Ints, r.given("nodes_truenodeids").Ints,
		r.given("nodes_falsenodeids").Ints
	for _, n := range []int{len(ids), len(modes), len(thresholds), len(features), len(yes),
		len(no)} {
		if n != len(trees) {
			return f, "", "its lists of nodes differ in length; export it without doubles"
		}
	}
	for _, v := range r.given("nodes_missing_value_tracks_true").Ints {
		if v != 0 {
			return f, "", "this engine knows no trees that say where missing values go"
		}
	}
	f.of = map[int64]*tree{}
	compare = "LessOrEqual"
	asked := ""
	for i, id := range trees {
		t := f.of[id]
		if t == nil {
			t = &tree{leaf: map[int64]int{}}
			f.of[id] = t
			f.order = append(f.order, id)
		}
		n := treeNode{id: ids[i], feature: features[i], yes: yes[i], no: no[i],
			threshold: thresholds[i], leaf: modes[i] == "LEAF"}
		t.nodes = append(t.nodes, n)
		if n.leaf {
			continue
		}
		op := comparisons[modes[i]]
		if op == "" || asked != "" && op != asked {
			return f, "", fmt.Sprintf("this engine knows no trees that ask by %q beside others",
				modes[i])
		}
		asked, compare = op, op
	}
	cells := 0
	for _, id := range f.order {
		t := f.of[id]
		leaves := 0
		for _, n := range t.nodes {
			if n.leaf {
				leaves++
			}
		}
		if cells += leaves * (len(t.nodes) - leaves); cells > r.cells || len(t.nodes) > r.cells {
			return f, "", "its trees are too large for this engine; train fewer or smaller ones"
		}
		if !t.walk(leaves) {
			return f, "", fmt.Sprintf("the nodes of tree %d are no tree", id)
		}
	}
	return f, compare, ""
}

// walk goes from the root, the first node, to every leaf.
func (t *tree) walk(leaves int) bool {
	at := map[int64]int{}
	for i, n := range t.nodes {
		if _, twice := at[n.id]; twice {
			return false
		}
		at[n.id] = i
	}
	questions := len(t.nodes) - leaves
	t.way = make([]float32, questions*leaves)
	type visit struct {
		node int
		path []float32 // (question)
	}
	todo := []visit{{0, make([]float32, 0, questions)}}
	for seen := 0; len(todo) > 0; seen++ {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := t.nodes[v.node]
		if seen == len(t.nodes) { // more steps than nodes: one is reached twice
			return false
		}
		if n.leaf {
			l := len(t.leaf)
			if _, twice := t.leaf[n.id]; twice {
				return false
			}
			t.leaf[n.id] = l
			yes := float32(0)
			for q, answer := range v.path {
				t.way[q*leaves+l] = answer
				yes += max(answer, 0)
			}
			t.yes = append(t.yes, yes)
			continue
		}
		q := len(t.feature)
		if q == questions {
			return false
		}
		t.feature, t.threshold = append(t.feature, n.feature), append(t.threshold, n.threshold)
		for _, side := range []struct {
			to     int64
			answer float32
		}{{n.no, -1}, {n.yes, 1}} {
			next, ok := at[side.to]
			if !ok {
				return false
			}
			path := make([]float32, q+1, questions)
			copy(path, v.path)
			path[q] = side.answer
			todo = append(todo, visit{next, path})
		}
	}
	return len(t.leaf) == leaves && len(t.feature) == questions
}

// tree adds what one tree says to the sums.
func (r *replacement) tree(id int64, t *tree, compare, sums string, n int) string {
	leaves, questions := len(t.leaf), len(t.feature)
	t.weigh(0, n)
	name := strconv.FormatInt(id, 10)
	r.floats("weights"+name, t.weights, leaves, n)
	text := "Add " + sums + " weights# = sum#"
	if questions > 0 {
		r.constant("feature"+name, tensor.From(tensor.Int64, t.feature, questions))
		r.floats("threshold"+name, t.threshold, questions)
		r.floats("way"+name, t.way, questions, leaves)
		r.floats("yes"+name, t.yes, leaves)
		text = "Gather x feature# = column# axis:1. " + compare +
			" column# threshold# = answer#. Cast answer# = one# to:1. MatMul one# way# = met#. " +
			"Equal met# yes# = there#. Cast there# = leaf# to:1. MatMul leaf# weights# = said#. " +
			"Add " + sums + " said# = sum#"
	}
	r.spell(strings.ReplaceAll(text, "#", name))
	return "sum" + name
}
