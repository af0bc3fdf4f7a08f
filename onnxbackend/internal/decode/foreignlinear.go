package decode

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// qGemm: inputs are A, its scale and zero point, B and its, then a bias in units of both scales,
// and the scale and zero point of the result, which is float32 without them.
func (r *replacement) qGemm() string {
	if len(r.inputs) < 6 {
		return "it has too few inputs"
	}
	text := "DequantizeLinear 0 1 2 = a. DequantizeLinear 3 4 5 = b axis:1. "
	if r.given("transB").Int != 0 {
		text = strings.Replace(text, "axis:1", "axis:0", 1)
	}
	bias, out := "", "y0"
	if len(r.inputs) > 6 && r.of.Inputs[6] != "" {
		text += "Cast 6 = whole to:1. Mul 1 4 = unit. Mul whole unit = c. "
		bias = " c"
	}
	quantised := len(r.inputs) > 7 && r.of.Inputs[7] != ""
	if quantised {
		out = "sum"
	}
	text += "Gemm+ a b" + bias + " = " + out
	if quantised {
		text += ". QuantizeLinear sum " + strings.Join(r.inputs[7:], " ") + " = y0"
	}
	r.spell(text)
	return ""
}

// qConcat: the scale and zero point of the result, then each part with its own.
func (r *replacement) qConcat() string {
	text, parts := "", ""
	for i := 2; i+2 < len(r.inputs); i += 3 {
		part := " part" + r.inputs[i]
		text += "DequantizeLinear " + strings.Join(r.inputs[i:i+3], " ") + " =" + part + ". "
		parts += part
	}
	if parts == "" {
		return "it joins nothing"
	}
	r.spell(text + "Concat+" + parts + " = all. QuantizeLinear all 0 1 = y0")
	return ""
}

func (r *replacement) scaler() string {
	offset, scale := r.given("offset").Floats, r.given("scale").Floats
	if len(offset) == 0 || len(scale) == 0 {
		return "it has no offset or no scale"
	}
	r.floats("offset", offset, len(offset))
	r.floats("scale", scale, len(scale))
	r.spell("Cast 0 = x to:1. Sub x offset = moved. Mul moved scale = y0")
	return ""
}

// normalizer divides each row by its norm, unless that is zero.
func (r *replacement) normalizer() string {
	op := map[string]string{"": "ReduceMax", "MAX": "ReduceMax", "L1": "ReduceL1",
		"L2": "ReduceL2"}[r.given("norm").String]
	if op == "" {
		return "this engine does not know the norm"
	}
	r.spell("zero 0. one 1. Cast 0 = x to:1. " + op +
		" x = norm axes:-1. Equal norm zero = none. Where none one norm = by. Div x by = y0")
	return ""
}

// imputer puts values where one is missing, which mostly is NaN.
func (r *replacement) imputer() string {
	values := r.given("imputed_value_floats").Floats
	if len(values) == 0 {
		return "this engine imputes real numbers alone"
	}
	r.floats("values", values, len(values))
	missing := "IsNaN x = missing"
	if mark := r.given("replaced_value_float").Float; mark == mark {
		r.floats("mark", []float32{mark})
		missing = "Equal x mark = missing"
	}
	r.spell("Cast 0 = x to:1. " + missing + ". Where missing values x = y0")
	return ""
}

func (r *replacement) binarizer() string {
	r.floats("threshold", []float32{r.given("threshold").Float})
	r.spell("Cast 0 = x to:1. Greater x threshold = more. Cast more = y0 to:1")
	return ""
}

func (r *replacement) join() string {
	r.spell("Concat " + strings.Join(r.inputs, " ") + " = y0 axis:-1")
	return ""
}

// pick takes columns.
func (r *replacement) pick() string {
	r.constant("flat", tensor.From(tensor.Int64, []int64{-1}, 1))
	r.spell("Reshape 1 flat = at. Gather 0 at = y0 axis:-1")
	return ""
}

// linear adds a layer with a row of coefficients for each of n results.
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
	r.spell("Cast 0 = x to:1. Gemm x w b = sums transB:1")
	return ""
}

func (r *replacement) linearRegressor() string {
	targets := 1
	if a := r.given("targets"); a.Kind == KindInt && a.Int < 1<<16 {
		targets = int(a.Int)
	}
	if gap := r.linear(targets); gap != "" {
		return gap
	}
	return r.transformed("sums = y0")
}

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

// classified adds the two outputs of a classifier: the label of the largest score, and the scores.
// Where there is one for two classes, the first has what is left of rest.
func (r *replacement) classified(sums string, n int, rest float32) string {
	ints := slices.Concat(r.given("classlabels_ints").Ints, r.given("classlabels_int64s").Ints)
	r.text = len(r.given("classlabels_strings").Strings) > 0
	switch labels := max(len(ints), len(r.given("classlabels_strings").Strings)); {
	// the score of the second class: no transform but the logistic one is applied, in ONNX Runtime
	case n == 1 && labels == 2:
		op := "Identity "
		if r.given("post_transform").String == "LOGISTIC" {
			op = "Sigmoid "
		}
		r.floats("rest", []float32{rest})
		r.spell(op + sums + " = yes. Sub rest yes = no. Concat no yes = y1 axis:1")
	case n != labels:
		return "it has scores of " + strconv.Itoa(n) + " classes and labels of " +
			strconv.Itoa(labels)
	default:
		if gap := r.transformed(sums + " = y1"); gap != "" {
			return gap
		}
	}
	if r.wants(0) && !r.text {
		r.constant("labels", tensor.From(tensor.Int64, ints, len(ints)))
		r.spell("ArgMax y1 = best axis:1 keepdims:0. Gather labels best = y0")
	}
	return ""
}

// transformed adds what becomes of scores.
func (r *replacement) transformed(scores string) string {
	how := r.given("post_transform").String
	op := map[string]string{"": "Identity ", "NONE": "Identity ", "LOGISTIC": "Sigmoid ",
		"SOFTMAX": "Softmax "}[how]
	if op == "" {
		return "this engine does not know the transform " + strconv.Quote(how) +
			"; export the model with post_transform NONE"
	}
	r.spell(op + scores)
	return ""
}
