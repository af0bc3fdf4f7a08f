package sampling

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/rows"
)

// Pairs holds distinct pairs of a coalition and its complement, by the size of the smaller one. All
// pairs of a size are equally likely to be drawn.
type Pairs struct {
	Coalitions *core.Coalitions // the first of a pair, with at most half of the instances
	Size       []int            // (pair) size of the first
	// Weight (pair) is the share of the Shapley kernel: all coalitions of a size s of k instances
	// have the weight 1 / (s (k - s)) together, which the drawn ones share.
	Weight []float64
	Missed []float64 // (pair) probability that another sample lacks the pair; 0 for a listed size
}

// Complete reports whether the sample has all pairs.
func (p *Pairs) Complete() bool {
	for _, v := range p.Missed {
		if v > 0 {
			return false
		}
	}
	return true
}

// Kept returns the pairs with the given numbers, in ascending order. The others of a size share the
// weight of those that are left out.
func (p *Pairs) Kept(kept []int) *Pairs {
	out := &Pairs{Coalitions: core.NewCoalitions(p.Coalitions.Instances(), len(kept))}
	all, left := map[int]float64{}, map[int]float64{} // (size) pairs
	for _, size := range p.Size {
		all[size]++
	}
	for _, j := range kept {
		left[p.Size[j]]++
	}
	for _, j := range kept {
		size := p.Size[j]
		out.Coalitions.Append(p.Coalitions.Row(j))
		out.Size = append(out.Size, size)
		out.Weight = append(out.Weight, p.Weight[j]*all[size]/left[size])
		out.Missed = append(out.Missed, p.Missed[j])
	}
	return out
}

// NewPairs returns about n pairs of a bag of k instances, at most all. A size gets pairs in
// proportion to 1 / sqrt(s (k - s)), between as many for each size, as the leverage of coalitions
// requires, and the weight of the size, as equal scatter would require. A size that gets more pairs
// than it has is listed. It returns the cause if ctx ends.
func NewPairs(ctx context.Context, k, n int, rng *rand.Rand) (*Pairs, error) {
	p := &Pairs{Coalitions: core.NewCoalitions(k, 0)}
	shares, total, listed := sizeShares(k, n)
	left := float64(n) - listed
	reached, drawn, start := 0.0, 0, rng.Float64()
	for size := 1; size <= k/2; size++ {
		share, all := shares[size], pairsOf(k, size)
		if share == 0 {
			p.add(size, binomial(k, size, math.MaxInt32)/halved(k, size), all, rng)
			continue
		}
		reached += share / total * left
		count := max(0, int(math.Ceil(reached-start))-drawn)
		drawn += count
		p.add(size, count, share/total*left, rng)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return p, nil
}

// sizeShares returns the share of each size in the drawn pairs, 0 for listed sizes, the sum of the
// shares, and the number of listed pairs.
func sizeShares(k, n int) (shares []float64, total, listed float64) {
	shares = make([]float64, k/2+1)
	for size := 1; size < len(shares); size++ {
		shares[size] = 1 / math.Sqrt(float64(size)*float64(k-size))
	}
	for {
		total = 0
		for _, share := range shares {
			total += share
		}
		left := float64(n) - listed
		next := 1
		for next < len(shares) &&
			(shares[next] == 0 || left*shares[next] < total*pairsOf(k, next)) {
			next++
		}
		if next == len(shares) {
			return shares, total, listed
		}
		shares[next] = 0
		listed += pairsOf(k, next)
	}
}

// pairsOf returns the number of pairs of a coalition of a size and its complement.
func pairsOf(k, size int) float64 {
	all, _ := math.Lgamma(float64(k) + 1)
	in, _ := math.Lgamma(float64(size) + 1)
	out, _ := math.Lgamma(float64(k-size) + 1)
	return math.Round(math.Exp(all-in-out) / float64(halved(k, size)))
}

// halved returns 2 if both coalitions of a pair have the size, else 1.
func halved(k, size int) int {
	if 2*size == k {
		return 2
	}
	return 1
}

// add adds distinct pairs of a size, of which the given number is expected.
func (p *Pairs) add(size, count int, expected float64, rng *rand.Rand) {
	k := p.Coalitions.Instances()
	all := pairsOf(k, size)
	weight := 1 / (float64(size) * float64(k-size) * expected * float64(halved(k, size)))
	var from *core.Coalitions
	if float64(2*count) > all {
		from = core.NewCoalitions(k, 0)
		appendLexicographic(from, size, int(math.Round(all)), nil)
		count = min(count, from.Len())
	} else {
		from = distinct(k, size, count, rng)
	}
	for _, j := range rng.Perm(from.Len())[:count] {
		p.Coalitions.Append(from.Row(j))
		p.Size = append(p.Size, size)
		p.Weight = append(p.Weight, weight)
		p.Missed = append(p.Missed, max(0, 1-expected/all))
	}
}

// distinct returns different coalitions of a size, no two of which are complements. There must be
// twice as many.
func distinct(k, size, count int, rng *rand.Rand) *core.Coalitions {
	seen := core.NewCoalitionSet(k, count)
	order := rng.Perm(k)
	row := core.NewCoalitions(k, 1).AppendEmpty()
	for seen.Rows.Len() < count {
		clear(row)
		for i := range size {
			j := i + rng.IntN(k-i)
			order[i], order[j] = order[j], order[i]
			rows.Toggle(row, order[i])
		}
		if 2*size == k && !rows.Has(row, 0) {
			rows.Complement(row, k)
		}
		seen.Add(row)
	}
	return seen.Rows
}
