package masked

import (
	"math/bits"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// sums is a masked sum over a table, and what makes a result of it.
type sums struct {
	*table
	bias []float32 // (width) added to the numbers of the result
	relu bool      // negative numbers of the result become 0
	out  int
	of   *value // what is summed where that is all, or nil
}

// tiny is the least divisor, or sum under a logarithm, that is trusted: weights are at most 1 for
// the whole bag, so that a coalition below it has lost its members' digits.
const tiny = 1e-20

// portion is how many coalitions are summed between two looks at the context. No chain reaches
// beyond one.
const portion = core.BatchUnit

func (s *sums) run(r *Runner) error {
	all := s.width + s.divisors
	out := &r.stacks[s.out]
	if r.Z == nil {
		return neighbourRows(s, r, tensor.View[float32](out.data, 2*len(out.data)), 2*out.words)
	}
	r.scale = append(r.scale[:0], make([]float64, s.divisors)...)
	for lo := 0; lo < r.Len(); lo += portion {
		hi := min(lo+portion, r.Len())
		if err := s.table.sum(r, lo, hi); err != nil {
			return err
		}
		for j := lo; j < hi; j++ {
			result(s, r, j, r.sums[(j-lo)*all:(j-lo+1)*all], view[float32](out, j))
		}
	}
	return nil
}

// result turns the sums of coalition j into the numbers of a row: in float32, or in float64 if they
// are the scores of neighbours.
func result[S, T float32 | float64](s *sums, r *Runner, j int, sums []S, row []T) {
	for d, v := range sums[s.width:] {
		r.doubt[j] = r.doubt[j] || !(v > tiny)
		r.scale[d] = 1 / float64(v)
	}
	size := 1.0
	if s.mean {
		size = 1 / float64(r.Size(j))
	}
	if s.divisors == 1 {
		size *= r.scale[0]
	}
	sums = sums[:len(row)]
	switch {
	case s.finish != nil || s.exact || s.divisors > 1 || s.by != nil:
		for i, v := range sums {
			row[i] = T(s.finished(r, j, i, float64(v)*size))
		}
	default:
		bias := s.bias[:len(row)]
		for i, v := range sums {
			row[i] = T(float64(v)*size + float64(bias[i]))
		}
	}
	if s.relu {
		for i, v := range row {
			if v < 0 {
				row[i] = 0
			}
		}
	}
}

// finished is what becomes of the sum of a column that has a divisor of its own or is only part of
// a formula.
func (s *sums) finished(r *Runner, j, column int, v float64) float64 {
	if s.divisors > 1 {
		v *= r.scale[s.divisor[column]]
	}
	if s.by != nil {
		at := 0
		if s.by.at != nil {
			at = s.by.at[column]
		}
		v *= float64(view[float32](&r.stacks[s.by.slot], j)[at])
	}
	if s.exact {
		r.doubt[j] = r.doubt[j] || !(v > tiny)
	}
	if s.finish != nil {
		v = s.finish(v, column)
	}
	return v + float64(s.bias[column])
}

// sum leaves the sums of coalitions lo up to hi in r.sums, shaped (coalition, width + divisors).
// Coalitions that grow or shrink member by member, as the prefixes of an order do, are one addition
// each; others are masked sums.
func (t *table) sum(r *Runner, lo, hi int) error {
	all := t.width + t.divisors
	if need := (hi - lo) * all; cap(r.sums) < need {
		r.sums = make([]float32, need)
	} else {
		r.sums = r.sums[:need]
	}
	if from := r.pooled(t); from != nil {
		copy(r.sums, from[lo*all:hi*all])
		return r.m.Tick((hi - lo) * all)
	}
	if err := r.m.Tick((hi - lo) * all * r.p.k / 4); err != nil {
		return err
	}
	from := lo // of the coalitions that no chain holds
	flush := func(to int) {
		if from < to {
			z := r.Z.Slice(from, to)
			kernel.MaskedSum(r.sums[(from-lo)*all:(to-lo)*all], z.Words(), len(z.Row(0)), to-from,
				t.rows, r.p.k, all)
		}
	}
	for j := lo; j < hi; {
		end, step := r.chain(j, hi)
		if end-j > shortest || t.logits {
			flush(j)
			first := j
			if step < 0 {
				first = end - 1
			}
			t.run(r, first, end-j, step, r.sums, lo)
			from = end
		}
		j = end
	}
	flush(hi)
	return nil
}

// shortest is the length of a chain from which on it is summed as one.
const shortest = 4

// chain returns the end of the coalitions from j on of which each has one member more than the one
// before (step 1) or one fewer (step -1).
func (r *Runner) chain(j, hi int) (end, step int) {
	end = j + 1
	for ; end < hi; end++ {
		switch before, now := r.Z.Row(end-1), r.Z.Row(end); {
		case step >= 0 && grown(before, now) >= 0:
			step = 1
		case step <= 0 && grown(now, before) >= 0:
			step = -1
		default:
			return end, step
		}
	}
	return end, step
}

// run sums a chain of n coalitions from its smallest, the first, on: only additions, in float64, so
// that nothing cancels and rounding does not add up.
func (t *table) run(r *Runner, first, n, step int, sums []float32, lo int) {
	all := t.width + t.divisors
	acc := r.line(all)
	clear(acc)
	if t.logits {
		r.largest = t.noLogits(r.largest)
	}
	r.members = r.Z.Members(r.members[:0], first)
	for i := range n {
		j := first + i*step
		if i > 0 {
			r.members = append(r.members[:0], grown(r.Z.Row(j-step), r.Z.Row(j)))
		}
		for _, m := range r.members {
			if t.logits {
				t.add(r, acc, r.largest, t.rows[m*all:(m+1)*all], 1, 0, len(r.largest))
				continue
			}
			for c, v := range t.rows[m*all : (m+1)*all] {
				acc[c] += float64(v)
			}
		}
		out := sums[(j-lo)*all : (j-lo+1)*all]
		if t.logits {
			logSums(t, out, acc, r.largest)
			continue
		}
		for c, v := range acc {
			out[c] = float32(v)
		}
	}
}

// grown returns the one instance that now has and before has not, or -1 when they differ in any
// other way.
func grown(before, now []uint64) int {
	at := -1
	for w := range now {
		more := now[w] &^ before[w]
		if before[w]&^now[w] != 0 || more&(more-1) != 0 || more != 0 && at >= 0 {
			return -1
		}
		if more != 0 {
			at = w*64 + bits.TrailingZeros64(more)
		}
	}
	return at
}
