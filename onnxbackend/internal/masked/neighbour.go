package masked

import "math"

// neighbourRows writes the results of all neighbours of a run, every stride numbers of dst. For a sum that is all of a
// plan T is float64, in which the difference that one instance of 100,000 makes keeps its digits.
func neighbourRows[T float32 | float64](s *sums, r *Runner, dst []T, stride int) error {
	all := s.width + s.divisors
	base, err := r.Base.sumsOf(r, s.table)
	if err != nil {
		return err
	}
	line := r.line(all)
	r.scale = append(r.scale[:0], make([]float64, s.divisors)...)
	plain := base.infinite == nil && s.divisors <= 1 && s.by == nil && s.finish == nil && !s.exact
	for lo := 0; lo < r.Len(); lo += portion {
		hi := min(lo+portion, r.Len())
		if err := r.m.Tick(4 * (hi - lo) * all); err != nil {
			return err
		}
		for j := lo; j < hi; j++ {
			if plain {
				if j = plainNeighbours(s, r, base, dst, stride, j, hi); j == hi {
					break
				}
			}
			if err := s.neighbour(r, base, r.From+j, line); err != nil {
				return err
			}
			result(s, r, j, line, dst[j*stride:][:s.width])
		}
	}
	return nil
}

// plainNeighbours writes the results of coalitions lo up to hi of a run: of finite numbers that have one divisor at
// most, in one pass. It returns the first whose sums have to be looked at, or hi: that is the base itself, or one whose
// divisor has lost its digits.
func plainNeighbours[T float32 | float64](s *sums, r *Runner, base *baseSums, dst []T, stride, lo, hi int) int {
	b, width, all := r.Base, s.width, s.width+s.divisors
	sums, bias, relu, divided := base.finite[:width], s.bias[:width], s.relu, s.divisors == 1
	whole := 0.0
	if divided {
		whole = base.finite[width]
	}
	for j := lo; j < hi; j++ {
		i := r.From + j
		if i == b.k {
			return j
		}
		row, to := s.rows[i*all:(i+1)*all], dst[j*stride:][:width]
		sign, size := 1.0, b.size+1
		if b.row[i>>6]>>(i&63)&1 != 0 {
			sign, size = -1, b.size-1
		}
		scale := 1.0
		if divided {
			divisor := whole + sign*float64(row[width])
			if !(divisor > tiny) || sign < 0 && !(divisor > cancelled*whole) {
				return j
			}
			scale = 1 / divisor
		}
		if s.mean {
			scale /= float64(size)
		}
		row = row[:width]
		if relu {
			for c, v := range row {
				x := (sums[c]+sign*float64(v))*scale + float64(bias[c])
				to[c] = T((x + math.Abs(x)) / 2) // max(x, 0), without a jump that processors cannot predict
			}
			continue
		}
		for c, v := range row {
			to[c] = T((sums[c]+sign*float64(v))*scale + float64(bias[c]))
		}
	}
	return hi
}
