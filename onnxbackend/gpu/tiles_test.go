//go:build gpu

package gpu

import (
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// TestTiles compares the four kernels of products with sums in float64: sizes of one, primes, and
// tiles with a line more or less; factors that are transposed, repeated or a part of a matrix; and
// depths that are cut.
func TestTiles(t *testing.T) {
	p, r := processorFor(t), rand.New(rand.NewPCG(16, 16))
	for _, c := range []product{
		{m: 1, n: 1, k: 1}, {m: 3, n: 2, k: 17}, {m: 127, n: 129, k: 33}, {m: 129, n: 65, k: 15},
		{m: 63, n: 131, k: 64, batch: 2}, {m: 128, n: 128, k: 16}, {m: 257, n: 4, k: 4},
		{m: 4, n: 260, k: 20, batch: 3}, {m: 132, n: 68, k: 100}, {m: 68, n: 132, k: 12, batch: 2},
	} {
		c.batch, c.alpha = max(c.batch, 1), 0.5
		for _, transposed := range []struct{ a, b bool }{{}, {a: true}, {b: true}, {true, true}} {
			q := c
			q.aRow, q.aCol, q.bRow, q.bCol = c.k+4, 1, c.n+8, 1
			if transposed.a {
				q.aRow, q.aCol = 1, c.m+4
			}
			if transposed.b {
				q.bRow, q.bCol = 1, c.k+8
			}
			q.aEach = (c.k + 4) * (c.m + 4)
			a, b := normal(r, c.batch, c.k+4, c.m+4), normal(r, c.k+8, c.n+8)
			want := q.inFloat64(tensor.Of[float32](a), tensor.Of[float32](b))
			for _, name := range []string{"product64", "product128", "vectors64", "vectors128"} {
				if name[0] == 'v' && !q.vectors() {
					continue
				}
				for _, slice := range []int{c.k, 32} {
					got := q.onDevice(t, p, name, slice, a, b)
					if d := apart(got, want); !(d <= 1e-5) {
						t.Errorf("%s of %+v in slices of %d is off by %g of the largest element",
							name, q, slice, d)
					}
				}
			}
		}
	}
}

// inFloat64 returns a product (batch, m, n).
func (p *product) inFloat64(a, b []float32) []float64 {
	var y []float64
	for i := range p.batch {
		for row := range p.m {
			for column := range p.n {
				sum := 0.0
				for d := range p.k {
					sum += float64(a[i*p.aEach+row*p.aRow+d*p.aCol]) *
						float64(b[i*p.bEach+d*p.bRow+column*p.bCol])
				}
				y = append(y, float64(p.alpha)*sum)
			}
		}
	}
	return y
}

// onDevice returns a product that a kernel computes in slices of k, which it adds up.
func (p *product) onDevice(
	t *testing.T, on *processor, name string, slice int, a, b *tensor.Tensor,
) []float64 {
	t.Helper()
	slices, n := (p.k+slice-1)/slice, p.batch*p.m*p.n
	j := &job{p: on}
	defer j.close()
	from := must.Get(j.upload(bytesOf(tensor.Of[float32](a))))(t)
	by := must.Get(j.upload(bytesOf(tensor.Of[float32](b))))(t)
	to := must.Get(j.keep(on.memory.alloc(4 * n * slices)))(t)
	with := p.params(function{}, nil)
	with.ints(18, slice, slices)
	must.Do(t, on.dispatch(&j.record, name, with, p.tiles(sideOf(name))*slices, 1, to, from, by))
	parts := make([]float32, n*slices)
	must.Do(t, on.downloadFloats(t.Context(), &j.record, []*buffer{to}, [][]float32{parts}))
	y := make([]float64, n)
	for i, v := range parts {
		y[i%n] += float64(v)
	}
	return y
}

// sideOf returns the side of the tiles of a kernel of products.
func sideOf(name string) int {
	if name[len(name)-1] == '8' {
		return 128
	}
	return 64
}
