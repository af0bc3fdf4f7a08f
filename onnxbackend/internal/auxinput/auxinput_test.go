package auxinput_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// maskedAttention weights h by a softmax over the places where keep is true.
func maskedAttention(keep ...ot.Node) []ot.Node {
	return append(keep, ot.Nodes(`c = Reshape(keep, column); b = Where(c, a, low)
		w = Softmax<axis=0>(b); wt = Transpose(w); p = MatMul(wt, h)`)...)
}

func TestAuxiliaryInputs(t *testing.T) {
	bag := ot.In("bag", "k", 3)
	asTruth := ot.N("Cast", []string{"mask"}, []string{"keep"}, ot.Int("to", ot.Bool))
	summed := []ot.Node{ot.N("ReduceSum", []string{"h", "axis0"}, []string{"s"})}
	for _, c := range []struct {
		name, strategy, note string
		inputs               []ot.Value
		nodes                []ot.Node
	}{
		{"mask of ones", "mean", `"mask" is a mask and is given 1`,
			[]ot.Value{bag, enginetest.InputOf(ot.In("mask", "k"), ot.Bool)},
			enginetest.MaskedMean()},
		{"mask first", "mean", `given 1`, []ot.Value{enginetest.InputOf(ot.In("mask", 1, "n"),
			ot.Int64), bag},
			enginetest.MaskedMean()},
		{"mask of four dimensions", "mean", `given 1`, []ot.Value{bag, ot.In("mask", 1, 1, "", 1)},
			enginetest.MaskedMean()},
		{"batch", "attention", `given 1`, []ot.Value{ot.In("bag", "batch", "k", 3),
			enginetest.InputOf(ot.In("mask", "batch", "k"), ot.Int32)}, maskedAttention(asTruth)},
		{"unnamed batch", "attention", `given 1`, []ot.Value{ot.In("bag", "", "", 3),
			enginetest.InputOf(ot.In("mask", "", "", 1), ot.Float16)},
			maskedAttention(asTruth)},
		{"mask of padding", "attention", `given 0`,
			[]ot.Value{bag, enginetest.InputOf(ot.In("mask", "k"), ot.Bool)},
			maskedAttention(ot.N("Not", []string{"mask"}, []string{"keep"}))},
		{"mask that is added", "attention", "given 0 for each instance: the scores of random " +
			"instances do not depend on padding where it is -Inf",
			[]ot.Value{bag, ot.In("mask", "k", 1)}, ot.Nodes(`b = Add(a, mask)
				w = Softmax<axis=0>(b); wt = Transpose(w); p = MatMul(wt, h)`)},
		{"mask of pairs", onnxbackend.StrategyGathered, `given 1`,
			[]ot.Value{bag, enginetest.InputOf(ot.In("mask", "k", "k"), ot.Bool)}, ot.Nodes(`
				ht = Transpose(h); pairs = MatMul(h, ht); b = Where(mask, pairs, zero)
				q = MatMul(b, h); p = ReduceSum(q, axis0)`)},
		{"length", "mean", `"n" is given the number of instances`,
			[]ot.Value{bag, enginetest.InputOf(ot.In("n"), ot.Int64),
				enginetest.InputOf(ot.In("mask", "k"), ot.Bool)},
			append(enginetest.MaskedMean()[:4:4], ot.Nodes(`f = Cast<to=1>(n); p = Div(s, f)`)...)},
		{"length of a batch", "attention", `number of instances`,
			[]ot.Value{ot.In("bag", "b", "n", 3),
				enginetest.InputOf(ot.In("lengths", "b"), ot.Int64)},
			maskedAttention(
				ot.N("Shape", []string{"a"}, []string{"all"}), ot.N("Gather",
					[]string{"all", "axis0"},
					[]string{"first"}), ot.N("Squeeze", []string{"first"}, []string{"many"}),
				ot.N("Range", []string{"none", "many", "step"}, []string{"places"}), ot.N("Less",
					[]string{"places", "lengths"}, []string{"keep"}))},
		{"nobody reads it", "sum", "", []ot.Value{bag, ot.In("label", 1)},
			append(summed, ot.N("Identity", []string{"s"}, []string{"p"}))},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := enginetest.AuxiliaryModel(c.inputs, c.nodes...)
			m.Initializers = append(m.Initializers, ot.I("none", []int64{0}),
				ot.I("step", []int64{1}))
			for _, k := range []int{1, 3, 20} {
				bag := enginetest.SmallBag(k, 3)
				b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{}, bag)
				if k > 3 && b.Strategy() != c.strategy {
					t.Errorf("strategy %s, want %s: %s %q", b.Strategy(), c.strategy,
						enginetest.EvaluatorOf(b).WhyNot, b.Notes())
				}
				must.Contain(t, strings.Join(b.Notes(), " "), c.note)
				enginetest.CheckStrategyEqualsPlain(t, b, m.Bytes(), bag)
			}
		})
	}
}

