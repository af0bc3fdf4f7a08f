package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// TestSaturatedBag explains a bag of which any instance suffices, under a sigmoid of a sum: text
// and JSON say so, and no score stands out.
func TestSaturatedBag(t *testing.T) {
	const k, features = 30, 2
	m := ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("bag", "k", features)},
		Outputs:      []ot.Value{ot.In("p", 1, 1)},
		Initializers: []ot.Tensor{ot.F("w", []float32{6, 6}, features, 1)},
		Nodes: ot.Nodes(`terms = MatMul(bag, w); sum = ReduceSum<keepdims=1>(terms)
			p = Sigmoid(sum)`)}
	values := make([]float32, k*features)
	for i := range values {
		values[i] = 1 + float32(i%7)/10
	}
	var npy bytes.Buffer
	must.Do(t, bagio.WriteNpy(&npy, []int{k, features}, values))
	args := []string{"explain", "--model", writeTemp(t, "sum.onnx", m.Bytes()), "--bag",
		writeTemp(t, "bag.npy", npy.Bytes())}
	const sentence = "any one of 30 of the 30 instances alone gives this class 99 % or more"
	text := succeed(t, args...)
	must.Contain(t, text, sentence, "30 of 30")
	png := filepath.Join(t.TempDir(), "saturated.png")
	var x ask.Explanation
	clitest.Decode(t, succeed(t, append(args, "--json", "--png", png)...), &x)
	e := x.Explanations[0]
	said := strings.Contains(strings.Join(e.Notes, "\n"), sentence)
	must.Equal(t, said, true, e.Notes, e.Evident)
	must.Equal(t, slices.Contains(e.Evident, true), false, e.Notes, e.Evident)
}
