package ops_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// mutationsOfEach is how many broken variants of each official test are run: with these, an
// operator that believes a shape or an attribute is found within seconds.
const mutationsOfEach = 10

// TestMutatedNodes runs the official node tests with attributes, types and shapes that do not
// belong there: each ends in a result or an error, never in a panic, and within its limits.
func TestMutatedNodes(t *testing.T) {
	limits := enginetest.LimitsOf(onnxbackend.Limits{
		Elements: 1 << 20, RunBytes: 1 << 25, LoopTrips: 100, Work: 1 << 26,
	})
	for name, files := range nodeCases(t) {
		if len(files["model.onnx"]) > 1<<16 {
			continue
		}
		h := fnv.New64()
		h.Write([]byte(name))
		for i := range mutationsOfEach {
			m := &mutation{Rand: rand.New(rand.NewPCG(h.Sum64(), uint64(i)))}
			must.Do(t, m.run(files, limits), name, i)
		}
	}
}

type mutation struct{ *rand.Rand }

// run returns an error when the engine panics.
func (m *mutation) run(files map[string][]byte, limits enginetest.Limits) (failure error) {
	defer func() {
		if r := recover(); r != nil {
			failure = fmt.Errorf("%v\n%s", r, debug.Stack())
		}
	}()
	file, err := decode.Decode(files["model.onnx"], limits.Decoding)
	if err != nil {
		return nil
	}
	for i := range file.Graph.Nodes {
		m.node(&file.Graph.Nodes[i])
	}
	g, err := graph.New(file, limits.Runs)
	if err != nil {
		return nil
	}
	p, given, _, ok := planOf(g)
	if !ok {
		return nil
	}
	r := plan.NewRunner(p, limits.Runs)
	r.Begin(context.Background())
	for i, id := range given {
		x, err := decode.Tensor(files[fmt.Sprintf("test_data_set_0/input_%d.pb", i)],
			limits.Decoding)
		if err != nil || x.Type == tensor.Undefined {
			return nil
		}
		r.Give(id, m.tensor(x))
	}
	_ = r.Run(nil) // an error is an answer
	return nil
}

var oddNumbers = []int64{-1 << 50, -3, -1, 0, 1, 2, 3, 5, 17, 1 << 20, 1 << 50}

func (m *mutation) odd() int64 { return oddNumbers[m.IntN(len(oddNumbers))] }

// node changes an attribute, or drops it, or leaves out or exchanges inputs.
func (m *mutation) node(n *decode.Node) {
	switch m.IntN(4) {
	case 0:
		if len(n.Inputs) > 1 {
			n.Inputs[m.IntN(len(n.Inputs))] = n.Inputs[m.IntN(len(n.Inputs))]
		}
	case 1:
		if len(n.Inputs) > 1 {
			n.Inputs = n.Inputs[:len(n.Inputs)-1]
		}
	}
	if len(n.Attributes) == 0 {
		return
	}
	i := m.IntN(len(n.Attributes))
	switch a := &n.Attributes[i]; {
	case m.IntN(5) == 0:
		n.Attributes = slices.Delete(n.Attributes, i, i+1)
	case a.Kind == decode.KindInt:
		a.Int = m.odd()
	case a.Kind == decode.KindInts && len(a.Ints) > 0 && m.IntN(3) > 0:
		a.Ints[m.IntN(len(a.Ints))] = m.odd()
	case a.Kind == decode.KindInts:
		a.Ints = append(a.Ints, m.odd())
	case a.Kind == decode.KindFloat:
		a.Float = float32(m.odd())
	case a.Kind == decode.KindString:
		a.String = "odd"
	}
}

// tensor returns x, or something like it with another shape, type or values.
func (m *mutation) tensor(x *tensor.Tensor) *tensor.Tensor {
	shape := slices.Clone(x.Shape)
	typ := x.Type
	switch m.IntN(6) {
	case 0, 1:
		return x
	case 2:
		if len(shape) > 0 {
			shape[m.IntN(len(shape))] = m.IntN(4)
		}
	case 3:
		if len(shape) > 0 {
			shape = shape[1:]
		}
	case 4:
		shape = append(shape, 1+m.IntN(2))
	case 5:
		if kinds := []tensor.Type{tensor.Float32, tensor.Float64, tensor.Int64, tensor.Int32,
			tensor.Uint8, tensor.Bool, tensor.Int4, tensor.Float8E5M2}; m.IntN(2) == 0 {
			typ = kinds[m.IntN(len(kinds))]
		}
	}
	if n, ok := tensor.Count(shape); !ok || n > 1<<16 {
		return x
	}
	y := tensor.New(typ, shape...)
	if typ == x.Type {
		copy(tensor.View[uint8](y.Words, y.Len()*typ.Size()),
			tensor.View[uint8](x.Words, x.Len()*typ.Size()))
	}
	if v := y; typ == tensor.Int64 && y.Len() > 0 && m.IntN(2) == 0 {
		tensor.Of[int64](v)[m.IntN(y.Len())] = m.odd()
	}
	return y
}
