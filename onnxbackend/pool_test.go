package onnxbackend_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// instanceModel scores each instance of two features by itself: its output y has the given shape,
// and ends in an operator, or in a linear layer for "".
func instanceModel(classes int, end string, shape ...any) ot.Model {
	weights := []float32{1, -1, .5, 2, .25, -2}
	m := ot.Model{
		Opset: 17, Inputs: []ot.Value{ot.In("bag", "k", 2)},
		Outputs: []ot.Value{ot.In("y", shape...)},
		Initializers: []ot.Tensor{ot.F("W", weights[:2*classes], 2, classes),
			ot.I("shape", rows(shape), len(shape))},
		Nodes: []ot.Node{ot.N("MatMul", []string{"bag", "W"}, []string{"linear"})},
	}
	last := "linear"
	if end != "" {
		m.Nodes = append(m.Nodes, ot.N(end, []string{last}, []string{"ended"}))
		last = "ended"
	}
	m.Nodes = append(m.Nodes, ot.N("Reshape", []string{last, "shape"}, []string{"y"}))
	return m
}

// rows returns a shape whose open axis is found by Reshape.
func rows(shape []any) (out []int64) {
	for _, d := range shape {
		if n, ok := d.(int); ok {
			out = append(out, int64(n))
		} else {
			out = append(out, -1)
		}
	}
	return out
}

// TestPool compares bags that the card pools with formulas over the scores of their instances, and
// explains them in all forms.
func TestPool(t *testing.T) {
	for name, formula := range map[string]func(class []float64, scores [][]float64, c int) float64{
		"mean": func(class []float64, _ [][]float64, _ int) float64 { return mean(class) },
		"max":  func(class []float64, _ [][]float64, _ int) float64 { return slices.Max(class) },
		"lse": func(class []float64, _ [][]float64, _ int) float64 {
			sum := 0.0
			for _, v := range class {
				sum += math.Exp(v)
			}
			return math.Log(sum / float64(len(class)))
		},
		"top:2": func(class []float64, _ [][]float64, _ int) float64 {
			slices.Sort(class)
			return mean(class[max(0, len(class)-2):])
		},
		"noisy-or": func(class []float64, _ [][]float64, _ int) float64 {
			none := 1.0
			for _, v := range class {
				none *= 1 - v
			}
			return 1 - none
		},
		"vote": func(class []float64, scores [][]float64, c int) float64 {
			votes := 0.0
			for i, row := range scores {
				switch most := slices.Max(row); {
				case len(row) > 1 && row[c] == most, len(row) == 1 && class[i] > .5:
					votes++
				}
			}
			return votes / float64(len(scores))
		},
	} {
		for _, form := range []struct {
			classes int
			end     string
			shape   []any
		}{
			{3, "Softmax", []any{"k", 3}}, {2, "Sigmoid", []any{1, "k", 2}},
			{1, "Sigmoid", []any{"k"}}, {1, "Sigmoid", []any{1, "k"}}, {3, "", []any{"k", 3}},
			{1, "", []any{"k", 1}},
		} {
			if form.end == "" && (name == "noisy-or" || form.classes == 1 && name == "vote") {
				continue
			}
			t.Run(fmt.Sprintf("%s, %v %s", name, form.shape, form.end), func(t *testing.T) {
				file := instanceModel(form.classes, form.end, form.shape...).Bytes()
				card := fmt.Appendf(nil, `{"pool": %q, "output": "raw"}`, name)
				if name == "noisy-or" || name == "vote" {
					card = fmt.Appendf(nil, `{"pool": %q}`, name)
				}
				m := enginetest.Open(t, file, Options{Card: card})
				for _, k := range []int{1, 2, 7} {
					bag := enginetest.SmallBag(k, 2)
					p := must.Get(m.Predict(t.Context(), bag))(t)
					scores := instanceScores(t, form.classes, form.end, bag)
					for c, got := range p.Scores {
						var class []float64
						for _, row := range scores {
							class = append(class, row[c])
						}
						if want := formula(class, scores, c); !(math.Abs(got-want) <= 1e-5) {
							t.Errorf("class %d of %d instances: %v, want %v", c, k, got, want)
						}
					}
				}
				plain := enginetest.Open(t, file, Options{Card: card, Plain: true})
				checkForms(t, m, plain, enginetest.SmallBag(7, 2))
			})
		}
	}
}

