package decode

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// leafMode is the mode of a leaf.
const leafMode = "LEAF"

// maxCells bounds the matrices of an ensemble or a support vector machine: 2^24 numbers are 64 MB,
// a hundred trees of four hundred leaves each.
const maxCells = 1 << 24

// A tree of an ensemble. An inner node compares a feature with a threshold; a leaf holds weights.
type tree struct {
	nodes     []treeNode
	feature   []int64   // (inner node)
	threshold []float32 // (inner node)
	mode      []string  // (inner node) name of the comparison
	missing   []bool    // (inner node) a NaN follows the branch of true
	path      []float32 // (inner node, leaf) 1 if true leads to the leaf, -1 if false does, else 0
	trues     []float32 // (leaf) number of comparisons on its path that are true
	leaf      map[int64]int
	weights   []float32 // (leaf, result)
}

// A treeNode is a node as the file lists it. ifTrue and ifFalse are the IDs of its children.
type treeNode struct {
	id, feature, ifTrue, ifFalse int64
	threshold                    float32
	mode                         string // "LEAF", or a name of comparisons
	missing                      bool   // a NaN follows the branch of true
}

// A forest holds trees by ID, and the IDs in the order of the file: sums are added in this order.
type forest struct {
	trees map[int64]*tree
	order []int64
}

// trees replaces an ensemble by three steps for each tree. The first one computes all comparisons,
// as 0 or 1. The second one multiplies them by path: only at the leaf that the row reaches is the
// product the leaf's number of true comparisons. The third one adds this leaf's weights. Products
// are small whole numbers and exact.
func (r *replacement) trees() string {
	kind, n := "target", int(min(r.given("n_targets").Int, 1<<16))
	classifier := r.of.Op == "TreeEnsembleClassifier"
	if classifier {
		kind, n = "class", max(len(r.given("classlabels_int64s").Ints),
			len(r.given("classlabels_strings").Strings))
	}
	ids := r.given(kind + "_ids").Ints
	for _, id := range ids {
		if id < 0 || id >= int64(n) {
			return fmt.Sprintf("it has weights for result %d of %d", id, n)
		}
	}
	if classifier && n == 2 && !slices.ContainsFunc(ids, func(id int64) bool { return id != 0 }) {
		n = 1 // one score for two classes, that of the second
	}
	f, gap := r.readForest()
	if gap != "" {
		return gap
	}
	weights := r.given(kind + "_weights").Floats
	if gap := r.addWeights(&f, kind, ids, weights, n); gap != "" {
		return gap
	}
	base := r.given("base_values").Floats
	if len(base) != n {
		base = make([]float32, n)
	}
	r.floats("sum", base, 1, n)
	r.expand("Cast 0 = x to:1")
	sums := "sum"
	for _, id := range f.order {
		sums = r.tree(id, f.trees[id], sums, n)
	}
	if !classifier {
		return r.transformed(sums + " = y0")
	}
	rest := float32(1)
	if r.given("post_transform").String != "LOGISTIC" &&
		slices.ContainsFunc(weights, func(w float32) bool { return w < 0 }) {
		rest = 0 // ONNX Runtime negates scores that are not probabilities
	}
	return r.classified(sums, n, rest)
}

// addWeights adds the node's list of weights to the leaves. Entries of inner nodes do not count, as
// in ONNX Runtime.
func (r *replacement) addWeights(
	f *forest, kind string, ids []int64, weights []float32, n int,
) (gap string) {
	nodes, trees := r.given(kind+"_nodeids").Ints, r.given(kind+"_treeids").Ints
	if len(nodes) != len(ids) || len(trees) != len(ids) || len(weights) != len(ids) {
		return "its lists of weights differ in length"
	}
	scale := float32(1)
	switch name := r.given("aggregate_function").String; name {
	case "", "SUM":
	case "AVERAGE":
		scale = 1 / float32(len(f.order))
	default:
		return msg.Sprintf("this engine does not support the aggregate %q", name)
	}
	for _, t := range f.trees {
		t.weights = make([]float32, len(t.leaf)*n)
	}
	for i, id := range ids {
		t := f.trees[trees[i]]
		if t == nil {
			return fmt.Sprintf("it has weights for tree %d, which does not exist", trees[i])
		}
		if leaf, ok := t.leaf[nodes[i]]; ok {
			t.weights[leaf*n+int(id)] += weights[i] * scale
		}
	}
	return ""
}

