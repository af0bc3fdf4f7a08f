package whatif_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/must"
)

// A covariateModel scores a bag by a function of its covariates alone.
type covariateModel struct {
	scale  core.Scale
	scores func(of map[string]float64) []float64
}

func (m covariateModel) Info() core.ModelInfo { return core.ModelInfo{} }

// Bind refuses covariates above 1000.
func (m covariateModel) Bind(_ context.Context, bag *core.Bag) (core.Evaluator, error) {
	of := map[string]float64{}
	for _, c := range bag.Covariates {
		if of[c.Name] = c.Values[0]; c.Values[0] > 1000 {
			return nil, &core.BagError{Bag: bag.Name, Reason: c.Name + " is too large"}
		}
	}
	return constantScores{core.Task{Instances: bag.Len(), Classes: 2, Scale: m.scale,
		Negative: -1}, m.scores(of)}, nil
}

// constantScores gives all coalitions the same scores.
type constantScores struct {
	task   core.Task
	scores []float64
}

func (e constantScores) Task() core.Task { return e.task }

func (e constantScores) Evaluate(_ context.Context, dst []float64, z *core.Coalitions) error {
	for j := range z.Len() {
		copy(dst[j*e.task.Classes:], e.scores)
	}
	return nil
}

// patient is a bag with three covariates.
var patient = &core.Bag{Name: "p", Shape: []int{1}, Values: []float32{1, 2},
	Covariates: []core.Covariate{{Name: "age", Values: []float64{63}},
		{Name: "grade", Values: []float64{2}}, {Name: "weight", Values: []float64{70}}}}

var references = []core.Covariate{{Name: "age", Values: []float64{50}},
	{Name: "grade", Values: []float64{0}}, {Name: "weight", Values: []float64{75}}}

// added answers an AddedQuestion about the patient.
func added(
	t *testing.T, m covariateModel, references []core.Covariate, budget int,
) ([]whatif.Added, *core.Game, error) {
	t.Helper()
	g := must.Get(core.NewGame(must.Get(m.Bind(t.Context(), patient))(t),
		core.GameOptions{Budget: budget}))(t)
	out, err := whatif.AddedQuestion{References: references}.Answer(t.Context(), g, m, patient)
	return out, g, err
}

// TestAddedLinear has a known answer: under a linear head each covariate adds its weight times its
// distance from the reference, and in log-odds so do the logits of two classes.
func TestAddedLinear(t *testing.T) {
	z := func(of map[string]float64) float64 {
		return .03*of["age"] - .5*of["grade"] + .1*of["weight"] - 7.7
	}
	want := []float64{.03 * 13, -.5 * 2, .1 * -5}
	raw := covariateModel{core.ScaleRaw, func(of map[string]float64) []float64 {
		return []float64{2 * z(of), -z(of)}
	}}
	out, g, err := added(t, raw, references, 0)
	must.Do(t, err)
	for i, a := range out {
		for c, of := range []float64{2, -1} {
			if !(math.Abs(a.Adds[c]-of*want[i]) < 1e-12) {
				t.Errorf("covariate %d adds %v, want %v", i, a.Adds, want[i])
			}
		}
	}
	// The score is 2 (1.89 - 1 + 7 - 7.7) = .38 as stated, and .38 - 2 * .39 at the age of 50.
	must.Equal(t, math.Abs(out[0].Instead[0]-(.38-.78)) < 1e-12, true, out[0].Instead)
	must.Equal(t, g.Evaluations(), 8)
	must.Equal(t, whatif.AddedEvaluations(3), 7)
	logits := covariateModel{core.ScaleLogits, func(of map[string]float64) []float64 {
		return []float64{0, z(of)}
	}}
	out, g, err = added(t, logits, references, 0)
	must.Do(t, err)
	for i, a := range out {
		// e = 1e-4 in the log-odds moves those of probabilities within .1 to .9 by less than 1e-3.
		must.Equal(t, math.Abs(a.Adds[1]-want[i]) < 2e-3, true, i, a.Adds, want[i])
		must.Equal(t, g.OddsUnit(), core.UnitLogOdds, i, a.Adds, want[i])
	}
}

