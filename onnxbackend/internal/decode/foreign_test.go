package decode_test

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// ml makes a node of ai.onnx.ml.
func ml(op string, in, out []string, a ...ot.Attribute) ot.Node {
	n := ot.N(op, in, out, a...)
	n.Domain = "ai.onnx.ml"
	return n
}

// largest pools y over the instances of a model that begins with nodes of another domain.
func largest(classes int, nodes ...ot.Node) ot.Model {
	return ot.Model{
		Opset: 13, Domains: map[string]int{"ai.onnx.ml": 3, "com.microsoft": 1},
		Inputs: []ot.Value{ot.In("bag", "k", 2)}, Outputs: []ot.Value{ot.In("scores", classes)},
		Nodes: append(nodes, ot.Nodes(`scores = ReduceMax<axes=[0], keepdims=0>(y)`)...),
	}
}

// stump is an ensemble of a tree of one question and a tree that is a leaf.
func stump(mode string) []ot.Attribute {
	return []ot.Attribute{
		ot.Ints("nodes_treeids", 0, 0, 0, 7), ot.Ints("nodes_nodeids", 0, 1, 2, 0),
		ot.Ints("nodes_featureids", 1, 0, 0, 0), ot.Texts("nodes_modes", mode, "LEAF", "LEAF",
			"LEAF"),
		ot.Floats("nodes_values", .5, 0, 0, 0), ot.Ints("nodes_truenodeids", 1, 0, 0, 0),
		ot.Ints("nodes_falsenodeids", 2, 0, 0, 0),
	}
}

// bytesOf returns a list of bytes.
func bytesOf(v ...int32) ot.Tensor {
	return ot.Tensor{Type: 2, Dims: []int{len(v)}, Ints32: v}
}

// ensembleOf is a TreeEnsemble of one tree of two questions and three leaves, with some attributes
// replaced.
func ensembleOf(others map[string]ot.Attribute) (list []ot.Attribute) {
	all := map[string]ot.Attribute{
		"tree_roots": ot.Ints("tree_roots", 0), "n_targets": ot.Int("n_targets", 2),
		"nodes_featureids":   ot.Ints("nodes_featureids", 1, 0),
		"nodes_modes":        ot.Dense("nodes_modes", bytesOf(0, 0)),
		"nodes_splits":       ot.Dense("nodes_splits", ot.F("", []float32{.5, 1}, 2)),
		"nodes_truenodeids":  ot.Ints("nodes_truenodeids", 0, 1),
		"nodes_falsenodeids": ot.Ints("nodes_falsenodeids", 1, 2),
		"nodes_trueleafs":    ot.Ints("nodes_trueleafs", 1, 1),
		"nodes_falseleafs":   ot.Ints("nodes_falseleafs", 0, 1),
		"leaf_targetids":     ot.Ints("leaf_targetids", 0, 1, 1),
		"leaf_weights":       ot.Dense("leaf_weights", ot.F("", []float32{.5, .25, 4}, 3)),
	}
	maps.Copy(all, others)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, all[name])
	}
	return list
}

// quantised multiplies the bag (3, -4) by the transpose of the rows (1, 2) and (0, -1), adds
// (1, -1) and doubles the sums: 2 (-5 + 1) and 2 (4 - 1). Factors are quantised, and the result if
// its scale is named. The bias is in units of both scales: .5, and .25 and .5 of the rows.
func quantised(scale, zero string) []ot.Node {
	var nodes []ot.Node
	constant := func(name string, v ot.Tensor) {
		nodes = append(nodes, ot.N("Constant", nil, []string{name}, ot.Dense("value", v)))
	}
	constant("a_scale", ot.F("", []float32{.5}))
	constant("a_zero", ot.Tensor{Type: 2, Ints32: []int32{128}})
	constant("b", ot.Tensor{Type: 3, Dims: []int{2, 2}, Ints32: []int32{4, 8, 0, -2}})
	constant("b_scale", ot.F("", []float32{.25, .5}, 2))
	constant("b_zero", ot.Tensor{Type: 3, Dims: []int{2}, Ints32: []int32{0, 0}})
	constant("bias", ot.Tensor{Type: 6, Dims: []int{2}, Ints32: []int32{8, -4}})
	constant("y_scale", ot.F("", []float32{.5}))
	constant("y_zero", ot.Tensor{Type: 2, Ints32: []int32{100}})
	product := ot.N("QGemm", []string{"a", "a_scale", "a_zero", "b", "b_scale", "b_zero", "bias"},
		[]string{"y"}, ot.Int("transB", 1), ot.Float("alpha", 2))
	product.Domain = "com.microsoft"
	nodes = append(nodes,
		ot.N("QuantizeLinear", []string{"bag", "a_scale", "a_zero"}, []string{"a"}))
	if scale == "" {
		return append(nodes, product)
	}
	product.In, product.Out = append(product.In, scale, zero), []string{"q"}
	return append(nodes, product,
		ot.N("DequantizeLinear", []string{"q", scale, zero}, []string{"y"}))
}