// TestAuxiliaryInputsAreNeutral compares models with masks and lengths with the same models without
// them.
func TestAuxiliaryInputsAreNeutral(t *testing.T) {
	masked := enginetest.AuxiliaryModel([]ot.Value{ot.In("bag", "k", 3),
		enginetest.InputOf(ot.In("mask", "k"), ot.Bool)},
		enginetest.MaskedMean()...)
	mean := enginetest.AuxiliaryModel([]ot.Value{ot.In("bag", "k", 3)},
		ot.N("ReduceMean", []string{"h"}, []string{"p"}, ot.Ints("axes", 0)))
	bag := enginetest.SmallBag(9, 3)
	enginetest.CheckNear(t, "scores", predicted(t, masked.Bytes(), "", bag),
		predicted(t, mean.Bytes(), "", bag),
		1e-6)
}

func predicted(t *testing.T, model []byte, card string, bag *core.Bag) []float64 {
	t.Helper()
	m := must.Get(onnxbackend.Open(model, onnxbackend.Options{Card: []byte(card)}))(t)
	p := must.Get(m.Predict(context.Background(), bag))(t)
	return p.Scores
}

// TestPartsOfInstances joins arrays that each hold a part of every instance: an instance has one
// part after the other.
func TestPartsOfInstances(t *testing.T) {
	together := ot.Nodes(`f = Cast<to=1>(coords); xy = Reshape(f, pairs)
		z = Reshape(features, singles); bag = Concat<axis=1>(xy, z)`)
	for name, inputs := range map[string][]ot.Value{
		"rows": {ot.In("coords", "k", 2), ot.In("features", "k", 1)},
		"whole": {enginetest.InputOf(ot.In("coords", "k", 2), ot.Int64),
			ot.In("features", 1, "k", 1)},
		"batch":            {ot.In("coords", "batch", "k", 2), ot.In("features", "batch", "k", 1)},
		"axis of the card": {ot.In("coords", 1, "k", 2), ot.In("features", 1, "k", 1)},
		"columns":          {ot.In("coords", 2, "k"), ot.In("features", "k", 1)},
		"with a mask": {ot.In("coords", "k", 2), ot.In("features", "k", 1),
			enginetest.InputOf(ot.In("mask", "k"), ot.Bool)},
		"double width": {enginetest.InputOf(ot.In("coords", "k", 2), ot.Float64),
			ot.In("features", "k", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			m := enginetest.AuxiliaryModel(inputs)
			nodes := slices.Clone(together)
			if name == "columns" {
				nodes[0] = ot.N("Transpose", []string{"coords"}, []string{"f"})
			}
			pool := []ot.Node{ot.N("ReduceMean", []string{"h"}, []string{"p"}, ot.Ints("axes", 0))}
			if name == "with a mask" {
				pool = enginetest.MaskedMean()
			}
			last := len(m.Nodes) - 1
			m.Nodes = slices.Concat(nodes, m.Nodes[:last], pool, m.Nodes[last:])
			m.Initializers = append(m.Initializers, ot.I("pairs", []int64{-1, 2}, 2),
				ot.I("singles", []int64{-1, 1}, 2))
			card := `{"inputs": {"features": "instances", "coords": "instances"}}`
			if name == "axis of the card" {
				card = `{"instance_axis": 1,` + card[1:]
			}
			bag := enginetest.SmallBag(12, 3)
			if name == "whole" {
				for i := range bag.Values {
					bag.Values[i] = float32(i * i % 7)
				}
			}
			m.Metadata = map[string]string{"bagscope": card}
			b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{}, bag)
			must.Equal(t, b.Strategy(), "mean")
			enginetest.CheckStrategyEqualsPlain(t, b, m.Bytes(), bag)
			mean := enginetest.AuxiliaryModel([]ot.Value{ot.In("bag", "k", 3)},
				ot.N("ReduceMean", []string{"h"}, []string{"p"}, ot.Ints("axes", 0)))
			enginetest.CheckNear(t, "scores", predicted(t, m.Bytes(), "", bag),
				predicted(t, mean.Bytes(), "", bag),
				1e-6)
		})
	}
}

