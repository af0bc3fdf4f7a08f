package onnxbackend

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// scoreModel pools the bag's 4 features by their mean, takes them through a linear layer of some
// classes to "l", and ends as the nodes say, in "scores".
func scoreModel(card string, classes int, nodes ...ot.Node) ot.Model {
	w := make([]float32, 4*classes)
	for i := range w {
		w[i] = float32(math.Sin(float64(3*i + 1)))
	}
	m := ot.Model{
		Opset:   13,
		Inputs:  []ot.Value{ot.In("bag", "k", 4)},
		Outputs: []ot.Value{ot.In("scores", classes)},
		Initializers: []ot.Tensor{ot.F("W", w, 4, classes), ot.F("one", []float32{1}, 1),
			ot.F("two", []float32{2}, 1), ot.I("axis0", []int64{0}, 1), ot.I("last", []int64{-1},
				1), ot.I("top", []int64{2}, 1)},
		Nodes: append([]ot.Node{
			ot.N("MatMul", []string{"bag", "W"}, []string{"each"}),
			ot.N("ReduceMean", []string{"each"}, []string{"l"}, ot.Ints("axes", 0),
				ot.Int("keepdims", 0)),
		}, nodes...),
	}
	if card != "" {
		m.Metadata = map[string]string{"bagscope": card}
	}
	return m
}

// holding adds an initializer.
func holding(t ot.Tensor, m ot.Model) ot.Model {
	m.Initializers = append(m.Initializers, t)
	return m
}

// declaring declares another number of scores.
func declaring(n int, m ot.Model) ot.Model {
	m.Outputs[0].Dims = []any{n}
	return m
}

func keepNot(op, in, out string, axes string) ot.Node {
	return ot.N(op, []string{in, axes}, []string{out}, ot.Int("keepdims", 0))
}

