package onnxbackend

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// Arithmetic implements core.Calculator with the engine's kernels.
func (b *Bound) Arithmetic() core.Arithmetic { return b.products() }

// arithmetic implements core.Arithmetic.
type arithmetic struct{}

func (arithmetic) Gram(dst []float64, z *core.Coalitions, w []float64) {
	kernel.WeightedGram(dst, z.Words(), rowWords(z), z.Len(), z.Instances(), w)
}

func (arithmetic) Sums(dst []float64, z *core.Coalitions, h []float64, d int) {
	kernel.MaskedSum64(dst, z.Words(), rowWords(z), z.Len(), h, z.Instances(), d)
}

func (arithmetic) InstanceSums(dst []float64, z *core.Coalitions, r []float64, d int) {
	kernel.TransposedSum64(dst, z.Words(), rowWords(z), z.Len(), z.Instances(), r, d)
}

func (arithmetic) Overlaps(dst []float64, x, y *core.Coalitions) {
	kernel.Overlaps(dst, x.Words(), x.Len(), y.Words(), y.Len(), rowWords(x))
}

func (arithmetic) Subtract(c []float64, ldc int, a []float64, row, column int, b []float64, ldb, m, n, k int) {
	kernel.Subtract(c, ldc, a, row, column, b, ldb, m, n, k)
}

// rowWords is the length of a row of z.
func rowWords(z *core.Coalitions) int { return (z.Instances() + 63) / 64 }
