package ops

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// run1 computes a node of one output.
func run1(t *testing.T, op string, attrs []decode.Attribute, in ...*tensor.Tensor) *tensor.Tensor {
	t.Helper()
	f, gap, broken := Lookup("", op).Build(&Node{Op: op, Opset: 13, Inputs: len(in), Outputs: 1, Attributes: attrs}, NewPacks())
	if gap != nil || broken != nil {
		t.Fatal(gap, broken)
	}
	out := &tensor.Tensor{}
	if err := f(testMachine(), in, []*tensor.Tensor{out}); err != nil {
		t.Fatal(err)
	}
	return out
}

// A node with Steps has the bits of the nodes that it stands for, rows of one element that broadcast among them.
func TestSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	scalar := func(v float32) *tensor.Tensor { return tensor.From(tensor.Float32, []float32{v}) }
	last := []decode.Attribute{intsAttr("axes", -1)}
	w, b := randomTensor(r, 6), randomTensor(r, 6)
	for _, shape := range [][]int{{6}, {1, 6}, {3, 6}, {4, 6}, {2, 9, 6}, {5, 1}, {0, 6}, {1}} {
		x := randomTensor(r, shape...)
		d := run1(t, "Sub", nil, x, run1(t, "ReduceMean", last, x))
		variance := run1(t, "ReduceMean", last, run1(t, "Pow", nil, d, scalar(2)))
		q := run1(t, "Div", nil, d, run1(t, "Sqrt", nil, run1(t, "Add", nil, variance, scalar(1e-5))))
		want := run1(t, "Add", nil, run1(t, "Mul", nil, q, w), b)
		var got tensor.Tensor
		if err := steppedNormalization(testMachine(), &got, x, w, b, 1e-5); err != nil {
			t.Fatal(err)
		}
		sameBits(t, "normalization", &got, want)
		e := run1(t, "Add", nil, run1(t, "Erf", nil, run1(t, "Div", nil, x, scalar(1.4142135))), scalar(1))
		if err := steppedGelu(testMachine(), &got, x, 1.4142135); err != nil {
			t.Fatal(err)
		}
		sameBits(t, "gelu", &got, run1(t, "Mul", nil, run1(t, "Mul", nil, x, e), scalar(.5)))
	}
	if err := steppedNormalization(testMachine(), &tensor.Tensor{}, randomTensor(r, 2, 5), w, b, 1e-5); err == nil {
		t.Error("parameters that do not fit are taken")
	}
}

func sameBits(t *testing.T, what string, got, want *tensor.Tensor) {
	t.Helper()
	if !slices.Equal(got.Shape, want.Shape) || !slices.Equal(bytesOf(got), bytesOf(want)) {
		t.Errorf("%s of shape %v: %v, want %v %v", what, got.Shape, tensor.Of[float32](got), want.Shape, tensor.Of[float32](want))
	}
}
