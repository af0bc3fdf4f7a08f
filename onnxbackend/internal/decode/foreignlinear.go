package decode

import (
	"fmt"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// qGemm: inputs are A, its scale and zero point, B and its, then a bias in units of both scales, and the scale and zero point of the
// result, which is float32 without them.
func (r *replacement) qGemm() string {
	if len(r.inputs) < 6 {
		return "it has too few inputs"
	}
	trans := r.given("transB").Int
	r.add("DequantizeLinear", "a", "0", "1", "2")
	r.add("DequantizeLinear", "b", "3", "4", "5").with("axis", 1-min(trans, 1))
	in := []string{"a", "b"}
	if len(r.inputs) > 6 && r.of.Inputs[6] != "" {
		r.add("Cast", "whole", "6").with("to", int64(tensor.Float32))
		r.add("Mul", "unit", "1", "4")
		r.add("Mul", "c", "whole", "unit")
		in = append(in, "c")
	}
	out := "y0"
	quantised := len(r.inputs) > 7 && r.of.Inputs[7] != ""
	if quantised {
		out = "sum"
	}
	n := r.add("Gemm", out, in...).with("transA", r.given("transA").Int).with("transB", trans)
	if a := r.given("alpha"); a.Kind == KindFloat {
		n.Attributes = append(n.Attributes, *a)
	}
	if quantised {
		r.add("QuantizeLinear", "y0", append([]string{"sum"}, r.inputs[7:]...)...)
	}
	return ""
}

// qConcat: the scale and zero point of the result, then each part with its own.
func (r *replacement) qConcat() string {
	var parts []string
	for i := 2; i+2 < len(r.inputs); i += 3 {
		parts = append(parts, fmt.Sprint("part", i))
		r.add("DequantizeLinear", parts[len(parts)-1], r.inputs[i:i+3]...)
	}
	if len(parts) == 0 {
		return "it joins nothing"
	}
	r.add("Concat", "all", parts...).with("axis", r.given("axis").Int)
	r.add("QuantizeLinear", "y0", "all", "0", "1")
	return ""
}

func (r *replacement) scaler() string {
	offset, scale := r.given("offset").Floats, r.given("scale").Floats
	if len(offset) == 0 || len(scale) == 0 {
		return "it has no offset or no scale"
	}
	r.add("Sub", "moved", r.real(), r.floats("offset", offset, len(offset)))
	r.add("Mul", "y0", "moved", r.floats("scale", scale, len(scale)))
	return ""
}

// normalizer divides each row by its norm, unless that is zero.
func (r *replacement) normalizer() string {
	op := map[string]string{"": "ReduceMax", "MAX": "ReduceMax", "L1": "ReduceL1", "L2": "ReduceL2"}[r.given("norm").String]
	if op == "" {
		return "this engine does not know the norm"
	}
	r.add(op, "norm", r.real()).along()
	r.add("Equal", "none", "norm", r.floats("zero", []float32{0}))
	r.add("Where", "by", "none", r.floats("one", []float32{1}), "norm")
	r.add("Div", "y0", "x", "by")
	return ""
}

// imputer puts values where one is missing, which mostly is NaN.
func (r *replacement) imputer() string {
	values := r.given("imputed_value_floats").Floats
	if len(values) == 0 {
		return "this engine imputes real numbers alone"
	}
	x := r.real()
	if missing := r.given("replaced_value_float").Float; missing != missing {
		r.add("IsNaN", "missing", x)
	} else {
		r.add("Equal", "missing", x, r.floats("mark", []float32{missing}))
	}
	r.add("Where", "y0", "missing", r.floats("values", values, len(values)), x)
	return ""
}

func (r *replacement) binarizer() string {
	r.add("Greater", "more", r.real(), r.floats("threshold", []float32{r.given("threshold").Float}))
	r.add("Cast", "y0", "more").with("to", int64(tensor.Float32))
	return ""
}

func (r *replacement) join() string {
	r.add("Concat", "y0", r.inputs...).with("axis", -1)
	return ""
}

// pick takes columns.
func (r *replacement) pick() string {
	r.constant("flat", tensor.From(tensor.Int64, []int64{-1}, 1))
	r.add("Reshape", "at", "1", "flat")
	r.add("Gather", "y0", "0", "at").with("axis", -1)
	return ""
}

// linear adds a layer with a row of coefficients for each of n results.
func (r *replacement) linear(out string, n int) string {
	w, b := r.given("coefficients").Floats, r.given("intercepts").Floats
	if n < 1 || len(w) == 0 || len(w)%n != 0 || len(b) != n && len(b) != 0 {
		return fmt.Sprintf("its %d coefficients and %d intercepts do not give %d results", len(w), len(b), n)
	}
	in := []string{r.real(), r.floats("w", w, n, len(w)/n)}
	if len(b) > 0 {
		in = append(in, r.floats("b", b, n))
	}
	r.add("Gemm", out, in...).with("transB", 1)
	return ""
}

func (r *replacement) linearRegressor() string {
	targets := 1
	if a := r.given("targets"); a.Kind == KindInt && a.Int < 1<<16 {
		targets = int(a.Int)
	}
	if gap := r.linear("sums", targets); gap != "" {
		return gap
	}
	return r.transformed("y0", "sums")
}

func (r *replacement) linearClassifier() string {
	n := len(r.given("intercepts").Floats)
	if n == 0 {
		n = max(len(r.given("classlabels_ints").Ints), len(r.given("classlabels_strings").Strings))
	}
	if gap := r.linear("sums", n); gap != "" {
		return gap
	}
	return r.classified("sums", n, 1)
}

// classified adds the two outputs of a classifier: the label of the largest score, and the scores. Where there is one for two classes, the
// first has what is left of rest.
func (r *replacement) classified(sums string, n int, rest float32) string {
	ints, texts := r.given("classlabels_ints").Ints, r.given("classlabels_strings").Strings
	labels := max(len(ints), len(texts))
	if n == 1 && labels == 2 { // the score of the second class: no transform but the logistic one is applied, in ONNX Runtime
		if r.given("post_transform").String == "LOGISTIC" {
			r.add("Sigmoid", "yes", sums)
		} else {
			r.add("Identity", "yes", sums)
		}
		r.add("Sub", "no", r.floats("rest", []float32{rest}), "yes")
		r.add("Concat", "y1", "no", "yes").with("axis", 1)
	} else if n != labels {
		return fmt.Sprintf("it has scores of %d classes and labels of %d", n, labels)
	} else if gap := r.transformed("y1", sums); gap != "" {
		return gap
	}
	r.text = len(texts) > 0
	if r.wants(0) && !r.text {
		r.add("ArgMax", "best", "y1").with("axis", 1).with("keepdims", 0)
		r.add("Gather", "y0", r.constant("labels", tensor.From(tensor.Int64, ints, len(ints))), "best")
	}
	return ""
}

// transformed adds what becomes of scores.
func (r *replacement) transformed(out, in string) string {
	switch how := r.given("post_transform").String; how {
	case "", "NONE":
		r.add("Identity", out, in)
	case "LOGISTIC":
		r.add("Sigmoid", out, in)
	case "SOFTMAX":
		r.add("Softmax", out, in).with("axis", -1)
	default:
		return fmt.Sprintf("this engine does not know the transform %q; export the model with post_transform NONE", how)
	}
	return ""
}