// TestCardOfInputs states in the card what no run can find out.
func TestCardOfInputs(t *testing.T) {
	m := enginetest.AuxiliaryModel([]ot.Value{ot.In("bag", "k", 3), ot.In("gain", 1, 4)},
		ot.Nodes(`u = ReduceMean<axes=[0]>(h); p = Mul(u, gain)`)...)
	bag := enginetest.SmallBag(7, 3)
	once := predicted(t, m.Bytes(), `{"inputs": {"gain": 1}}`, bag)
	twice := predicted(t, m.Bytes(), `{"inputs": {"gain": [2, 2, 2, 2]}}`, bag)
	often := predicted(t, m.Bytes(), `{"inputs": {"gain": "count"}}`, bag)
	for i, v := range once {
		enginetest.CheckNear(t, "scores", []float64{twice[i], often[i]}, []float64{2 * v, 7 * v},
			1e-6)
	}
	for card, says := range map[string]string{
		``:                                  `"inputs": {"gain": 1}`,
		`{"inputs": {"gain": [1, 2]}}`:      "does not take 2 numbers",
		`{"inputs": {"gain": "lengths"}}`:   `"lengths" is none of`,
		`{"inputs": {"gain": []}}`:          "0 entries; give at least 1",
		`{"inputs": {"gain": {}}}`:          "JSON",
		`{"inputs": {"mask": 1}}`:           `no input "mask"`,
		`{"inputs": 3}`:                     "instead of an object",
		`{"inputs": {"gain": "instances"}}`: "no axis is left open",
		`{"inputs": {"bag": 1, "gain": 1}}`: "do not show which",
	} {
		t.Run(card, func(t *testing.T) {
			_, err := onnxbackend.Open(m.Bytes(), onnxbackend.Options{Card: []byte(card)})
			must.Fail(t, err, says)
		})
	}
}

// TestAuxiliaryInputsWithoutProof opens models whose scores depend on padding under every mask:
// Open must return an error.
func TestAuxiliaryInputsWithoutProof(t *testing.T) {
	bag := ot.In("bag", "k", 3)
	mean := ot.N("ReduceMean", []string{"q"}, []string{"p"}, ot.Ints("axes", 0))
	for name, m := range map[string]ot.Model{
		"no mask": enginetest.AuxiliaryModel([]ot.Value{bag, ot.In("weights", "k", 1)},
			ot.N("Mul", []string{"h", "weights"}, []string{"q"}), mean),
		"no length": enginetest.AuxiliaryModel([]ot.Value{bag, ot.In("dose", 1)},
			ot.N("Mul", []string{"h", "dose"}, []string{"q"}), mean),
		"a switch": enginetest.AuxiliaryModel([]ot.Value{bag,
			enginetest.InputOf(ot.In("training"), ot.Bool)},
			ot.N("Where", []string{"training", "h", "one"}, []string{"q"}), mean),
		"genes": enginetest.AuxiliaryModel([]ot.Value{bag, ot.In("genes", 1, 4)},
			ot.N("Add", []string{"h", "genes"}, []string{"q"}), mean),
		"always blind": enginetest.AuxiliaryModel([]ot.Value{bag, ot.In("mask", "k", 1)},
			ot.Nodes(`y = Mul(h, zero); q = Mul(y, mask); p = ReduceMean<axes=[0]>(q)`)...),
	} {
		t.Run(name, func(t *testing.T) {
			var gap *onnxbackend.UnsupportedError
			must.As(t, must.Err(onnxbackend.Open(m.Bytes(), onnxbackend.Options{})), &gap,
				`"inputs": {`)
		})
	}
}

// TestSwitch fills a switch as the card says, by JSON's true and false and by 1 and 0.
func TestSwitch(t *testing.T) {
	m := enginetest.AuxiliaryModel([]ot.Value{ot.In("bag", "k", 3),
		enginetest.InputOf(ot.In("on"), ot.Bool)},
		ot.Nodes(`q = Where(on, h, one); p = ReduceMean<axes=[0]>(q)`)...)
	scores := func(value string) []float64 {
		m.Metadata = map[string]string{"bagscope": `{"inputs": {"on": ` + value + `}}`}
		return must.Get(enginetest.Open(t, m.Bytes(), onnxbackend.Options{}).Predict(t.Context(),
			enginetest.SmallBag(5, 3)))(t).Scores
	}
	on, off := scores("true"), scores("false")
	if !slices.Equal(on, scores("1")) || !slices.Equal(off, scores("[false]")) ||
		!slices.Equal(off, scores("0")) || slices.Equal(on, off) {
		t.Errorf("the switch gives %v and %v", on, off)
	}
}

