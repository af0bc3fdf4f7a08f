package masked

import "math"

// A table of logits holds the logits of a softmax and the numbers that its weights multiply. The
// sums of a coalition subtract the largest logit of its own members, as the operator does. A table
// of weights subtracts the largest logit of the whole bag instead, which is faster; but then all
// weights of a coalition may underflow.
//
// A row has the numbers of the result, then the logits; a row of ReduceLogSumExp has only logits.
// The sums are those of exp(logit - largest) times each number, then those of exp(logit - largest).

// logSum reports whether the result is the logarithm of sums of exponentials.
func (t *table) logSum() bool { return t.logits && t.divisors == 0 }

// lowest sets dst to the largest logits of an empty coalition and returns it. They are finite, so
// that their differences are numbers.
func (t *table) lowest(dst []float64) []float64 {
	dst = resized(dst, t.width+t.divisors-t.positive())
	for d := range dst {
		dst[d] = -math.MaxFloat64
	}
	return dst
}

// add adds a row to sums, or subtracts it if sign is -1, for the logits lo up to hi and the numbers
// that their weights multiply. Sums are scaled by the largest logits of the rows added so far: a
// new largest logit fades the sums.
func (t *table) add(r *Runner, sums, largest []float64, row []float32, sign float64, lo, hi int) {
	first := t.positive()
	r.fade = resized(r.fade, len(largest))
	r.weight = resized(r.weight, len(largest))
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

// logits returns the sums of a table of logits over the base.
func (b *Base) logits(r *Runner, t *table) (*baseSums, error) {
	all := t.width + t.divisors
	s := &baseSums{finite: make([]float64, all), largest: t.lowest(nil)}
	return s, members(b.row, func(i int) error {
		t.add(r, s.finite, s.largest, t.rows[i*all:(i+1)*all], 1, 0, len(s.largest))
		return r.m.Tick(t.rowWork())
	})
}

// rest computes the sums for logit d, and for the numbers that its weights multiply, over the
// members of the base without one.
func (b *Base) rest(r *Runner, t *table, sums, largest []float64, without, d int) error {
	all, first := t.width+t.divisors, t.positive()
	largest[d], sums[first+d] = -math.MaxFloat64, 0 // the first row fades other sums to 0
	return members(b.row, func(i int) error {
		if i != without {
			t.add(r, sums, largest, t.rows[i*all:(i+1)*all], 1, d, d+1)
		}
		return r.m.Tick(t.width)
	})
}

// logitNeighbour is neighbour for a table of logits. Sums that lose their digits in the subtraction
// are computed again.
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

// rowWork returns the work of adding a row of logits, as Tick counts it.
func (t *table) rowWork() int { return t.width + 16*(t.width+t.divisors-t.positive()) }
