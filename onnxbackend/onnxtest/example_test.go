package onnxtest_test

import (
	"context"
	"fmt"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// A test builds the model file that it needs: here the largest value of each feature.
func Example() {
	file := onnxtest.Model{
		Opset: 17,
		Nodes: []onnxtest.Node{onnxtest.N("ReduceMax", []string{"bag"}, []string{"scores"},
			onnxtest.Ints("axes", 0), onnxtest.Int("keepdims", 0))},
		Inputs:  []onnxtest.Value{onnxtest.In("bag", "instances", 2)},
		Outputs: []onnxtest.Value{onnxtest.In("scores", 2)},
	}.Bytes()
	model, err := onnxbackend.Open(file, onnxbackend.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	prediction, err := model.Predict(context.Background(),
		&core.Bag{Shape: []int{2}, Values: []float32{1, 5, 4, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(prediction.Scores)
	// Output:
	// [4 5]
}
