package core_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
)

// A foreign is a method that returns what it is given.
type foreign struct{ returns *core.Attribution }

func (foreign) Name() string                { return "bad" }
func (foreign) Settings(int) []core.Setting { return nil }
func (foreign) Evaluations(int, int) int    { return 0 }
func (f foreign) Attribute(context.Context, *core.Game, []int) (*core.Attribution, error) {
	return f.returns, nil
}

// TestForeignMethods checks that attributions of another shape, or with numbers that are no scores,
// are errors that name the method.
func TestForeignMethods(t *testing.T) {
	rows := func(rows ...[]float64) [][]float64 { return rows }
	five, nan, inf := make([]float64, 5), math.NaN(), math.Inf(1)
	with := func(i int, v float64) []float64 {
		row := make([]float64, 5)
		row[i] = v
		return row
	}
	stderr := func(list ...[]float64) *core.Attribution {
		return &core.Attribution{Scores: rows(five, five), StdErr: list}
	}
	for says, a := range map[string]*core.Attribution{
		"neither an attribution nor an error":              nil,
		"scores of 0 classes for 2 classes":                {},
		"scores of 1 class for 2 classes":                  {Scores: rows(five)},
		"1 score for 5 instances of class 1":               {Scores: rows(five, five[:1])},
		"0 scores for 5 instances of class 0":              {Scores: rows(nil, five)},
		"the score NaN for instance 1 of class 0":          {Scores: rows(with(1, nan), five)},
		"the score +Inf for instance 4 of class 1":         {Scores: rows(five, with(4, inf))},
		"standard errors of 3 classes for 2 classes":       stderr(five, five, five),
		"4 standard errors for 5 instances of class 1":     stderr(nil, five[:4]),
		"the standard error -1 for instance 0 of class 1":  stderr(five, with(0, -1)),
		"the standard error NaN for instance 2 of class 0": stderr(with(2, nan), five),
		"degrees of freedom of 1 class for 2 classes": {
			Scores: rows(five, five), Freedom: five[:1]},
		"-2 degrees of freedom for class 0": {Scores: rows(five, five), Freedom: []float64{-2, 0}},
		"the neutral point NaN for class 1": {Scores: rows(five, five), Neutral: []float64{0, nan}},
		"R² of 5 classes for 2 classes":     {Scores: rows(five, five), R2: five},
		"notes of 1 class for 2 classes": {
			Scores: rows(five, five), ClassNotes: [][]string{nil}},
	} {
		t.Run(says, func(t *testing.T) {
			report, err := core.Explain(t.Context(), coretest.Majority(5, 3),
				core.Request{Methods: []core.Method{methods.Single{}, foreign{a}}})
			var wrong *core.MethodError
			must.As(t, err, &wrong)
			must.Equal(t, strings.HasPrefix(err.Error(), "method bad returned "+says), true, err)
			must.Equal(t, len(report.Explanations), 2)
		})
	}
	must.Do(t, must.Err(core.Explain(t.Context(), coretest.Majority(5, 3),
		core.Request{Methods: []core.Method{foreign{stderr(nil, with(4, inf))}}})),
		"an unknown standard error")
}

// An evaluator has a task that it is given, and scores all coalitions as that value.
type evaluator struct {
	task  core.Task
	value float64
}

func (e evaluator) Task() core.Task { return e.task }

func (e evaluator) Evaluate(_ context.Context, dst []float64, _ *core.Coalitions) error {
	for i := range dst {
		dst[i] = e.value
	}
	return nil
}

// hasHeads, hasEmpty and hasAttention are evaluators with one more function.
type hasHeads struct {
	evaluator
	heads []core.Head
}

func (h hasHeads) Heads() []core.Head { return h.heads }

type hasEmpty struct {
	evaluator
	values []float64
}

func (h hasEmpty) EmptyValue() []float64 { return h.values }

type hasAttention struct {
	evaluator
	scores []float64
}

func (h hasAttention) Attention(context.Context, int) ([]float64, error) { return h.scores, nil }