// comparisons has the operators of the modes of inner nodes, on inputs "column" and "threshold".
var comparisons = map[string]string{"BRANCH_LEQ": "LessOrEqual", "BRANCH_LT": "Less",
	"BRANCH_GTE": "GreaterOrEqual", "BRANCH_GT": "Greater", "BRANCH_EQ": "Equal",
	"BRANCH_NEQ": "Equal"} // the result of NEQ is negated, see compare

// readForest reads the trees.
func (r *replacement) readForest() (f forest, gap string) {
	trees, ids, modes, thresholds := r.given("nodes_treeids").Ints, r.given("nodes_nodeids").Ints,
		r.given("nodes_modes").Strings, r.given("nodes_values").Floats
	features, ifTrue, ifFalse := r.given("nodes_featureids").Ints,
		r.given("nodes_truenodeids").Ints, r.given("nodes_falsenodeids").Ints
	for _, n := range []int{len(ids), len(modes), len(thresholds), len(features), len(ifTrue),
		len(ifFalse)} {
		if n != len(trees) {
			return f, "its lists of nodes differ in length; export it without doubles"
		}
	}
	missing := r.given("nodes_missing_value_tracks_true").Ints
	if len(missing) == 0 { // an optional list; a NaN then fails every comparison but NEQ
		missing = make([]int64, len(trees))
	}
	if len(missing) != len(trees) {
		return f, fmt.Sprintf("it states the branch of missing values for %d of %d nodes",
			len(missing), len(trees))
	}
	f.trees = map[int64]*tree{}
	// Nodes are listed with the ID of their tree. Lists of several trees may alternate.
	for i, id := range trees {
		t := f.trees[id]
		if t == nil {
			t = &tree{leaf: map[int64]int{}}
			f.trees[id] = t
			f.order = append(f.order, id)
		}
		if modes[i] != leafMode && comparisons[modes[i]] == "" {
			return f, msg.Sprintf("this engine does not support trees that compare by %q", modes[i])
		}
		t.nodes = append(t.nodes, treeNode{id: ids[i], feature: features[i], ifTrue: ifTrue[i],
			ifFalse: ifFalse[i], threshold: thresholds[i], mode: modes[i],
			missing: missing[i] != 0})
	}
	return f, r.linkForest(&f)
}

// linkForest finds the paths of all trees, in memory that the limits allow.
func (r *replacement) linkForest(f *forest) (gap string) {
	cells := 0
	for _, id := range f.order {
		t := f.trees[id]
		leaves := 0
		for _, n := range t.nodes {
			if n.mode == leafMode {
				leaves++
			}
		}
		if cells += leaves * (len(t.nodes) - leaves); cells > r.cells || len(t.nodes) > r.cells {
			return "its trees are too large for this engine; train fewer or smaller ones"
		}
		if !t.findPaths(leaves) {
			return fmt.Sprintf("the nodes of tree %d do not form a tree", id)
		}
	}
	return ""
}

