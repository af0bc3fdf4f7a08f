package masked

import (
	"math"
	"math/bits"
)

// A vector that is compared with a target behind the graph needs more digits than float32 has: two
// vectors that are nearly alike differ in the last ones. The sums of a plan of one sum are then
// those of float64, at twice the cost: each number of the table is split into a part with few
// digits, of which float32 sums are exact, and a small rest.

// widen adds the table in two parts, if there is room for the digits of the first.
func (s *sums) widen(c *compiler) error {
	all, digits := s.width+s.divisors, 23-bits.Len(uint(c.Instances))
	if s.logits || s.infinite || digits < 1 {
		return nil
	}
	if err := c.Machine.Outlive(4 * 2 * len(s.rows)); err != nil {
		return err
	}
	grid := make([]float64, all) // (column) the last place of the first parts
	for i, v := range s.rows {
		grid[i%all] = max(grid[i%all], math.Abs(float64(v)))
	}
	for column, largest := range grid {
		_, exponent := math.Frexp(largest)
		grid[column] = math.Ldexp(1, exponent-digits)
	}
	s.wide = &table{width: 2 * all, rows: make([]float32, 2*len(s.rows))}
	for i, v := range s.rows {
		column := i % all
		first := float32(math.RoundToEven(float64(v)/grid[column]) * grid[column])
		at := 2*(i-column) + column
		s.wide.rows[at], s.wide.rows[at+all] = first, v-first
	}
	return nil
}

// wideRows writes the results of all coalitions in float64 from the table in two parts.
func wideRows(s *sums, r *Runner, dst []float64) error {
	all := s.width + s.divisors
	r.scale, r.results = resized(r.scale, s.divisors), nil
	sum := make([]float64, all)
	for lo := 0; lo < r.Len(); lo += portion {
		hi := min(lo+portion, r.Len())
		if err := s.wide.sum(r, lo, hi); err != nil {
			return err
		}
		for j := lo; j < hi; j++ {
			parts := r.sums[(j-lo)*2*all : (j-lo+1)*2*all]
			for i := range sum {
				sum[i] = float64(parts[i]) + float64(parts[all+i])
			}
			result(s, r, j, sum, dst[j*s.width:(j+1)*s.width])
		}
	}
	return nil
}
