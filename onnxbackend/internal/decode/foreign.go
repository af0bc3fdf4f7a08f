package decode

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Operators of two other domains are abbreviations for a few of the default domain, and are
// replaced by those: what converters of scikit-learn models write (ai.onnx.ml), and what ONNX
// Runtime's quantizer and optimizers write (com.microsoft). So these operators need no kernels, and
// all passes and rules for operators of the default domain apply to them.

// foreignOpset is the opset of replacements.
const foreignOpset = 13

// microsoft is the domain of ONNX Runtime's own operators.
const microsoft = "com.microsoft"

// expansions has the replacements that need no attributes, or only pass them on. Their language is
// that of expand: numbers are inputs, y0, y1 and so on are outputs.
var expansions = map[functionKey]string{
	{microsoft, "Gelu", ""}:      "Gelu@20 0 = y0",
	{microsoft, "BiasGelu", ""}:  "Add 0 1 = x. Gelu@20 x = y0",
	{microsoft, "FastGelu", ""}:  "Add? 0 1 = x. Gelu@20 x = y0 approximate:tanh",
	{microsoft, "QuickGelu", ""}: "Swish@24+ 0 = y0 alpha:1.702",
	{microsoft, "BiasSplitGelu", ""}: "Add 0 1 = x. Split x = a b axis:-1. Gelu@20 b = c. " +
		"Mul a c = y0",
	{microsoft, "BiasAdd", ""}:               "Add 0 1 = x. Add x 2 = y0",
	{"", "LayerNormalization", ""}:           "LayerNormalization@17+ 0 1 2 = y0 y1 y2",
	{"", "SimplifiedLayerNormalization", ""}: "RMSNormalization@23+ 0 1 = y0",
	{microsoft, "SkipLayerNormalization", ""}: "Add 0 1 = s. Add? s 4 = x. " +
		"LayerNormalization@17+ x 2 3 = y0 y1 y2 epsilon:1e-12. Identity x = y3",
	{microsoft, "SkipSimplifiedLayerNormalization", ""}: "Add 0 1 = s. Add? s 3 = x. " +
		"RMSNormalization@23+ x 2 = y0 epsilon:1e-12. Identity x = y3",
	{microsoft, "QuantizeLinear", ""}:   "QuantizeLinear@21+ 0 1 2 = y0",
	{microsoft, "DequantizeLinear", ""}: "DequantizeLinear@21+ 0 1 2 = y0",
	{microsoft, "QLinearAdd", ""}:       binaryOf("Add"),
	{microsoft, "QLinearMul", ""}:       binaryOf("Mul"),
	{microsoft, "QLinearSigmoid", ""}:   unaryOf("Sigmoid a"),
	{microsoft, "QLinearLeakyRelu", ""}: unaryOf("LeakyRelu+ a"),
	{microsoft, "QLinearSoftmax", ""}:   unaryOf("Softmax+ a"),
	{microsoft, "QLinearWhere", ""}: "DequantizeLinear 1 2 3 = a. DequantizeLinear 4 5 6 = b. " +
		"Where 0 a b = c. QuantizeLinear c 7 8 = y0",
	{microsoft, "DynamicQuantizeMatMul", ""}: "DynamicQuantizeLinear 0 = a s z. " +
		"MatMulInteger a 1 z 3 = whole. Cast whole = c to:1. Mul s 2 = scale. " +
		"Mul c scale = x. Add? x 4 = y0",
	{microsoft, "MatMulIntegerToFloat", ""}: "MatMulInteger 0 1 4 5 = whole. " +
		"Cast whole = c to:1. Mul 2 3 = scale. Mul c scale = x. Add? x 6 = y0",
}

// unaryOf expands a quantised operator. Inputs are x, its scale and zero point, and the scale and
// zero point of the result.
func unaryOf(node string) string {
	return "DequantizeLinear 0 1 2 = a. " + node + " = c. QuantizeLinear c 3 4 = y0"
}

// binaryOf expands a quantised operator of two inputs, each with its scale and zero point.
func binaryOf(op string) string {
	return "DequantizeLinear 0 1 2 = a. DequantizeLinear 3 4 5 = b. " + op +
		" a b = c. QuantizeLinear c 6 7 = y0"
}

