package core_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/quota"
)

// Errors are typed and state what to do.
func ExampleSettingError() {
	_, err := methods.New([]string{"shap"}, methods.Options{})
	var setting *core.SettingError
	if errors.As(err, &setting) {
		reason, _, _ := strings.Cut(setting.Reason, ";")
		fmt.Println(setting.Setting, reason)
	}
	// Output:
	// method "shap" is unknown
}

// A budget bounds the evaluations of the model. The report has what was finished before.
func ExampleBudgetError() {
	report, err := core.Explain(context.Background(), coretest.Majority(8, 4), core.Request{
		Methods:     []core.Method{methods.Single{}, methods.RandomSHAP{}},
		GameOptions: core.GameOptions{Budget: 20},
	})
	var budget *core.BudgetError
	if errors.As(err, &budget) {
		fmt.Println(report.Explanations[0].Method, report.Evaluations, "of", budget.Budget)
		fmt.Println(budget.Needed, "more are needed")
	}
	// Output:
	// single 9 of 20
	// 193 more are needed
}

// A broken is an evaluator whose scores are not numbers.
type broken struct{ *coretest.Game }

func (broken) Evaluate(_ context.Context, dst []float64, _ *core.Coalitions) error {
	dst[0] = math.NaN()
	return nil
}

// A model that returns NaN or an infinity is an error that names the instances.
func ExampleNonFiniteError() {
	_, err := core.Explain(context.Background(), broken{coretest.Majority(3, 2)},
		core.Request{Methods: []core.Method{methods.Single{}}})
	var wrong *core.NonFiniteError
	if errors.As(err, &wrong) {
		fmt.Println(wrong.Class, wrong.Coalition, wrong.Value)
	}
	// Output:
	// 0 111 NaN
}

// A lazy is a method that does not score all instances.
type lazy struct{ methods.Single }

func (lazy) Name() string { return "lazy" }

func (lazy) Attribute(context.Context, *core.Game, []int) (*core.Attribution, error) {
	return &core.Attribution{Scores: [][]float64{{1}}}, nil
}

// A method that returns scores of another shape is an error that names it.
func ExampleMethodError() {
	_, err := core.Explain(context.Background(), coretest.Majority(5, 2),
		core.Request{Methods: []core.Method{lazy{}}, Classes: []int{0}})
	fmt.Println(err)
	// Output:
	// method lazy returned 1 score for 5 instances of class 0
}

// The context ends an explanation within 50 ms. The error is its cause.
func ExampleExplain_cancel() {
	ctx, cancel := context.WithCancelCause(context.Background())
	closed := errors.New("the window was closed")
	_, err := core.Explain(ctx, coretest.Majority(40, 9), core.Request{
		Methods:     []core.Method{methods.RandomSHAP{}},
		GameOptions: core.GameOptions{Progress: func(done, total int) { cancel(closed) }},
	})
	fmt.Println(errors.Is(err, closed))
	// Output:
	// true
}

// Memory bounds the bytes of a request. Needs estimates them without running it.
func ExampleRequest_Needs() {
	request := core.Request{Methods: []core.Method{methods.RandomSHAP{}}, Memory: 1 << 20}
	fmt.Println(request.Needs(core.Task{Instances: 3000, Classes: 2, Negative: -1})>>20, "MiB")
	_, err := core.Explain(context.Background(), coretest.Majority(3000, 9), request)
	fmt.Println(errors.As(err, new(*quota.MemoryError)))
	// Output:
	// 24 MiB
	// true
}

// A game keeps values, so that explanations and questions about one bag share them.
func ExampleGame_Values() {
	game, err := core.NewGame(coretest.Airport(1, 2, 4), core.GameOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	z := core.NewCoalitions(game.Instances(), 2)
	z.AppendMembers(0, 1)
	z.AppendWithout(0)
	for range 2 {
		values, err := game.Values(context.Background(), z)
		fmt.Println(values, err, game.Evaluations())
	}
	// Output:
	// [2 -2 4 -4] <nil> 2
	// [2 -2 4 -4] <nil> 2
}
