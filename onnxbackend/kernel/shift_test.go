package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// shiftNaive is the slow twin of Shift.
func shiftNaive(dst, src []float32, ld int, rows []int, bias []float32, act Activation) {
	for i, r := range rows {
		for c, b := range bias {
			v := src[r*ld+c] + b
			if act == ActRelu && v < 0 {
				v = 0
			}
			dst[i*len(bias)+c] = v
		}
	}
}

// eachShift calls f with shifts of all widths around the vectors', with numbers that a comparison
// may get wrong.
func eachShift(f func(src []float32, ld int, rows []int, bias []float32, act Activation)) {
	r := rand.New(rand.NewPCG(81, 82))
	special := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)),
		float32(math.Copysign(0, -1)), 0}
	for _, columns := range []int{1, 3, 4, 7, 8, 9, 16, 20, 128} {
		for _, n := range []int{1, 2, 17} {
			ld := columns + n%3
			src, bias := random(r, 20*ld), random(r, columns)
			for i := range special {
				src[r.IntN(len(src))], bias[r.IntN(columns)] = special[i], special[r.IntN(5)]
			}
			rows := make([]int, n)
			for i := range rows {
				rows[i] = r.IntN(20)
			}
			f(src, ld, rows, bias, Activation(n%2))
		}
	}
}

func TestShiftEqualsNaive(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		eachShift(func(src []float32, ld int, rows []int, bias []float32, act Activation) {
			got := make([]float32, len(rows)*len(bias))
			want := make([]float32, len(got))
			Shift(got, src, ld, rows, bias, act)
			shiftNaive(want, src, ld, rows, bias, act)
			sameBits(t, fmt.Sprintf("%d rows of %d columns", len(rows), len(bias)), got, want)
		})
	})
}

func TestShiftBeyondTheTable(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		defer func() {
			if recover() == nil {
				t.Error("a row beyond the table was read")
			}
		}()
		Shift(make([]float32, 8), make([]float32, 15), 8, []int{1}, make([]float32, 8), ActNone)
	})
}
