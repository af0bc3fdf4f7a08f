package onnxbackend_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/methods"
	. "github.com/bagscope/bagscope/onnxbackend"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// meanModel returns a small model file: logits of two classes, from the mean of instances of two
// features.
func meanModel() []byte {
	return ot.Model{
		Opset:        17,
		Nodes:        ot.Nodes(`mean = ReduceMean<axes=[0]>(bag); logits = MatMul(mean, weights)`),
		Initializers: []ot.Tensor{ot.F("weights", []float32{-2, 2, 1, -1}, 2, 2)},
		Inputs:       []ot.Value{ot.In("bag", "instances", 2)},
		Outputs:      []ot.Value{ot.In("logits", 1, 2)},
	}.Bytes()
}

// smallBag returns a bag of three instances of two features.
func smallBag() *core.Bag {
	return &core.Bag{Name: "a", Shape: []int{2}, Values: []float32{2, 0, 0, 3, 1, 1}}
}

// The program explains a bag of digits for class 1, "an 8 but no 9": it prints the instances that
// support and refute it most, with their true labels.
func Example() {
	ctx := context.Background()
	file, err := os.ReadFile("../examples/digits/model.onnx")
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := Open(file, Options{Name: "digits"})
	if err != nil {
		fmt.Println(err)
		return
	}
	file, err = os.ReadFile("../examples/digits/bags.npz")
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := bagio.Read("bags.npz", file, bagio.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	bag, err := set.Bag(1)
	if err != nil {
		fmt.Println(err)
		return
	}
	// Bind encodes the instances once. Each coalition then only needs their pooled encodings.
	bound, err := model.Bind(ctx, bag)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := core.Explain(ctx, bound, core.Request{
		Methods:     []core.Method{methods.Consensus{}},
		Classes:     []int{1},
		GameOptions: core.GameOptions{Seed: 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bag.Name)
	for _, e := range report.Explanations {
		most := slices.Index(e.Scores, slices.Max(e.Scores))
		least := slices.Index(e.Scores, slices.Min(e.Scores))
		fmt.Printf("class %d, %.3f: most for it instance %d (%d), most against it %d (%d)\n",
			e.Class, report.Prediction[e.Class], most, bag.Labels[most], least, bag.Labels[least])
	}
	// Output:
	// bag 1: two 8s
	// class 1, 0.997: most for it instance 8 (8), most against it 7 (0)
}

// A model's information has what was found in its file, and the assumptions as notes.
func ExampleModel_Info() {
	model, err := Open(meanModel(), Options{Name: "mean"})
	if err != nil {
		fmt.Println(err)
		return
	}
	info := model.Info()
	fmt.Println(info.Input, "has instances along axis", info.InstanceAxis)
	fmt.Println(info.Operators, info.Parameters, "parameters")
	// Output:
	// bag has instances along axis 0
	// [MatMul ReduceMean] 4 parameters
}

// Predict runs the whole model once, with all of its outputs.
func ExampleModel_Predict() {
	model, err := Open(meanModel(), Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	prediction, err := model.Predict(context.Background(), smallBag())
	if err != nil {
		fmt.Println(err)
		return
	}
	for c, name := range prediction.Classes {
		fmt.Printf("class %s: %.2f (%s)\n", name, prediction.Scores[c], prediction.Scale)
	}
	// Output:
	// class 0: -0.67 (logits)
	// class 1: 0.67 (logits)
}

// A Bound scores coalitions of the instances of a bag.
func ExampleBound_Evaluate() {
	ctx := context.Background()
	model, err := Open(meanModel(), Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, err := model.Bind(ctx, smallBag())
	if err != nil {
		fmt.Println(err)
		return
	}
	z := core.NewCoalitions(3, 2)
	z.AppendMembers(0)
	z.AppendMembers(1, 2)
	scores := make([]float64, z.Len()*bound.Task().Classes)
	if err := bound.Evaluate(ctx, scores, z); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n", scores)
	// Output:
	// [-4.00 4.00 1.00 -1.00]
}

// Errors are typed: a file that is broken, that the engine does not support, whose external files
// are missing, or that exceeds a limit.
func ExampleOpen_errors() {
	file := meanModel()
	_, err := Open(file[:len(file)/2], Options{})
	fmt.Println("broken:", errors.As(err, new(*FormatError)))

	unknown := ot.Model{Opset: 17, Nodes: []ot.Node{ot.N("Magic", []string{"bag"}, []string{"y"})},
		Inputs: []ot.Value{ot.In("bag", "k", 2)}, Outputs: []ot.Value{ot.In("y", "k", 2)}}
	_, err = Open(unknown.Bytes(), Options{})
	fmt.Println("not supported:", errors.As(err, new(*UnsupportedError)))

	_, err = Open(file, Options{Limits: Limits{ModelBytes: 64}})
	var limit *LimitError
	fmt.Println("too large:", errors.As(err, &limit), limit.Setting)
	// Output:
	// broken: true
	// not supported: true
	// too large: true modelBytes
}

// A model card states what a file does not say, such as the names of classes and the negative one.
func ExampleOptions_card() {
	model, err := Open(meanModel(), Options{Card: []byte(
		`{"classes": ["healthy", "tumour"], "negative": 0, "output": "logits"}`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	info := model.Info()
	fmt.Println(info.Classes, info.Negative, info.Scale, "by", info.ScaleFrom)
	// Output:
	// [healthy tumour] 0 logits by the model card
}
