package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// addRowsNaive is the slow twin of AddRows.
func addRowsNaive(sums []float64, rows []float32, ld, k int, members []uint64) {
	for i := range k {
		if members[i/64]>>(i%64)&1 != 0 {
			for c := range sums {
				sums[c] += float64(rows[i*ld+c])
			}
		}
	}
}

func eachRows(f func(k, columns int, density float64)) {
	for _, k := range []int{1, 31, 33, 64, 150} {
		for _, columns := range []int{0, 1, 3, 4, 8, 16, 29, 36} {
			for _, density := range []float64{0, .1, .5, 1} {
				f(k, columns, density)
			}
		}
	}
}

// memberBits returns a coalition of k instances, with no bits beyond them.
func memberBits(r *rand.Rand, k int, density float64) []uint64 {
	row := make([]uint64, (k+63)/64)
	for i := range k {
		if r.Float64() < density {
			row[i/64] |= 1 << (i % 64)
		}
	}
	return row
}

func TestAddRowsEqualsNaive(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(75, 76))
		eachRows(func(k, columns int, density float64) {
			ld, members := columns+1, memberBits(r, k, density)
			rows, got := random(r, k*ld), doubles(r, columns)
			want := append([]float64(nil), got...)
			AddRows(got, rows, ld, append(members, 0))
			addRowsNaive(want, rows, ld, k, members)
			sameDoubles(t, fmt.Sprintf("%d rows of %d columns", k, columns), got, want)
		})
	})
}

// TestAddRowsBeyondTheTable looks that a member without a row does not read what is behind the
// table.
func TestAddRowsBeyondTheTable(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		defer func() {
			if recover() == nil {
				t.Error("a row beyond the table was read")
			}
		}()
		AddRows(make([]float64, 4), make([]float32, 8), 4, []uint64{1 << 2})
	})
}

// sameDoubles fails where two results differ.
func sameDoubles(t testing.TB, what string, got, want []float64) {
	t.Helper()
	for i, v := range want {
		must.Equal(t, got[i], v, what, i)
	}
}
