package onnxgo_test

import (
	"fmt"

	onnx "github.com/owulveryck/onnx-go"
	"gorgonia.org/tensor"

	"github.com/bagscope/bagscope/onnxbackend/onnxgo"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// A program written for onnx-go runs on this engine if its backend is a Graph.
func Example() {
	file := ot.Model{
		Opset:  17,
		Nodes:  []ot.Node{ot.N("Relu", []string{"x"}, []string{"y"})},
		Inputs: []ot.Value{ot.In("x", 2, 2)}, Outputs: []ot.Value{ot.In("y", 2, 2)},
	}.Bytes()
	graph := onnxgo.New()
	graph.Opset = onnxgo.OpsetOf(file)
	model := onnx.NewModel(graph)
	if err := model.UnmarshalBinary(file); err != nil {
		fmt.Println(err)
		return
	}
	err := model.SetInput(0, tensor.New(tensor.WithShape(2, 2),
		tensor.WithBacking([]float32{-1, 2, 3, -4})))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := graph.Run(); err != nil {
		fmt.Println(err)
		return
	}
	outputs, err := model.GetOutputTensors()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(outputs[0].Data())
	// Output:
	// [0 2 3 0]
}
