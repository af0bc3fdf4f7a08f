package onnxbackend_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

func TestNewerOpsetIsNoted(t *testing.T) {
	m := enginetest.EndingModel("", 2)
	m.Opset = 99
	o := must.Get(Open(m.Bytes(), Options{}))(t)
	must.Contain(t, strings.Join(o.Info().Notes, " "), "operator set 99")
}

func TestInfo(t *testing.T) {
	data := enginetest.AttentionModel().Bytes()
	m := must.Get(Open(data, Options{Name: "tiny"}))(t)
	i := m.Info()
	if i.Name != "tiny" || i.Opset != 13 || i.Input != "bag" || i.Output != "logits" ||
		i.Inherent != "weights" || i.Parameters != 6+3+3+6 || len(i.SHA256) != 64 {
		t.Errorf("%+v", i)
	}
	must.EqualSlices(t, i.Operators, []string{"Gemm", "MatMul", "Mul", "ReduceSum", "Softmax",
		"Tanh"})
	if in := i.Inputs[0]; in.Type != "float32" || !slices.Equal(in.Shape, []int{-1, 2}) ||
		!slices.Equal(in.Names, []string{"k", ""}) {
		t.Errorf("input %+v", in)
	}
}