// instanceScores returns the scores (instance, class) of a bag under instanceModel.
func instanceScores(t *testing.T, classes int, end string, bag *core.Bag) (out [][]float64) {
	t.Helper()
	m := instanceModel(classes, end, "k", classes)
	for i := range bag.Len() {
		row := make([]float64, classes)
		total := 0.0
		w := m.Initializers[0].Floats
		for c := range row {
			row[c] = float64(bag.Values[2*i])*float64(w[c]) +
				float64(bag.Values[2*i+1])*float64(w[classes+c])
			total += math.Exp(row[c])
		}
		for c, v := range row {
			switch end {
			case "Softmax":
				row[c] = math.Exp(v) / total
			case "Sigmoid":
				row[c] = 1 / (1 + math.Exp(-v))
			}
		}
		out = append(out, row)
	}
	return out
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// TestPooledModelsAreFast checks that pooled models have a fast form, know the scale of what they
// pool, and show the scores of the instances.
func TestPooledModelsAreFast(t *testing.T) {
	file := instanceModel(3, "Softmax", "k", 3).Bytes()
	for _, pool := range []string{"mean", "max", "lse", "noisy-or", "vote"} {
		card := fmt.Appendf(nil, `{"pool": %q}`, pool)
		m := enginetest.Open(t, file, Options{Card: card})
		b := enginetest.Bind(t, m, enginetest.SmallBag(9, 2), nil)
		if s := b.Strategy(); s == StrategyPlain || s == StrategyGathered {
			t.Errorf("%s is evaluated by %s", pool, s)
		}
		want := core.ScaleProbabilities
		if pool == "lse" {
			want = core.ScaleRaw
		}
		must.Equal(t, b.Task().Scale, want, pool)
		e := must.Get(core.Explain(t.Context(), b,
			core.Request{Methods: []core.Method{methods.Inherent{}}, Classes: []int{2}}))(t)
		for i, row := range instanceScores(t, 3, "Softmax", enginetest.SmallBag(9, 2)) {
			if got := e.Explanations[0].Scores[i]; !(math.Abs(got-row[2]) <= 1e-5) {
				t.Errorf("%s: the score of instance %d is %v, want %v", pool, i, got, row[2])
			}
		}
	}
}

// TestPoolOfDicts pools a classifier of scikit-learn whose probabilities are a list of dicts, which
// has no shape in the file: each instance votes.
func TestPoolOfDicts(t *testing.T) {
	ml := func(op string, in, out []string, a ...ot.Attribute) ot.Node {
		n := ot.N(op, in, out, a...)
		n.Domain = "ai.onnx.ml"
		return n
	}
	file := ot.Model{Opset: 13, Domains: map[string]int{"ai.onnx.ml": 3},
		Inputs:  []ot.Value{ot.In("bag", "k", 2)},
		Outputs: []ot.Value{{Name: "label", Type: 8, Dims: []any{"k"}}, {Name: "dicts"}},
		Nodes: []ot.Node{
			ml("LinearClassifier", []string{"bag"}, []string{"label", "p"},
				ot.Floats("coefficients", 1, 0, 0, 1, -1, -1), ot.Floats("intercepts", 0, 0, 0),
				ot.Texts("classlabels_strings", "a", "b", "c"), ot.Text("post_transform",
					"SOFTMAX")),
			ml("ZipMap", []string{"p"}, []string{"dicts"}, ot.Texts("classlabels_strings", "a",
				"b", "c"))}}
	m := enginetest.Open(t, file.Bytes(), Options{Card: []byte(`{"pool": "vote"}`)})
	bag := enginetest.SmallBag(4, 2)
	bag.Values = []float32{3, 1, 2, 0, -1, 5, -4, -2}
	p := must.Get(m.Predict(t.Context(), bag))(t)
	enginetest.CheckNear(t, "scores", p.Scores, []float64{.5, .25, .25}, 1e-6)
}

// TestPoolErrors checks what a pooling refuses.
func TestPoolErrors(t *testing.T) {
	undeclared := instanceModel(3, "Softmax", "k", 3)
	undeclared.Outputs = []ot.Value{{Name: "y"}}
	two := instanceModel(3, "", "k", 3)
	two.Outputs = append(two.Outputs, ot.In("linear", "k", 3))
	for _, c := range []struct {
		name, card, want string
		m                ot.Model
	}{
		{"a word", `{"pool": "median"}`, "none of mean", instanceModel(3, "", "k", 3)},
		{"no number", `{"pool": "top:0"}`, "top:10", instanceModel(3, "", "k", 3)},
		{"logits", `{"pool": "noisy-or"}`, "takes probabilities", instanceModel(3, "", "k", 3)},
		{"two outputs", `{"pool": "max"}`, `name one as "output_name"`, two},
		{"no output", `{"pool": "max", "output_name": "z"}`, "no output", two},
		{"votes of any number", `{"pool": "vote"}`, "declares no shape", undeclared},
		{"a map", `{"pool": "max"}`, "number of scores C", instanceModel(3, "", "k", "d")},
	} {
		_, err := Open(c.m.Bytes(), Options{Card: []byte(c.card)})
		var format *FormatError
		must.As(t, err, &format, c.want)
	}
	// The outputs of lists of dicts are not declared.
	bag := enginetest.SmallBag(5, 2)
	var want float64
	for _, row := range instanceScores(t, 3, "Softmax", bag) {
		want += row[1] / 5
	}
	any := enginetest.Open(t, undeclared.Bytes(), Options{Card: []byte(`{"pool": "mean"}`)})
	p := must.Get(any.Predict(t.Context(), bag))(t)
	must.Equal(t, len(p.Scores), 3, p.Scores, want)
	must.Equal(t, math.Abs(p.Scores[1]-want) <= 1e-5, true, p.Scores, want)
	m := enginetest.Open(t, two.Bytes(), Options{Card: []byte(
		`{"pool": "noisy-or", "output_name": "y", "output": "probabilities"}`)})
	must.Equal(t, m.Info().Output, "y/pooled", "the output is")
}