// TestAuxiliaryInputsOfOneSize opens graphs that fail on the tried bags, whatever the mask: the
// error must hold that of the graph and no advice about masks. One takes its instances in a
// constant order, as a traced random permutation leaves it.
func TestAuxiliaryInputsOfOneSize(t *testing.T) {
	for op, unread := range map[string]ot.Node{
		"Reshape": ot.N("Reshape", []string{"h", "seven"}, []string{"unread"}),
		"Gather":  ot.N("Gather", []string{"h", "order"}, []string{"unread"}),
	} {
		m := enginetest.AuxiliaryModel([]ot.Value{ot.In("bag", "k", 3),
			enginetest.InputOf(ot.In("mask", "k"), ot.Bool)},
			append(enginetest.MaskedMean(), unread)...)
		m.Initializers = append(m.Initializers, ot.I("seven", []int64{7, 4}, 2),
			ot.I("order", []int64{39, 2, 17}, 3))
		m.Outputs = append(m.Outputs, ot.In("unread", "", 4))
		_, err := onnxbackend.Open(m.Bytes(), onnxbackend.Options{})
		if err == nil || !strings.Contains(err.Error(), "("+op+") cannot compute") ||
			!strings.Contains(err.Error(), "whatever the inputs beside it take") ||
			!strings.Contains(err.Error(), "export the model") ||
			strings.Contains(err.Error(), `"inputs": {`) {
			t.Errorf("%s: error %v", op, err)
		}
	}
}

// TestCovariateWithoutCard opens a model that takes an age beside the bag, in a batch whose length
// is open: the error says how the card states it, and then the model opens.
func TestCovariateWithoutCard(t *testing.T) {
	m := enginetest.AuxiliaryModel([]ot.Value{ot.In("bag", "k", 3), ot.In("age", "batch", 1)},
		ot.Nodes(`mean = ReduceMean<axes=[0]>(h); both = Concat<axis=1>(mean, age)
			p = MatMul(both, mix)`)...)
	m.Initializers = append(m.Initializers, ot.F("mix", make([]float32, 20), 5, 4))
	_, err := onnxbackend.Open(m.Bytes(), onnxbackend.Options{})
	must.Fail(t, err, `such as "inputs": {"age": 1}`, `"covariate" for those of each bag`)
	m.Metadata = map[string]string{"bagscope": `{"inputs": {"age": "covariate"}}`}
	opened := enginetest.Open(t, m.Bytes(), onnxbackend.Options{})
	must.Equal(t, len(opened.Info().Covariates), 1)
}

// TestInputsWithDefaults leaves an input with an initializer at its default.
func TestInputsWithDefaults(t *testing.T) {
	m := enginetest.AuxiliaryModel([]ot.Value{ot.In("one"), ot.In("bag", "k", 3), ot.In("W", 3, 4)},
		ot.Nodes(`q = Mul(h, one); p = ReduceMean<axes=[0]>(q)`)...)
	opened := enginetest.Open(t, m.Bytes(), onnxbackend.Options{})
	b, inputs := enginetest.Bind(t, opened, enginetest.SmallBag(6, 3), nil), opened.Info().Inputs
	must.Equal(t, b.Strategy(), "mean", inputs)
	must.Equal(t, len(inputs), 1, inputs)
}

// TestSeveralBags rejects two inputs that each take their own number of instances. Two of one
// number, or two that the card states as parts, are one bag.
func TestSeveralBags(t *testing.T) {
	model := func(a, b string, nodes ...ot.Node) []byte {
		return ot.Model{
			Opset:   13,
			Inputs:  []ot.Value{ot.In("x", a, 2), ot.In("y", b, 2)},
			Outputs: []ot.Value{ot.In("logits", 4)},
			Nodes:   nodes,
		}.Bytes()
	}
	mean := func(in, out string) ot.Node {
		return ot.N("ReduceMean", []string{in}, []string{out}, ot.Ints("axes", 0),
			ot.Int("keepdims", 0))
	}
	apart := []ot.Node{mean("x", "p"), mean("y", "q"),
		ot.N("Concat", []string{"p", "q"}, []string{"logits"}, ot.Int("axis", 0))}
	together := []ot.Node{ot.N("Concat", []string{"x", "y"}, []string{"xy"}, ot.Int("axis", 1)),
		mean("xy", "logits")}
	var gap *onnxbackend.UnsupportedError
	must.As(t, must.Err(onnxbackend.Open(model("k", "m", apart...), onnxbackend.Options{})), &gap,
		"several bags", `"inputs"`)
	for name, data := range map[string][]byte{"one name": model("k", "k", apart...),
		"one number": model("k", "m", together...)} {
		t.Run(name, func(t *testing.T) {
			if width := enginetest.Open(t, data,
				onnxbackend.Options{}).Info().Inputs[0].Shape; len(width) != 2 ||
				width[1] != 4 {
				t.Errorf("%s: input of shape %v", name, width)
			}
		})
	}
	enginetest.Open(t, model("k", "m", apart...), onnxbackend.Options{Card: []byte(
		`{"inputs": {"x": "instances", "y": "instances"}}`)})
	// The advice: a second bag of a fixed number of instances, with its values in the card.
	m := ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("x", "k", 2), ot.In("y", 2, 2)},
		Outputs: []ot.Value{ot.In("logits", 4)}, Nodes: apart}
	scores := predicted(t, m.Bytes(), `{"inputs": {"y": [0.5, 1, 2.5, 3]}}`,
		enginetest.SmallBag(5, 2))
	enginetest.CheckNear(t, "second bag", scores[2:], []float64{1.5, 2}, 1e-6)
}

