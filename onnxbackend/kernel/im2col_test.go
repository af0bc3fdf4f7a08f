package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// window is the table of Columns for a square picture, a square of taps, strides and a border of
// zeros.
func window(side, taps, stride, border int) (from []int32, positions int) {
	out := (side+2*border-taps)/stride + 1
	for ty := range taps {
		for tx := range taps {
			for y := range out {
				for x := range out {
					py, px := y*stride+ty-border, x*stride+tx-border
					at := int32(py*side + px)
					if py < 0 || py >= side || px < 0 || px >= side {
						at = -1
					}
					from = append(from, at)
				}
			}
		}
	}
	return from, out * out
}

// TestColumns compares Columns with Pack of the matrix that it stands for.
func TestColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	check := func(t *testing.T, from []int32, channels, size, taps, positions int) {
		t.Helper()
		plane := random(r, channels*size)
		matrix := make([]float32, channels*taps*positions)
		for c := range channels {
			for i, p := range from {
				if p >= 0 {
					matrix[c*len(from)+i] = plane[c*size+int(p)]
				}
			}
		}
		k := channels * taps
		want := make([]float32, PackedLen(k, positions))
		got, guards := guarded(len(want))
		NewPatches(from, taps, positions).Columns(got, plane, channels, size)
		guards(t)
		Pack(want, matrix, k, positions, positions, false)
		for i := range want {
			must.Equal(t, got[i], want[i], i)
		}
	}
	atLevels(t, func(t *testing.T) {
		for _, w := range [][4]int{{5, 1, 1, 0}, {9, 3, 1, 0}, {9, 3, 1, 2}, {13, 3, 2, 1},
			{28, 5, 1, 0}} {
			from, positions := window(w[0], w[1], w[2], w[3])
			check(t, from, 3, w[0]*w[0], w[1]*w[1], positions)
		}
		from := make([]int32, 5*70) // no convolution's, but a table all the same
		for i := range from {
			from[i] = int32(r.IntN(9)) - 1
		}
		check(t, from, 2, 8, 5, 70)
	})
}

func BenchmarkColumns(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, c := range []struct{ channels, side, taps, stride, border int }{{3, 27, 4, 1, 0},
		{36, 12, 3, 1, 0}, {1, 28, 5, 1, 0}, {16, 28, 3, 2, 1}} {
		from, positions := window(c.side, c.taps, c.stride, c.border)
		taps, size := c.taps*c.taps, c.side*c.side
		plane := random(r, c.channels*size)
		dst := make([]float32, PackedLen(c.channels*taps, positions))
		b.Run(fmt.Sprintf("%dx%d", c.channels*taps, positions), func(b *testing.B) {
			b.ReportAllocs()
			p := NewPatches(from, taps, positions)
			for b.Loop() {
				p.Columns(dst, plane, c.channels, size)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(
				c.channels*taps*positions), "ns/value")
		})
	}
}

// TestCopyRows compares copies of rows of all lengths around the longest run with loops.
func TestCopyRows(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	atLevels(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 3, 4, 7, 8, 9, 16, 17, 33, 64, 65, 112} {
			for _, gap := range [][2]int{{0, 0}, {0, 5}, {3, 0}, {2, 9}} {
				rows, to, from := r.IntN(5), n+gap[0], n+gap[1]
				src := random(r, rows*from+n)
				got, guards := guarded(rows*to + n)
				want := append([]float32{}, got...)
				for i := range rows {
					for j := range n {
						want[i*to+j] = src[i*from+j]
					}
				}
				CopyRows(got, src, n, rows, to, from)
				guards(t)
				sameBits(t, fmt.Sprintf("%d rows of %d", rows, n), got, want)
			}
		}
	})
}