// TestForeignEvaluators checks that an evaluator with an impossible task, or with scores that
// contradict it, is an error.
func TestForeignEvaluators(t *testing.T) {
	task := core.Task{Instances: 3, Classes: 2, Scale: core.ScaleRaw, Negative: -1}
	with := func(change func(*core.Task)) evaluator {
		e := evaluator{task: task}
		change(&e.task)
		return e
	}
	probability := func(v float64) evaluator {
		e := with(func(t *core.Task) { t.Scale = core.ScaleProbabilities })
		e.value = v
		return e
	}
	raw := func(classes, negative int) core.Head {
		return core.Head{Classes: classes, Scale: core.ScaleRaw, Negative: negative}
	}
	for says, ev := range map[string]core.Evaluator{
		"evaluator is nil": nil,
		"0 classes":        with(func(t *core.Task) { t.Classes = 0 }),
		"-3 classes":       with(func(t *core.Task) { t.Classes = -3 }),
		"negative class of the evaluator's task is 7": with(func(t *core.Task) { t.Negative = 7 }),
		"only class 0 of the evaluator's task is negative": with(func(t *core.Task) {
			t.Classes, t.Negative = 1, 0
		}),
		"negative class of the evaluator's task is -2": with(func(t *core.Task) {
			t.Negative = -2
		}),
		"2 classes together, but its task has 3": hasHeads{
			with(func(t *core.Task) { t.Classes = 3 }), []core.Head{raw(2, -1)}},
		"head 1 of the evaluator has 0 classes": hasHeads{evaluator{task: task},
			[]core.Head{raw(2, -1), raw(0, -1)}},
		"negative class of head 1 of the evaluator is 0": hasHeads{evaluator{task: task},
			[]core.Head{raw(1, -1), raw(1, 0)}},
		"empty value has 1 scores for 2 classes": hasEmpty{evaluator{task: task}, []float64{1}},
		"probability of class 0 is 3 for":        probability(3),
		"probability of class 0 is -0.01 for":    probability(-.01),
		"for class 0 are 1 for 3 instances":      hasAttention{evaluator{task: task}, []float64{1}},
	} {
		t.Run(says, func(t *testing.T) {
			_, err := core.Explain(t.Context(), ev,
				core.Request{Methods: []core.Method{methods.Inherent{}}})
			var wrong *core.EvaluatorError
			must.As(t, err, &wrong, says)
		})
	}
	for name, ev := range map[string]evaluator{
		"no instances": with(func(t *core.Task) { t.Instances = 0 }),
		"fewer":        with(func(t *core.Task) { t.Instances = -4 }),
	} {
		var bag *core.BagError
		must.Equal(t, errors.As(must.Err(core.NewGame(ev, core.GameOptions{})), &bag), true, name)
	}
	var setting *core.SettingError
	unknown := with(func(t *core.Task) { t.Scale = "odds" })
	must.As(t, must.Err(core.NewGame(unknown, core.GameOptions{})), &setting)
	must.Do(t, must.Err(core.Explain(t.Context(), probability(1+1e-6),
		core.Request{Methods: []core.Method{methods.Single{}}})), "a probability that is rounded")
}

// A divider is a method that divides by a setting in all of its functions.
type divider struct{ by int }

func (divider) Name() string               { return "divider" }
func (d divider) Evaluations(k, _ int) int { return k / d.by }

func (d divider) Settings(k int) []core.Setting {
	return []core.Setting{{Name: "by", Value: k / d.by}}
}

func (d divider) Memory(t core.Task, _ int) core.MethodMemory {
	return core.MethodMemory{Coalitions: t.Instances / d.by}
}

func (d divider) Validate(*core.Game) error {
	if d.by == 0 {
		return &core.SettingError{Method: d.Name(), Setting: "by", Reason: "must not be 0"}
	}
	return nil
}

func (d divider) Attribute(
	ctx context.Context, g *core.Game, classes []int,
) (*core.Attribution, error) {
	return methods.Single{}.Attribute(ctx, g, classes)
}

// TestSettingsComeFirst checks that no function of a method with invalid settings is called, and
// that no method before it runs.
func TestSettingsComeFirst(t *testing.T) {
	cases := map[string]core.Method{
		"by":       divider{},
		"distance": methods.GuidedLIME{LIMEKernel: methods.LIMEKernel{Distance: "far"}},
		"alpha":    methods.MILLI{Alpha: 2},
		"methods":  nil,
	}
	for _, row := range methods.All() {
		if slices.Contains(row.Options, "samples") {
			cases["samples of "+row.Name] = row.New(methods.Options{Samples: -1})
		}
	}
	for name, m := range cases {
		t.Run(name, func(t *testing.T) {
			name, _, _ := strings.Cut(name, " ")
			g, err := core.NewGame(coretest.Majority(5, 3), core.GameOptions{})
			must.Do(t, err)
			_, err = g.Explain(t.Context(),
				core.Request{Methods: []core.Method{methods.Single{}, m}, Memory: 1})
			var setting *core.SettingError
			if !errors.As(err, &setting) || setting.Setting != name || g.Evaluations() != 0 {
				t.Errorf("error %v after %d evaluations", err, g.Evaluations())
			}
			_, err = g.ExplainAgain(t.Context(), m, []int{0})
			if !errors.As(err, &setting) || setting.Setting != name || g.Evaluations() != 0 {
				t.Errorf("again: error %v after %d evaluations", err, g.Evaluations())
			}
		})
	}
	must.Do(t, must.Err(core.Explain(t.Context(), coretest.Majority(5, 3),
		core.Request{Methods: []core.Method{divider{2}}})), "a valid setting")
}

// TestExampleMethod checks that the method of the example keeps the contract.
func TestExampleMethod(t *testing.T) { coretest.CheckContract(t, ratio{}) }
