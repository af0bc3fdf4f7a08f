package masked

import (
	"math/bits"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// sums is the step of a masked sum over a table: it sums the members' rows and computes the result
// from each sum.
type sums struct {
	*table
	bias []float32 // (width) added to the result
	relu bool      // the result is max(result, 0)
	out  int
	of   *value // the summed value, for a plain ReduceSum; else nil
	wide *table // the table in two parts, nil without Source.Wide
}

// tiny is the smallest divisor, or argument of a logarithm, that is trusted. The largest weight of
// the bag is 1; the weights of a coalition whose sum is below tiny have lost their digits.
const tiny = 1e-20

// portion is the number of coalitions that are summed between two checks of the context. No chain
// crosses the end of a portion.
const portion = core.BatchUnit

// run writes the results of all coalitions, portion by portion.
func (s *sums) run(r *Runner) error {
	all := s.width + s.divisors
	out := &r.stacks[s.out]
	if r.Z == nil {
		return neighbourRows(s, r, tensor.View[float32](out.data, 2*len(out.data)), 2*out.words)
	}
	r.scale = resized(r.scale, s.divisors)
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

// result computes a row from the sums of coalition j: in float32, or in float64 if the row is the
// scores of a neighbour. It marks the coalition as in doubt if a divisor is too small.
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
	if s.finish != nil || s.exact || s.divisors > 1 || s.by != nil {
		for i, v := range sums {
			row[i] = T(s.finished(r, j, i, float64(v)*size))
		}
	} else {
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

// finished computes the result of a column from its sum v, if the table has several divisors, a
// factor or a formula.
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

// sum writes the sums of coalitions lo up to hi to r.sums, (coalition, width + divisors).
// Coalitions that grow or shrink member by member, as the beginnings of a permutation do, need one
// addition each; others are masked sums.
func (t *table) sum(r *Runner, lo, hi int) error {
	all := t.width + t.divisors
	r.sums = resized(r.sums, (hi-lo)*all)
	if from := r.pooled(t); from != nil {
		copy(r.sums, from[lo*all:hi*all])
		return r.m.Tick((hi - lo) * all)
	}
	if err := r.m.Tick((hi - lo) * all * r.p.k / 4); err != nil {
		return err
	}
	from := lo // first coalition that is not summed yet
	// flush sums the coalitions before a chain.
	flush := func(to int) {
		if from < to {
			z := r.Z.Slice(from, to)
			kernel.MaskedSum(r.sums[(from-lo)*all:(to-lo)*all], z.Words(), len(z.Row(0)), to-from,
				t.rows, r.p.k, all)
		}
	}
	for j := lo; j < hi; {
		end, step := j+1, 0
		// The bits of a coalition with values of members must not depend on those beside it.
		if !r.p.withMembers {
			end, step = r.chain(j, hi)
		}
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

// shortest is the length above which a chain is summed as one: shorter ones take less time as
// masked sums.
const shortest = 4

// chain returns the end of the longest chain from coalition j on: each coalition has one member
// more than the one before (step 1), or one fewer (step -1). A single coalition is a chain of step
// 0.
func (r *Runner) chain(j, hi int) (end, step int) {
	for end = j + 1; end < hi; end++ {
		switch before, now := r.Z.Row(end-1), r.Z.Row(end); {
		case step >= 0 && added(before, now) >= 0:
			step = 1
		case step <= 0 && added(now, before) >= 0:
			step = -1
		default:
			return end, step
		}
	}
	return end, step
}

// run sums a chain of n coalitions from its smallest one, first, to its largest. There are only
// additions, in float64, so that there is no cancellation and rounding errors stay small.
func (t *table) run(r *Runner, first, n, step int, sums []float32, lo int) {
	all := t.width + t.divisors
	r.running = resized(r.running, all)
	acc := r.running
	clear(acc)
	if t.logits {
		r.largest = t.lowest(r.largest)
	}
	r.members = r.Z.Members(r.members[:0], first)
	// Each coalition of the chain adds one member to the sums of the one before.
	for i := range n {
		j := first + i*step
		if i > 0 {
			r.members = append(r.members[:0], added(r.Z.Row(j-step), r.Z.Row(j)))
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

// added returns the instance that now has in addition to before, or -1 if they differ in any other
// way.
func added(before, now []uint64) int {
	at := -1
	for w := range now { // at most one bit is set in addition, in all words together
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
