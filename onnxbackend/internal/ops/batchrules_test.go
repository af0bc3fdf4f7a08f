package ops_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// batchSize is how many coalitions TestBatching computes at once.
const batchSize = 3

// TestBatching runs the node of every case as the suffix of a graph, for a batch of coalitions and
// for each coalition alone. The outputs must be equal bit for bit. Operators that work element by
// element must take the batch in one call, for any stacked operands, and every operator with a
// batching rule must do so in at least one of its cases.
func TestBatching(t *testing.T) {
	inOneCall := map[string]bool{}
	eachCase(t, func(t *testing.T, name string, c operatorCase) {
		data, in := operatorModel(c.opset, enginetest.Op(name, c.attrs...), c.in, 1)
		g := buildGraph(t, data)
		if g == nil || len(in) == 0 {
			return // all inputs are constant
		}
		kind := ops.Lookup("", name).Kind
		for _, stacked := range stackedInputs(g) {
			calls, err := checkBatch(g, in, stacked)
			if err != nil {
				t.Errorf("stacked inputs %v: %v", stacked, err)
				continue
			}
			if calls == skipped {
				continue
			}
			oneCall := calls <= 1 // none if the rule has built a function for the batch
			inOneCall[name] = inOneCall[name] || oneCall
			onFirst := slices.Equal(stacked, []int{0}) && g.Nodes[0].In[0] == g.Inputs[0].ID
			must := kind == ops.Broadcast ||
				onFirst && (kind == ops.Elementwise || kind == ops.PassThrough)
			if must && !oneCall {
				t.Errorf("stacked inputs %v: %d calls for %d coalitions", stacked, calls, batchSize)
			}
		}
	})
	for _, name := range ops.Names() {
		if ops.Lookup("", name).Batch != nil && !inOneCall[name] {
			t.Errorf("%s: no case takes a batch in one call; add one", name)
		}
	}
}

// stackedInputs returns each input of a graph alone and all together.
func stackedInputs(g *graph.Graph) (sets [][]int) {
	var all []int
	for i := range g.Inputs {
		sets, all = append(sets, []int{i}), append(all, i)
	}
	if len(all) > 1 {
		sets = append(sets, all)
	}
	return sets
}

// skipped is what checkBatch returns for coalitions that have no results or differ in shape.
const skipped = -1

// checkBatch computes a graph of one node for a batch whose stacked inputs differ between
// coalitions, and for each coalition. It returns how often the batch called the node's function.
func checkBatch(g *graph.Graph, in []*tensor.Tensor, stacked []int) (calls int, err error) {
	alone := make([][]*tensor.Tensor, batchSize) // (coalition, input)
	want := make([]*tensor.Tensor, batchSize)
	for j := range alone {
		alone[j] = slices.Clone(in)
		for _, i := range stacked {
			alone[j][i] = rotated(in[i], j)
		}
		out, err := runGraph(g, alone[j])
		if err != nil {
			return skipped, nil // rotated indices or sizes may not fit
		}
		want[j] = out[0]
	}
	batch := slices.Clone(in)
	var given, ids []int
	for _, p := range g.Inputs {
		given = append(given, p.ID)
	}
	for _, i := range stacked {
		ids = append(ids, given[i])
		x := in[i]
		batch[i] = tensor.New(x.Type, append([]int{batchSize}, x.Shape...)...)
		for j := range alone {
			copy(elementBytes(batch[i])[j*len(elementBytes(x)):], elementBytes(alone[j][i]))
		}
	}
	n := &g.Nodes[0]
	function := n.Func
	defer func() { n.Func = function }()
	n.Func = func(m *machine.Machine, in, out []*tensor.Tensor) error {
		calls++
		return function(m, in, out)
	}
	output := g.Outputs[0].ID
	p, ok := plan.New(g, given, []int{output})
	if !ok {
		return 0, fmt.Errorf("no plan")
	}
	r := plan.NewStackRunner(p, enginetest.LimitsOf(onnxbackend.Limits{}).Runs, ids)
	r.Begin(context.Background())
	r.Stack(batchSize)
	for i, id := range given {
		r.Give(id, batch[i])
	}
	if err := r.Run(nil); err != nil {
		for _, w := range want {
			if !slices.Equal(w.Shape, want[0].Shape) {
				return skipped, nil // such coalitions cannot form a batch
			}
		}
		return 0, err
	}
	got := r.Value(output)
	for j, w := range want {
		part := got
		if r.Stacked(output) {
			part = tensor.New(w.Type, w.Shape...)
			if got.Type != w.Type || !slices.Equal(got.Shape[1:], w.Shape) {
				return 0, fmt.Errorf("the batch is %v %v, a coalition's result %v %v",
					got.Type, got.Shape, w.Type, w.Shape)
			}
			copy(elementBytes(part), elementBytes(got)[j*len(elementBytes(part)):])
		}
		if err := sameBits(part, w); err != nil {
			return 0, fmt.Errorf("coalition %d: %w", j, err)
		}
	}
	return calls, nil
}

// rotated returns x with its elements moved by n places, the last ones to the front.
func rotated(x *tensor.Tensor, n int) *tensor.Tensor {
	y := x.Clone()
	size := x.Type.Size()
	for i := range x.Len() {
		to := (i + n) % x.Len() * size
		copy(elementBytes(y)[to:to+size], elementBytes(x)[i*size:])
	}
	return y
}

func elementBytes(x *tensor.Tensor) []uint8 {
	return tensor.View[uint8](x.Words, x.Len()*x.Type.Size())
}
