package ops_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// An operatorCase runs one node. Its answer comes from the specification's text, worked out by
// hand, or from a function of Go's library.
type operatorCase struct {
	name  string
	opset int
	attrs []ot.Attribute
	in    []ot.Tensor
	shape []int
	want  []float64
}

// operatorCases has the cases of each operator. A row in ops/table_X.go has its cases in
// cases_X_test.go. Every test of operators runs over them: values, axis rules, facts and batching.
var operatorCases = func() map[string][]operatorCase {
	all := map[string][]operatorCase{}
	for _, cases := range []map[string][]operatorCase{
		linearCases, elementwiseCases, broadcastCases, axisCases, moveCases,
	} {
		maps.Copy(all, cases)
	}
	n := len(elementwiseArguments)
	for name, f := range elementwiseFunctions {
		c := operatorCase{
			name: "of numbers", opset: ops.Newest, shape: []int{n},
			in: []ot.Tensor{ot.F("", elementwiseArguments, n)},
		}
		for _, x := range elementwiseArguments {
			c.want = append(c.want, float64(float32(f(float64(x)))))
		}
		all[name] = append(all[name], c)
	}
	return all
}()

// eachCase runs a test for each case, by operator and name.
func eachCase(t *testing.T, f func(t *testing.T, op string, c operatorCase)) {
	for _, name := range slices.Sorted(maps.Keys(operatorCases)) {
		t.Run(name, func(t *testing.T) {
			for _, c := range operatorCases[name] {
				t.Run(c.name, func(t *testing.T) { f(t, name, c) })
			}
		})
	}
}

var (
	omitted = ot.Tensor{}
	grid    = ot.F("", []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	inf     = math.Inf(1)
	nan     = math.NaN()

	pair  = ot.F("", []float32{1, 2}, 1, 1, 2)
	tens  = ot.F("", []float32{1, 10, 100}, 1, 1, 3)
	two   = ot.F("", []float32{1, 2, 3, 4}, 2, 1, 2)
	ramp4 = ot.F("", []float32{1, 2, 3, 4}, 1, 1, 2, 2)
)

func attrs(a ...ot.Attribute) []ot.Attribute { return a }

// constant marks a tensor as an initializer.
func constant(t ot.Tensor) ot.Tensor { t.Name = "const"; return t }

// one returns a single number.
func one(v float32) ot.Tensor { return ot.F("", []float32{v}) }

func bools(v []int32, dims ...int) ot.Tensor {
	return ot.Tensor{Type: ot.Bool, Dims: dims, Ints32: v}
}

func bytesTensor(v []int32, dims ...int) ot.Tensor {
	return ot.Tensor{Type: ot.Uint8, Dims: dims, Ints32: v}
}

func ints32(v []int32, dims ...int) ot.Tensor {
	return ot.Tensor{Type: ot.Int32, Dims: dims, Ints32: v}
}