// quantisedParts joins the bag in units of 1/2 and twice the bag in units of 1/4, quantised, to
// columns in units of 1.
func quantisedParts() []ot.Node {
	constant := func(name string, v ot.Tensor) ot.Node {
		return ot.N("Constant", nil, []string{name}, ot.Dense("value", v))
	}
	join := ot.N("QLinearConcat", []string{"one", "y_zero", "a", "half", "zero", "b", "quarter",
		"zero"}, []string{"q"}, ot.Int("axis", 1))
	join.Domain = "com.microsoft"
	return []ot.Node{
		constant("one", ot.F("", []float32{1})), constant("half", ot.F("", []float32{.5})),
		constant("quarter", ot.F("", []float32{.25})),
		constant("zero", ot.Tensor{Type: 2, Ints32: []int32{128}}),
		constant("y_zero", ot.Tensor{Type: 2, Ints32: []int32{9}}),
		ot.N("Add", []string{"bag", "bag"}, []string{"twice"}),
		ot.N("QuantizeLinear", []string{"bag", "half", "zero"}, []string{"a"}),
		ot.N("QuantizeLinear", []string{"twice", "quarter", "zero"}, []string{"b"}), join,
		ot.N("DequantizeLinear", []string{"q", "one", "y_zero"}, []string{"y"}),
	}
}

