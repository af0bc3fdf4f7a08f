// Package tiny has code whose tests leave known gaps.
package tiny

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Clamp returns v, but at least low and at most high.
func Clamp(v, low, high int) int {
	if v < low {
		return low
	}
	if v > high {
		return high
	}
	return v
}

// A Counter counts calls.
type Counter struct{ n, last int }

// Add counts a call, and returns an error for a negative value.
func (c *Counter) Add(v int) (n int, err error) {
	switch {
	case v < 0:
		return 0, fmt.Errorf("%d is below %d", v, 0)
	case v == 100:
		c.last = v
	}
	c.n++
	return c.n, nil
}

// First returns the first of values that are not 0.
func First[T comparable](values ...T) (first T, err error) {
	var zero T
search:
	for _, v := range values {
		if v != zero {
			first = v
			break search
		}
	}
	if first == zero {
		return first, errors.New("all values are 0")
	}
	return first, nil
}

// Finite returns the number of a text, and false if it is none or too large.
func Finite(text string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 1) {
		return 0, false
	}
	return v, true
}

// Untested has no test.
func Untested(v int) int { return v * 2 }
