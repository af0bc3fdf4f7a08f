package onnxbackend_test

import (
	"fmt"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// covariateModel scales each instance by its covariate "gain", and adds "age" to what it pools. The
// file has both as inputs, or as constants if values are given.
func covariateModel(card string, gain, age []float32) ot.Model {
	inputs := []ot.Value{ot.In("bag", "k", 3)}
	if gain == nil {
		inputs = append(inputs, ot.In("age", "batch", 1), ot.In("gain", 4))
	}
	m := enginetest.AuxiliaryModel(inputs, ot.Nodes(`scaled = Mul(h, gain)
		mean = ReduceMean<axes=[0]>(scaled); p = Add(mean, age)`)...)
	if gain != nil {
		m.Initializers = append(m.Initializers, ot.F("gain", gain, 4), ot.F("age", age, 1, 1))
	}
	if card != "" {
		m.Metadata = map[string]string{"bagscope": card}
	}
	return m
}

const bothOfBags = `{"inputs": {"gain": "covariate", "age": 50}}`

// TestCovariates compares bags that state their covariates with a model that holds them as
// constants: equal scores of all coalitions, by the same strategy, in one place, in blocks and with
// helpers.
func TestCovariates(t *testing.T) {
	gain, age := []float32{.5, -1, 2, .25}, []float32{.75}
	stated := []core.Covariate{{Name: "gain", Values: []float64{.5, -1, 2, .25}},
		{Name: "age", Values: []float64{.75}}}
	model := covariateModel(bothOfBags, nil, nil).Bytes()
	for _, o := range []onnxbackend.Options{{Workers: 1}, {Workers: 4}, {Workers: 1, Plain: true}} {
		for _, k := range []int{1, 9, 203} {
			t.Run(fmt.Sprintf("%d workers, plain %t, %d instances", o.Workers, o.Plain, k),
				func(t *testing.T) {
					constant := enginetest.Open(t, covariateModel("", gain, age).Bytes(), o)
					m := enginetest.Open(t, model, o)
					bag := enginetest.SmallBag(k, 3)
					want := enginetest.Bind(t, constant, bag, nil)
					other := bag.WithCovariates(core.Covariate{Name: "gain", Values: []float64{7}})
					enginetest.Bind(t, m, other, nil) // a bag of other values changes nothing
					pool := enginetest.HelpersOf(enginetest.Open(t, model, o))
					z := enginetest.RandomCoalitions(k, 30)
					expected := scoresOf(t, want, nil, z)
					for name, got := range map[string]*onnxbackend.Bound{
						"alone":  enginetest.Bind(t, m, bag.WithCovariates(stated...), nil),
						"helped": enginetest.Bind(t, m, bag.WithCovariates(stated...), pool),
					} {
						must.Equal(t, got.Strategy(), want.Strategy(), name)
						enginetest.CheckNear(t, name, scoresOf(t, got, nil, z), expected, 1e-6)
						enginetest.CheckNear(t, name, scoresOf(t, got, pool, z), expected, 1e-6)
					}
				})
		}
	}
}

// TestOtherCovariates compares the scores of a bag with other covariates, from what was encoded
// once, with those of the bag that is bound with them. A covariate of the encoding has to be bound,
// under all strategies but the plain one, which encodes nothing.
func TestOtherCovariates(t *testing.T) {
	model := covariateModel(bothOfBags, nil, nil).Bytes()
	age := core.Covariate{Name: "age", Values: []float64{-2}}
	gain := core.Covariate{Name: "gain", Values: []float64{1, 2, -3, .5}}
	for name, o := range map[string]onnxbackend.Options{"pooled": {}, "in blocks": {Workers: 1},
		"plain": {Plain: true}, "plain in blocks": {Plain: true, Workers: 1}} {
		t.Run(name, func(t *testing.T) {
			m := enginetest.Open(t, model, o)
			if o.Workers == 1 {
				enginetest.EncoderOf(m).BlockValues = 9
			}
			bag := enginetest.SmallBag(20, 3).WithCovariates(core.Covariate{Name: "gain",
				Values: []float64{3}})
			b := enginetest.Bind(t, m, bag, nil)
			for _, list := range [][]core.Covariate{{age}, {gain}, {age, gain}} {
				got := make([]float64, b.Task().Classes)
				done := must.Get(b.EvaluateCovariates(t.Context(), got, list))(t)
				must.Equal(t, done, (o.Plain || len(list) == 1 && list[0].Name == "age"), list)
				if !done {
					continue
				}
				other := enginetest.Bind(t, m, bag.WithCovariates(list...), nil)
				z := core.NewCoalitions(20, 1)
				z.AppendWithout()
				enginetest.CheckNear(t, name, got, scoresOf(t, other, nil, z), 1e-5)
			}
			_, err := b.EvaluateCovariates(t.Context(), make([]float64, b.Task().Classes),
				[]core.Covariate{{Name: "age", Values: []float64{1, 2}}})
			must.As(t, err, new(*core.BagError))
		})
	}
}

// BenchmarkOtherCovariates predicts a bag of 5000 instances of 1024 features for another age, from
// what is encoded and by binding it again.
func BenchmarkOtherCovariates(b *testing.B) {
	m := enginetest.AuxiliaryModel([]ot.Value{ot.In("bag", "k", 1024), ot.In("age", 1, 1)},
		ot.Nodes(`mean = ReduceMean<axes=[0]>(h); p = Add(mean, age)`)...)
	m.Metadata = map[string]string{"bagscope": `{"inputs": {"age": "covariate"}}`}
	m.Initializers[0] = ot.F("W", make([]float32, 1024*4), 1024, 4)
	m.Initializers[7] = ot.I("rows", []int64{-1, 1024}, 2)
	bag := &core.Bag{Shape: []int{1024}, Values: make([]float32, 5000*1024),
		Covariates: []core.Covariate{{Name: "age", Values: []float64{63}}}}
	other := []core.Covariate{{Name: "age", Values: []float64{50}}}
	opened := must.Get(onnxbackend.Open(m.Bytes(), onnxbackend.Options{}))(b)
	ev := must.Get(opened.BindWith(b.Context(), bag, nil, nil))(b)
	b.Run("encoded", func(b *testing.B) {
		dst := make([]float64, ev.Task().Classes)
		for b.Loop() {
			if done, err := ev.EvaluateCovariates(b.Context(), dst, other); !done || err != nil {
				b.Fatal(done, err)
			}
		}
	})
	b.Run("bound", func(b *testing.B) {
		for b.Loop() {
			must.Get(opened.BindWith(b.Context(), bag.WithCovariates(other...), nil, nil))(b)
		}
	})
}

// TestCovariatesOfParts keeps the covariates of a bag where instances are selected or added.
func TestCovariatesOfParts(t *testing.T) {
	m := enginetest.Open(t, covariateModel(bothOfBags, nil, nil).Bytes(), onnxbackend.Options{})
	stated := core.Covariate{Name: "gain", Values: []float64{3}}
	bag := enginetest.SmallBag(20, 3).WithCovariates(stated)
	few := bag.Select([]int{0, 1, 2, 3, 4})
	others := enginetest.SmallBag(20, 3).Select([]int{5, 6, 7})
	ev := must.Get(enginetest.Bind(t, m, few, nil).Extend(t.Context(), others))(t)
	want := enginetest.Bind(t, m, bag.Select([]int{0, 1, 2, 3, 4, 5, 6, 7}), nil)
	z := enginetest.RandomCoalitions(8, 20)
	enginetest.CheckNear(t, "extended", scoresOf(t, ev.(*onnxbackend.Bound), nil, z),
		scoresOf(t, want, nil, z), 1e-6)
}

// TestDefaultCovariates gives bags that state no covariate the numbers of the card, and those of
// Options.Inputs instead if there are some.
func TestDefaultCovariates(t *testing.T) {
	card := `{"inputs": {"gain": [1, 2, 3, 4], "age": 0.5}}`
	model := covariateModel(card, nil, nil).Bytes()
	bag := enginetest.SmallBag(5, 3)
	for inputs, age := range map[string]float32{"": .5, `{"inputs": {"age": -1}}`: -1} {
		m := enginetest.Open(t, model, onnxbackend.Options{Inputs: []byte(inputs)})
		if got := m.Info().Covariates; len(got) != 2 || got[0].Name != "age" || got[0].Size != 1 ||
			got[0].Default[0] != float64(age) || got[1].Size != 4 {
			t.Errorf("covariates %v", got)
		}
		if inputs := m.Info().Inputs; len(inputs) != 1 || inputs[0].Name != "bag" {
			t.Errorf("inputs %v", inputs)
		}
		constant := covariateModel("", []float32{1, 2, 3, 4}, []float32{age}).Bytes()
		got := must.Get(m.Predict(t.Context(), bag))(t)
		want := must.Get(enginetest.Open(t, constant, onnxbackend.Options{}).Predict(t.Context(),
			bag))(t)
		must.EqualSlices(t, got.Scores, want.Scores)
	}
}

// TestWrongCovariates rejects bags whose covariates do not fit, and cards that no input fits.
func TestWrongCovariates(t *testing.T) {
	m := enginetest.Open(t, covariateModel(bothOfBags, nil, nil).Bytes(), onnxbackend.Options{})
	for says, list := range map[string][]core.Covariate{
		`"gain" takes a covariate`: nil,
		"takes 4 values":           {{Name: "gain", Values: []float64{1, 2}}},
		`no covariate "weight"`:    {{Name: "gain", Values: []float64{1}}, {Name: "weight"}},
	} {
		_, err := m.Bind(t.Context(), enginetest.SmallBag(4, 3).WithCovariates(list...))
		var wrong *core.BagError
		must.As(t, err, &wrong, says)
	}
	for card, says := range map[string]string{
		`{"inputs": {"gain": [1, 2], "age": 1}}`: "does not take 2 numbers",

		`{"inputs": {"gain": "covariate", "age": [1, 2, 3]}}`:           "does not take 3 numbers",
		`{"inputs": {"gain": "covariate", "age": 1, "height": [1, 2]}}`: `no input "height"`,
	} {
		_, err := onnxbackend.Open(covariateModel(card, nil, nil).Bytes(), onnxbackend.Options{})
		must.Fail(t, err, says)
	}
	text := covariateModel(`{"inputs": {"gain": 1, "age": "covariate"}}`, nil, nil)
	text.Inputs[1] = enginetest.InputOf(text.Inputs[1], ot.Bool)
	must.Fail(t, must.Err(onnxbackend.Open(text.Bytes(), onnxbackend.Options{})),
		`"age" of bool and shape [batch 1] takes no covariate`)
}

// TestIntegerCovariate looks up a row of a table by a stage, which must be a whole number.
func TestIntegerCovariate(t *testing.T) {
	m := enginetest.AuxiliaryModel([]ot.Value{ot.In("bag", "k", 3),
		enginetest.InputOf(ot.In("stage"), ot.Int64)},
		ot.Nodes(`mean = ReduceMean<axes=[0]>(h); row = Gather<axis=0>(table, stage)
			p = Mul(mean, row)`)...)
	m.Initializers = append(m.Initializers, ot.F("table", []float32{1, 1, 1, 1, 2, 2, 2, 2}, 2, 4))
	m.Metadata = map[string]string{"bagscope": `{"inputs": {"stage": "covariate"}}`}
	opened, bag := enginetest.Open(t, m.Bytes(), onnxbackend.Options{}), enginetest.SmallBag(6, 3)
	of := func(stage float64) *core.Bag {
		return bag.WithCovariates(core.Covariate{Name: "stage", Values: []float64{stage}})
	}
	once := must.Get(opened.Predict(t.Context(), of(0)))(t).Scores
	twice := must.Get(opened.Predict(t.Context(), of(1)))(t).Scores
	for i, v := range once {
		enginetest.CheckNear(t, "scores", twice[i:i+1], []float64{2 * v}, 1e-6)
	}
	must.Fail(t, must.Err(opened.Predict(t.Context(), of(.5))), "does not hold the value 0.5")
}
