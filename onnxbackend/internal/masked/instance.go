package masked

import "sync"

// whole is the sums of a table over the whole bag, made when they are first asked for.
type whole struct {
	mu   sync.Mutex
	sums []float64 // nil until made
}

// instances leaves in r.sums what one instance adds to the table's sums, or what is left without it. The latter is
// the whole sum less a row, in float64: the whole sum of k rows of float32 is good to about k·1e-16 of the sum of
// magnitudes, beside 3e-7 of a masked sum.
func (t *table) instances(r *Runner, lo, hi int) error {
	all := t.width + t.divisors
	if err := r.m.Tick((hi - lo) * all); err != nil {
		return err
	}
	rows := t.rows[(r.From+lo)*all : (r.From+hi)*all]
	if !r.Removed {
		copy(r.sums, rows)
		return nil
	}
	sums, err := t.whole.of(r, t.rows, all)
	if err != nil {
		return err
	}
	positive := t.positive()
	for j := range hi - lo {
		out := r.sums[j*all : (j+1)*all]
		for c, v := range rows[j*all : (j+1)*all] {
			out[c] = float32(sums[c] - float64(v))
		}
		for _, c := range positive {
			r.doubt[lo+j] = r.doubt[lo+j] || !(float64(out[c]) > cancelled*sums[c])
		}
	}
	return nil
}

// cancelled is the part of a sum of weights below which what is left of it without one instance is not trusted: for
// 100,000 instances the whole sum is off by at most 1e-11 of itself, and so the rest by 1e-5.
const cancelled = 1e-6

// positive returns the columns whose sums something is divided by, or whose logarithm is taken.
func (t *table) positive() []int {
	from := t.width
	if t.exact {
		from = 0
	}
	var out []int
	for c := from; c < t.width+t.divisors; c++ {
		out = append(out, c)
	}
	return out
}

// of returns the sums of all rows.
func (w *whole) of(r *Runner, rows []float32, all int) ([]float64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sums != nil {
		return w.sums, nil
	}
	sums := make([]float64, all)
	for i := 0; i < len(rows); i += all {
		if err := r.m.Tick(all); err != nil {
			return nil, err
		}
		for c, v := range rows[i : i+all] {
			sums[c] += float64(v)
		}
	}
	w.sums = sums
	return sums, nil
}
