package signature_test

import (
	"context"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

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

// withAge adds the input "age" of one number to a model.
func withAge(m ot.Model) ot.Model {
	m.Inputs = append(m.Inputs, ot.In("age", 1))
	return m
}

// TestScaleOfScores opens models whose last operator is neither a softmax nor a sigmoid, and looks
// at what their scores are taken for, from what, and whether a note names the card's key.
func TestScaleOfScores(t *testing.T) {
	softmax := enginetest.Unary("Softmax", "l", "p")
	regressor := enginetest.ScoreModel("", 2, enginetest.Unary("Identity", "l", "scores"))
	regressor.Domains = map[string]int{"ai.onnx.ml": 1}
	regressor.Nodes[0] = ot.Node{Op: "LinearRegressor", Domain: "ai.onnx.ml", In: []string{"bag"},
		Out: []string{"each"},
		Attributes: []ot.Attribute{ot.Int("targets", 2),
			ot.Floats("coefficients", 1, 2, -3, 1, 1, -2, 2, 1)}}
	pairs := enginetest.ScoreModel("", 3, enginetest.Unary("Identity", "l", "scores"))
	pairs.Domains = map[string]int{"ai.onnx.ml": 1}
	pairs.Nodes[0] = ot.Node{Op: "SVMClassifier", Domain: "ai.onnx.ml", In: []string{"bag"},
		Out: []string{"", "each"},
		Attributes: []ot.Attribute{ot.Floats("support_vectors", 1, 2, 0, 1, 0, 1, 3, 1, 2, 2, 0, 1),
			ot.Ints("vectors_per_class", 1, 1, 1), ot.Floats("rho", 0, 1, 2),
			ot.Floats("coefficients", 1, -1, 2, 1, -2, 1), ot.Ints("classlabels_ints", 0, 1, 2)}}
	sum1 := "8 random bags: within 0..1, sum 1"
	within := "8 random bags: within 0..1"
	for _, c := range []struct {
		name  string
		model ot.Model
		scale core.Scale
		from  string
		note  string
	}{
		{"linear layer", enginetest.ScoreModel("", 3, enginetest.Unary("Identity", "l", "scores")),
			core.ScaleLogits,
			"a linear layer at the end, MatMul", `"output": "raw"`},
		{"linear layer with a temperature", enginetest.ScoreModel("", 3,
			enginetest.Binary("Div", "l", "two", "scores")),
			core.ScaleLogits, "a linear layer", `"output": "raw"`},
		{"linear layer and a bias", enginetest.ScoreModel("", 3,
			enginetest.Binary("Add", "one", "l", "scores")),
			core.ScaleLogits, "a linear layer", `"output": "raw"`},
		{"best instance of a linear layer", enginetest.ScoreModel("", 3,
			ot.N("ReduceMax", []string{"each"}, []string{"scores"}, ot.Ints("axes", 0),
				ot.Int("keepdims", 0))), core.ScaleLogits, "a linear layer", `"output": "raw"`},
		{"counts", enginetest.ScoreModel("", 3, enginetest.Unary("Relu", "l", "scores")),
			core.ScaleRaw, "a random bag has scores from 0 to ",
			`"output" in the model card`},
		{"softplus", enginetest.ScoreModel("", 3, enginetest.Unary("Softplus", "l", "scores")),
			core.ScaleRaw,
			"a random bag has scores from ", `"output" in the model card`},
		{"softplus of one", enginetest.ScoreModel("", 1,
			enginetest.Unary("Softplus", "l", "scores")), core.ScaleRaw,
			"a random bag has the score ", `"output": "logits"`},
		{"one minus p and p", declaring(2, enginetest.ScoreModel("", 1,
			ot.Nodes(`p = Sigmoid(l); q = Sub(one, p)
				scores = Concat<axis=0>(q, p)`)...)), core.ScaleProbabilities, sum1, ""},
		{"softmax spelt out", enginetest.ScoreModel("", 3, ot.Nodes(`h = Tanh(l); e = Exp(h)
			s = ReduceSum<keepdims=0>(e, axis0); scores = Div(e, s)`)...),
			core.ScaleProbabilities, sum1, ""},
		{"softmax that overflows", holding(ot.F("steep", []float32{20}, 1),
			enginetest.ScoreModel("", 3, ot.Nodes(`h = Mul(l, steep); e = Exp(h)
				s = ReduceSum<keepdims=0>(e, axis0); scores = Div(e, s)`)...)),
			core.ScaleProbabilities, "random bags: within 0..1, sum 1", ""},
		{"softmax of a covariate", withAge(enginetest.ScoreModel(
			`{"inputs": {"age": 0.5}}`, 3, ot.Nodes(`m = Mul(l, age); h = Tanh(l); x = Add(h, m)
				e = Exp(x); s = ReduceSum<keepdims=0>(e, axis0)
				scores = Div(e, s)`)...)), core.ScaleProbabilities, sum1, ""},
		{"evidence", enginetest.ScoreModel("", 3, ot.Nodes(`e = Softplus(l); a = Add(e, one)
			s = ReduceSum<keepdims=0>(a, axis0); scores = Div(a, s)`)...),
			core.ScaleProbabilities, sum1, ""},
		{"exp of log softmax", enginetest.ScoreModel("", 3,
			ot.Nodes(`p = LogSoftmax(l); scores = Exp(p)`)...), core.ScaleProbabilities, sum1, ""},
		{"log of softmax", holding(ot.F("tiny", []float32{1e-9}, 1),
			enginetest.ScoreModel("", 3, softmax, enginetest.Binary("Add", "p", "tiny", "t"),
				enginetest.Unary("Log", "t", "scores"))),
			core.ScaleLogProbabilities, "8 random bags: exponentials sum to 1", ""},
		{"mixture of experts", holding(ot.F("mix", []float32{.8, .1, .1, .2, .7, .1, .3, .3, .4}, 3,
			3), enginetest.ScoreModel("", 3, softmax, ot.N("MatMul", []string{"p", "mix"},
			[]string{"scores"}))), core.ScaleProbabilities, sum1, ""},
		{"noisy-or", enginetest.ScoreModel("", 1, ot.Nodes(`p = Sigmoid(each); q = Sub(one, p)
			r = ReduceProd<axes=[0], keepdims=0>(q); scores = Sub(one, r)`)...),
			core.ScaleProbabilities,
			within, ""},
		{"noisy-or of three", enginetest.ScoreModel("", 3, ot.Nodes(`p = Sigmoid(each)
			q = Sub(one, p); r = ReduceProd<axes=[0], keepdims=0>(q); scores = Sub(one, r)`)...),
			core.ScaleRaw, within, `"output": "probabilities"`},
		{"regressor", regressor, core.ScaleRaw, "LinearRegressor", `"output": "logits"`},
		{"pairs of classes", pairs, core.ScaleRaw, "SVMClassifier", `"output": "logits"`},
		{"several labels", enginetest.ScoreModel("", 3, enginetest.Unary("Sigmoid", "l", "scores")),
			core.ScaleProbabilities, "the graph ends in Sigmoid", ""},
		{"constant", holding(ot.F("zero", []float32{0}, 1),
			enginetest.ScoreModel("", 1, enginetest.Binary("Mul", "l", "zero", "scores"))),
			core.ScaleRaw, "the same scores",
			`"output": "logits"`},
		{"percentages", holding(ot.F("hundred", []float32{100}, 1), enginetest.ScoreModel("", 3,
			softmax, enginetest.Binary("Mul", "p", "hundred", "scores"))), core.ScaleRaw,
			"8 random bags: within 0..100, sum 100", "percentages"},
		{"no percentages", holding(ot.F("fifty", []float32{50}, 1), enginetest.ScoreModel("", 3,
			softmax, enginetest.Binary("Mul", "p", "fifty", "scores"))), core.ScaleRaw,
			"a random bag has", `"output" in the model card`},
		{"a vector", enginetest.ScoreModel("", 65, enginetest.Unary("Identity", "l", "scores")),
			core.ScaleRaw, "65 numbers without names of classes", "a vector of 65 numbers"},
		{"a vector that a card names", enginetest.ScoreModel(`{"output": "logits"}`, 65,
			enginetest.Unary("Identity", "l", "scores")), core.ScaleLogits, "the model card", ""},
		{"many classes", enginetest.ScoreModel("", 65, enginetest.Unary("Softmax", "l", "scores")),
			core.ScaleProbabilities, "the graph ends in Softmax", ""},
		{"64 classes", enginetest.ScoreModel("", 64, enginetest.Unary("Identity", "l", "scores")),
			core.ScaleLogits, "a linear layer at the end", `"output": "raw"`},
		{"card over a regression", enginetest.ScoreModel(`{"output": "raw"}`, 3,
			enginetest.Unary("Identity", "l", "scores")), core.ScaleRaw, "the model card", ""},
		{"card over probabilities", enginetest.ScoreModel(`{"output": "logits"}`, 3,
			enginetest.Unary("LogSoftmax", "l", "p"), enginetest.Unary("Exp", "p", "scores")),
			core.ScaleLogits,
			"the model card", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := enginetest.Open(t, c.model.Bytes(), onnxbackend.Options{})
			i := m.Info()
			must.Equal(t, i.Scale, c.scale)
			must.Contain(t, i.ScaleFrom, c.from)
			if notes := strings.Join(i.Notes, " "); !strings.Contains(notes, c.note) ||
				c.note == "" && notes != "" {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
			p := must.Get(m.Predict(context.Background(), enginetest.SmallBag(3, 4)))(t)
			must.Equal(t, p.Scale, c.scale)
		})
	}
}

// TestScaleIsRawIfBagContradictsIt scores a bag that contradicts what random bags have proved:
// predictions and explanations must have raw scores and a note.
func TestScaleIsRawIfBagContradictsIt(t *testing.T) {
	// The score is a probability but where the largest value of the bag is the one number that
	// random bags never have.
	m := enginetest.ScoreModel("", 1, ot.Nodes(`is = Equal(first, magic); number = Cast<to=1>(is)
		p = Sigmoid(l); scores = Add(p, number)`)...)
	m.Nodes = append(ot.Nodes(`first = ReduceMax<keepdims=0>(bag)`), m.Nodes...)
	o := enginetest.Open(t, holding(ot.F("magic", []float32{7}, 1), m).Bytes(),
		onnxbackend.Options{})
	must.Equal(t, o.Info().Scale, core.ScaleProbabilities)
	odd := &core.Bag{Shape: []int{4}, Values: []float32{7, 1, 2, 3, 1, 1, 1, 1}}
	for _, c := range []struct {
		bag   *core.Bag
		scale core.Scale
		note  string
	}{{odd, core.ScaleRaw, "taken as raw"}, {odd.Select([]int{1, 1}), core.ScaleProbabilities,
		""}} {
		p := must.Get(o.Predict(context.Background(), c.bag))(t)
		ev := must.Get(o.Bind(context.Background(), c.bag))(t)
		must.Equal(t, p.Scale, c.scale)
		must.Equal(t, ev.Task().Scale, c.scale)
		for _, notes := range [][]string{p.Notes, ev.(*onnxbackend.Bound).Notes()} {
			if text := strings.Join(notes, " "); !strings.Contains(text, c.note) || c.note == "" &&
				strings.Contains(text, "raw") {
				t.Errorf("notes %q", text)
			}
		}
	}
}

// TestScaleOfCardStaysIfBagContradictsIt scores a bag above 1 although the card says probabilities:
// the scores keep the card's scale, and a note asks to mend the card.
func TestScaleOfCardStaysIfBagContradictsIt(t *testing.T) {
	o := enginetest.Open(t, enginetest.ScoreModel(`{"output": "probabilities"}`, 1,
		enginetest.Unary("Exp", "l", "scores")).Bytes(), onnxbackend.Options{})
	contradicted := 0
	for _, v := range []float32{-9, 9} {
		p := must.Get(o.Predict(t.Context(), &core.Bag{Shape: []int{4},
			Values: []float32{v, v, v, v}}))(t)
		must.Equal(t, p.Scale, core.ScaleProbabilities, p.Scores)
		above := p.Scores[0] > 1.01
		if above {
			contradicted++
		}
		notes := strings.Join(p.Notes, " ")
		if strings.Contains(notes, "The model card says probabilities, but for this bag score 0") !=
			above || strings.Contains(notes, "raw") {
			t.Errorf("score %g: notes %q", p.Scores[0], notes)
		}
	}
	must.Equal(t, contradicted, 1)
}

// TestPercentages checks the unit of scores that sum to 100, in predictions and explanations, and
// for a bag that contradicts it.
func TestPercentages(t *testing.T) {
	m := enginetest.ScoreModel("", 3, ot.Nodes(`is = Equal(first, magic); number = Cast<to=1>(is)
		p = Softmax(l); of = Mul(p, hundred); scores = Add(of, number)`)...)
	m.Nodes = append(ot.Nodes(`first = ReduceMax<keepdims=0>(bag)`), m.Nodes...)
	m = holding(ot.F("magic", []float32{7}, 1), holding(ot.F("hundred", []float32{100}, 1), m))
	o := enginetest.Open(t, m.Bytes(), onnxbackend.Options{})
	odd := &core.Bag{Shape: []int{4}, Values: []float32{7, 1, 2, 3, 1, 1, 1, 1}}
	for _, c := range []struct {
		bag  *core.Bag
		unit core.Unit
		note string
	}{{odd, core.UnitScore, "the scores sum to 103"}, {odd.Select([]int{1, 1}), "%",
		"percentages"}} {
		p := must.Get(o.Predict(context.Background(), c.bag))(t)
		read := must.Get(core.Read(p.Heads, p.Scale, p.Scores, core.OutputProbability))(t)
		ev := must.Get(o.Bind(context.Background(), c.bag))(t)
		g := must.Get(core.NewGame(ev, core.GameOptions{}))(t)
		must.Equal(t, read.Units[0], c.unit, read.Units, g.Units())
		must.Equal(t, g.Units()[0], c.unit, read.Units, g.Units())
		must.Contain(t, strings.Join(p.Notes, " "), c.note)
	}
}

// TestNameOfOneClass names the one class of a model that returns P(positive). A card's name comes
// first, and a raw score has a number.
func TestNameOfOneClass(t *testing.T) {
	for _, c := range []struct {
		model ot.Model
		want  string
	}{
		{enginetest.ScoreModel("", 1, enginetest.Unary("Sigmoid", "l", "scores")), "positive"},
		{enginetest.ScoreModel(`{"output": "logits"}`, 1,
			enginetest.Unary("Identity", "l", "scores")), "positive"},
		{enginetest.ScoreModel(`{"classes": ["tumour"]}`, 1,
			enginetest.Unary("Sigmoid", "l", "scores")), "tumour"},
		{enginetest.ScoreModel("", 1, enginetest.Unary("Softplus", "l", "scores")), "0"},
	} {
		if i := enginetest.Open(t, c.model.Bytes(),
			onnxbackend.Options{}).Info(); len(i.Classes) != 1 ||
			i.Classes[0] != c.want {
			t.Errorf("classes %q, want %q", i.Classes, c.want)
		}
	}
}

// TestRandomBagsAreBounded opens a model whose runs take too long: Open must return soon, and the
// scores are raw.
func TestRandomBagsAreBounded(t *testing.T) {
	m := enginetest.ScoreModel("", 3, enginetest.Unary("Relu", "l", "scores"))
	m.Nodes = append([]ot.Node{ot.N("Loop", []string{"trips", "", "bag"}, []string{"round"},
		ot.Body("body", ot.Model{
			Inputs: []ot.Value{{Name: "t", Type: ot.Int64}, {Name: "go", Type: ot.Bool},
				ot.In("v")},
			Outputs:      []ot.Value{{Name: "on", Type: ot.Bool}, ot.In("w")},
			Nodes:        ot.Nodes(`on = Identity(go); w = MatMul(v, square)`),
			Initializers: []ot.Tensor{ot.F("square", make([]float32, 16), 4, 4)},
		}))}, m.Nodes...)
	m.Nodes[1].In[0] = "round"
	i := enginetest.Open(t, holding(ot.I("trips", []int64{900_000}), m).Bytes(),
		onnxbackend.Options{Limits: onnxbackend.Limits{Work: 1 << 16}}).Info()
	must.Equal(t, i.Scale, core.ScaleRaw)
	must.Contain(t, i.ScaleFrom, "random bag")
}

// TestScaleOverNeighbours runs a model of related instances on random bags, which have relations.
func TestScaleOverNeighbours(t *testing.T) {
	m := enginetest.ScoreModel(`{"inputs": {"a": "adjacency"}}`, 3,
		ot.Nodes(`near = MatMul(a, each); m = ReduceMean<axes=[0], keepdims=0>(near); h = Tanh(m)
			e = Exp(h); s = ReduceSum<keepdims=0>(e, axis0); scores = Div(e, s)`)...)
	m.Inputs = append(m.Inputs, ot.In("a", "k", "k"))
	i := enginetest.Open(t, m.Bytes(), onnxbackend.Options{}).Info()
	must.Equal(t, i.Scale, core.ScaleProbabilities)
	must.Contain(t, i.ScaleFrom, "within 0..1, sum 1")
}

// TestScoresThatContradict reads scores of one bag that are not what they were taken for. They are
// raw then, and a note says so. Notes about the output remain.
func TestScoresThatContradict(t *testing.T) {
	const note = "the output's own note"
	for _, c := range []struct {
		scale, want core.Scale
		y           []float64
		says        string // "" if the scores do not contradict
	}{
		{core.ScaleProbabilities, core.ScaleProbabilities, []float64{.2, .9}, ""},
		{core.ScaleProbabilities, core.ScaleRaw, []float64{.2, 1.2}, "score 1 is 1.2"},
		{core.ScaleProbabilities, core.ScaleRaw, []float64{-.1, .2}, "score 0 is -0.1"},
		{core.ScaleProbabilities, core.ScaleProbabilities, []float64{-1e-4, 1.0005}, ""},
		{core.ScaleLogProbabilities, core.ScaleLogProbabilities, []float64{-3, 1e-3}, ""},
		{core.ScaleLogProbabilities, core.ScaleRaw, []float64{-3, .5}, "a score is 0.5"},
		{core.ScaleLogits, core.ScaleLogits, []float64{-3, 5}, ""},
	} {
		out := &signature.ClassOutput{Classes: 2, Scale: c.scale, From: "a guess",
			Notes: []string{note}}
		got := out.ForBag(c.y)
		notes := strings.Join(got.Notes, " ")
		if got.Scale != c.want || !strings.HasPrefix(notes, note) ||
			(notes == note) != (c.says == "") || !strings.Contains(notes, c.says) ||
			len(out.Notes) != 1 || out.Scale != c.scale {
			t.Errorf("%s %v: %s, notes %q", c.scale, c.y, got.Scale, got.Notes)
		}
	}
}
