package offload

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// CPU implements core.Arithmetic with the engine's kernels.
type CPU struct{}

// Gram implements core.Arithmetic.
func (CPU) Gram(dst []float64, z *core.Coalitions, w []float64) {
	kernel.WeightedGram(dst, z.Words(), rowWords(z), z.Len(), z.Instances(), w)
}

// Sums implements core.Arithmetic.
func (CPU) Sums(dst []float64, z *core.Coalitions, h []float64, d int) {
	kernel.MaskedSum64(dst, z.Words(), rowWords(z), z.Len(), h, z.Instances(), d)
}

// InstanceSums implements core.Arithmetic.
func (CPU) InstanceSums(dst []float64, z *core.Coalitions, r []float64, d int) {
	kernel.TransposedSum64(dst, z.Words(), rowWords(z), z.Len(), z.Instances(), r, d)
}

// Overlaps implements core.Arithmetic.
func (CPU) Overlaps(dst []float64, x, y *core.Coalitions) {
	kernel.Overlaps(dst, x.Words(), x.Len(), y.Words(), y.Len(), rowWords(x))
}

// Subtract implements core.Arithmetic.
func (CPU) Subtract(
	c []float64, ldc int, a []float64, row, column int, b []float64, ldb, m, n, k int,
) {
	kernel.Subtract(c, ldc, a, row, column, b, ldb, m, n, k)
}

// rowWords is the length of a row of z.
func rowWords(z *core.Coalitions) int { return (z.Instances() + 63) / 64 }

// gramShare is the cost of a Gram matrix on the CPU, relative to a product's: 1000 rows and columns
// take 12 ms.
const gramShare = 3

// Arithmetic returns the matrix products of surrogates. The device computes those that pay.
func (m *Model) Arithmetic() core.Arithmetic {
	if !m.paysEver() {
		return CPU{}
	}
	return arithmetic{m: m}
}

// arithmetic computes on the device what pays.
type arithmetic struct {
	CPU
	m *Model
}

// GramAtOnce implements core.GramAtOnce.
func (x arithmetic) GramAtOnce(
	ctx context.Context, dst []float64, z *core.Coalitions, w []float64,
) (done bool, err error) {
	n, k := z.Len(), z.Instances()
	c := device.Cost{
		Work: n * k / gramShare * k, Up: 8 * (len(z.Words()) + n), Down: 4 * k * k, Waits: 1,
	}
	if !x.m.Ready() || n == 0 || !x.m.always && !pays(c, 1) {
		return false, nil
	}
	done, err = x.m.device.Gram(ctx, dst, z.Words(), rowWords(z), n, k, w)
	if x.m.Retreats(err) {
		clear(dst)
		return false, nil
	}
	return done, err
}
