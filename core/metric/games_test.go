package metric

import (
	"context"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// exact is for results that differ only by the order of a few additions.
const exact = 1e-12

// A formula is a game of two classes given by a function of the members: class 0 is worth it, class
// 1 its negative.
type formula struct {
	k int
	f func(members []int) float64
}

func (f formula) Task() core.Task {
	return core.Task{Instances: f.k, Classes: 2, Scale: core.ScaleRaw, Negative: -1}
}

func (f formula) Evaluate(_ context.Context, dst []float64, z *core.Coalitions) error {
	for j := range z.Len() {
		v := f.f(z.Members(nil, j))
		dst[2*j], dst[2*j+1] = v, -v
	}
	return nil
}

// additive is worth the sum of its members' weights.
func additive(weights ...float64) formula {
	return formula{len(weights), func(members []int) float64 {
		sum := 0.0
		for _, i := range members {
			sum += weights[i]
		}
		return sum
	}}
}

// highest is worth its members' highest weight, as a max-pooled network is.
func highest(weights ...float64) formula {
	return formula{len(weights), func(members []int) float64 {
		top := weights[members[0]]
		for _, i := range members {
			top = max(top, weights[i])
		}
		return top
	}}
}

func play(t *testing.T, ev core.Evaluator) *core.Game {
	t.Helper()
	return must.Get(core.NewGame(ev, core.GameOptions{Workers: 1}))(t)
}

// numbers returns a bag of k instances of one value each.
func numbers(k int, labels ...int) *core.Bag {
	bag := &core.Bag{Name: "numbers", Shape: []int{1}, Labels: labels}
	for i := range k {
		bag.Values = append(bag.Values, float32(i))
	}
	return bag
}

// permutations calls visit with every order of k instances.
func permutations(k int, visit func([]int)) {
	order := upTo(k)
	var from func(int)
	from = func(at int) {
		if at == k {
			visit(order)
			return
		}
		for i := at; i < k; i++ {
			order[at], order[i] = order[i], order[at]
			from(at + 1)
			order[at], order[i] = order[i], order[at]
		}
	}
	from(0)
}
