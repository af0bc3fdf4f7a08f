package masked

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// A Base is a coalition whose neighbours are scored. It caches what pooling steps compute for the
// coalition, so that a neighbour costs one addition or subtraction of a row. It is safe for
// concurrent use.
type Base struct {
	k, size int
	row     []uint64

	mu   sync.Mutex
	sums map[*table]*baseSums
	best map[*extremes]*baseBest
}

// NewBase returns the base of a coalition of k instances, one bit each. The row must not change.
func NewBase(k int, row []uint64) *Base {
	b := &Base{k: k, row: row, sums: map[*table]*baseSums{}, best: map[*extremes]*baseBest{}}
	for _, w := range row {
		b.size += bits.OnesCount64(w)
	}
	return b
}

// Size returns the number of members.
func (b *Base) Size() int { return b.size }

// Has reports whether instance i is in the coalition. It is false for i = k, the number of the
// neighbour that is the base itself.
func (b *Base) Has(i int) bool { return i < b.k && b.row[i>>6]>>(i&63)&1 != 0 }

// cached returns cache[key], which it computes first if it is missing. The lock is held meanwhile:
// several workers need the same sums at the same time.
func cached[K comparable, V any](
	b *Base, cache map[K]*V, key K, compute func() (*V, error),
) (*V, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if v := cache[key]; v != nil {
		return v, nil
	}
	v, err := compute()
	if err == nil {
		cache[key] = v
	}
	return v, err
}

// members calls f for every member of a coalition in ascending order, until f returns an error.
func members(row []uint64, f func(i int) error) error {
	for w, word := range row {
		for ; word != 0; word &= word - 1 {
			if err := f(w*64 + bits.TrailingZeros64(word)); err != nil {
				return err
			}
		}
	}
	return nil
}

// baseSums are a table's sums over a base, in float64.
type baseSums struct {
	finite   []float64 // (column) sums of the finite numbers
	largest  []float64 // (logit) largest logits, for a table of logits
	infinite []tally   // (column), nil for a table of finite numbers
}

// A tally counts the numbers of a sum that cannot be subtracted from it: the sum of 1 and -Inf is
// -Inf, which minus -Inf is NaN instead of 1.
type tally struct{ below, above, none int32 } // -Inf, +Inf and NaN

// add counts v, by times, and reports true if v is finite and not counted.
func (t *tally) add(v float64, by int32) (finite bool) {
	switch {
	case v != v:
		t.none += by
	case math.IsInf(v, -1):
		t.below += by
	case math.IsInf(v, 1):
		t.above += by
	default:
		return true
	}
	return false
}

// with returns the sum of a finite part and the counted numbers.
func (t *tally) with(finite float64) float64 {
	switch {
	case t.none > 0 || t.below > 0 && t.above > 0:
		return math.NaN()
	case t.below > 0:
		return math.Inf(-1)
	case t.above > 0:
		return math.Inf(1)
	}
	return finite
}

// sumsOf returns a table's sums over the base.
func (b *Base) sumsOf(r *Runner, t *table) (*baseSums, error) {
	return cached(b, b.sums, t, func() (*baseSums, error) {
		if t.logits {
			return b.logits(r, t)
		}
		return b.sum(r, t, -1)
	})
}

// sumWords is the number of words of members that are summed between two checks of the context.
const sumWords = 16

// sum adds the rows of the members, except for one instance, or -1 for no exception.
func (b *Base) sum(r *Runner, t *table, without int) (*baseSums, error) {
	all := t.width + t.divisors
	s := &baseSums{finite: make([]float64, all)}
	row := b.row
	if without >= 0 {
		row = slices.Clone(row)
		row[without>>6] &^= 1 << (without & 63)
	}
	if !t.infinite {
		for w := 0; w < len(row); w += sumWords {
			part := row[w:min(w+sumWords, len(row))]
			kernel.AddRows(s.finite, t.rows[w*64*all:], all, part)
			if err := r.m.Tick(64 * len(part) * all / 2); err != nil {
				return nil, err
			}
		}
		return s, nil
	}
	// Infinities and NaN are counted beside the sum, so that a neighbour can subtract them.
	s.infinite = make([]tally, all)
	return s, members(row, func(i int) error {
		for c, v := range t.rows[i*all : (i+1)*all] {
			if s.infinite[c].add(float64(v), 1) {
				s.finite[c] += float64(v)
			}
		}
		return r.m.Tick(4 * all)
	})
}

// whole writes the sums, with the infinite numbers, to dst.
func (s *baseSums) whole(dst []float64) {
	copy(dst, s.finite)
	for c := range s.infinite {
		dst[c] = s.infinite[c].with(dst[c])
	}
}

// cancelled is the fraction of a sum of weights below which the sum without one instance is
// computed again instead of by subtraction. A sum of 100,000 float32 numbers in float64 has a
// relative error of at most 1e-11, so that a difference of this fraction has one of 1e-5.
const cancelled = 1e-6

// neighbour writes the sums of neighbour i of the base to dst.
func (t *table) neighbour(r *Runner, s *baseSums, i int, dst []float64) error {
	if t.logits {
		return t.logitNeighbour(r, s, i, dst)
	}
	b, all := r.Base, t.width+t.divisors
	if i == b.k {
		s.whole(dst)
		return nil
	}
	row, sign := t.rows[i*all:(i+1)*all], 1.0
	removed := b.Has(i)
	if removed {
		sign = -1
	}
	sums, dst := s.finite[:len(row)], dst[:len(row)]
	if s.infinite == nil {
		for c, v := range row {
			dst[c] = sums[c] + sign*float64(v)
		}
	} else {
		for c, v := range row {
			count := s.infinite[c]
			if dst[c] = sums[c]; count.add(float64(v), int32(sign)) {
				dst[c] += sign * float64(v)
			}
			dst[c] = count.with(dst[c])
		}
	}
	if !removed {
		return nil
	}
	for c := t.positive(); c < all; c++ {
		if sums[c] > tiny && !(dst[c] > cancelled*sums[c]) { // a smaller sum is in doubt anyway
			rest, err := b.sum(r, t, i)
			if err != nil {
				return err
			}
			rest.whole(dst)
			return nil
		}
	}
	return nil
}

// positive returns the first of the columns that must keep their relative precision: divisors, or
// sums whose logarithm is computed.
func (t *table) positive() int {
	if t.exact || t.logSum() {
		return 0
	}
	return t.width
}

// resized returns n elements of undefined value, in the memory of s if it is large enough.
func resized[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
