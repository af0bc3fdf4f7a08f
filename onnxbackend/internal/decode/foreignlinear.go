package decode

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// qGemm writes a Gemm of quantized factors. Inputs are A, its scale and zero point, B, its scale
// and zero point, then a bias in units of the product of both scales and alpha, and the scale and
// zero point of the result. Without the last two the result is float32.
func (r *replacement) qGemm() string {
	if len(r.inputs) < 6 {
		return "it has too few inputs"
	}
	// Scales of B are one number or one for each column, which are rows if B is transposed.
	text := "DequantizeLinear 0 1 2 = a. DequantizeLinear 3 4 5 = b axis:1. "
	if r.given("transB").Int != 0 {
		text = strings.Replace(text, "axis:1", "axis:0", 1)
	}
	alpha := 1.
	if a := r.given("alpha"); a.Name != "" {
		alpha = float64(a.Float)
	}
	bias, out := "", "y0"
	if len(r.inputs) > 6 && r.of.Inputs[6] != "" {
		text += "Cast 6 = whole to:1. Mul 1 4 = scales. Mul whole scales = unscaled. " +
			"alpha " + strconv.FormatFloat(alpha, 'g', -1, 32) + ". Mul unscaled alpha = c. "
		bias = " c"
	}
	// The result is quantized if its scale is given.
	quantised := len(r.inputs) > 7 && r.of.Inputs[7] != ""
	if quantised {
		out = "sum"
	}
	text += "Gemm+ a b" + bias + " = " + out
	if quantised {
		text += ". QuantizeLinear sum " + strings.Join(r.inputs[7:], " ") + " = y0"
	}
	r.expand(text)
	return ""
}

// qConcat writes a Concat of quantized parts. Inputs are the scale and zero point of the result,
// then each part with its scale and zero point.
func (r *replacement) qConcat() string {
	// Parts have different scales, so that they are concatenated as real numbers.
	text, parts := "", ""
	for i := 2; i+2 < len(r.inputs); i += 3 {
		part := " part" + r.inputs[i]
		text += "DequantizeLinear " + strings.Join(r.inputs[i:i+3], " ") + " =" + part + ". "
		parts += part
	}
	if parts == "" {
		return "it has no inputs to concatenate"
	}
	r.expand(text + "Concat+" + parts + " = all. QuantizeLinear all 0 1 = y0")
	return ""
}

// scaler writes (x - offset) * scale, with one number or one number for each column.
func (r *replacement) scaler() string {
	offset, scale := r.given("offset").Floats, r.given("scale").Floats
	if len(offset) == 0 || len(scale) == 0 {
		return "it has no offset or no scale"
	}
	r.floats("offset", offset, len(offset))
	r.floats("scale", scale, len(scale))
	r.expand("Cast 0 = x to:1. Sub x offset = moved. Mul moved scale = y0")
	return ""
}

// normalizer divides each row by its norm, unless that is zero.
func (r *replacement) normalizer() string {
	op := map[string]string{"": "ReduceMax", "MAX": "ReduceMax", "L1": "ReduceL1",
		"L2": "ReduceL2"}[r.given("norm").String]
	if op == "" {
		return "this engine does not support the norm"
	}
	r.expand("zero 0. one 1. Cast 0 = x to:1. " + op +
		" x = norm axes:-1. Equal norm zero = none. Where none one norm = by. Div x by = y0")
	return ""
}

// imputer replaces missing values by one number for each column. They are NaN, or equal to
// replaced_value_float if that is a number.
func (r *replacement) imputer() string {
	values := r.given("imputed_value_floats").Floats
	if len(values) == 0 {
		return "this engine imputes floating-point numbers only"
	}
	r.floats("values", values, len(values))
	missing := "IsNaN x = missing"
	// NaN is the default mark of a missing value, and not equal to itself.
	if mark := r.given("replaced_value_float").Float; mark == mark {
		r.floats("mark", []float32{mark})
		missing = "Equal x mark = missing"
	}
	r.expand("Cast 0 = x to:1. " + missing + ". Where missing values x = y0")
	return ""
}

// binarizer writes 1 for numbers above the threshold, else 0.
func (r *replacement) binarizer() string {
	r.floats("threshold", []float32{r.given("threshold").Float})
	r.expand("Cast 0 = x to:1. Greater x threshold = more. Cast more = y0 to:1")
	return ""
}

// join concatenates the columns of all inputs.
func (r *replacement) join() string {
	r.expand("Concat " + strings.Join(r.inputs, " ") + " = y0 axis:-1")
	return ""
}