// TestWhatScoresAre opens models whose last operator is neither a softmax nor a sigmoid, and looks
// at what their scores are taken for, from what, and whether a note names the card's key.
func TestWhatScoresAre(t *testing.T) {
	softmax := op1("Softmax", "l", "p")
	regressor := scoreModel("", 2, op1("Identity", "l", "scores"))
	regressor.Domains = map[string]int{"ai.onnx.ml": 1}
	regressor.Nodes[0] = ot.Node{Op: "LinearRegressor", Domain: "ai.onnx.ml", In: []string{"bag"},
		Out: []string{"each"},
		Attributes: []ot.Attribute{ot.Int("targets", 2),
			ot.Floats("coefficients", 1, 2, -3, 1, 1, -2, 2, 1)}}
	sum1 := "8 random bags: within 0..1, sum 1"
	within := "8 random bags: within 0..1"
	for _, c := range []struct {
		name  string
		model ot.Model
		scale core.Scale
		from  string
		note  string
	}{
		{"linear layer", scoreModel("", 3, op1("Identity", "l", "scores")), core.ScaleLogits,
			"a linear layer at the end, MatMul", `"output": "raw"`},
		{"linear layer with a temperature", scoreModel("", 3, op2("Div", "l", "two", "scores")),
			core.ScaleLogits, "a linear layer", `"output": "raw"`},
		{"best instance of a linear layer", scoreModel("", 3,
			ot.N("ReduceMax", []string{"each"}, []string{"scores"}, ot.Ints("axes", 0),
				ot.Int("keepdims", 0))), core.ScaleLogits, "a linear layer", `"output": "raw"`},
		{"counts", scoreModel("", 3, op1("Relu", "l", "scores")), core.ScaleRaw, "a random bag has",
			`"output" in the model card`},
		{"softplus", scoreModel("", 3, op1("Softplus", "l", "scores")), core.ScaleRaw,
			"a random bag has", `"output" in the model card`},
		{"softplus of one", scoreModel("", 1, op1("Softplus", "l", "scores")), core.ScaleRaw,
			"a random bag has", `"output": "logits"`},
		{"one minus p and p", declaring(2, scoreModel("", 1, op1("Sigmoid", "l", "p"),
			op2("Sub", "one", "p", "q"), ot.N("Concat", []string{"q", "p"}, []string{"scores"},
				ot.Int("axis", 0)))), core.ScaleProbabilities, sum1, ""},
		{"softmax spelt out", scoreModel("", 3, op1("Tanh", "l", "h"), op1("Exp", "h", "e"),
			keepNot("ReduceSum", "e", "s", "axis0"), op2("Div", "e", "s", "scores")),
			core.ScaleProbabilities, sum1, ""},
		{"evidence", scoreModel("", 3, op1("Softplus", "l", "e"), op2("Add", "e", "one", "a"),
			keepNot("ReduceSum", "a", "s", "axis0"), op2("Div", "a", "s", "scores")),
			core.ScaleProbabilities, sum1, ""},
		{"exp of log softmax", scoreModel("", 3, op1("LogSoftmax", "l", "p"),
			op1("Exp", "p", "scores")), core.ScaleProbabilities, sum1, ""},
		{"log of softmax", holding(ot.F("tiny", []float32{1e-9}, 1),
			scoreModel("", 3, softmax, op2("Add", "p", "tiny", "t"), op1("Log", "t", "scores"))),
			core.ScaleLogProbabilities, "8 random bags: exponentials sum to 1", ""},
		{"mixture of experts", holding(ot.F("mix", []float32{.8, .1, .1, .2, .7, .1, .3, .3, .4}, 3,
			3), scoreModel("", 3, softmax, ot.N("MatMul", []string{"p", "mix"},
			[]string{"scores"}))), core.ScaleProbabilities, sum1, ""},
		{"noisy-or", scoreModel("", 1, op1("Sigmoid", "each", "p"), op2("Sub", "one", "p", "q"),
			ot.N("ReduceProd", []string{"q"}, []string{"r"}, ot.Ints("axes", 0),
				ot.Int("keepdims", 0)), op2("Sub", "one", "r", "scores")), core.ScaleProbabilities,
			within, ""},
		{"noisy-or of three", scoreModel("", 3, op1("Sigmoid", "each", "p"),
			op2("Sub", "one", "p", "q"), ot.N("ReduceProd", []string{"q"}, []string{"r"},
				ot.Ints("axes", 0), ot.Int("keepdims", 0)), op2("Sub", "one", "r", "scores")),
			core.ScaleRaw, within, `"output": "probabilities"`},
		{"regressor", regressor, core.ScaleRaw, "LinearRegressor", `"output": "logits"`},
		{"several labels", scoreModel("", 3, op1("Sigmoid", "l", "scores")),
			core.ScaleProbabilities, "the graph ends in Sigmoid", ""},
		{"constant", holding(ot.F("zero", []float32{0}, 1),
			scoreModel("", 1, op2("Mul", "l", "zero", "scores"))), core.ScaleRaw, "the same scores",
			`"output": "logits"`},
		{"card over a regression", scoreModel(`{"output": "raw"}`, 3,
			op1("Identity", "l", "scores")), core.ScaleRaw, "the model card", ""},
		{"card over probabilities", scoreModel(`{"output": "logits"}`, 3,
			op1("LogSoftmax", "l", "p"), op1("Exp", "p", "scores")), core.ScaleLogits,
			"the model card", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := open(t, c.model.Bytes(), Options{})
			i := m.Info()
			if i.Scale != c.scale || !strings.Contains(i.ScaleFrom, c.from) {
				t.Errorf("%s from %q, want %s from %q", i.Scale, i.ScaleFrom, c.scale, c.from)
			}
			if notes := strings.Join(i.Notes, " "); !strings.Contains(notes, c.note) ||
				c.note == "" && notes != "" {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
			p, err := m.Predict(context.Background(), smallBag(3, 4))
			if err != nil {
				t.Fatal(err)
			}
			if p.Scale != c.scale {
				t.Errorf("a bag's scores are %s, want %s", p.Scale, c.scale)
			}
		})
	}
}

