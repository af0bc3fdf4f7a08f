package host

import (
	"math"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/wasm/wire"
)

// The scores of a coalition are the prediction without the other instances.
func TestScoreCoalitions(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	const k = 24
	lists := [][]int{{0}, {2, 9, 23}, {1, 2, 3, 4, 5, 6, 7, 8}}
	var packed []byte
	for _, members := range lists {
		row := make([]byte, k/8)
		for _, i := range members {
			row[i/8] |= 1 << (i % 8)
		}
		packed = append(packed, row...)
	}
	for _, output := range []string{"prob", "logit"} {
		got := get[wire.CoalitionScores](c, wire.ScoreCoalitions{Model: model, Bag: bag,
			Output: output, Count: len(lists), Coalitions: packed})
		var want []float64
		for _, members := range lists {
			taken := get[wire.BagOpened](c, wire.SelectInstances{Bag: bag, Instances: members})
			want = append(want, get[wire.Predicted](c, wire.Predict{Model: model,
				Bag: taken.Handle, Output: output}).Read.Values...)
		}
		near := slices.EqualFunc(got.Scores, want, func(a, b float64) bool {
			// float32 sums in another order
			return math.Abs(a-b) < 1e-6*max(1, math.Abs(b))
		})
		must.Equal(t, near, true, output, got.Scores, want)
		must.Equal(t, got.Output, output, got.Scores, want)
	}
}

func TestScoreCoalitionsThatDoNotFit(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	for name, r := range map[string]wire.ScoreCoalitions{
		"none":         {},
		"short":        {Count: 1, Coalitions: []byte{1, 0}},
		"long":         {Count: 1, Coalitions: []byte{1, 0, 0, 0}},
		"negative":     {Count: -1, Coalitions: []byte{1, 0, 0}},
		"overflow":     {Count: 1 << 52, Coalitions: []byte{1, 0, 0}},
		"empty":        {Count: 2, Coalitions: []byte{1, 0, 0, 0, 0, 0}},
		"wrong output": {Count: 1, Coalitions: []byte{1, 0, 0}, Output: "odds"},
	} {
		t.Run(name, func(t *testing.T) {
			r.Model, r.Bag = model, bag
			c.fails(kind.Setting, r)
		})
	}
	must.Fail(t, must.Err(unpacked([]byte{0xff}, 5, 1)))
}

// The prediction of a bag that a user changes does not wait for an explanation of the bag.
func TestFewCoalitionsOfTheEncodedBagDoNotQueue(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	one := wire.ScoreCoalitions{Model: model, Bag: bag, Count: 1, Coalitions: []byte{1, 0, 0}}
	must.Equal(t, c.host.queues(one), true,
		"a coalition of a bag that is not encoded does not queue")
	get[wire.CoalitionScores](c, one)
	many := one
	many.Count = fewCoalitions + 1
	for name, r := range map[string]struct {
		body   any
		queues bool
	}{
		"one":         {one, false},
		"many":        {many, true},
		"another bag": {wire.ScoreCoalitions{Model: model, Bag: bag + 1, Count: 1}, true},
		"explanation": {wire.Explain{Model: model, Bag: bag}, true},
		"what-if":     {wire.Sets{Ask: wire.Ask{Model: model, Bag: bag}}, true},
		"prediction":  {wire.Predict{Model: model, Bag: bag}, false},
		"cancel":      {wire.Cancel{}, false},
	} {
		must.Equal(t, c.host.queues(r.body), r.queues, name)
	}
}
