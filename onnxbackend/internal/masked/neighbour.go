package masked

import "github.com/bagscope/bagscope/onnxbackend/kernel"

// neighbourRows writes the results of all neighbours of a run, stride apart in dst. If the sum is
// the only step of a plan, T is float64: the difference that one of 100,000 instances makes then
// keeps its digits.
func neighbourRows[T float32 | float64](s *sums, r *Runner, dst []T, stride int) error {
	all := s.width + s.divisors
	base, err := r.Base.sumsOf(r, s.table)
	if err != nil {
		return err
	}
	r.running, r.scale = resized(r.running, all), resized(r.scale, s.divisors)
	// A kernel computes neighbours of plain sums; others are computed one by one.
	plain := base.infinite == nil && !s.logits && s.divisors <= 1 && s.by == nil &&
		s.finish == nil && !s.exact
	for lo := 0; lo < r.Len(); lo += portion {
		hi := min(lo+portion, r.Len())
		if err := r.m.Tick(4 * (hi - lo) * all); err != nil {
			return err
		}
		r.near.Signs, r.near.Scales = r.near.Signs[:0], r.near.Scales[:0]
		if plain {
			plainNeighbours(s, r, base, dst[lo*stride:], stride, lo, hi)
		}
		for j := lo; j < hi; j++ {
			if j-lo < len(r.near.Scales) && r.near.Scales[j-lo] != 0 {
				continue
			}
			if err := s.neighbour(r, base, r.From+j, r.running); err != nil {
				return err
			}
			result(s, r, j, r.running, dst[j*stride:][:s.width])
		}
	}
	return nil
}

// plainNeighbours writes the results of coalitions lo up to hi of a run, for a table of finite
// numbers with at most one divisor. The caller must compute a coalition itself if r.near has no
// scale for it, because it is the base, or the scale 0, because its divisor has lost its digits.
func plainNeighbours[T float32 | float64](
	s *sums, r *Runner, base *baseSums, dst []T, stride, lo, hi int,
) {
	b, n, width, all := r.Base, &r.near, s.width, s.width+s.divisors
	first, end := r.From+lo, min(r.From+hi, b.k)
	rows, whole, size := s.rows[first*all:end*all], 1.0, 1.0
	if s.divisors == 1 {
		whole = base.finite[width]
	}
	// The result of a neighbour is (sum ± row) times a scale: 1 / (divisor ± weight) / size.
	for i := first; i < end; i++ {
		sign, least := 1.0, tiny
		if b.row[i>>6]>>(i&63)&1 != 0 {
			sign, least = -1, max(tiny, cancelled*whole)
		}
		if s.mean {
			size = float64(b.size) + sign
		}
		scale := 1 / size
		if s.divisors == 1 {
			divisor := whole + sign*float64(rows[(i-first)*all+width])
			if scale = 1 / divisor / size; !(divisor > least) {
				scale = 0
			}
		}
		n.Signs, n.Scales = append(n.Signs, sign), append(n.Scales, scale)
	}
	n.Sums, n.Bias, n.Relu = base.finite[:width], s.bias, s.relu
	kernel.Neighbours(dst, stride, rows, all, n)
}
