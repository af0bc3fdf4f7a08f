package whatif

import (
	"context"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core/internal/linear"
)

// twinShare is the largest distance of twins, relative to the length of the longer vector: on
// validation bags, it joins most pairs of equal key digits, and few of an 8 with a 9 (RATIONALE).
const twinShare = .4

// twins returns groups of two or more instances that act alike, in the order of among. The vector
// of an instance holds its effect alone and its interactions with all instances but the other one.
// Two instances are alike if the distance of their vectors is at most two fifths of the longer one,
// and if each of them has an evident interaction. Each two instances of a group are alike.
func (r *pairsRun) twins(evident []bool) [][]int {
	m := len(r.among)
	acts := make([]bool, m)
	for a := range m {
		for b := a + 1; b < m; b++ {
			if evident[triangle(m, a, b)] {
				acts[a], acts[b] = true, true
			}
		}
	}
	active := slices.DeleteFunc(linear.Indices(m), func(a int) bool { return !acts[a] })
	groups, _ := groupsOf(context.Background(), len(active), func(a, b int) bool {
		return r.alike(active[a], active[b])
	})
	for _, group := range groups {
		for n, a := range group {
			group[n] = r.among[active[a]]
		}
		slices.Sort(group)
	}
	return groups
}

// alike reports whether the vectors of two places in among are near each other.
func (r *pairsRun) alike(a, b int) bool {
	m := len(r.among)
	square := func(v float64) float64 { return v * v }
	distance := square(r.alone[a] - r.alone[b])
	first, second := square(r.alone[a]), square(r.alone[b])
	for c := range m {
		if c == a || c == b {
			continue
		}
		x := r.values[triangle(m, min(a, c), max(a, c))]
		y := r.values[triangle(m, min(b, c), max(b, c))]
		distance += square(x - y)
		first += square(x)
		second += square(y)
	}
	return distance <= square(twinShare)*math.Max(first, second)
}
