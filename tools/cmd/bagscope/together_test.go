package main

import (
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestTogether checks that numbers of one table have equal decimals: three digits of the largest.
func TestTogether(t *testing.T) {
	for _, c := range []struct {
		numbers []float64
		want    []string
	}{
		{[]float64{12.21, -.0004, 4.58}, []string{"+12.2", "0.0", "+4.6"}},
		{[]float64{-.5, .123}, []string{"-0.500", "+0.123"}},
		{[]float64{4999.6, -3}, []string{"+5000", "-3"}},
		{[]float64{0, 0}, []string{"0.00", "0.00"}},
		{[]float64{2e-9, 1}, []string{"0.00", "+1.00"}},
		{[]float64{2e-9}, []string{"+2.00e-09"}},
		{[]float64{3e7}, []string{"+3.00e+07"}},
	} {
		must.EqualSlices(t, together(c.numbers), c.want, c.numbers)
	}
}