// replacements has the functions that write replacements from attributes. Each returns "", or the
// reason why the engine does not support the node.
var replacements = map[functionKey]func(r *replacement) (gap string){
	{microsoft, "FusedGemm", ""}:          (*replacement).fusedGemm,
	{microsoft, "FusedConv", ""}:          (*replacement).fusedConv,
	{microsoft, "FusedMatMul", ""}:        (*replacement).fusedMatMul,
	{microsoft, "TransposeMatMul", ""}:    (*replacement).fusedMatMul,
	{microsoft, "Attention", ""}:          (*replacement).attention,
	{microsoft, "QAttention", ""}:         (*replacement).qAttention,
	{microsoft, "MultiHeadAttention", ""}: (*replacement).multiHeadAttention,
	{microsoft, "RotaryEmbedding", ""}:    (*replacement).rotaryEmbedding,
	{microsoft, "MatMulNBits", ""}:        (*replacement).matMulBits,
	{microsoft, "QGemm", ""}:              (*replacement).qGemm,
	{microsoft, "QLinearConcat", ""}:      (*replacement).qConcat,
	{microsoft, "GroupNorm", ""}:          (*replacement).groupNorm,
	{microsoft, "QLinearConv", ""}: func(r *replacement) string {
		return r.pictures("QLinearConv+ x 1 2 3 4 5 6 7 8 = y")
	},
	{microsoft, "QLinearAveragePool", ""}: func(r *replacement) string {
		return r.quantisedPictures("AveragePool+ a")
	},
	{microsoft, "QLinearGlobalAveragePool", ""}: func(r *replacement) string {
		return r.quantisedPictures("GlobalAveragePool a")
	},
	{microsoft, "EmbedLayerNormalization", ""}: (*replacement).embedLayerNormalization,
	// Weights are (maps, height, width, channels), as the optimizer that writes it turns them.
	{microsoft, "NhwcConv", ""}: func(r *replacement) string {
		r.expand("Transpose 1 = w perm:0,3,1,2")
		return r.pictures("Conv+ x w 2 = y")
	},
	{microsoft, "NhwcMaxPool", ""}: func(r *replacement) string {
		return r.pictures("MaxPool+ x = y")
	},
	{microsoft, "DynamicQuantizeLSTM", ""}: func(*replacement) string {
		return "this engine does not round the numbers inside of a recurrent layer; quantise the " +
			"model without it, in Python: quantize_dynamic(..., op_types_to_quantize=" +
			"[\"MatMul\", \"Gemm\"])"
	},
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
	{"ai.onnx.ml", "LabelEncoder", ""}:           (*replacement).labelEncoder,
	{"ai.onnx.ml", "ZipMap", ""}:                 (*replacement).zipMap,
	{"ai.onnx.ml", "TreeEnsemble", ""}:           (*replacement).treeEnsemble,
}

// A replacement is the function whose body replaces one node.
type replacement struct {
	function
	of    *Node
	in    *inliner
	cells int  // limit of the elements of an ensemble's matrices
	text  bool // the first output would be text and is not made
	err   error
	// paired says that the scores are those of pairs of three or more classes.
	paired bool
}

// replace returns the replacement of a node of another domain, or nil and the reason why there is
// none. Without a reason, the operator is unknown. Errors are those of limits.
func (in *inliner) replace(n *Node) (fn *function, gap string, err error) {
	r := &replacement{of: n, in: in, cells: min(maxCells, in.limits.Bytes/16)}
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
	} else if write := replacements[r.key]; write == nil {
		return nil, "", nil
	} else if gap = write(r); gap != "" || r.err != nil {
		return nil, gap, r.err
	}
	if gap = r.unwritten(); gap != "" {
		return nil, gap, nil
	}
	// Outputs of a regressor are estimates, and those of pairs of classes belong to no class:
	// signature must not apply a softmax to them.
	if strings.HasSuffix(n.Op, "Regressor") || n.Op == "TreeEnsemble" || r.paired {
		in.regressor = n.Op
	}
	if r.text && r.isRead(0) {
		in.texts[n.Outputs[0]] = nil
	}
	return &r.function, "", nil
}

// readsText reports whether a node reads text. Its outputs then count as text, and the node is not
// part of the graph: the engine has no tensors of text, which models have as labels of classes.
func (in *inliner) readsText(n *Node) bool {
	isText := func(name string) bool {
		_, ok := in.texts[name]
		return ok
	}
	at := slices.IndexFunc(n.Inputs, isText)
	if at < 0 {
		return false
	}
	for _, name := range n.Outputs {
		if name != "" {
			in.texts[name] = in.texts[n.Inputs[at]]
		}
	}
	return true
}

// dropTexts removes the outputs of the graph that hold text, such as class labels, and lists them
// in the model. The error is that of a constant of text if no output is left.
func (in *inliner) dropTexts(m *Model) error {
	m.Regressor = in.regressor
	for i := range m.Graph.Outputs {
		// The file declares a list of dicts, which has no shape.
		if v := &m.Graph.Outputs[i]; in.zipped[v.Name] > 0 && len(v.Shape) == 0 {
			v.Type, v.Shape, v.Names = tensor.Float32, []int{-1, in.zipped[v.Name]},
				[]string{"", ""}
		}
	}
	var err error
	m.Graph.Outputs = slices.DeleteFunc(m.Graph.Outputs, func(v Value) bool {
		of, text := in.texts[v.Name]
		if text {
			m.Texts, err = append(m.Texts, v.Name), cmp.Or(err, of)
		}
		return text
	})
	if len(m.Graph.Outputs) > 0 {
		return nil
	}
	return err
}

