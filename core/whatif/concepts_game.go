package whatif

import (
	"context"
	"math"
	"math/bits"

	"github.com/bagscope/bagscope/core"
)

// A conceptGame has concepts as players. The bag of a set of concepts has all instances but those
// of the concepts that are not in the set.
type conceptGame struct {
	g        *core.Game
	class    int
	concepts []Concept
	sets     [][]uint64 // (concept) its instances
	emptied  bool       // whether the empty bag was needed, and the model has no value of it
}

// newConceptGame returns the game of a checked question.
func newConceptGame(g *core.Game, q ConceptsQuestion) *conceptGame {
	c := &conceptGame{g: g, class: q.Class, concepts: q.Concepts}
	z := core.NewCoalitions(g.Instances(), len(q.Concepts))
	for j, of := range q.Concepts {
		z.AppendMembers(of.Instances...)
		c.sets = append(c.sets, z.Row(j))
	}
	return c
}

// subsets returns all sets of some concepts by their numbers: bit n stands for the nth of them. All
// other concepts are in each.
func (c *conceptGame) subsets(of []int) []uint64 {
	masks := make([]uint64, 1<<len(of))
	for number := range masks {
		masks[number] = 1<<len(c.sets) - 1
		for n, j := range of {
			if number>>n&1 == 0 {
				masks[number] &^= 1 << j
			}
		}
	}
	return masks
}

// values returns f of sets of concepts: bit j of a mask stands for concept j.
func (c *conceptGame) values(ctx context.Context, masks []uint64) ([]float64, error) {
	z := core.NewCoalitions(c.g.Instances(), len(masks))
	for j, mask := range masks {
		z.AppendWithout()
		c.remove(z.Row(j), mask)
	}
	rows, err := c.outputs(ctx, z)
	if err != nil {
		return nil, err
	}
	return c.odds(rows), nil
}

// remove removes the instances of the concepts that are not in a mask.
func (c *conceptGame) remove(row []uint64, mask uint64) {
	for j, set := range c.sets {
		if mask>>j&1 == 0 {
			subtract(row, set)
		}
	}
}

// subtract removes the instances of a set from a row.
func subtract(row, set []uint64) {
	for w, word := range set {
		row[w] &^= word
	}
}

// outputs returns the values (class) of coalitions, which the game keeps, and nil for those that
// have none.
func (c *conceptGame) outputs(ctx context.Context, z *core.Coalitions) ([][]float64, error) {
	return c.taken(z, func(taken *core.Coalitions) ([]float64, error) {
		return c.g.Answers(ctx, taken)
	})
}

// taken returns the values (class) that evaluate returns for coalitions that the model takes, and
// nil for others and for those without an answer.
func (c *conceptGame) taken(
	z *core.Coalitions, evaluate func(*core.Coalitions) ([]float64, error),
) ([][]float64, error) {
	out, places := make([][]float64, z.Len()), []int{}
	taken := core.NewCoalitions(z.Instances(), z.Len())
	for j := range out {
		switch size := z.Size(j); {
		case size == 0:
			out[j] = []float64{} // see odds
		case c.g.Takes(size):
			taken.Append(z.Row(j))
			places = append(places, j)
		}
	}
	if len(places) == 0 {
		return out, nil
	}
	values, err := evaluate(taken)
	if err != nil {
		return nil, err
	}
	classes := c.g.Classes()
	for n, j := range places {
		if row := values[n*classes : (n+1)*classes]; !math.IsNaN(row[c.class]) {
			out[j] = row
		}
	}
	return out, nil
}

// odds returns f of the rows of outputs: NaN for nil, and f of the empty bag for one without
// values, which it sets to nil.
func (c *conceptGame) odds(rows [][]float64) []float64 {
	f := make([]float64, len(rows))
	for j, row := range rows {
		switch {
		case row == nil:
			f[j] = math.NaN()
		case len(row) == 0:
			rows[j], f[j] = nil, c.emptyOutput()
		default:
			f[j] = row[c.class]
		}
	}
	c.g.LogOdds(f)
	return f
}

// emptyOutput returns the output of the empty bag: the model's own value or, if it has none, a
// probability of 1/C, one half if there is one class, and 0 for other outputs.
func (c *conceptGame) emptyOutput() float64 {
	if values, ok := c.g.EmptyValue(); ok {
		return values[c.class]
	}
	c.emptied = true
	if c.g.HeadOutput() != core.OutputProbability {
		return 0
	}
	first, end := c.g.Columns()
	return 1 / max(2, float64(end-first))
}

// sizeWeight returns the weight s! (n - s)! / (n + 1)! of a context of s of n players, which is a
// set with this number.
func sizeWeight(number, n int) float64 {
	weight := 1 / float64(n+1)
	for s := range bits.OnesCount(uint(number)) {
		weight *= float64(s+1) / float64(n-s)
	}
	return weight
}