// A bag whose scores contradict what random bags have proved gets raw scores and a note, in a
// prediction and in an explanation.
func TestBagContradictsProof(t *testing.T) {
	// The score is a probability but where the largest value of the bag is the one number that
	// random bags never have.
	m := scoreModel("", 1, op2("Equal", "first", "magic", "is"),
		ot.N("Cast", []string{"is"}, []string{"number"}, ot.Int("to", 1)),
		op1("Sigmoid", "l", "p"), op2("Add", "p", "number", "scores"))
	m.Nodes = append([]ot.Node{ot.N("ReduceMax", []string{"bag"}, []string{"first"},
		ot.Int("keepdims", 0))}, m.Nodes...)
	o := open(t, holding(ot.F("magic", []float32{7}, 1), m).Bytes(), Options{})
	if i := o.Info(); i.Scale != core.ScaleProbabilities {
		t.Fatalf("%s from %q", i.Scale, i.ScaleFrom)
	}
	odd := &core.Bag{Shape: []int{4}, Values: []float32{7, 1, 2, 3, 1, 1, 1, 1}}
	for _, c := range []struct {
		bag   *core.Bag
		scale core.Scale
		note  string
	}{{odd, core.ScaleRaw, "taken as raw"}, {odd.Select([]int{1, 1}), core.ScaleProbabilities,
		""}} {
		p, err := o.Predict(context.Background(), c.bag)
		if err != nil {
			t.Fatal(err)
		}
		ev, err := o.Bind(context.Background(), c.bag)
		if err != nil {
			t.Fatal(err)
		}
		if got := ev.Task().Scale; p.Scale != c.scale || got != c.scale {
			t.Errorf("prediction on %s, explanation on %s, want %s", p.Scale, got, c.scale)
		}
		for _, notes := range [][]string{p.Notes, ev.(*Bound).Notes()} {
			if text := strings.Join(notes, " "); !strings.Contains(text, c.note) || c.note == "" &&
				strings.Contains(text, "raw") {
				t.Errorf("notes %q", text)
			}
		}
	}
}

// The one class of a model that gives P(positive) is called so; a card's name wins, and a score
// that is no probability has a number.
func TestNameOfOneClass(t *testing.T) {
	for _, c := range []struct {
		model ot.Model
		want  string
	}{
		{scoreModel("", 1, op1("Sigmoid", "l", "scores")), "positive"},
		{scoreModel(`{"output": "logits"}`, 1, op1("Identity", "l", "scores")), "positive"},
		{scoreModel(`{"classes": ["tumour"]}`, 1, op1("Sigmoid", "l", "scores")), "tumour"},
		{scoreModel("", 1, op1("Softplus", "l", "scores")), "0"},
	} {
		if i := open(t, c.model.Bytes(), Options{}).Info(); len(i.Classes) != 1 ||
			i.Classes[0] != c.want {
			t.Errorf("classes %q, want %q", i.Classes, c.want)
		}
	}
}

// Random bags are bounded: a model whose runs take too long is opened soon, and its scores are raw.
func TestRandomBagsAreBounded(t *testing.T) {
	m := scoreModel("", 3, op1("Relu", "l", "scores"))
	m.Nodes = append([]ot.Node{ot.N("Loop", []string{"trips", "", "bag"}, []string{"round"},
		ot.Body("body", ot.Model{
			Inputs: []ot.Value{{Name: "t", Type: ot.Int64}, {Name: "go", Type: ot.Bool},
				ot.In("v")},
			Outputs:      []ot.Value{{Name: "on", Type: ot.Bool}, ot.In("w")},
			Nodes:        []ot.Node{op1("Identity", "go", "on"), op2("MatMul", "v", "square", "w")},
			Initializers: []ot.Tensor{ot.F("square", make([]float32, 16), 4, 4)},
		}))}, m.Nodes...)
	m.Nodes[1].In[0] = "round"
	i := open(t, holding(ot.I("trips", []int64{900_000}), m).Bytes(),
		Options{Limits: Limits{Work: 1 << 16}}).Info()
	if i.Scale != core.ScaleRaw || !strings.Contains(i.ScaleFrom, "random bag") {
		t.Errorf("%s from %q", i.Scale, i.ScaleFrom)
	}
}
