package dataset_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/train/dataset"
)

// TestPairsOfDigits checks the strongest pairs of bags that a network reads rightly as "an 8 and a
// 9", in test bags of drawn digits: an 8 with a 9 completes most, and of bags that hold two 8s or
// two 9s, two of them stand in for each other most. The other bags are misread: some drawn 0s and
// 4s stand in for 8s and 9s.
func TestPairsOfDigits(t *testing.T) {
	const bags = 160 // a quarter of them is of the class
	set := must.Get(dataset.Open("digits", "", dataset.Options{Train: 4, Validation: 4,
		Test: bags}))(t)
	split := must.Get(set.Split(1))(t)
	for _, name := range []string{"mi-net", "mi-net-instance", "mi-attn"} {
		t.Run(name, func(t *testing.T) {
			data := must.Get(os.ReadFile(filepath.Join("../../../examples/digits/networks",
				name+".onnx")))(t)
			model := must.Get(onnxbackend.Open(data, onnxbackend.Options{}))(t)
			var complete, standIn share
			for _, example := range split.Test {
				bag := must.Get(example.Bag())(t)
				countPairs(t, model, bag, &complete, &standIn)
			}
			t.Logf("completing %v, standing in %v", complete, standIn)
			must.Equal(t, complete.of >= bags/5, true, "too few bags are read rightly")
			must.Equal(t, standIn.of >= bags/8, true, "too few bags are read rightly")
			must.Equal(t, complete.percent() >= 99, true, "want 99 % and 92 %")
			must.Equal(t, standIn.percent() >= 92, true, "want 99 % and 92 %")
		})
	}
}

// A share counts the bags in which a pair is as it should be.
type share struct{ right, of int }

// percent returns the share in percent.
func (s share) percent() float64 { return 100 * float64(s.right) / float64(s.of) }

// countPairs counts one bag, unless the network does not read it as an 8 and a 9.
func countPairs(t *testing.T, model core.Model, bag *core.Bag, complete, standIn *share) {
	t.Helper()
	const both = 3
	if !slices.Equal(bag.Class, []int{both}) {
		return
	}
	ev := must.Get(model.Bind(context.Background(), bag))(t)
	g := must.Get(core.NewGame(ev, core.GameOptions{}))(t)
	full := must.Get(g.Full(context.Background()))(t)
	if slices.Max(full) != full[both] {
		return
	}
	p := must.Get(whatif.PairsQuestion{Class: both, Among: 10}.Answer(context.Background(), g))(t)
	digit := func(i int) int { return bag.Labels[i] }
	most := slices.MaxFunc(p.List, func(a, b whatif.Pair) int { return compare(a.Value, b.Value) })
	complete.of++
	if digit(most.A)+digit(most.B) == 17 && digit(most.A) != digit(most.B) {
		complete.right++
	}
	count := map[int]int{}
	for _, d := range bag.Labels {
		count[d]++
	}
	if count[8] < 2 && count[9] < 2 {
		return
	}
	least := slices.MinFunc(p.List, func(a, b whatif.Pair) int { return compare(a.Value, b.Value) })
	standIn.of++
	if d := digit(least.A); d == digit(least.B) && d >= 8 {
		standIn.right++
	}
}

// compare orders numbers.
func compare(a, b float64) int {
	if a < b {
		return -1
	}
	return 1
}