// unwritten returns the gap of a node one of whose outputs is read but not computed, or has no
// type: that of a quantised result is the type of its zero point.
func (r *replacement) unwritten() (gap string) {
	for _, n := range r.nodes {
		if n.Op == "QuantizeLinear" && n.Opset == 0 && (len(n.Inputs) < 3 || n.Inputs[2] == "") {
			return "it does not state the zero point of its result; quantise the model again"
		}
	}
	for i, name := range r.outputs {
		written := i == 0 && r.text || !r.isRead(i) || slices.ContainsFunc(r.nodes,
			func(n Node) bool { return slices.Contains(n.Outputs, name) })
		if !written {
			return fmt.Sprintf("this engine does not compute its output %d; export the model "+
				"without this output", i)
		}
	}
	return ""
}

// expand adds the nodes that a text describes, separated by ". ". A node is an operator, its
// inputs, "=" and its outputs, then attributes as name:value. A name and a number without "=" are
// a constant. Numbers name inputs of the replaced node; those that it does not have, and outputs
// that nobody reads, are omitted.
//
// An operator is followed by marks: @ and its opset, if it is not that of the replacement; then +
// if it gets the replaced node's attributes, of which those in the text are defaults; then ? if it
// returns its first input where the last one is omitted. Texts are written in this package, so that
// they are not checked.
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
		op, optional := strings.CutSuffix(words[0], "?")
		op, marked := strings.CutSuffix(op, "+")
		op, opset, _ := strings.Cut(op, "@")
		n := Node{Op: op, Inputs: words[1:], Offset: r.of.Offset}
		n.Opset, _ = strconv.ParseInt(opset, 10, 64)
		for i, name := range n.Inputs {
			if at, err := strconv.Atoi(name); err == nil && !r.has(at) {
				n.Inputs[i] = ""
			}
		}
		if optional && n.Inputs[len(n.Inputs)-1] == "" {
			n.Op, n.Inputs = "Identity", n.Inputs[:1]
		}
		if marked {
			n.Attributes = slices.DeleteFunc(slices.Clone(r.of.Attributes),
				func(a Attribute) bool { return undefined[a.Name] })
		}
		for _, word := range strings.Fields(right) {
			if name, value, ok := strings.Cut(word, ":"); !ok {
				n.Outputs = append(n.Outputs, r.output(word))
			} else if !slices.ContainsFunc(n.Attributes,
				func(a Attribute) bool { return a.Name == name }) {
				n.Attributes = append(n.Attributes, attributeOf(name, value))
			}
		}
		if slices.ContainsFunc(n.Outputs, func(name string) bool { return name != "" }) {
			r.nodes = append(r.nodes, n)
		}
	}
}

// output returns the name of a value in the replacement, or "" for an output that nobody reads.
func (r *replacement) output(name string) string {
	if number, ok := strings.CutPrefix(name, "y"); ok {
		if i, err := strconv.Atoi(number); err == nil && !r.isRead(i) {
			return ""
		}
	}
	return name
}

// undefined has attributes of replaced operators that do not exist in the default domain.
var undefined = map[string]bool{"opset": true, "channels_last": true, "activation": true,
	"activation_alpha": true, "activation_beta": true, "activation_gamma": true,
	"activation_params": true}

// attributeOf returns an attribute that the text of a replacement names.
func attributeOf(name, value string) Attribute {
	a := Attribute{Name: name, Kind: KindInt}
	switch name {
	case "alpha", "beta", "epsilon":
		a.Kind = KindFloat
		v, _ := strconv.ParseFloat(value, 32)
		a.Float = float32(v)
	case "approximate", "equation":
		a.Kind, a.String = KindString, value
	case "axes", "perm": // axes are an attribute before opset 18
		a.Kind = KindInts
		for _, text := range strings.Split(value, ",") {
			v, _ := strconv.ParseInt(text, 10, 64)
			a.Ints = append(a.Ints, v)
		}
	default:
		a.Int, _ = strconv.ParseInt(value, 10, 64)
	}
	return a
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

// has reports whether the replaced node has an input; the name of an omitted one is empty.
func (r *replacement) has(i int) bool {
	return i >= 0 && i < len(r.of.Inputs) && r.of.Inputs[i] != ""
}

// tensorOf returns an input of the replaced node that is a constant of the file, or nil.
func (r *replacement) tensorOf(i int) *tensor.Tensor {
	if !r.has(i) {
		return nil
	}
	return r.in.constants[r.of.Inputs[i]]
}

// rank returns the number of dimensions of an input, or -1 if the file does not state it.
func (r *replacement) rank(i int) int {
	if t := r.tensorOf(i); t != nil {
		return t.Rank()
	}
	if rank, ok := r.in.ranks[r.of.Inputs[i]]; ok {
		return rank
	}
	return -1
}