// pick selects columns by the indices of the second input.
func (r *replacement) pick() string {
	// The indices may have any shape; ONNX Runtime uses them as a list.
	r.constant("flat", tensor.From(tensor.Int64, []int64{-1}, 1))
	r.expand("Reshape 1 flat = at. Gather 0 at = y0 axis:-1")
	return ""
}

// linear writes a layer with a row of coefficients for each of n results, into the value sums. A
// model without intercepts has zeros.
func (r *replacement) linear(n int) string {
	w, b := r.given("coefficients").Floats, r.given("intercepts").Floats
	if n < 1 || len(w) == 0 || len(w)%n != 0 || len(b) != n && len(b) != 0 {
		return fmt.Sprintf("its %d coefficients and %d intercepts do not give %d results", len(w),
			len(b), n)
	}
	if len(b) == 0 {
		b = make([]float32, n)
	}
	r.floats("w", w, n, len(w)/n)
	r.floats("b", b, n)
	r.expand("Cast 0 = x to:1. Gemm x w b = sums transB:1")
	return ""
}

// linearRegressor writes a layer of one result unless the node declares more targets.
func (r *replacement) linearRegressor() string {
	targets := 1
	// The bound keeps a broken number of targets from overflowing an int.
	if a := r.given("targets"); a.Kind == KindInt && a.Int < 1<<16 {
		targets = int(a.Int)
	}
	if gap := r.linear(targets); gap != "" {
		return gap
	}
	return r.transformed("sums = y0")
}

// linearClassifier writes a layer and the two outputs of a classifier. The intercepts give the
// number of scores: one or two for two classes.
func (r *replacement) linearClassifier() string {
	n := len(r.given("intercepts").Floats)
	if n == 0 {
		n = max(len(r.given("classlabels_ints").Ints), len(r.given("classlabels_strings").Strings))
	}
	if gap := r.linear(n); gap != "" {
		return gap
	}
	return r.classified("sums", n, 1)
}

// classified writes the two outputs of a classifier: the label of the largest score, and the scores
// (rows, classes). If the n scores are one for two classes, it is the score of the second class,
// and the first one gets rest minus it.
func (r *replacement) classified(sums string, n int, rest float32) string {
	labels := r.labels()
	switch {
	case n == 1 && labels.count == 2: // ONNX Runtime applies no transform here but LOGISTIC
		op := "Identity "
		if r.given("post_transform").String == "LOGISTIC" {
			op = "Sigmoid "
		}
		r.floats("rest", []float32{rest})
		r.expand(op + sums + " = yes. Sub rest yes = no. Concat no yes = y1 axis:1")
	case n != labels.count:
		return fmt.Sprintf("it has scores of %d classes and labels of %d", n, labels.count)
	default:
		if gap := r.transformed(sums + " = y1"); gap != "" {
			return gap
		}
	}
	r.label(labels, "y1")
	return ""
}

// classLabels hold the names of classes: whole numbers, or text, which the engine does not have.
type classLabels struct {
	ints  []int64
	count int
	text  bool
}

// labels returns the labels of a classifier.
func (r *replacement) labels() classLabels {
	ints := slices.Concat(r.given("classlabels_ints").Ints, r.given("classlabels_int64s").Ints)
	texts := len(r.given("classlabels_strings").Strings)
	return classLabels{ints, max(len(ints), texts), texts > 0}
}

// label writes the first output of a classifier, the label of the largest of some scores (rows,
// classes), if it is read. Labels that are text are left out.
func (r *replacement) label(of classLabels, scores string) {
	if r.text = of.text; r.isRead(0) && !of.text {
		r.constant("labels", tensor.From(tensor.Int64, of.ints, len(of.ints)))
		r.expand("ArgMax " + scores + " = best axis:1 keepdims:0. Gather labels best = y0")
	}
}

// transformed applies the post_transform; scores is "input = output".
func (r *replacement) transformed(scores string) string {
	how := r.given("post_transform").String
	op := map[string]string{"": "Identity ", "NONE": "Identity ", "LOGISTIC": "Sigmoid ",
		"SOFTMAX": "Softmax "}[how]
	if op == "" {
		return noTransform(how)
	}
	r.expand(op + scores)
	return ""
}

// noTransform returns the reason why a node with this post_transform is not supported.
func noTransform(how string) string {
	return "this engine does not support the transform " + msg.Quoted(how) +
		"; export the model with post_transform NONE"
}