// TestForeignOperators runs models as converters of scikit-learn write them. The expected values
// are those of ONNX Runtime.
func TestForeignOperators(t *testing.T) {
	bag := enginetest.SmallBag(1, 2)
	bag.Values = []float32{3, -4}
	weights := func(kind string) []ot.Attribute {
		return []ot.Attribute{ot.Ints(kind+"_ids", 0, 0, 0), ot.Ints(kind+"_treeids", 0, 0, 7),
			ot.Ints(kind+"_nodeids", 1, 2, 0), ot.Floats(kind+"_weights", .5, .25, .125)}
	}
	for _, c := range []struct {
		name  string
		nodes []ot.Node
		want  []float64
	}{
		{"scaler", []ot.Node{ml("Scaler", []string{"bag"}, []string{"y"}, ot.Floats("offset", 1, 2),
			ot.Floats("scale", 2))}, []float64{4, -12}},
		{"largest is one", []ot.Node{ml("Normalizer", []string{"bag"}, []string{"y"})},
			[]float64{1, -4.0 / 3}},
		{"L1", []ot.Node{ml("Normalizer", []string{"bag"}, []string{"y"}, ot.Text("norm", "L1"))},
			[]float64{3.0 / 7, -4.0 / 7}},
		{"L2", []ot.Node{ml("Normalizer", []string{"bag"}, []string{"y"}, ot.Text("norm", "L2"))},
			[]float64{.6, -.8}},
		{"zeros stay", []ot.Node{ot.N("Sub", []string{"bag", "bag"}, []string{"z"}),
			ml("Normalizer", []string{"z"}, []string{"y"}, ot.Text("norm", "L2"))},
			[]float64{0, 0}},
		{"mark of what is missing", []ot.Node{ml("Imputer", []string{"bag"}, []string{"y"},
			ot.Floats("imputed_value_floats", 9), ot.Float("replaced_value_float", -4))},
			[]float64{3, 9}},
		{"binary", []ot.Node{ml("Binarizer", []string{"bag"}, []string{"y"},
			ot.Float("threshold", 1))}, []float64{1, 0}},
		{"joined", []ot.Node{ml("FeatureVectorizer", []string{"bag", "bag"}, []string{"y"},
			ot.Ints("inputdimensions", 2, 2))}, []float64{3, -4, 3, -4}},
		{"columns by a list of any shape", []ot.Node{
			ot.N("Constant", nil, []string{"at"},
				ot.Dense("value", ot.I("", []int64{1, 0, 1}, 1, 3))),
			ml("ArrayFeatureExtractor", []string{"bag", "at"}, []string{"y"})},
			[]float64{-4, 3, -4}},
		{"product of quantised factors", quantised("", ""), []float64{-8, 6}},
		{"quantised product", quantised("y_scale", "y_zero"), []float64{-8, 6}},
		{"regressor", []ot.Node{ml("LinearRegressor", []string{"bag"}, []string{"y"},
			ot.Floats("coefficients", 1, 2, 3, 4), ot.Floats("intercepts", .5, -.5),
			ot.Int("targets", 2))}, []float64{-4.5, -7.5}},
		{"regressor without intercepts", []ot.Node{ml("LinearRegressor", []string{"bag"},
			[]string{"y"}, ot.Floats("coefficients", 1, 2, 3, 4), ot.Int("targets", 2))},
			[]float64{-5, -7}},
		{"quantised parts", quantisedParts(), []float64{3, -4, 6, -8}},
		{"classifier", []ot.Node{
			ml("LinearClassifier", []string{"bag"}, []string{"label", "p"},
				ot.Floats("coefficients", 1, 1, 0, 0), ot.Floats("intercepts", 0, 0),
				ot.Ints("classlabels_ints", 5, 6), ot.Text("post_transform", "SOFTMAX")),
			ml("ZipMap", []string{"p"}, []string{"y"}, ot.Ints("classlabels_int64s", 5, 6))},
			[]float64{.2689414, .7310586}},
		{"classifier of one score", []ot.Node{
			ml("LinearClassifier", []string{"bag"}, []string{"", "y"},
				ot.Floats("coefficients", 1, 1), ot.Floats("intercepts", 0),
				ot.Ints("classlabels_ints", 0, 1), ot.Text("post_transform", "LOGISTIC"))},
			[]float64{.7310586, .2689414}},
		{"trees", []ot.Node{ml("TreeEnsembleRegressor", []string{"bag"}, []string{"y"},
			append(append(stump("BRANCH_LEQ"), weights("target")...), ot.Int("n_targets", 1),
				ot.Floats("base_values", 10))...)}, []float64{10.625}},
		{"trees that ask for more", []ot.Node{ml("TreeEnsembleRegressor", []string{"bag"},
			[]string{"y"}, append(append(stump("BRANCH_GT"), weights("target")...),
				ot.Int("n_targets", 1), ot.Text("aggregate_function", "AVERAGE"))...)},
			[]float64{.1875}},
		{"trees of two classes, the second named",
			[]ot.Node{ml("TreeEnsembleClassifier", []string{"bag"}, []string{"l", "y"},
				append(append(stump("BRANCH_LT"), ot.Ints("class_ids", 1, 1, 1)),
					append(weights("class")[1:], ot.Ints("classlabels_int64s", 0, 1),
						ot.Text("post_transform", "LOGISTIC"))...)...)}, []float64{.5, .65135491}},
		{"trees of one negative score", []ot.Node{ml("TreeEnsembleClassifier", []string{"bag"},
			[]string{"l", "y"}, append(append(stump("BRANCH_LT"),
				ot.Floats("class_weights", -.5, .25, .125)),
				append(weights("class")[:3], ot.Ints("classlabels_int64s", 0, 1))...)...)},
			[]float64{.375, -.375}},
		{"trees of one logistic score", []ot.Node{ml("TreeEnsembleClassifier", []string{"bag"},
			[]string{"l", "y"}, append(append(stump("BRANCH_LT"),
				ot.Floats("class_weights", -.5, .25, .125)),
				append(weights("class")[:3], ot.Ints("classlabels_int64s", 0, 1),
					ot.Text("post_transform", "LOGISTIC"))...)...)}, []float64{.5926666, .4073334}},
		{"ensemble", []ot.Node{ml("TreeEnsemble", []string{"bag"}, []string{"y"},
			ensembleOf(nil)...)}, []float64{.5, 0}},
		{"trees of two classes", []ot.Node{ml("TreeEnsembleClassifier", []string{"bag"},
			[]string{"l", "y"}, append(append(stump("BRANCH_LT"), weights("class")...),
				ot.Ints("classlabels_int64s", 0, 1))...)}, []float64{.375, .625}},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := largest(len(c.want), c.nodes...).Bytes()
			m := must.Get(onnxbackend.Open(data, onnxbackend.Options{}))(t)
			p := must.Get(m.Predict(context.Background(), bag))(t)
			enginetest.CheckNear(t, "scores", p.Scores, c.want, 1e-6)
		})
	}
}