// TestInputForEachInstance rejects a model with one input for each instance, and says how to build
// it. Inputs of the same kind whose values a pooling joins are parts of instances.
func TestInputForEachInstance(t *testing.T) {
	model := func(axis int64, dims ...any) ot.Model {
		m := ot.Model{Opset: 13, Outputs: []ot.Value{ot.In("y", "batch", 6)}}
		var names []string
		for _, name := range []string{"input_1", "input_2", "input_3"} {
			names = append(names, name)
			m.Inputs = append(m.Inputs, ot.In(name, dims...))
		}
		m.Nodes = []ot.Node{ot.N("Concat", names, []string{"x"}, ot.Int("axis", 1))}
		if axis == 0 {
			m.Nodes = append(m.Nodes, ot.Nodes(`y = ReduceMean<axes=[0]>(x)`)...)
		} else {
			m.Nodes = append(m.Nodes, enginetest.Unary("Tanh", "x", "y"))
		}
		return m
	}
	_, err := onnxbackend.Open(model(1, "batch", 2).Bytes(), onnxbackend.Options{})
	must.Fail(t, err, "one input for each of 3 instances",
		`"input_1" [batch 2] to "input_3" [batch 2]`)
	enginetest.Open(t, model(0, "batch", 2).Bytes(), onnxbackend.Options{})
}

// TestRandomNumbersAreNamed rejects a graph that draws random numbers, with that reason.
func TestRandomNumbersAreNamed(t *testing.T) {
	m := enginetest.ScoreModel("", 3, enginetest.Unary("RandomNormalLike", "l", "noise"),
		enginetest.Binary("Add", "l", "noise", "scores"))
	must.Fail(t, must.Err(onnxbackend.Open(m.Bytes(), onnxbackend.Options{})),
		"draws random numbers", "eval()")
}

// TestInputsOfPlaces finds the input that takes coordinates, by its name or by the card.
func TestInputsOfPlaces(t *testing.T) {
	for _, c := range []struct {
		name, card string
		width      int
		from       int // -1 for none
		says       string
	}{
		{"coords", "", 2, 3, ""},
		{"tile_positions", "", 2, 3, ""},
		{"colours", "", 2, -1, ""},
		{"coords", "", 4, -1, ""},
		{"colours", `{"inputs": {"z": "places", "a": "instances"}}`, 2, 3, ""},
		{"colours", `{"inputs": {"z": "places", "a": "instances"}}`, 4, -1,
			"places are 2, x and y"},
	} {
		t.Run(c.name+c.card, func(t *testing.T) {
			card := strings.Replace(c.card, `"z"`, `"`+c.name+`"`, 1)
			m := ot.Model{Opset: 13, Metadata: map[string]string{"bagscope": card},
				Inputs:  []ot.Value{ot.In("a", 1, "k", 3), ot.In(c.name, 1, "k", c.width)},
				Outputs: []ot.Value{ot.In("logits", 1, 3+c.width)},
				Nodes: []ot.Node{
					ot.N("Concat", []string{"a", c.name}, []string{"x"}, ot.Int("axis", 2)),
					ot.N("ReduceMean", []string{"x"}, []string{"logits"}, ot.Ints("axes", 1),
						ot.Int("keepdims", 0))}}
			opened, err := onnxbackend.Open(m.Bytes(), onnxbackend.Options{})
			if c.says != "" {
				must.Fail(t, err, c.says)
				return
			}
			must.Do(t, err)
			at := opened.Info().Places
			if (at != nil) != (c.from >= 0) || at != nil && (at.From != c.from ||
				at.Input != c.name) {
				t.Errorf("places %+v, want them from %d", at, c.from)
			}
		})
	}
}
