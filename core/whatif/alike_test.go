package whatif_test

import (
	"context"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/must"
)

// featured is a game whose instances have embeddings.
type featured struct {
	logits
	values []float32
	err    error
}

func (e featured) Embeddings(context.Context) ([]float32, int, error) {
	return e.values, len(e.values) / e.Players, e.err
}

// TestGroundsOfLookAlikes checks which look-alikes are named in games of which it is known what
// turns them. Embeddings of 0, 5 and 9 differ by more than a quarter of the longer one.
func TestGroundsOfLookAlikes(t *testing.T) {
	any3 := logits{tree(6, func(has func(int) bool) bool { return has(0) || has(2) || has(4) })}
	never := logits{tree(6, func(func(int) bool) bool { return false })}
	copies := []float32{5, 9, 5, 0, 5, 0}
	with := func(g logits, values []float32, err error) featured { return featured{g, values, err} }
	far := []float32{1, -2, 4, -8, 16, -32}
	three := []int{0, 2, 4}
	for name, c := range map[string]struct {
		ev      core.Evaluator
		evident []int
		want    []int
		turn    bool
	}{
		"all that carry it":     {with(any3, copies, nil), three, three, true},
		"some that carry it":    {with(any3, copies, nil), []int{4, 3, 2}, []int{2, 4}, false},
		"none stands out":       {with(any3, copies, nil), nil, three, true},
		"nothing turns":         {with(never, copies, nil), nil, nil, false},
		"no copies":             {with(any3, far, nil), nil, nil, false},
		"all are copies":        {with(any3, make([]float32, 6), nil), nil, nil, false},
		"no embeddings":         {any3, three, nil, false},
		"no memory":             {with(any3, nil, &quota.MemoryError{}), three, nil, false},
		"embeddings of nothing": {with(any3, nil, &core.UnavailableError{}), three, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := groundsOf(t, c.ev, 0, c.evident...)
			must.EqualSlices(t, got.Alike, c.want)
			must.Equal(t, got.AlikeTurn, c.turn)
		})
	}
}

// TestGroundsCompareFew checks that in a large bag only the instances with the highest scores are
// compared, here the first, because no score is higher than another.
func TestGroundsCompareFew(t *testing.T) {
	const k = 600
	for first, want := range map[int][]int{254: {254, 255}, 255: nil} {
		values := make([]float32, k)
		values[first], values[first+1] = 5, 5
		two := logits{tree(k, func(has func(int) bool) bool { return has(first) || has(first+1) })}
		got := groundsOf(t, featured{two, values, nil}, 0)
		if !slices.Equal(got.Alike, want) || got.Evaluations > whatif.GroundsEvaluations(k) {
			t.Errorf("%v after %d evaluations, want %v", got.Alike, got.Evaluations, want)
		}
	}
}

// TestGroundsTryFewGroups checks that the bag is evaluated without at most eight groups: here the
// pair that turns it is the eighth or the ninth of equal size.
func TestGroundsTryFewGroups(t *testing.T) {
	values := make([]float32, 18*9) // nine pairs, each in a direction of its own
	for i := range 18 {
		values[9*i+i/2] = 1
	}
	for pair, want := range map[int][]int{7: {14, 15}, 8: nil} {
		first := 2 * pair
		two := logits{tree(18, func(has func(int) bool) bool { return has(first) || has(first+1) })}
		got := groundsOf(t, featured{two, values, nil}, 0)
		must.EqualSlices(t, got.Alike, want)
	}
}

// TestGroundsOfFailingEmbeddings checks that an error that is not about memory is returned.
func TestGroundsOfFailingEmbeddings(t *testing.T) {
	never := logits{tree(3, func(func(int) bool) bool { return false })}
	g := must.Get(core.NewGame(featured{never, nil, context.DeadlineExceeded},
		core.GameOptions{}))(t)
	e := &core.Explanation{Scores: make([]float64, 3), Evident: make([]bool, 3)}
	_, err := whatif.GroundsQuestion{Explanation: e}.Answer(t.Context(), g)
	must.Equal(t, err, context.DeadlineExceeded)
}
