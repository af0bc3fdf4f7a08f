package passes_test

import (
	"math"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// scalar is a Constant without dimensions.
func scalar(name string, v float32) ot.Node {
	return ot.N("Constant", nil, []string{name}, ot.Dense("value", ot.F("", []float32{v})))
}

// TestGates joins the nodes of Swish and Gelu in every order that exporters write, and leaves nodes
// that only look like them. Outputs keep all bits.
func TestGates(t *testing.T) {
	binary, unary := enginetest.Binary, enginetest.Unary
	gate := func(scale float32, rest ...ot.Node) []ot.Node {
		return append([]ot.Node{scalar("root", scale), scalar("plus", 1), scalar("half", 0.5),
			binary("MatMul", "bag", "W", "x"), binary("Div", "x", "root", "a"),
			unary("Erf", "a", "e"), binary("Add", "e", "plus", "s")}, rest...)
	}
	for _, c := range []struct {
		name  string
		nodes []ot.Node
		want  int // nodes that are joined
	}{
		{"swish", []ot.Node{binary("MatMul", "bag", "W", "x"), unary("Sigmoid", "x", "g"),
			binary("Mul", "x", "g", "y")}, 1},
		{"swish, gate first", []ot.Node{binary("MatMul", "bag", "W", "x"),
			unary("Sigmoid", "x", "g"), binary("Mul", "g", "x", "y")}, 1},
		{"two gates of one value", []ot.Node{binary("MatMul", "bag", "W", "x"),
			unary("Sigmoid", "x", "g"), binary("Mul", "g", "x", "u"), unary("Sigmoid", "x", "h"),
			binary("Mul", "x", "h", "v"), binary("Add", "u", "v", "y")}, 2},
		{"swish of a swish", []ot.Node{binary("MatMul", "bag", "W", "x"),
			unary("Sigmoid", "x", "g"), binary("Mul", "x", "g", "z"), unary("Sigmoid", "z", "h"),
			binary("Mul", "h", "z", "y")}, 2},
		{"gate that is read twice", []ot.Node{binary("MatMul", "bag", "W", "x"),
			unary("Sigmoid", "x", "g"), binary("Mul", "x", "g", "z"), binary("Add", "g", "z", "y")},
			0},
		{"gate of another value", []ot.Node{binary("MatMul", "bag", "W", "x"),
			unary("Tanh", "x", "v"), unary("Sigmoid", "x", "g"), binary("Mul", "v", "g", "y")}, 0},
		{"square of a gate", []ot.Node{binary("MatMul", "bag", "W", "x"),
			unary("Sigmoid", "x", "g"), binary("Mul", "g", "g", "y")}, 0},
		{"gelu, half last", gate(math.Sqrt2, binary("Mul", "x", "s", "p"),
			binary("Mul", "p", "half", "y")), 4},
		{"gelu, half before", gate(math.Sqrt2, binary("Mul", "half", "x", "h"),
			binary("Mul", "h", "s", "y")), 4},
		{"gelu, half between", gate(math.Sqrt2, binary("Mul", "s", "half", "p"),
			binary("Mul", "x", "p", "y")), 4},
		{"gelu of a gelu", append(gate(math.Sqrt2, binary("Mul", "x", "s", "p"),
			binary("Mul", "p", "half", "z")), binary("Div", "z", "root", "a2"),
			unary("Erf", "a2", "e2"), binary("Add", "e2", "plus", "s2"),
			binary("Mul", "z", "s2", "p2"), binary("Mul", "p2", "half", "y")), 8},
		{"erf that is read twice", gate(math.Sqrt2, binary("Mul", "x", "s", "p"),
			binary("Mul", "p", "half", "q"), binary("Add", "q", "e", "y")), 0},
		{"argument of erf that is read twice", gate(math.Sqrt2, binary("Mul", "x", "s", "p"),
			binary("Mul", "p", "half", "q"), binary("Add", "q", "a", "y")), 0},
		{"difference instead of a sum", []ot.Node{scalar("root", math.Sqrt2), scalar("plus", 1),
			scalar("half", 0.5), binary("MatMul", "bag", "W", "x"), binary("Div", "x", "root", "a"),
			unary("Erf", "a", "e"), binary("Sub", "e", "plus", "s"), binary("Mul", "x", "s", "p"),
			binary("Mul", "p", "half", "y")}, 0},
		{"another scale", gate(1.5, binary("Mul", "x", "s", "p"), binary("Mul", "p", "half", "y")),
			0},
		{"another factor", gate(math.Sqrt2, binary("Mul", "x", "s", "p"),
			binary("Mul", "p", "plus", "y")), 0},
		{"product with another value", gate(math.Sqrt2, unary("Tanh", "x", "v"),
			binary("Mul", "v", "s", "p"), binary("Mul", "p", "half", "y")), 0},
		{"sum that is read twice", gate(math.Sqrt2, binary("Mul", "x", "s", "p"),
			binary("Mul", "p", "half", "q"), binary("Add", "q", "s", "y")), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := enginetest.PassModel(c.nodes).Bytes()
			with := enginetest.Open(t, data, onnxbackend.Options{})
			without := enginetest.Open(t, data, onnxbackend.Options{Plain: true})
			must.Equal(t, changes(with)["gates"], c.want)
			for _, k := range []int{1, 5, 40} {
				passesKeep(t, with, without, enginetest.SmallBag(k, 4))
			}
		})
	}
}
