package signature_test

import (
	"flag"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/onnxbackend"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

var update = flag.Bool("update", false, "write testdata/openings.txt")

// oneOf returns one of a list.
func oneOf[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// A drawnInput is an input and what bags for it are like.
type drawnInput struct {
	dims     []any
	axis     int64 // axis that the model pools
	width    int   // values that are left of an instance
	instance []int // shape of an instance of a bag
}

// drawnModel returns a model whose names, shapes, last operators and card say what its input and
// its scores are, and a bag.
func drawnModel(r *rand.Rand) (data []byte, bag *core.Bag) {
	in := oneOf(r, drawnInput{[]any{"k", 6}, 0, 6, []int{6}},
		drawnInput{[]any{1, "k", 6}, 1, 6, []int{6}},
		drawnInput{[]any{"b", "k", 6}, 1, 6, []int{6}},
		drawnInput{[]any{"instances", "batch", 6}, 1, 6, []int{6}},
		drawnInput{[]any{"", "", 6}, 1, 6, []int{6}}, drawnInput{[]any{4, 6}, 0, 6, []int{6}},
		drawnInput{[]any{1, 4, 6}, 1, 6, []int{6}}, drawnInput{[]any{1, 6, "k"}, 2, 6, []int{6}},
		drawnInput{[]any{"k", 3, 2}, 0, 6, []int{3, 2}},
		drawnInput{[]any{"k", "f"}, 0, 6, []int{6}},
		drawnInput{[]any{"k", 1, 2, 3}, 0, 6, []int{1, 2, 3}},
		drawnInput{[]any{"k", 3, 1, 2}, 0, 6, []int{3, 1, 2}},
		drawnInput{[]any{"k", 3, "h", "w"}, 0, 6, []int{3, 1, 2}})
	m := ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("bag", in.dims...)}}
	classes := oneOf(r, 1, 1, 2, 2, 3, 5)
	w := make([]float32, 6*classes)
	for i := range w {
		w[i] = float32(math.Sin(float64(7*i + r.IntN(3))))
	}
	m.Initializers = []ot.Tensor{ot.F("W", w, 6, classes), ot.F("one", []float32{1}, 1),
		ot.F("hundred", []float32{100}, 1), ot.I("flat", []int64{-1, 6}, 2),
		ot.I("row", []int64{1, -1}, 2), ot.I("list", []int64{-1}, 1)}
	node := func(op, out string, in []string, a ...ot.Attribute) {
		m.Nodes = append(m.Nodes, ot.N(op, in, []string{out}, a...))
	}
	x, axis := "bag", in.axis
	if len(in.dims) == 4 && r.IntN(2) == 0 { // channels last
		m.Inputs[0] = ot.In("bag", in.dims[0], in.dims[2], in.dims[3], in.dims[1])
		node("Transpose", "first", []string{x}, ot.Ints("perm", 0, 3, 1, 2))
		x = "first"
	}
	related := r.IntN(6) == 0 && in.axis == 0
	if len(in.instance) > 1 {
		node("Reshape", "vectors", []string{x, "flat"})
		x = "vectors"
	}
	if axis == 2 {
		node("Transpose", "turned", []string{x}, ot.Ints("perm", 0, 2, 1))
		x, axis = "turned", 1
	}
	if related {
		m.Inputs = append(m.Inputs, ot.In("adj", oneOf(r, []any{"k", "k"}, []any{"k", "k"},
			[]any{1, "k", "k"}, []any{2, "e"})...))
		node("MatMul", "beside", []string{"adj", x})
		x = "beside"
	}
	each := r.IntN(2) == 0 // the linear layer comes first
	if each {
		node("MatMul", "each", []string{x, "W"})
		x = "each"
	}
	pools := r.IntN(10) > 0
	if pools {
		node(oneOf(r, "ReduceMean", "ReduceMax"), "pooled", []string{x}, ot.Ints("axes", axis),
			ot.Int("keepdims", int64(r.IntN(2))))
		x = "pooled"
	}
	if !each {
		node("MatMul", "logits", []string{x, "W"})
		x = "logits"
	}
	for at := range r.IntN(3) {
		out := fmt.Sprint("t", at)
		switch op := oneOf(r, "Sigmoid", "Softmax", "LogSoftmax", "Relu", "Softplus", "Tanh", "Exp",
			"Mul", "Sub", "Neg", "Identity", "Reshape", "Log"); op {
		case "Softmax", "LogSoftmax":
			node(op, out, []string{x}, ot.Int("axis", -1))
		case "Mul":
			node(op, out, []string{x, oneOf(r, "one", "hundred")})
		case "Sub":
			node(op, out, []string{"one", x})
		case "Reshape":
			node(op, out, []string{x, oneOf(r, "row", "list")})
		default:
			node(op, out, []string{x})
		}
		x = out
	}
	last := ot.In(x)
	if r.IntN(3) > 0 {
		last.Dims = oneOf(r, []any{classes}, []any{1, classes}, []any{"b", classes}, []any{"k",
			classes}, []any{classes + 1})
	}
	m.Outputs = []ot.Value{last}
	if each && r.IntN(2) == 0 {
		m.Outputs = append(m.Outputs, ot.In("each", "k", classes))
	}
	if r.IntN(5) == 0 { // another number or list beside the bag
		name := oneOf(r, "n", "mask", "age")
		m.Inputs = append(m.Inputs, ot.In(name, oneOf(r, []any{1}, []any{"k"}, []any{1, "k"})...))
		node("ReduceMax", "number", []string{name}, ot.Int("keepdims", 0))
		node("Add", "with", []string{x, "number"})
		m.Outputs[0] = ot.In("with")
	}
	if card := drawnCard(r, classes, x); card != "" {
		m.Metadata = map[string]string{"bagscope": card}
	}
	bag = &core.Bag{Name: "bag", Shape: in.instance}
	for i := range 5 {
		bag.Boxes = append(bag.Boxes, image.Rect(8*(i%2), 8*(i/2), 8*(i%2)+8, 8*(i/2)+8))
	}
	bag.Raw = len(in.instance) == 3 && r.IntN(3) > 0
	if bag.Raw && r.IntN(3) == 0 && in.instance[0] == 3 {
		bag.Shape = []int{1, 2, 3} // channels last
	}
	for range oneOf(r, 1, 3, 4, 5) * 6 {
		v := r.NormFloat64()
		if bag.Raw {
			v = float64(r.IntN(256))
		}
		bag.Values = append(bag.Values, float32(v))
	}
	bag.Boxes = bag.Boxes[:bag.Len()]
	return m.Bytes(), bag
}