// TestAddedOrders is the slow twin: the mean difference over all orders in which the covariates
// take their values.
func TestAddedOrders(t *testing.T) {
	f := func(of map[string]float64) float64 {
		return math.Tanh(of["age"]/60) * (1 + of["grade"]) * math.Sqrt(of["weight"])
	}
	m := covariateModel{core.ScaleRaw, func(of map[string]float64) []float64 {
		return []float64{f(of), 0}
	}}
	out, _, err := added(t, m, references, 0)
	must.Do(t, err)
	want, orders := make([]float64, 3), 0.0
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1},
		{2, 1, 0}} {
		of := map[string]float64{}
		for _, c := range references {
			of[c.Name] = c.Values[0]
		}
		orders++
		for _, i := range order {
			before := f(of)
			of[patient.Covariates[i].Name] = patient.Covariates[i].Values[0]
			want[i] += f(of) - before
		}
	}
	for i, a := range out {
		must.Equal(t, math.Abs(a.Adds[0]-want[i]/orders) < 1e-12, true, i, a.Adds[0],
			want[i]/orders)
	}
}

// TestAddedErrors has a budget that is too small, and a reference that the model does not take.
func TestAddedErrors(t *testing.T) {
	m := covariateModel{core.ScaleRaw,
		func(map[string]float64) []float64 { return []float64{0, 1} }}
	_, g, err := added(t, m, references, 6)
	must.As(t, err, new(*core.BudgetError))
	must.Equal(t, g.Evaluations() <= 0, true, err)
	large := []core.Covariate{{Name: "age", Values: []float64{1001}}}
	_, _, err = added(t, m, large, 0)
	checkSetting(t, err, "reference", "does not take it: age is too large")
}

// TestReadReferences reads references as users write them, and means over the bags of a file.
func TestReadReferences(t *testing.T) {
	inputs := []core.CovariateInput{{Name: "age", Size: 1}, {Name: "stage", Size: 3}}
	many := make([]core.CovariateInput, whatif.MostAdded+1)
	var each []core.Covariate
	for i := range many {
		many[i] = core.CovariateInput{Name: string(rune('a' + i)), Size: 1}
		each = append(each, core.Covariate{Name: many[i].Name, Values: []float64{1}})
	}
	bags := [][]core.Covariate{
		{{Name: "age", Values: []float64{60}}, {Name: "stage", Values: []float64{1, 0, 0}}},
		{{Name: "age", Values: []float64{71}}}, nil,
	}
	huge := [][]core.Covariate{{{Name: "age", Values: []float64{1.5e308}}},
		{{Name: "age", Values: []float64{1.5e308}}}}
	age := func(v float64) []core.Covariate {
		return []core.Covariate{{Name: "age", Values: []float64{v}}}
	}
	for _, c := range []struct {
		name, text string
		inputs     []core.CovariateInput
		bags       [][]core.Covariate
		want       []core.Covariate
		says       string
	}{
		{"stated", "age=50", inputs, nil, age(50), ""},
		{"several", "age=50; stage=0,1,0", inputs, nil,
			append(age(50), core.Covariate{Name: "stage", Values: []float64{0, 1, 0}}), ""},
		{"means of what two bags state", " mean", inputs, bags, age(65.5), ""},
		{"huge", "mean", inputs, huge, age(1.5e308), ""},
		{"means of one bag", "mean", inputs, bags[:1], nil, "state the reference, such as age=0"},
		{"means of no bags", "mean", inputs[1:], nil, nil, "such as stage=0,0,0"},
		{"nothing", "", inputs, bags, nil, "it is empty; state mean"},
		{"no number", "age=old", inputs, bags, nil, `"age=old" must be NAME=NUMBER`},
		{"an unknown name", "aeg=50", inputs, bags, nil, `no covariate "aeg"; name one of "age"`},
		{"two numbers of three", "stage=0,1", inputs, bags, nil, "has 2 numbers"},
		{"no covariates", "mean", nil, nil, nil, "takes no covariate"},
		{"too many", "mean", many, [][]core.Covariate{each, each}, nil, "state those of some"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := whatif.ReadReferences(c.text, c.inputs, c.bags)
			checkSetting(t, err, "reference", c.says)
			must.Equal(t, reflect.DeepEqual(got, c.want), true, got, c.want)
		})
	}
}

// FuzzReadReferences: a text gives references that the model takes, or an error of the setting.
func FuzzReadReferences(f *testing.F) {
	for _, text := range []string{"mean", "age=50", "age=50; stage=0,0,1", "age=", "=1",
		"age=1e999"} {
		f.Add(text)
	}
	inputs := []core.CovariateInput{{Name: "age", Size: 1}, {Name: "stage", Size: 3}}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := whatif.ReadReferences(text, inputs, nil)
		var wrong *core.SettingError
		if err != nil && (!errors.As(err, &wrong) || wrong.Setting != "reference") {
			t.Errorf("the error is %v", err)
		}
		for _, c := range list {
			if !strings.Contains(text, c.Name) || len(c.Values) != 1 && len(c.Values) != 3 {
				t.Errorf("%q is read as %v", text, list)
			}
		}
	})
}
