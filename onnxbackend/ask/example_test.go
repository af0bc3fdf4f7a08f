package ask_test

import (
	"context"
	"fmt"
	"os"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// openDigits opens a bag of the digits example with its network.
func openDigits(ctx context.Context, index int) (*ask.Input, error) {
	file, err := os.ReadFile("../../examples/digits/model.onnx")
	if err != nil {
		return nil, err
	}
	model, err := onnxbackend.Open(file, onnxbackend.Options{Name: "digits"})
	if err != nil {
		return nil, err
	}
	if file, err = os.ReadFile("../../examples/digits/bags.npz"); err != nil {
		return nil, err
	}
	set, err := bagio.Read("bags.npz", file, bagio.Options{})
	if err != nil {
		return nil, err
	}
	return ask.NewInput(ctx, model, set, index)
}

// Settings have the names of the command line. Plan checks them before a bag is needed.
func Example() {
	ctx := context.Background()
	in, err := openDigits(ctx, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	settings := ask.Settings{Methods: []string{"single"}, Class: new("1")}
	plan, err := settings.Plan()
	if err != nil {
		fmt.Println(err)
		return
	}
	explained, err := plan.Explain(ctx, in, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	answer := explained.JSON()
	fmt.Println(answer.Bag.Name, answer.Bag.Instances, "instances")
	single := answer.Explanations[0]
	for _, i := range []int{7, 8, 23} {
		fmt.Printf("%s, class %d, instance %d: %.2f\n", single.Method, single.Class, i,
			single.Scores[i])
	}
	// Output:
	// bag 1: two 8s 33 instances
	// single, class 1, instance 7: 0.00
	// single, class 1, instance 8: 1.00
	// single, class 1, instance 23: 1.00
}

// A what-if asks about the predicted class unless it names another one.
func ExampleAsk_Sets() {
	ctx := context.Background()
	in, err := openDigits(ctx, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	question := ask.Ask{Seed: 1}
	sets, err := question.Sets(ctx, in, ask.SetsOptions{Kind: new("sufficient")}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, found := range sets.Sufficient.Sets {
		fmt.Println("enough for class", sets.Class, found.Instances, found.Smallest)
	}
	// Output:
	// enough for class 1 [8] true
}

// Rankings are judged together, so that they share random orders. The bag has two 8s; one ranking
// begins with them, the other one ends with them.
func ExampleJudging_Answer() {
	ctx := context.Background()
	in, err := openDigits(ctx, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	first, last := make([]float64, in.Bag.Len()), make([]float64, in.Bag.Len())
	for _, eight := range []int{8, 23} {
		first[eight], last[eight] = 1, -1
	}
	question := ask.Judging{Metrics: []string{"aopc_r", "srg"}, Rankings: []ask.Ranking{
		{Method: "8s first", Class: 1, Scores: first},
		{Method: "8s last", Class: 1, Scores: last}}}
	judged, err := question.Answer(ctx, in, 0, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, j := range judged.Judgements {
		fmt.Println(j.Method, j.Values["aopc_r"] > 0, j.Values["srg"] > 0)
	}
	// Output:
	// 8s first true true
	// 8s last false false
}

// ErrorText adds what users of a program can do about a limit.
func ExampleErrorText() {
	_, err := bagio.Read("bag.npy", make([]byte, 100),
		bagio.Options{Limits: bagio.Limits{Bytes: 10}})
	fmt.Println(ask.ErrorText(err, ask.CommandLine))
	// Output:
	// bag.npy: it holds 100 bytes; the limit is 10; --memory raises the limit
}
