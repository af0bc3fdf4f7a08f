package decode

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Operators of two other domains are abbreviations for a few of the default domain, and are
// replaced by those: what converters of scikit-learn models write (ai.onnx.ml), and what ONNX
// Runtime's quantizer and optimizer write (com.microsoft). So these operators need no kernels, and
// all passes and rules for operators of the default domain apply to them.

// foreignOpset is the opset of replacements.
const foreignOpset = 13

// expansions has the replacements that need no attributes, or only pass them on. Their language is
// that of expand: numbers are inputs, y0 is the output, and the operator marked by + gets the
// node's attributes.
var expansions = map[functionKey]string{
	{"com.microsoft", "QLinearAdd", ""}: "DequantizeLinear 0 1 2 = a. " +
		"DequantizeLinear 3 4 5 = b. Add a b = c. QuantizeLinear c 6 7 = y0",
	{"com.microsoft", "QLinearMul", ""}: "DequantizeLinear 0 1 2 = a. " +
		"DequantizeLinear 3 4 5 = b. Mul a b = c. QuantizeLinear c 6 7 = y0",
	{"com.microsoft", "QLinearSigmoid", ""}: "DequantizeLinear 0 1 2 = a. " +
		"Sigmoid a = c. QuantizeLinear c 3 4 = y0",
	{"com.microsoft", "QLinearLeakyRelu", ""}: "DequantizeLinear 0 1 2 = a. " +
		"LeakyRelu+ a = c. QuantizeLinear c 3 4 = y0",
	{"com.microsoft", "QLinearSoftmax", ""}: "DequantizeLinear 0 1 2 = a. " +
		"Softmax+ a = c. QuantizeLinear c 3 4 = y0",
	{"com.microsoft", "QLinearAveragePool", ""}: "DequantizeLinear 0 1 2 = a. " +
		"AveragePool+ a = c. QuantizeLinear c 3 4 = y0",
	{"com.microsoft", "QLinearGlobalAveragePool", ""}: "DequantizeLinear 0 1 2 = a. " +
		"GlobalAveragePool a = c. QuantizeLinear c 3 4 = y0",
	{"com.microsoft", "Gelu", ""}: "half 0.5. one 1. root 0.70710678. Mul 0 root = a. " +
		"Erf a = b. Add b one = c. Mul 0 half = d. Mul c d = y0",
	{"ai.onnx.ml", "ZipMap", ""}: "Identity 0 = y0",
}

// replacements has the functions that write replacements from attributes. Each returns "", or the
// reason why the engine does not support the node.
var replacements = map[functionKey]func(r *replacement) (gap string){
	{"com.microsoft", "QGemm", ""}:               (*replacement).qGemm,
	{"com.microsoft", "QLinearConcat", ""}:       (*replacement).qConcat,
	{"ai.onnx.ml", "Scaler", ""}:                 (*replacement).scaler,
	{"ai.onnx.ml", "Normalizer", ""}:             (*replacement).normalizer,
	{"ai.onnx.ml", "Imputer", ""}:                (*replacement).imputer,
	{"ai.onnx.ml", "Binarizer", ""}:              (*replacement).binarizer,
	{"ai.onnx.ml", "FeatureVectorizer", ""}:      (*replacement).join,
	{"ai.onnx.ml", "ArrayFeatureExtractor", ""}:  (*replacement).pick,
	{"ai.onnx.ml", "LinearRegressor", ""}:        (*replacement).linearRegressor,
	{"ai.onnx.ml", "LinearClassifier", ""}:       (*replacement).linearClassifier,
	{"ai.onnx.ml", "SVMRegressor", ""}:           (*replacement).svmRegressor,
	{"ai.onnx.ml", "SVMClassifier", ""}:          (*replacement).svmClassifier,
	{"ai.onnx.ml", "TreeEnsembleRegressor", ""}:  (*replacement).trees,
	{"ai.onnx.ml", "TreeEnsembleClassifier", ""}: (*replacement).trees,
	{"ai.onnx.ml", "TreeEnsemble", ""}: func(*replacement) string {
		return "this engine runs the tree ensembles of ai.onnx.ml before version 5; convert the " +
			"model for an older version, in Python: target_opset={\"\": 17, \"ai.onnx.ml\": 3}"
	},
}

// A replacement is the function whose body replaces one node.
type replacement struct {
	function
	of    *Node
	cells int  // limit of the elements of an ensemble's matrices
	text  bool // the first output would be text and is not made
	// paired says that the scores are those of pairs of three or more classes.
	paired bool
}

