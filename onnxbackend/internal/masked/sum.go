package masked

import "math/bits"

// sums is a masked sum over a table, and what makes a result of it.
type sums struct {
	*table
	bias []float32 // added to each number of the result, or nil
	out  int
}

// tiny is the least divisor, or sum under a logarithm, that is trusted: weights are at most 1 for the
// whole bag, so that a coalition below it has lost its members' digits.
const tiny = 1e-20

func (s *sums) run(r *Runner) error {
	all := s.width + s.divisors
	r.sums = append(r.sums[:0], make([]float64, all)...)
	out := &r.stacks[s.out]
	for j := range r.z.Len() {
		size := r.z.Size(j)
		if err := r.m.Tick(all * r.work(j, size)); err != nil {
			return err
		}
		s.table.sum(r, j, size)
		s.result(r, j, size, view[float32](out, j))
	}
	return nil
}

// result turns sums into the numbers of a row.
func (s *sums) result(r *Runner, j, size int, row []float32) {
	for i := range row {
		v := r.sums[i]
		if s.divisor != nil {
			d := r.sums[s.width+s.divisor[i]]
			r.doubt[j] = r.doubt[j] || !(d > tiny)
			v /= d
		}
		if s.mean {
			v /= float64(size)
		}
		if s.exact {
			r.doubt[j] = r.doubt[j] || !(v > tiny)
		}
		if s.finish != nil {
			v = s.finish(v, i)
		}
		if s.bias != nil {
			v += float64(s.bias[i])
		}
		row[i] = float32(v)
	}
}

// work is how many rows the sum of coalition j adds up.
func (r *Runner) work(j, size int) int {
	if j > 0 && r.grows(j) {
		return 1
	}
	return size
}

// grows reports whether coalition j has the members of the one before and one more, as prefixes of an
// order have when they are taken from the shortest on.
func (r *Runner) grows(j int) bool {
	before, now := r.z.Row(j-1), r.z.Row(j)
	extra := 0
	for w := range now {
		if before[w]&^now[w] != 0 {
			return false
		}
		extra += bits.OnesCount64(now[w] &^ before[w])
	}
	return extra == 1
}

// sum leaves the sum of the members' rows in r.sums. A coalition that grows by one member goes on from the sum
// before it: only additions, so that nothing cancels.
func (t *table) sum(r *Runner, j, size int) {
	all := t.width + t.divisors
	acc := r.sums[:all]
	r.members = r.z.Members(r.members[:0], j)
	members := r.members
	if j > 0 && r.grows(j) {
		before, now := r.z.Row(j-1), r.z.Row(j)
		for w := range now {
			if d := now[w] &^ before[w]; d != 0 {
				members = append(members[:0], w*64+bits.TrailingZeros64(d))
				break
			}
		}
	} else {
		clear(acc)
	}
	for _, i := range members {
		row := t.rows[i*all : (i+1)*all]
		for c, v := range row {
			acc[c] += float64(v)
		}
	}
}
