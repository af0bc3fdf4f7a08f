package masked

import (
	"math"
	"slices"
)

// A table of logits holds the logits of a softmax beside the numbers that its weights multiply.
// The sums of a coalition subtract the largest logit of its own members, as the operator does. A
// table of weights has subtracted the largest logit of the whole bag, beside which the weights
// of a coalition's members may all underflow.
//
// A row holds the numbers of the result, then the logits; a row of ReduceLogSumExp holds logits
// only. Sums are those of exp(logit - largest) times each number, then those of exp(logit -
// largest).

// logSum reports whether the result is the logarithm of sums of exponentials.
func (t *table) logSum() bool { return t.logits && t.divisors == 0 }

// noLogits returns the largest logits of no instance in dst. They are finite, so that their
// differences are numbers.
func (t *table) noLogits(dst []float64) []float64 {
	dst = dst[:0]
	for range t.width + t.divisors - t.positive() {
		dst = append(dst, -math.MaxFloat64)
	}
	return dst
}

// add adds a row to sums, or subtracts it if sign is -1: what depends on the logits lo up to hi.
// The sums stay scaled by the largest logits of the rows added so far.
func (t *table) add(r *Runner, sums, largest []float64, row []float32, sign float64, lo, hi int) {
	first := t.positive()
	r.fade = slices.Grow(r.fade[:0], len(largest))[:len(largest)]
	r.weight = slices.Grow(r.weight[:0], len(largest))[:len(largest)]
	for d := lo; d < hi; d++ {
		fade, weight := 1.0, sign
		if s := float64(row[first+d]); s > largest[d] {
			fade, largest[d] = math.Exp(largest[d]-s), s
		} else {
			weight *= math.Exp(s - largest[d])
		}
		sums[first+d] = sums[first+d]*fade + weight
		r.fade[d], r.weight[d] = fade, weight
	}
	for c, v := range row[:first] {
		if d := t.divisor[c]; lo <= d && d < hi {
			sums[c] = sums[c]*r.fade[d] + r.weight[d]*float64(v)
		}
	}
}

// logits adds up a table of logits over the base.
func (b *Base) logits(r *Runner, t *table) (*baseSums, error) {
	all := t.width + t.divisors
	s := &baseSums{finite: make([]float64, all), largest: t.noLogits(nil)}
	return s, members(b.row, func(i int) error {
		t.add(r, s.finite, s.largest, t.rows[i*all:(i+1)*all], 1, 0, len(s.largest))
		return r.m.Tick(t.rowWork())
	})
}

// rest sums logit d, and the numbers that its weights multiply, over the members of the base but
// one.
func (b *Base) rest(r *Runner, t *table, sums, largest []float64, without, d int) error {
	all, first := t.width+t.divisors, t.positive()
	largest[d], sums[first+d] = -math.MaxFloat64, 0 // the first row added fades the others to 0
	return members(b.row, func(i int) error {
		if i != without {
			t.add(r, sums, largest, t.rows[i*all:(i+1)*all], 1, d, d+1)
		}
		return r.m.Tick(t.width)
	})
}

// logitNeighbour is neighbour for a table of logits.
func (t *table) logitNeighbour(r *Runner, s *baseSums, i int, dst []float64) error {
	b, all, first := r.Base, t.width+t.divisors, t.positive()
	copy(dst, s.finite)
	r.largest = append(r.largest[:0], s.largest...)
	if i < b.k {
		sign := 1.0
		if b.Has(i) {
			sign = -1
		}
		t.add(r, dst, r.largest, t.rows[i*all:(i+1)*all], sign, 0, len(r.largest))
		for d := range r.largest {
			if sign < 0 && !(dst[first+d] > cancelled*s.finite[first+d]) {
				if err := b.rest(r, t, dst, r.largest, i, d); err != nil {
					return err
				}
			}
		}
	}
	logSums(t, dst, dst, r.largest)
	return r.m.Tick(t.rowWork())
}

// logSums writes the results of ReduceLogSumExp, and the sums of other tables as they are.
func logSums[T float32 | float64](t *table, dst []T, sums, largest []float64) {
	for c, v := range sums {
		if t.logSum() {
			v = math.Log(v) + largest[c]
		}
		dst[c] = T(v)
	}
}

// rowWork is the work of adding a row of logits.
func (t *table) rowWork() int { return t.width + 16*(t.width+t.divisors-t.positive()) }
