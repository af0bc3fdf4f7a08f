package prefix_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// lookupModel takes numbers of rows of a table, so that a bag can ask for one that is not there.
func lookupModel() ot.Model {
	return ot.Model{
		Opset: 13,
		Initializers: []ot.Tensor{ot.F("table", []float32{1, -1, .5, 2, .25, -.5, 3, 1}, 4, 2),
			ot.I("axes", []int64{0}, 1)},
		Inputs:  []ot.Value{ot.In("bag", "k", 3)},
		Outputs: []ot.Value{ot.In("logits", 2)},
		Nodes: ot.Nodes(`rows = Cast<to=7>(bag); found = Gather(table, rows)
			h = ReduceMax<axes=[1], keepdims=0>(found); logits = ReduceSum<keepdims=0>(h, axes)`),
	}
}

// TestSharedEncodingReturnsSameError encodes a bag that the model cannot encode: the error must be
// the same, whichever place finds it first.
func TestSharedEncodingReturnsSameError(t *testing.T) {
	m := must.Get(onnxbackend.Open(lookupModel().Bytes(), onnxbackend.Options{Workers: 4}))(t)
	bag := &core.Bag{Shape: []int{3}, Values: make([]float32, 3*64)}
	for i := range bag.Values {
		bag.Values[i] = float32(i % 4)
	}
	var sent atomic.Int64
	helpers := &onnxbackend.Helpers{Count: 1, Send: func(context.Context, int, []byte) ([]byte,
		error) {
		sent.Add(1)
		return nil, errors.New("gone")
	}}
	if b := enginetest.Bind(t, m, bag, helpers); !enginetest.EvaluatorOf(b).InBlocks ||
		sent.Load() == 0 {
		t.Fatal("the bag was not encoded in blocks, or no helper was sent")
	}
	for _, wrong := range [][]int{{0}, {10}, {191}, {190, 40}, {70, 150, 191}} {
		bad := &core.Bag{Shape: bag.Shape, Values: append([]float32(nil), bag.Values...)}
		for n, i := range wrong {
			bad.Values[i] = float32(100 + n)
		}
		_, alone := m.BindWith(context.Background(), bad, nil, nil)
		_, together := m.BindWith(context.Background(), bad, helpers, nil)
		var run *onnxbackend.RunError
		if !errors.As(alone, &run) || together == nil || alone.Error() != together.Error() {
			t.Errorf("rows at %v: %v alone and %v together", wrong, alone, together)
		}
	}
}

// TestProgressCountsEncodedInstances counts the instances that progress reports, with goroutines
// and helpers, up to the last one.
func TestProgressCountsEncodedInstances(t *testing.T) {
	m := must.Get(onnxbackend.Open(enginetest.AttentionModel().Bytes(),
		onnxbackend.Options{Workers: 1}))(t)
	enginetest.EncoderOf(m).BlockValues = 6
	bag := enginetest.SmallBag(20, 2)
	for name, helpers := range map[string]*onnxbackend.Helpers{"alone": nil,
		"with helpers": enginetest.HelpersOf(m, m)} {
		t.Run(name, func(t *testing.T) {
			var steps []int
			must.Get(m.BindWith(t.Context(), bag, helpers, func(done, total int) {
				if total != 20 {
					t.Errorf("%s: %d of %d instances", name, done, total)
				}
				steps = append(steps, done)
			}))(t)
			if len(steps) < 4 || !slices.IsSorted(steps) || steps[len(steps)-1] != 20 {
				t.Errorf("%s: told of %v instances", name, steps)
			}
		})
	}
}

// TestProgressAllocatesNothing compares the allocations of encoding with and without progress.
func TestProgressAllocatesNothing(t *testing.T) {
	enginetest.KeepPools(t)
	m := must.Get(onnxbackend.Open(enginetest.AttentionModel().Bytes(),
		onnxbackend.Options{Workers: 1}))(t)
	enginetest.EncoderOf(m).BlockValues = 6
	bag := enginetest.SmallBag(20, 2)
	allocations := func(progress func(done, total int)) float64 {
		return testing.AllocsPerRun(5, func() {
			must.Get(m.BindWith(t.Context(), bag, nil, progress))(t)
		})
	}
	if plain, watched := allocations(nil), allocations(func(int, int) {}); watched > plain {
		t.Errorf("binding allocates %v times, %v when it is watched", plain, watched)
	}
}
