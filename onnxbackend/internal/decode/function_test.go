package decode_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

func TestFunctions(t *testing.T) {
	for _, plain := range []bool{true, false} {
		b := enginetest.OpenAndBind(t, enginetest.FunctionModel().Bytes(),
			onnxbackend.Options{Plain: plain},
			&core.Bag{Name: "b", Values: []float32{1, 2, 3, -4}, Shape: []int{2}})
		z := core.NewCoalitions(2, 1)
		z.AppendMembers(0, 1)
		got := make([]float64, 2)
		must.Do(t, b.Evaluate(context.Background(), got, z))
		want := []float64{240, -120} // (1+3)·2·3·10 and (2-4)·2·3·10
		must.EqualSlices(t, got, want, plain)
	}
}

// TestFunctionNames looks at what inlined nodes are called: by the call and by the function's node.
func TestFunctionNames(t *testing.T) {
	m := enginetest.FunctionModel()
	m.Functions[0].Nodes[1].Op = "Frob"
	_, err := onnxbackend.Open(m.Bytes(), onnxbackend.Options{})
	var gap *onnxbackend.UnsupportedError
	must.As(t, err, &gap)
	var got []string
	for _, n := range gap.Nodes {
		got = append(got, n.Node)
	}
	must.EqualSlices(t, got, []string{"p/#0/#1", "#2/call/#1", "#2/call/#1"})
}

// TestFunctionsThatExplode doubles the calls at each of thirty levels.
func TestFunctionsThatExplode(t *testing.T) {
	m := enginetest.FunctionModel()
	m.Functions = []ot.Function{{Name: "f0", Domain: "local", Opset: 13, In: []string{"x"},
		Out: []string{"y"}, Nodes: []ot.Node{ot.N("Neg", []string{"x"}, []string{"y"})}}}
	for i := 1; i <= 30; i++ {
		below := fmt.Sprintf("f%d", i-1)
		m.Functions = append(m.Functions, ot.Function{Name: fmt.Sprintf("f%d", i), Domain: "local",
			Opset: 13, In: []string{"x"}, Out: []string{"y"}, Nodes: []ot.Node{
				{Op: below, Domain: "local", In: []string{"x"}, Out: []string{"h"}}, {Op: below,
					Domain: "local", In: []string{"h"}, Out: []string{"y"}},
			}})
	}
	m.Nodes = []ot.Node{{Op: "f30", Domain: "local", In: []string{"bag"}, Out: []string{"scores"}}}
	_, err := onnxbackend.Open(m.Bytes(), onnxbackend.Options{})
	var limit *onnxbackend.LimitError
	must.As(t, err, &limit)
}