// drawnCard returns a card with some keys, "" for none.
func drawnCard(r *rand.Rand, classes int, output string) string {
	if r.IntN(3) > 0 {
		return ""
	}
	names := `"a"`
	for c := 1; c < classes; c++ {
		names += fmt.Sprintf(`,"%c"`, 'a'+c)
	}
	numbers := "0"
	for c := range classes {
		numbers += fmt.Sprint(",", c+1)
	}
	keys := []string{`"adjacency":"` + oneOf(r, "grid4", "knn(2)", "loops", "none") + `"`,
		`"adjacency":"grid4"`, `"classes":[` + names + `]`, `"negative":` +
			oneOf(r, "-1", "0", "1", "7"),
		`"output":"` + oneOf(r, "logits", "raw", "probabilities", "sigmoid-logits",
			"log-probabilities") + `"`,
		`"output":` + oneOf(r, `{"kind":"hazards","scale":"logits","edges":[`+numbers+`],
			"unit":"months"}`, `{"kind":"regression","name":"age","unit":"years"}`,
			`{"kind":"ordinal","scale":"logits","values":[`+numbers+`]}`,
			`{"kind":"ordinal","scale":"cumulative-logits"}`,
			`{"kind":"ordinal","scale":"probabilities","values":[1,2,3]}`,
			`{"kind":"classes","scale":"logits"}`,
			`{"kind":"heads","heads":[{"kind":"classes","name":"x","scale":"logits","classes":["p"],
			"negative":-1},{"kind":"regression","name":"y"}]}`),
		`"output_name":"` + oneOf(r, output, output, "each", "none") + `"`,
		`"pool":"` + oneOf(r, "mean", "max", "top:2", "top:1", "top:0", "lse",
			"noisy-or", "vote", "sum") + `"`,
		`"inherent":"` + oneOf(r, "each", "none") + `"`,
		`"instance_axis":` + oneOf(r, "0", "1", "-1", "2", "9"),
		`"inputs":{` + oneOf(r, `"n":"count"`, `"mask":"mask"`, `"age":0.5`, `"age":"covariate"`) +
			`}`,
		`"truth":[{"support":[1],"refute":2}]`,
		`"preprocess":{"scale":2,"mean":[1,2,3],"std":3}`}
	var chosen []string
	for range 1 + r.IntN(3) {
		chosen = append(chosen, keys[r.IntN(len(keys))])
	}
	return "{" + strings.Join(chosen, ",") + "}"
}

// opening returns what a model is taken for before and after its first bag, and the scores of the
// bag; or the type of an error. The wording of notes and errors does not count.
func opening(t *testing.T, data []byte, bag *core.Bag) string {
	m, err := onnxbackend.Open(data, onnxbackend.Options{})
	if err != nil {
		return fmt.Sprintf("%T", err)
	}
	describe := func() string {
		i := m.Info()
		return fmt.Sprint(i.Input, i.InstanceAxis, i.Covariates, i.Output, i.Classes, i.Negative,
			i.Scale, strings.Map(func(c rune) rune {
				if c == '.' || c >= '0' && c <= '9' {
					return -1 // scores, whose digits rounding may change
				}
				return c
			}, i.ScaleFrom), i.Heads, i.Inherent, i.Truth, len(i.Notes))
	}
	out := describe()
	p, err := m.Predict(t.Context(), bag)
	if err != nil {
		return out + fmt.Sprintf("; %T", err)
	}
	// One digit, which other instructions of a processor do not change.
	return out + fmt.Sprintf("; %s; %.1f; %d notes", describe(), p.Scores,
		len(m.PixelNotes(bag.Shape)))
}

// TestOpenings opens random models, and predicts a bag.
func TestOpenings(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	var names, results []string
	for n := range 1000 {
		data, bag := drawnModel(r)
		names, results = append(names, fmt.Sprint(n)), append(results, opening(t, data, bag))
	}
	testfile.Recorded(t, "testdata/openings.txt", *update, names, results)
}
