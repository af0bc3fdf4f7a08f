package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// neighboursNaive is the slow twin of Neighbours.
func neighboursNaive[T float](dst []T, ldd int, rows []float32, ldr int, s *NeighbourSums) {
	for j := range s.Signs {
		for c := range s.Sums {
			x := s.Sums[c] + float64(s.Signs[j]*float64(rows[j*ldr+c]))
			x = float64(x*s.Scales[j]) + float64(s.Bias[c])
			if s.Relu && x <= 0 {
				x = 0
			}
			dst[j*ldd+c] = T(x)
		}
	}
}

// randomNeighbours returns sums of n neighbours and a table. The results of column 0 round to -0
// without Relu.
func randomNeighbours(r *rand.Rand, n, columns, ldr int, relu bool) (*NeighbourSums, []float32) {
	s := &NeighbourSums{Sums: doubles(r, columns), Bias: random(r, columns), Scales: doubles(r, n),
		Relu: relu}
	for j := range s.Scales {
		s.Scales[j] = math.Abs(s.Scales[j])
		s.Signs = append(s.Signs, float64(1-2*r.IntN(2)))
	}
	rows := random(r, n*ldr)
	if columns > 0 {
		s.Sums[0], s.Bias[0] = -1e-300, 0
		for j := range n {
			rows[j*ldr] = 0
		}
	}
	return s, rows
}

func eachNeighbours(f func(n, columns int, relu bool)) {
	for _, n := range []int{0, 1, 2, 5} {
		for _, columns := range []int{0, 1, 2, 3, 4, 5, 8, 12, 31} {
			f(n, columns, false)
			f(n, columns, true)
		}
	}
}

func TestNeighboursEqualNaive(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(61, 62))
		eachNeighbours(func(n, columns int, relu bool) {
			ldd, ldr := columns+2, columns+1
			s, rows := randomNeighbours(r, n, columns, ldr, relu)
			got, check := guarded(n * ldd)
			want := append([]float32(nil), got...)
			Neighbours(got, ldd, rows, ldr, s)
			neighboursNaive(want, ldd, rows, ldr, s)
			sameBits(t, fmt.Sprintf("%d neighbours of %d columns, relu %v", n, columns, relu), got,
				want)
			check(t)
			wide, twin := make([]float64, n*ldd), make([]float64, n*ldd)
			Neighbours(wide, ldd, rows, ldr, s)
			neighboursNaive(twin, ldd, rows, ldr, s)
			for i, v := range twin {
				must.Equal(t, wide[i], v, n, columns, i)
			}
		})
	})
}

// TestNeighboursKeepNaN looks that Relu does not hide a NaN.
func TestNeighboursKeepNaN(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		dst, rows := make([]float32, 5), make([]float32, 5)
		rows[1] = float32(math.NaN())
		Neighbours(dst, 5, rows, 5, &NeighbourSums{
			make([]float64, 5), make([]float32, 5), []float64{1}, []float64{1}, true,
		})
		if dst[1] == dst[1] || dst[0] != 0 {
			t.Errorf("got %v, want a NaN in column 1 alone", dst)
		}
	})
}

func BenchmarkNeighbours(b *testing.B) {
	best := current
	defer func() { current = best }()
	const n, columns = 30, 64
	s, rows := randomNeighbours(rand.New(rand.NewPCG(63, 64)), n, columns, columns+1, true)
	dst := make([]float32, n*columns)
	for l := best; ; l-- {
		b.Run(l.String(), func(b *testing.B) {
			current = l
			for b.Loop() {
				Neighbours(dst, columns, rows, columns+1, s)
			}
		})
		if l == portable {
			break
		}
	}
}