// findPaths visits all nodes from the root, the first node, depth first. It reports false unless
// each node is reached once: a file may link nodes in a cycle.
func (t *tree) findPaths(leaves int) bool {
	at := map[int64]int{}
	for i, n := range t.nodes {
		at[n.id] = i
	}
	if len(at) < len(t.nodes) {
		return false // two nodes share an ID
	}
	inner := len(t.nodes) - leaves
	t.path = make([]float32, inner*leaves)
	type visit struct {
		node int
		path []float32 // (inner node visited so far) as in tree.path
	}
	// The first node is the root. Children are pushed with the path to them.
	todo := []visit{{0, make([]float32, 0, inner)}}
	for seen := 0; len(todo) > 0; seen++ {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := t.nodes[v.node]
		if seen == len(t.nodes) { // more visits than nodes: some node is reached twice
			return false
		}
		if n.mode == leafMode {
			if _, twice := t.leaf[n.id]; twice {
				return false
			}
			trues := float32(0)
			for i, branch := range v.path {
				t.path[i*leaves+len(t.leaf)] = branch
				trues += max(branch, 0)
			}
			t.leaf[n.id] = len(t.leaf)
			t.trues = append(t.trues, trues)
			continue
		}
		i := len(t.feature)
		if i == inner { // an inner node is visited twice
			return false
		}
		t.feature, t.threshold = append(t.feature, n.feature), append(t.threshold, n.threshold)
		t.mode, t.missing = append(t.mode, n.mode), append(t.missing, n.missing)
		for _, side := range []struct {
			to     int64
			branch float32
		}{{n.ifFalse, -1}, {n.ifTrue, 1}} {
			next, ok := at[side.to]
			if !ok {
				return false
			}
			path := make([]float32, i+1, inner)
			copy(path, v.path)
			path[i] = side.branch
			todo = append(todo, visit{next, path})
		}
	}
	return len(t.leaf) == leaves && len(t.feature) == inner
}

// tree writes the steps of one tree and returns the name of the sum that they add to. A tree of one
// leaf has no comparisons.
func (r *replacement) tree(id int64, t *tree, sums string, n int) string {
	leaves, inner := len(t.leaf), len(t.feature)
	name := strconv.FormatInt(id, 10)
	r.floats("weights"+name, t.weights, leaves, n)
	text := "Add " + sums + " weights# = sum#"
	if inner > 0 {
		r.constant("feature"+name, tensor.From(tensor.Int64, t.feature, inner))
		r.floats("threshold"+name, t.threshold, inner)
		r.floats("path"+name, t.path, inner, leaves)
		r.floats("trues"+name, t.trues, leaves)
		text = "Gather x feature# = column# axis:1. " + r.compare(name, t) +
			"Cast is# = one# to:1. MatMul one# path# = count#. " +
			"Equal count# trues# = reached#. Cast reached# = leaf# to:1. " +
			"MatMul leaf# weights# = added#. Add " + sums + " added# = sum#"
	}
	r.expand(strings.ReplaceAll(text, "#", name))
	return "sum" + name
}

// compare returns the steps from a tree's columns to is#, the comparisons of its inner nodes. Each
// mode compares all columns, and a mask selects the nodes of the mode: trees of one mode, which
// most converters write, need one comparison and no mask.
func (r *replacement) compare(name string, t *tree) string {
	text, last := "", ""
	for i, mode := range t.mode {
		if slices.Contains(t.mode[:i], mode) {
			continue
		}
		result := mode + "#"
		text += comparisons[mode] + " column# threshold# = " + result + ". "
		if mode == "BRANCH_NEQ" {
			text += "Not " + result + " = not#. "
			result = "not#"
		}
		if last != "" {
			r.mask(mode+"mask"+name, t, func(i int) bool { return t.mode[i] == mode })
			text += "Where " + mode + "mask# " + result + " " + last + " = " + mode + "else#. "
			result = mode + "else#"
		}
		last = result
	}
	if slices.Contains(t.missing, true) {
		r.mask("missing"+name, t, func(i int) bool { return t.missing[i] })
		text += "IsNaN column# = nan#. And nan# missing# = tracked#. "
		text += "Or " + last + " tracked# = tracks#. "
		last = "tracks#"
	}
	return text + "Identity " + last + " = is#. "
}

// mask adds a constant of booleans, one for each inner node of a tree.
func (r *replacement) mask(name string, t *tree, of func(node int) bool) {
	v := make([]uint8, len(t.mode)) // booleans of a tensor are bytes
	for i := range v {
		if of(i) {
			v[i] = 1
		}
	}
	r.constant(name, tensor.From(tensor.Bool, v, len(v)))
}
