package signature_test

import (
	"fmt"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// A model on a server has no graph: its declared inputs and outputs, and a card, say what they
// mean.
func ExampleNewServed() {
	model, err := signature.NewServed("remote",
		[]core.TensorInfo{{Name: "bag", Type: "float32", Shape: []int{-1, 2},
			Names: []string{"instances", ""}}},
		[]core.TensorInfo{{Name: "scores", Type: "float32", Shape: []int{1, 2},
			Names: []string{"", ""}}},
		[]byte(`{"classes": ["healthy", "tumour"], "output": "logits"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	info := model.Info()
	fmt.Println(info.Input, info.InstanceAxis, info.Classes, info.Scale)
	// Output:
	// bag 0 [healthy tumour] logits
}
