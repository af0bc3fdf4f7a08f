package onnxbackend_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// tiledModel makes a copy of the bag of so many bytes for each of four steps, all of which the sum
// at the end reads.
func tiledModel(bytes int64) []byte {
	m := ot.Model{
		Opset: 13, Inputs: []ot.Value{ot.In("bag", "k", 2)},
		Outputs: []ot.Value{ot.In("logits", 2)},
		// a bag of four instances has 32 bytes
		Initializers: []ot.Tensor{ot.I("times", []int64{bytes / 32, 1}, 2)},
	}
	var all []string
	for _, name := range []string{"a", "b", "c", "d"} {
		m.Nodes = append(m.Nodes, ot.N("Tile", []string{"bag", "times"}, []string{name}))
		all = append(all, name)
	}
	for _, name := range all {
		m.Nodes = append(m.Nodes, ot.N("ReduceMax", []string{name}, []string{name + "r"},
			ot.Ints("axes", 0), ot.Int("keepdims", 0)))
	}
	m.Nodes = append(m.Nodes, ot.N("Sum", []string{"ar", "br", "cr", "dr"}, []string{"logits"}))
	return m.Bytes()
}

// TestDefaultMemory runs models up to the default limit of memory, one after another, and one
// beyond it, which must fail. In WebAssembly the limit must apply before the 4 GiB end. Elsewhere
// it is 2 GiB, too much to fill in a test, so that the numbers are smaller.
func TestDefaultMemory(t *testing.T) {
	limits := Limits{}
	limit := int64(limits.Filled().RunBytes)
	if runtime.GOARCH != "wasm" {
		limits.RunBytes = 1 << 24
		limit = 1 << 24
	}
	bag := enginetest.SmallBag(4, 2)
	for _, c := range []struct {
		bytes int64 // bytes of each of four tensors
		fits  bool
	}{{limit / 5, true}, {limit / 3, false}, {limit / 5, true}, {limit, false}} {
		m, err := Open(tiledModel(c.bytes), Options{Limits: limits})
		must.Do(t, err)
		_, err = m.Predict(context.Background(), bag)
		var l *LimitError
		if c.fits && err != nil || !c.fits && !errors.As(err, &l) {
			t.Errorf("four tensors of %d bytes: %v", c.bytes, err)
		}
	}
}

// TestDepthHasAHardLimit checks that no option raises the number of nested graphs above MaxDepth,
// because each of them takes stack.
func TestDepthHasAHardLimit(t *testing.T) {
	_, err := Open(enginetest.NestedModel(MaxDepth).Bytes(),
		Options{Limits: Limits{Depth: math.MaxInt}})
	var limit *LimitError
	must.As(t, err, &limit)
}