// TestTextOutputsAreDropped checks that outputs of text are removed, with a note, whatever computes
// them.
func TestTextOutputsAreDropped(t *testing.T) {
	texts := ot.Texts("classlabels_strings", "benign", "malignant")
	weights := []ot.Attribute{ot.Floats("coefficients", 1, 1, 0, 0), ot.Floats("intercepts", 0, 0)}
	classifier := ml("LinearClassifier", []string{"bag"}, []string{"label", "y"},
		append(weights, texts)...)
	named := ml("LinearClassifier", []string{"bag"}, []string{"whole", "y"},
		append(weights, ot.Ints("classlabels_ints", 0, 1))...)
	best := ot.N("ArgMax", []string{"bag"}, []string{"at"}, ot.Int("axis", 1))
	classes := ot.Tensor{Name: "classes", Type: 8, Dims: []int{2}}
	for name, nodes := range map[string][]ot.Node{
		"classifier": {classifier},
		"nodes behind": {func() ot.Node {
			n := classifier
			n.Out = []string{"first", "y"}
			return n
		}(), ot.N("Identity", []string{"first"}, []string{"second"}),
			ot.N("Reshape", []string{"second", "shape"}, []string{"label"})},
		"constants": {named, best,
			ml("ArrayFeatureExtractor", []string{"classes", "at"}, []string{"first"}),
			ot.N("Identity", []string{"first"}, []string{"label"})},
		"map": {named, ml("LabelEncoder", []string{"whole"}, []string{"label"},
			ot.Ints("keys_int64s", 0, 1), ot.Texts("values_strings", "benign", "malignant"))},
	} {
		t.Run(name, func(t *testing.T) {
			model := largest(2, nodes...)
			model.Initializers = []ot.Tensor{classes, ot.I("shape", []int64{-1}, 1)}
			model.Outputs = append([]ot.Value{{Name: "label", Type: 8, Dims: []any{"k"}}},
				model.Outputs...)
			m := must.Get(onnxbackend.Open(model.Bytes(), onnxbackend.Options{}))(t)
			info := m.Info()
			must.Equal(t, len(info.Outputs), 1, info)
			must.Equal(t, strings.Contains(strings.Join(info.Notes, " "), `"label" holds text`),
				true, info)
		})
	}
}

// TestModelsOfText checks that the error of a model all of whose outputs need a text names it.
func TestModelsOfText(t *testing.T) {
	model := largest(2, ml("ArrayFeatureExtractor", []string{"classes", "bag"}, []string{"y"}))
	model.Initializers = []ot.Tensor{{Name: "classes", Type: 8, Dims: []int{2}}}
	_, err := onnxbackend.Open(model.Bytes(), onnxbackend.Options{})
	var gap *onnxbackend.UnsupportedError
	must.As(t, err, &gap, `"classes"`)
}

