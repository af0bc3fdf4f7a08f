// Package sampling draws coalitions: those of surrogates, and the contexts in which what-ifs
// evaluate instances.
package sampling

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/rows"
)

// A Sampler draws the coalitions of a surrogate. Empty and full coalitions are never drawn.
type Sampler struct {
	Instances int  // k
	Number    int  // coalitions to draw
	Paired    bool // add the complement after each draw
	Repeats   bool // count repeated coalitions again
	// Least is the number of instances of the smallest coalition, 0 for 1. A random draw below it
	// is filled up with random instances, a guided sampler skips smaller sizes, and a complement
	// that is too small is not added.
	Least  int
	Step   int        // coalitions have multiples of this many instances, 0 for 1; it divides Least
	Filler *rand.Rand // draws the instances that fill up; used if Least is above 1
}

// A Sample holds the coalitions that a sampler drew.
type Sample struct {
	Coalitions *core.Coalitions
	Complete   bool // all proper coalitions
	Chosen     bool // those of a guided sampler, which are not random
	Paired     bool // each draw is followed by its complement
	// Missed (coalition) is the probability that another sample lacks the coalition; nil for draws
	// with repeats.
	Missed []float64
	Notes  []string // notes about the draw for the reader
}

// Kept returns the sample of the given rows alone. It stays Complete, because the other rows are
// coalitions that no method can use.
func (s Sample) Kept(kept []int) Sample {
	z := core.NewCoalitions(s.Coalitions.Instances(), len(kept))
	var missed []float64
	for _, j := range kept {
		z.Append(s.Coalitions.Row(j))
		if s.Missed != nil {
			missed = append(missed, s.Missed[j])
		}
	}
	s.Coalitions, s.Missed = z, missed
	return s
}

// Draw returns coalitions whose members coins decide. If there are no more proper coalitions than
// are to be drawn, and Repeats is not set, it returns all of them instead.
func (s Sampler) Draw(ctx context.Context, coins Coins) (Sample, error) {
	if !s.Repeats && s.Subsets(s.Number+1) <= s.Number {
		return Sample{Coalitions: s.all(), Complete: true}, nil
	}
	return s.drawSome(ctx, coins)
}

// maxRejections bounds the number of draws for each requested coalition. A skewed curve over a
// small bag may have fewer distinct coalitions than requested.
const maxRejections = 200

// drawSome draws until there are n coalitions, or until a limit of draws is reached.
func (s Sampler) drawSome(ctx context.Context, coins Coins) (Sample, error) {
	k, n := s.Instances, s.Number
	out := core.NewCoalitions(k, n)
	var seen *core.CoalitionSet
	if !s.Repeats {
		seen = core.NewCoalitionSet(k, n)
		out = seen.Rows
	}
	row := core.NewCoalitions(k, 1).AppendEmpty()
	fill, draws := s.filledUp(coins.Fill), 0
	add := func() {
		switch {
		case out.Len() == n:
		case s.Repeats:
			out.Append(row)
		default:
			seen.Add(row)
		}
	}
	for tries := 0; out.Len() < n && tries < maxRejections*n; tries++ {
		if tries%rows.PerCheck(k) == 0 && ctx.Err() != nil {
			return Sample{}, context.Cause(ctx)
		}
		clear(row)
		fill(row)
		if !proper(row, k) {
			continue
		}
		draws++
		add()
		if s.Paired {
			if rows.Complement(row, k); s.admits(row) {
				add()
			}
		}
	}
	var notes []string
	if m := out.Len(); m < n {
		notes = append(notes, fmt.Sprintf(
			"only %d different coalitions of the %d requested were found in %d draws", m, n,
			maxRejections*n))
	}
	sample := Sample{Coalitions: out, Paired: s.Paired, Notes: notes}
	if !s.Repeats {
		sample.Missed = coins.missed(out, draws, s.Paired)
	}
	return sample, nil
}

// filledUp returns a fill that adds random instances to coalitions of a size that is not
// admissible. If the least size is 1, empty draws remain empty and are redrawn.
func (s Sampler) filledUp(fill func(row []uint64)) func(row []uint64) {
	if s.Least <= 1 {
		return fill
	}
	return func(row []uint64) {
		fill(row)
		for n := rows.Overlap(row, row); n < s.Least || n%max(s.Step, 1) != 0; {
			i := s.Filler.IntN(s.Instances)
			if bit := uint64(1) << (i % 64); row[i/64]&bit == 0 {
				row[i/64] |= bit
				n++
			}
		}
	}
}

// sizes returns the admissible sizes of proper coalitions, in ascending order.
func (s Sampler) sizes() (sizes []int) {
	for size := max(s.Least, 1); size < s.Instances; size += max(s.Step, 1) {
		sizes = append(sizes, size)
	}
	return sizes
}

// admits reports whether a coalition that is not full has an admissible size.
func (s Sampler) admits(row []uint64) bool {
	n := rows.Overlap(row, row)
	return n >= s.Least && n%max(s.Step, 1) == 0
}

// Subsets returns the number of proper coalitions of admissible sizes, at most limit.
func (s Sampler) Subsets(limit int) int {
	if s.Least <= 1 {
		return min(ProperSubsets(s.Instances), limit)
	}
	total := 0
	for _, size := range slices.Backward(s.sizes()) {
		if total >= limit {
			break
		}
		total += binomial(s.Instances, size, limit)
	}
	return min(total, limit)
}

// all returns all coalitions that Subsets counts; their number must be small.
func (s Sampler) all() *core.Coalitions {
	if s.Least <= 1 {
		return AllProper(s.Instances)
	}
	z := core.NewCoalitions(s.Instances, 0)
	for _, size := range s.sizes() {
		appendLexicographic(z, size, binomial(s.Instances, size, math.MaxInt32), nil)
	}
	return z
}

// ProperSubsets returns 2^k - 2, the number of coalitions neither empty nor full, or the largest
// int.
func ProperSubsets(k int) int {
	if k >= 31 {
		return math.MaxInt32
	}
	return 1<<k - 2
}

// AllProper lists every coalition of k < 31 instances that is neither empty nor full.
func AllProper(k int) *core.Coalitions {
	n := ProperSubsets(k)
	z := core.NewCoalitions(k, n)
	for bits := range n {
		z.AppendEmpty()[0] = uint64(bits + 1)
	}
	return z
}

// proper reports whether a coalition of k instances is neither empty nor full.
func proper(row []uint64, k int) bool {
	n := rows.Overlap(row, row)
	return n > 0 && n < k
}
