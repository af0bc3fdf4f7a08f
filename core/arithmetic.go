package core

import (
	"context"

	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/rows"
)

// Arithmetic computes the products that a surrogate needs, of bit-packed coalitions and of dense
// blocks, in float64. All matrices are row-major. The order of every sum depends only on the
// arguments. Implementations keep no slice and are safe for concurrent use.
type Arithmetic interface {
	// Gram adds to the upper triangle of dst (k, k), including the diagonal, the weight of the
	// coalitions that contain both instances: dst[i, l] += sum_j w_j z_ji z_jl for i <= l. w is
	// (coalition).
	Gram(dst []float64, z *Coalitions, w []float64)
	// Sums writes to dst (coalition, d) the sum of the rows of h (k, d) over the members of each
	// coalition.
	Sums(dst []float64, z *Coalitions, h []float64, d int)
	// InstanceSums writes to dst (k, d), for each instance, the sum of the rows of r (coalition, d)
	// of the coalitions that contain it.
	InstanceSums(dst []float64, z *Coalitions, r []float64, d int)
	// Overlaps writes to dst (coalition of x, coalition of y) the number of common instances.
	Overlaps(dst []float64, x, y *Coalitions)
	// Subtract computes C -= A·B for C (m, n) with rows ldc apart, A (m, k), whose element (i, p)
	// is a[i*row+p*column], and B (k, n) with rows ldb apart. All three may be parts of one matrix
	// that do not overlap.
	Subtract(c []float64, ldc int, a []float64, row, column int, b []float64, ldb, m, n, k int)
}

// A Calculator is an Evaluator with an Arithmetic of its own, for speed. It may return nil.
type Calculator interface {
	Arithmetic() Arithmetic
}

// PlainArithmetic returns the Arithmetic for Evaluators without their own. All others must equal it
// up to rounding.
func PlainArithmetic() Arithmetic { return plain{} }

// plain iterates over the members of each coalition.
type plain struct{}

// Gram implements [Arithmetic].
func (plain) Gram(dst []float64, z *Coalitions, w []float64) {
	members := make([]int, 0, z.k)
	for j := range z.Len() {
		members = z.Members(members[:0], j)
		for a, i := range members {
			row := dst[i*z.k : (i+1)*z.k]
			for _, l := range members[a:] {
				row[l] += w[j]
			}
		}
	}
}

// Sums implements [Arithmetic].
func (plain) Sums(dst []float64, z *Coalitions, h []float64, d int) {
	members := make([]int, 0, z.k)
	for j := range z.Len() {
		members = z.Members(members[:0], j)
		out := dst[j*d : (j+1)*d]
		clear(out)
		for _, i := range members {
			linear.AddRow(out, h[i*d:(i+1)*d])
		}
	}
}

// InstanceSums implements [Arithmetic].
func (plain) InstanceSums(dst []float64, z *Coalitions, r []float64, d int) {
	clear(dst[:z.k*d])
	members := make([]int, 0, z.k)
	for j := range z.Len() {
		members = z.Members(members[:0], j)
		for _, i := range members {
			linear.AddRow(dst[i*d:(i+1)*d], r[j*d:(j+1)*d])
		}
	}
}

// Overlaps implements [Arithmetic].
func (plain) Overlaps(dst []float64, x, y *Coalitions) {
	n := y.Len()
	for i := range x.Len() {
		for j := range n {
			dst[i*n+j] = float64(rows.Overlap(x.Row(i), y.Row(j)))
		}
	}
}

// Subtract implements [Arithmetic].
func (plain) Subtract(
	c []float64, ldc int, a []float64, row, column int, b []float64, ldb, m, n, k int,
) {
	for i := range m {
		out := c[i*ldc : i*ldc+n]
		for p := range k {
			factor := a[i*row+p*column]
			for j, v := range b[p*ldb : p*ldb+n] {
				out[j] -= float64(factor * v)
			}
		}
	}
}

// A GramAtOnce is an Arithmetic that may compute the whole Gram matrix in one call, as a graphics
// processor does. The call ends with ctx.
type GramAtOnce interface {
	// GramAtOnce computes Gram into a zeroed dst. If it returns false, dst is unchanged and the
	// caller must use Gram.
	GramAtOnce(ctx context.Context, dst []float64, z *Coalitions, w []float64) (bool, error)
}