// TestUnsupportedForeignOperators checks that errors about operators of other domains name the
// operator and the reason.
func TestUnsupportedForeignOperators(t *testing.T) {
	deep := stump("BRANCH_LEQ")
	deep[5] = ot.Ints("nodes_truenodeids", 0, 0, 0, 0) // the root is its own child
	short := stump("BRANCH_LEQ")
	short[1] = ot.Ints("nodes_nodeids", 0, 1)
	for _, c := range []struct {
		node ot.Node
		want string
	}{
		{ml("OneHotEncoder", []string{"bag"}, []string{"y"}),
			"linear models, scalers, trees and support vector machines"},
		{ml("LabelEncoder", []string{"bag"}, []string{"y"}), "maps whole numbers of 64 bits"},
		{ml("LabelEncoder", []string{"bag"}, []string{"y"}, ot.Ints("keys_int64s", 1, 2),
			ot.Ints("values_int64s", 1)), "2 keys and 1 values"},
		{ml("LabelEncoder", []string{"bag"}, []string{"y"}, ot.Floats("keys_floats",
			float32(math.NaN())), ot.Ints("values_int64s", 1)), "is not a number"},
		{ml("LabelEncoder", []string{"bag"}, []string{"y"}, ot.Floats("keys_floats", 1),
			ot.Ints("values_int64s", 1), ot.Dense("default_tensor", ot.F("", []float32{1}, 1))),
			"its default has another type"},
		{ml("TreeEnsemble", []string{"bag"}, []string{"y"}), "its modes are no bytes"},
		{ml("TreeEnsemble", []string{"bag"}, []string{"y"}, ensembleOf(map[string]ot.Attribute{
			"leaf_weights": ot.Dense("leaf_weights", ot.Tensor{Type: 11, Dims: []int{0}})})...),
			"without doubles"},
		{ml("TreeEnsemble", []string{"bag"}, []string{"y"}, ensembleOf(map[string]ot.Attribute{
			"nodes_modes": ot.Dense("nodes_modes", bytesOf(0, 6))})...), "members of a set"},
		{ml("TreeEnsemble", []string{"bag"}, []string{"y"}, ensembleOf(map[string]ot.Attribute{
			"nodes_featureids": ot.Ints("nodes_featureids", 0)})...), "nodes differ in length"},
		{ml("TreeEnsemble", []string{"bag"}, []string{"y"}, ensembleOf(map[string]ot.Attribute{
			"leaf_targetids": ot.Ints("leaf_targetids", 0)})...), "weights differ in length"},
		{ml("TreeEnsemble", []string{"bag"}, []string{"y"}, ensembleOf(map[string]ot.Attribute{
			"leaf_targetids": ot.Ints("leaf_targetids", 0, 1, 2)})...), "result 2 of 2"},
		{ml("TreeEnsemble", []string{"bag"}, []string{"y"}, ensembleOf(map[string]ot.Attribute{
			"aggregate_function": ot.Int("aggregate_function", 2)})...), "its aggregate 2"},
		{ml("TreeEnsemble", []string{"bag"}, []string{"y"}, ensembleOf(map[string]ot.Attribute{
			"post_transform": ot.Int("post_transform", 1)})...), "differently"},
		{ml("TreeEnsemble", []string{"bag"}, []string{"y"}, ensembleOf(map[string]ot.Attribute{
			"tree_roots": ot.Ints("tree_roots", 0, 1)})...), "do not form trees"},
		{ml("TreeEnsemble", []string{"bag"}, []string{"y"}, ensembleOf(map[string]ot.Attribute{
			"tree_roots": ot.Ints("tree_roots", 2)})...), "do not form trees"},
		{ml("TreeEnsemble", []string{"bag"}, []string{"y"}, ensembleOf(map[string]ot.Attribute{
			"nodes_falsenodeids": ot.Ints("nodes_falsenodeids", 0, 2)})...), "do not form trees"},
		{ml("TreeEnsemble", []string{"bag"}, []string{"y"}, ensembleOf(map[string]ot.Attribute{
			"nodes_truenodeids": ot.Ints("nodes_truenodeids", 3, 1)})...), "do not form trees"},
		{ml("Normalizer", []string{"bag"}, []string{"y"}, ot.Text("norm", "L3")), "norm"},
		{ml("Scaler", []string{"bag"}, []string{"y"}), "no offset"},
		{ml("LinearRegressor", []string{"bag"}, []string{"y"}, ot.Floats("coefficients", 1, 2, 3),
			ot.Int("targets", 2)), "3 coefficients"},
		{ml("LinearRegressor", []string{"bag"}, []string{"y"}, ot.Floats("coefficients", 1, 2),
			ot.Text("post_transform", "PROBIT")), "PROBIT"},
		{ml("TreeEnsembleRegressor", []string{"bag"}, []string{"y"},
			append(deep, ot.Int("n_targets", 1))...), "not form a tree"},
		{ml("TreeEnsembleRegressor", []string{"bag"}, []string{"y"},
			append(short, ot.Int("n_targets", 1))...), "differ in length"},
		{ml("TreeEnsembleRegressor", []string{"bag"}, []string{"y"},
			append(stump("BRANCH_MEMBER"), ot.Int("n_targets", 1))...), "BRANCH_MEMBER"},
		{ml("TreeEnsembleRegressor", []string{"bag"}, []string{"y"},
			append(stump("BRANCH_LEQ"), ot.Int("n_targets", 1),
				ot.Ints("nodes_missing_value_tracks_true", 1))...), "1 of 4 nodes"},
		{ml("TreeEnsembleRegressor", []string{"bag"}, []string{"y"},
			append(stump("BRANCH_LEQ"), ot.Int("n_targets", 1), ot.Ints("target_ids", 3))...),
			"result 3"},
		{ml("TreeEnsembleRegressor", []string{"bag"}, []string{"y"},
			append(stump("BRANCH_LEQ"), ot.Int("n_targets", 1), ot.Ints("target_ids", 0),
				ot.Ints("target_treeids", 4), ot.Ints("target_nodeids", 0),
				ot.Floats("target_weights", 1))...), "tree 4"},
	} {
		_, err := onnxbackend.Open(largest(2, c.node).Bytes(), onnxbackend.Options{})
		var gap *onnxbackend.UnsupportedError
		must.As(t, err, &gap, c.want, c.node.Op)
	}
}
