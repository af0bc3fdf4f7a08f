package ops

import (
	"math"
	"math/rand/v2"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/bagscope/bagscope/internal/must"
)

// closeTo bounds the difference of two ways to compute a value, beside the largest of its matrix:
// the order of sums differs.
const closeTo = 2e-5

// A variable is an input of an operator under test: a matrix of random values.
type variable struct {
	shape  []int
	values []float32
}

func random(r *rand.Rand, rows, columns int) *variable {
	v := &variable{shape: []int{rows, columns}, values: make([]float32, rows*columns)}
	for i := range v.values {
		v.values[i] = float32(r.NormFloat64())
	}
	return v
}

// A builder makes the node under test of its inputs.
type builder func(in []*G.Node) (*G.Node, error)

// run computes Σ weights·y for the built node y, and the gradients of all inputs.
func run(
	t *testing.T, build builder, in []*variable, weights []float32,
) (y []float32, loss float64, gradients [][]float32) {
	t.Helper()
	g := G.NewGraph()
	nodes := make(G.Nodes, len(in))
	for i, v := range in {
		nodes[i] = G.NewMatrix(g, tensor.Float32, G.WithShape(v.shape...),
			G.WithName(string(rune('a'+i))),
			G.WithValue(tensor.New(tensor.WithShape(v.shape...), tensor.WithBacking(v.values))))
	}
	out := must.Get(build(nodes))(t)
	// Gorgonia's own operators write over what they are given, once it is read.
	var value G.Value
	G.Read(out, &value)
	cost := out
	if !out.IsScalar() {
		w := G.NewMatrix(g, tensor.Float32, G.WithShape(out.Shape()...), G.WithName("weights"),
			G.WithValue(tensor.New(tensor.WithShape(out.Shape()...),
				tensor.WithBacking(weights[:out.Shape().TotalSize()]))))
		cost = G.Must(G.Sum(G.Must(G.HadamardProd(out, w))))
	}
	must.Get(G.Grad(cost, nodes...))(t)
	vm := G.NewTapeMachine(g)
	defer vm.Close()
	for range 2 { // the second run finds the memory as the first left it
		vm.Reset()
		must.Do(t, vm.RunAll())
	}
	for _, n := range nodes {
		d := must.Get(n.Grad())(t)
		gradients = append(gradients, floats(d))
	}
	y = floats(value)
	for i, v := range y {
		loss += float64(v) * float64(weights[i])
	}
	if out.IsScalar() {
		loss = float64(y[0])
	}
	return y, loss, gradients
}

func floats(v G.Value) []float32 {
	if d, ok := v.(*tensor.Dense); ok {
		return append([]float32(nil), d.Float32s()...)
	}
	return []float32{v.Data().(float32)}
}

// compareWithTwin compares an operator with Gorgonia's own, and its gradients with differences of
// its values.
func compareWithTwin(t *testing.T, build, twin builder, in ...*variable) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	weights := random(r, 1, 1<<16).values
	y, _, gradients := run(t, build, in, weights)
	want, _, wanted := run(t, twin, in, weights)
	near(t, "result", y, want, closeTo)
	for i := range in {
		near(t, "gradient of input "+string(rune('a'+i)), gradients[i], wanted[i], closeTo)
	}
	for i, v := range in {
		along := random(r, 1, len(v.values)).values
		slope, size := 0.0, 0.0
		for j, d := range along {
			slope += float64(d) * float64(gradients[i][j])
			size += float64(gradients[i][j]) * float64(gradients[i][j])
		}
		const step = 2e-4
		moved := append([]*variable(nil), in...)
		at := func(by float32) float64 {
			m := &variable{shape: v.shape, values: make([]float32, len(v.values))}
			for j := range m.values {
				m.values[j] = v.values[j] + by*along[j]
			}
			moved[i] = m
			_, loss, _ := run(t, build, moved, weights)
			return loss
		}
		numeric := (at(step) - at(-step)) / (2 * step)
		if !(math.Abs(numeric-slope) <= .05*math.Sqrt(size)+.02) {
			t.Errorf("input %c: the value falls by %v along a direction, and the gradient says "+
				"%v of length %v", 'a'+i, numeric, slope, math.Sqrt(size))
		}
	}
}

func near(t *testing.T, what string, got, want []float32, tolerance float64) {
	t.Helper()
	must.Equal(t, len(got), len(want), what)
	largest := 1e-3
	for _, v := range want {
		largest = max(largest, math.Abs(float64(v)))
	}
	for i := range got {
		if d := math.Abs(float64(got[i] - want[i])); !(d <= tolerance*largest) {
			t.Errorf("%s: value %d is %v, want %v, of values up to %v", what, i, got[i], want[i],
				largest)
			return
		}
	}
}

// computed makes variables look computed, so that gradients are asked for.
func computed(a *Arena, x *G.Node) *G.Node {
	node, mask, err := Dropout(a, x, 0)
	if err != nil {
		panic(err)
	}
	mask.Draw(rand.New(rand.NewPCG(0, 0)))
	return node
}
