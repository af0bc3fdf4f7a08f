package main

import (
	"os"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
)

// TestNetworkOfMNISTReadsDrawnDigits uses a network that was trained on MNIST and has not seen
// drawn digits. Its accuracy shows whether they look handwritten.
func TestNetworkOfMNISTReadsDrawnDigits(t *testing.T) {
	const (
		bags  = 200
		least = .93 // it reached .966 on 800 bags, and .95 on 400 bags of MNIST test digits
	)
	file := must.Get(os.ReadFile("../../../examples/digits/model.onnx"))(t)
	model := must.Get(onnxbackend.Open(file, onnxbackend.Options{}))(t)
	turns := must.Get(parseClasses("", bags))(t)
	if got := right(t, model, newBags(7, turns)); got < least {
		t.Errorf("the network puts %.3f of the bags into the right class, want %.2f", got, least)
	} else {
		t.Logf("the network puts %.3f of %d bags into the right class", got, bags)
	}
}