// replace returns the replacement of a node of another domain, or nil and the reason why there is
// none. Without a reason, the operator is unknown.
func (in *inliner) replace(n *Node) (fn *function, gap string) {
	r := &replacement{of: n, cells: min(maxCells, in.limits.Bytes/16)}
	r.key = functionKey{n.Domain, n.Op, ""}
	r.opsets = []Opset{{"", foreignOpset}}
	// The axis of a QLinearSoftmax has the meaning of this opset of Softmax.
	if v := r.given("opset").Int; v >= 10 && v < foreignOpset {
		r.opsets[0].Version = v
	}
	// Inputs have their numbers as names, outputs y0, y1 and so on.
	for i := range n.Inputs {
		r.inputs = append(r.inputs, strconv.Itoa(i))
	}
	for i := range n.Outputs {
		r.outputs = append(r.outputs, "y"+strconv.Itoa(i))
	}
	if text := expansions[r.key]; text != "" {
		r.expand(text)
		return &r.function, ""
	}
	write := replacements[r.key]
	if write == nil {
		return nil, ""
	}
	if gap = write(r); gap != "" {
		return nil, gap
	}
	// Outputs of a regressor are estimates, and those of pairs of classes belong to no class:
	// signature must not apply a softmax to them.
	if strings.HasSuffix(n.Op, "Regressor") || r.paired {
		in.regressor = n.Op
	}
	if r.text && r.isRead(0) {
		in.texts = append(in.texts, n.Outputs[0])
	}
	return &r.function, ""
}

// dropTexts removes the outputs of the graph that hold text, such as class labels, and lists them
// in the model. The engine has no tensors of text.
func (in *inliner) dropTexts(m *Model) {
	m.Regressor = in.regressor
	m.Graph.Outputs = slices.DeleteFunc(m.Graph.Outputs, func(v Value) bool {
		text := slices.Contains(in.texts, v.Name)
		if text {
			m.Texts = append(m.Texts, v.Name)
		}
		return text
	})
}

// expand adds the nodes that a text describes, separated by ". ". A node is an operator, its
// inputs, "=" and its output, then integer attributes as name:value. A name and a number without
// "=" are a constant. Texts are written in this package, so that they are not checked.
func (r *replacement) expand(text string) {
	for _, item := range strings.Split(text, ". ") {
		left, right, isNode := strings.Cut(item, " = ")
		words := strings.Fields(left)
		if !isNode {
			// A scalar, which broadcasts to any shape.
			v, _ := strconv.ParseFloat(words[1], 32)
			r.constant(words[0], tensor.From(tensor.Float32, []float32{float32(v)}))
			continue
		}
		op, marked := strings.CutSuffix(words[0], "+")
		result := strings.Fields(right)
		n := Node{Op: op, Inputs: words[1:], Outputs: result[:1], Offset: r.of.Offset}
		if marked { // these two attributes do not exist in the default domain
			n.Attributes = slices.DeleteFunc(slices.Clone(r.of.Attributes),
				func(a Attribute) bool { return a.Name == "opset" || a.Name == "channels_last" })
		}
		for _, pair := range result[1:] {
			name, value, _ := strings.Cut(pair, ":")
			a := Attribute{Name: name, Kind: KindInt}
			a.Int, _ = strconv.ParseInt(value, 10, 64)
			if name == "axes" { // a list attribute before opset 18
				a.Kind, a.Ints = KindInts, []int64{a.Int}
			}
			n.Attributes = append(n.Attributes, a)
		}
		r.nodes = append(r.nodes, n)
	}
}

// constant adds a node that returns a tensor.
func (r *replacement) constant(name string, t *tensor.Tensor) {
	value := Attribute{Name: "value", Kind: KindTensor, Tensor: t}
	r.nodes = append(r.nodes, Node{Op: "Constant", Outputs: []string{name},
		Attributes: []Attribute{value}, Offset: r.of.Offset})
}

// floats adds a constant of float32.
func (r *replacement) floats(name string, v []float32, dims ...int) {
	r.constant(name, tensor.From(tensor.Float32, v, dims...))
}

// given returns an attribute of the replaced node, or an empty one if the node does not have it.
func (r *replacement) given(name string) *Attribute {
	for i := range r.of.Attributes {
		if a := &r.of.Attributes[i]; a.Name == name {
			return a
		}
	}
	return &Attribute{}
}

// isRead reports whether the caller reads an output; the name of an unread one is empty.
func (r *replacement) isRead(i int) bool { return i < len(r.of.Outputs) && r.of.Outputs[i] != "" }
