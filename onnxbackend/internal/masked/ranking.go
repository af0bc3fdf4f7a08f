package masked

import (
	"math"
	"slices"
)

// A ranking sorts the instances of a column by their value, equal ones in the order of the bag. It
// is a radix sort: 100,000 instances take 3 ms instead of the 100 ms of a stable sort by
// comparisons, during which a run could not be cancelled.
type ranking struct {
	keys, otherKeys []uint32 // (place) integers in the order of the values
	other           []int32  // (place) instances between two passes
}

// A key has three digits of 11 bits, the lowest first.
const (
	digitBits = 11
	digits    = 3
)

// newRanking returns a ranking for columns of k instances.
func newRanking(k int) *ranking {
	return &ranking{make([]uint32, k), make([]uint32, k), make([]int32, k)}
}

// column writes the instances of a column to order, the smallest first if less is true, else the
// largest first. The value of instance i is values[i*step].
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
	// Each pass sorts by one digit and keeps the order of equal ones, from order to other and back.
	from, to := order, r.other
	for d := range digits {
		places := counts[d][:]
		if slices.Contains(places, int32(len(order))) {
			continue // all keys have the same digit, so that the pass would change nothing
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
	if &from[0] != &order[0] { // the number of passes was odd
		copy(order, from)
	}
}

// keyOf returns an integer in the order of float32 values. Both zeros have the same key. Negative
// values have the bits inverted: their magnitude orders the other way.
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
