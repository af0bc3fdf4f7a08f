package masked

import (
	"math"
	"slices"
)

// A ranking sorts the instances of a column by their value, equal ones in the order of the bag. It
// counts digits instead of comparing: 100,000 instances take 3 ms where a stable sort by
// comparisons takes 100, which no cancellation can wait for.
type ranking struct {
	keys, otherKeys []uint32 // (place) the values as numbers that order like them
	other           []int32  // (place) instances, on the way
}

// A key is read in three digits.
const (
	digitBits = 11
	digits    = 3
)

func newRanking(k int) *ranking {
	return &ranking{make([]uint32, k), make([]uint32, k), make([]int32, k)}
}

// column writes the instances of a column, values[i*step] for i, the smallest first or the largest.
func (r *ranking) column(order []int32, values []float32, step int, less bool) {
	var counts [digits][1 << digitBits]int32
	for i := range order {
		key := keyOf(values[i*step])
		if !less {
			key = ^key
		}
		r.keys[i], order[i] = key, int32(i)
		for d := range digits {
			counts[d][key>>(d*digitBits)&(1<<digitBits-1)]++
		}
	}
	from, to := order, r.other
	for d := range digits {
		places := counts[d][:]
		if slices.Contains(places, int32(len(order))) {
			continue // all have the same digit
		}
		at := int32(0)
		for digit, n := range places {
			places[digit], at = at, at+n
		}
		for i, key := range r.keys {
			digit := key >> (d * digitBits) & (1<<digitBits - 1)
			r.otherKeys[places[digit]], to[places[digit]] = key, from[i]
			places[digit]++
		}
		r.keys, r.otherKeys = r.otherKeys, r.keys
		from, to = to, from
	}
	if &from[0] != &order[0] {
		copy(order, from)
	}
}

// keyOf returns a number that orders like a value; both zeros are one.
func keyOf(v float32) uint32 {
	bits := math.Float32bits(v)
	if v == 0 {
		bits = 0
	}
	if bits>>31 != 0 {
		return ^bits
	}
	return bits | 1<<31
}
