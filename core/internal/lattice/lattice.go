// Package lattice measures how far apart the patches of a slide lie.
package lattice

import (
	"cmp"
	"math"
	"slices"
)

// Step returns the distance between neighbours in a row or a column of coordinates (x, y): the
// smallest one that is at least a tenth as frequent as the most frequent one. Rows of several parts
// of a slide can pass by each other at any distance, so that the smallest distance of all is that
// of no neighbours. Without two in a row it is the smallest distance above zero along an axis, and
// 1 if there is none.
func Step(corners []float64) float64 {
	const parts = 1 << 10 // parts of a unit, for rounded coordinates of one row
	count := map[int64]int{}
	most := 0
	order := make([]int, len(corners)/2)
	for axis := range 2 {
		for i := range order {
			order[i] = i
		}
		at := func(i, axis int) int64 { return int64(math.Round(corners[2*i+axis] * parts)) }
		slices.SortFunc(order, func(i, j int) int {
			return cmp.Or(cmp.Compare(at(i, 1-axis), at(j, 1-axis)),
				cmp.Compare(at(i, axis), at(j, axis)))
		})
		for n := 1; n < len(order); n++ {
			i, j := order[n-1], order[n]
			step := at(j, axis) - at(i, axis)
			if at(i, 1-axis) == at(j, 1-axis) && step > 0 {
				count[step]++
				most = max(most, count[step])
			}
		}
	}
	least := int64(math.MaxInt64)
	for step, n := range count {
		if 10*n >= most {
			least = min(least, step)
		}
	}
	if most == 0 {
		return smallestStep(corners)
	}
	return float64(least) / parts
}

// smallestStep returns the smallest distance above zero between two coordinates (x, y) of the same
// axis; 1 if there is none.
func smallestStep(corners []float64) float64 {
	least := math.Inf(1)
	for axis := range 2 {
		var along []float64
		for i := axis; i < len(corners); i += 2 {
			along = append(along, corners[i])
		}
		slices.Sort(along)
		for i := 1; i < len(along); i++ {
			if step := along[i] - along[i-1]; step > 0 {
				least = min(least, step)
			}
		}
	}
	if math.IsInf(least, 1) {
		return 1
	}
	return least
}
